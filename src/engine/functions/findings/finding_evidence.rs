//! The words of evidence: queries that return the rows behind a finding, and commands that draw it.

use super::finding_inputs::{NONBLOCKING_CALLS, collectives};
use crate::functions::communication::comm_waits::COLLECTIVE_LINK;
use ocellus_kernels::findings::{Evidence, Finding, RunMatrix};

/// The query of a finding. Tables and functions get `prefix`, the schema that the call named.
pub(crate) fn evidence(run: &RunMatrix, finding: &Finding, prefix: &str) -> String {
    let (start, end) = (finding.start, finding.end);
    let window = format!("start => {start:?}, stop => {end:?}");
    let overlaps = format!("start_time < {end:?} AND end_time > {start:?}");
    let begins = format!("start_time >= {start:?} AND start_time < {end:?}");
    let id = finding.container.and_then(|place| run.containers.get(place)).map(|container| container.id);
    let kind = run.state_type.as_ref().map(|kind| format!(" AND type = {}", quoted(kind))).unwrap_or_default();
    let below = |column: &str| match id {
        Some(id) => format!("{column} IN (SELECT container_id FROM {prefix}subtree(root => {id}))"),
        None => "TRUE".to_string(),
    };
    // States, and times between two of them where values are such.
    let states = |values: &[String]| match values.iter().any(|value| is_between(value)) {
        true => format!(
            "(SELECT container_id, container, type, value, start_time, end_time, duration FROM {prefix}state_segments \
             UNION ALL SELECT container_id, container, type, concat('{BETWEEN}', previous_value, ' and ', next_value), \
             start_time, end_time, seconds FROM {prefix}idle_gaps)"
        ),
        false => format!("{prefix}state_segments"),
    };
    let told = match &run.state_type {
        Some(kind) if run.waits_in_type => format!(
            " WHERE states.type = {0} OR states.container_id NOT IN (SELECT container_id FROM {prefix}state_segments \
             WHERE type = {0})",
            quoted(kind)
        ),
        _ => String::new(),
    };
    // As findings count waits: those in blocking communication, too, and each once.
    let waits = format!(
        "(SELECT states.*, CASE WHEN known.activity = 'communication' AND NOT regexp_like(states.value, {}) THEN 'waiting' \
         ELSE known.activity END AS activity FROM {prefix}state_segments AS states JOIN {prefix}state_activities AS known \
         ON known.type = states.type AND known.value = states.value{told}), collectives => {}",
        quoted(NONBLOCKING_CALLS),
        quoted(&collectives())
    );
    match &finding.evidence {
        Evidence::StateLengths(values) => format!(
            "SELECT container, value, count(*) AS states, avg(duration) AS mean_seconds, {} AS is_slow \
             FROM {} WHERE {begins}{kind}{} GROUP BY container_id, container, value \
             ORDER BY value, mean_seconds DESC",
            below("container_id"),
            states(values),
            among(values)
        ),
        Evidence::StateTimes(values) => format!(
            "SELECT container, value, sum(seconds) AS seconds FROM {prefix}state_slices({}, {window}) \
             WHERE TRUE{kind}{} GROUP BY container_id, container, value ORDER BY seconds DESC",
            states(values),
            among(values)
        ),
        Evidence::StateTrend(values) => format!(
            "SELECT slice_of(start_time, {:?}, {:?}, 20) AS slice, value, count(*) AS states, avg(duration) AS mean_seconds \
             FROM {} WHERE {begins}{kind}{} GROUP BY 1, 2 ORDER BY 2, 1",
            run.start,
            run.stop,
            states(values),
            among(values)
        ),
        Evidence::StateMix => format!(
            "SELECT slice, slice_start, value, sum(seconds) AS seconds FROM {prefix}state_slices({prefix}state_segments, \
             slices => 50) WHERE {}{kind} GROUP BY slice, slice_start, value ORDER BY slice, seconds DESC",
            below("container_id")
        ),
        Evidence::WaitsFor => format!(
            "SELECT kind, container, partner, sum(waits) AS waits, sum(seconds) AS seconds FROM {prefix}wait_states({waits}, {window}) \
             WHERE {} GROUP BY kind, container_id, container, partner ORDER BY seconds DESC",
            below("partner_id")
        ),
        Evidence::WaitsOf(kind) => format!(
            "SELECT container, partner, state, waits, seconds FROM {prefix}wait_states({waits}, {window}) WHERE kind = {} \
             ORDER BY seconds DESC",
            quoted(kind)
        ),
        Evidence::Links => format!(
            "SELECT source, target, count(*) AS links, avg(duration) AS mean_seconds, sum(volume) AS volume FROM {prefix}links \
             WHERE {overlaps} AND ({} OR {}) GROUP BY source_id, source, target_id, target ORDER BY mean_seconds DESC",
            below("source_id"),
            below("target_id")
        ),
        Evidence::Pairs => format!(
            "SELECT source, target, count(*) AS links, avg(duration) AS mean_seconds, avg(volume) AS mean_volume \
             FROM {prefix}links WHERE {overlaps} AND value IS DISTINCT FROM '{COLLECTIVE_LINK}' \
             GROUP BY source_id, source, target_id, target ORDER BY links DESC"
        ),
        Evidence::Variable(name) => format!(
            "SELECT slice_start, container, mean, maximum FROM {prefix}variable_slices(slices => 50) WHERE type = {} AND {} \
             ORDER BY container_id, slice",
            quoted(name),
            below("container_id")
        ),
        Evidence::ReversedLinks => format!(
            "SELECT source, target, start_time, end_time, duration FROM {prefix}links WHERE end_tick < start_tick \
             ORDER BY duration"
        ),
        Evidence::Diagnostics => {
            format!(
                "SELECT severity, code, line, message, occurrences FROM {prefix}diagnostics ORDER BY occurrences DESC"
            )
        }
        Evidence::ActivityTimes(activity) => format!(
            "SELECT container, value, sum(seconds) AS seconds FROM {prefix}state_slices({prefix}state_segments, {window}) \
             WHERE value IN (SELECT value FROM {prefix}state_activities WHERE activity = {}{kind}){kind} \
             GROUP BY container_id, container, value ORDER BY seconds DESC",
            quoted(activity)
        ),
    }
}

