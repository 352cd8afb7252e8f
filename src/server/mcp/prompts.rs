//! Prompts: ways to go about the two questions that are asked most.

#[cfg(test)]
mod tests;

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::answer::clipped;

const WHY_SLOW: &str = "why_is_it_slow";
const COMPARE: &str = "compare_two_runs";

/// Bytes of an argument that a prompt repeats.
const LONGEST_ARGUMENT: usize = 200;

/// What there is.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |name: &str, doc: &str| PromptArgument::new(name).with_description(doc);
    vec![
        Prompt::new(
            WHY_SLOW,
            Some("Find out where the time of a run goes, and what would make it shorter"),
            Some(vec![argument("trace", "Name of the trace; the only one when absent").with_required(false)]),
        )
        .with_title("Why is it slow?"),
        Prompt::new(
            COMPARE,
            Some("Find out what differs between two runs, and why one of them takes longer"),
            Some(vec![
                argument("baseline", "Name of the trace that is compared with").with_required(true),
                argument("run", "Name of the other trace").with_required(true),
            ]),
        )
        .with_title("Compare two runs"),
    ]
}

/// A prompt with its arguments; the error says what is wrong with them.
pub(super) fn get(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, String> {
    let argument = |name: &str| {
        let value = arguments.get(name).and_then(|value| value.as_str()).filter(|value| !value.is_empty());
        value.map(|value| clipped(value, LONGEST_ARGUMENT))
    };
    let needed = |name: &str| argument(name).ok_or_else(|| format!("the prompt needs the argument {name}"));
    let text = match name {
        WHY_SLOW => why_slow(argument("trace")),
        COMPARE => compare(needed("baseline")?, needed("run")?),
        other => return Err(format!("there is no prompt {}", clipped(other, LONGEST_ARGUMENT))),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

fn why_slow(trace: Option<&str>) -> String {
    let (subject, give) = match trace {
        Some(trace) => (format!("the trace `{trace}`"), format!(" (give trace: {trace:?} to each tool)")),
        None => ("the trace".to_string(), String::new()),
    };
    format!(
        "Find out why the run recorded in {subject} takes as long as it does{give}.\n\n\
         1. diagnostics: is the trace whole? Say so if rows were lost.\n\
         2. profile by efficiency: is it load balance or communication? Then profile by activity and by state.\n\
         3. critical_path: which containers, states and messages determine the end?\n\
         4. query with wait_states() and load_imbalance (describe explains them): who waits for whom, and how unevenly is \
         work spread? stragglers shows when.\n\
         5. draw the timeline or the overview of the window that matters.\n\n\
         Answer with the two or three causes that cost most, each with its seconds and its share of the run, the query that \
         shows it, and what could be tried. Say what the trace cannot tell."
    )
}

fn compare(baseline: &str, run: &str) -> String {
    format!(
        "Compare the run `{run}` with the baseline `{baseline}`.\n\n\
         1. list_traces: how long is each, and how many containers and rows do they have? diagnostics of both: are they whole?\n\
         2. compare_runs with baseline: {baseline:?} and run: {run:?}. If few containers match, try by: \"name\" or \
         by: \"position\", or a depth for runs with different numbers of processes.\n\
         3. profile by efficiency, and critical_path, of each.\n\
         4. query run_diff with slices to see when they part.\n\n\
         Answer with how much longer or shorter the run is, which states account for it on which containers, with seconds \
         and shares of both, and the queries that show it. Shares are of the length of each run: a run that is slower as a \
         whole can have equal shares."
    )
}