/// How the name of a time between two states begins.
const BETWEEN: &str = "no state between ";

fn is_between(value: &str) -> bool {
    value.starts_with(BETWEEN)
}

/// A condition on values; time in no state at all is none.
fn among(values: &[String]) -> String {
    let is_meant = |value: &&String| is_between(value) || !value.starts_with("no state");
    let values: Vec<String> = values.iter().filter(is_meant).map(|value| quoted(value)).collect();
    if values.is_empty() { String::new() } else { format!(" AND value IN ({})", values.join(", ")) }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The command that draws a finding.
pub(crate) fn picture(finding: &Finding, rank: usize, file: &str) -> String {
    let margin = (finding.end - finding.start) / 4.0;
    let view = match finding.evidence {
        Evidence::Links | Evidence::Pairs => "matrix",
        Evidence::Variable(_) => "variables",
        Evidence::StateMix => "overview",
        Evidence::StateTrend(_) => "profile",
        _ => "timeline",
    };
    let file = if file.is_empty() { "TRACE".to_string() } else { format!("'{}'", file.replace('\'', r"'\''")) };
    let window = match finding.evidence {
        Evidence::Variable(_) | Evidence::StateMix | Evidence::StateTrend(_) => String::new(),
        _ if margin > 0.0 => format!(" --start {} --stop {}", finding.start - margin, finding.end + margin),
        _ => String::new(),
    };
    format!("ocellus draw {file} {view}{window} -o finding-{rank}.svg")
}
