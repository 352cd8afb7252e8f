//! The cookbook, `sql/queries/*.sql`: each query runs on any trace, and gives rows where the trace has what it needs.
//!
//! A line `-- Needs: states and links.` of its head says what that is. Where a trace lacks it, the query gives no rows,
//! and a note says what the trace lacks.

use std::collections::BTreeSet;
use std::path::PathBuf;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use arrow::util::display::array_value_to_string;
use futures::TryStreamExt;
use ocellus_engine::Engine;
use ocellus_engine::functions::registry;

use crate::suite::engine_on;
use crate::support::{block_on, checkout, files, read};

/// What traces may have or lack.
const ENTITIES: [&str; 4] = ["states", "links", "events", "variables"];

/// Samples of every shape: first one with everything, then those with one kind of entities only, of each format.
const SAMPLES: [&str; 13] = [
    "traces/quickstart.trace",
    "traces/one_rank_per_host.trace",
    "traces/message_edges.trace",
    "traces/links.trace",
    "traces/variables.trace",
    "traces/dumpi",
    "traces/ring.otf2",
    "traces/events.json",
    "traces/ctf",
    "traces/tracks.pftrace",
    "traces/gpu_work.sqlite",
    "traces/rocpd.db",
    "traces/pytorch.json",
];

/// Those in which GPUs work: elsewhere, queries about them give no rows.
const OF_GPUS: [&str; 3] = ["traces/gpu_work.sqlite", "traces/rocpd.db", "traces/pytorch.json"];

/// Queries that may be empty though a trace has what they need: what they look for does not always occur.
const MAY_BE_EMPTY: [&str; 7] = [
    // Nobody waits for anybody.
    "wait_states",
    // Nobody deviates: all groups have less than five members, or are alike.
    "stragglers",
    // No container has states and variables.
    "computation_vs_variable",
    // Every message stays in its community.
    "comm_flows",
    // No link takes time.
    "hidden_communication",
    "state_during_message",
    // One message has nothing to be merged with.
    "phase_tree",
];

struct CookbookQuery {
    path: PathBuf,
    text: String,
}

impl CookbookQuery {
    fn name(&self) -> &str {
        self.path.file_stem().and_then(|name| name.to_str()).expect("a name")
    }

    /// The entities that the line `Needs:` names.
    fn needs(&self) -> BTreeSet<&'static str> {
        ENTITIES.into_iter().filter(|entity| self.need().contains(entity)).collect()
    }

    /// Whether the line `Needs:` says that they are of GPUs.
    fn needs_gpus(&self) -> bool {
        self.need().contains("of GPUs")
    }

    fn need(&self) -> String {
        let head: String = self.text.lines().take_while(|line| line.starts_with("--")).collect();
        head.split_once("Needs: ").map(|(_, needs)| needs.to_string()).unwrap_or_default()
    }
}

fn queries() -> Vec<CookbookQuery> {
    let paths = files(&checkout().join("sql/queries"), ".sql");
    assert!(!paths.is_empty(), "no query was found");
    paths.into_iter().map(|path| CookbookQuery { text: read(&path), path }).collect()
}

/// The rows of a query and the notes on it.
fn run(engine: &Engine, text: &str) -> Result<(usize, Vec<String>), String> {
    let statements = engine.split(text).map_err(|error| error.to_string())?;
    let [statement] = statements.as_slice() else { return Err("one statement was expected".to_string()) };
    block_on(async {
        let result = engine.run(statement).await.map_err(|error| error.to_string())?;
        let rows: Vec<RecordBatch> = result.stream.try_collect().await.map_err(|error| error.to_string())?;
        let rows = rows.iter().map(RecordBatch::num_rows).sum();
        Ok((rows, result.notes.take(rows)))
    })
}

/// The entities that the current trace has none of.
fn missing(engine: &Engine) -> BTreeSet<&'static str> {
    let batches = block_on(engine.sql("SELECT states, links, events, variables FROM trace_info")).expect("trace_info");
    let count = |place: usize| batches[0].column(place).as_primitive::<Int64Type>().value(0);
    ENTITIES.into_iter().enumerate().filter(|(place, _)| count(*place) == 0).map(|(_, entity)| entity).collect()
}

#[test]
fn every_query_of_the_cookbook_gives_rows_or_says_why_not() {
    let queries = queries();
    let mut wrong = vec![];
    for sample in SAMPLES {
        let (_folder, engine) = engine_on(&[sample.to_string()]);
        let missing = missing(&engine);
        for query in &queries {
            let place = format!("{} on {sample}", query.name());
            let lacks: Vec<&str> = query.needs().intersection(&missing).copied().collect();
            match run(&engine, &query.text) {
                Err(error) => wrong.push(format!("{place}: {error}")),
                Ok((0, notes)) if !lacks.is_empty() => {
                    let is_said = |what: &&str| notes.iter().any(|note| note.ends_with(&format!(" has no {what}")));
                    if !lacks.iter().any(is_said) {
                        wrong
                            .push(format!("{place}: no rows, and no note says that there are no {lacks:?}: {notes:?}"));
                    }
                }
                Ok((0, _)) if query.needs_gpus() && !OF_GPUS.contains(&sample) => {}
                Ok((0, _)) if sample == SAMPLES[0] || !MAY_BE_EMPTY.contains(&query.name()) => {
                    // Four ranks cannot deviate by two standard deviations.
                    if query.name() != "stragglers" {
                        wrong.push(format!("{place}: no rows"));
                    }
                }
                Ok(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A query that names something of one trace is of no use on another.
#[test]
fn the_cookbook_names_nothing_of_the_samples() {
    let (_folder, engine) = engine_on(&["traces/quickstart.trace".to_string(), "traces/variables.trace".to_string()]);
    let sql = "SELECT DISTINCT lower(name) FROM (SELECT name FROM all_traces.containers UNION ALL SELECT path FROM all_traces.containers \
               UNION ALL SELECT name FROM all_traces.types UNION ALL SELECT value FROM all_traces.states \
               UNION ALL SELECT value FROM all_traces.links UNION ALL SELECT name FROM all_traces.trace_info)";
    let names: BTreeSet<String> = block_on(engine.sql(sql))
        .expect("names")
        .iter()
        .flat_map(|batch| batch.column(0).as_string_view().iter().flatten().map(str::to_string).collect::<Vec<_>>())
        .collect();
    assert!(names.contains("rank-1") && names.contains("quickstart"));
    for query in queries() {
        assert!(query.text.starts_with("-- "), "{} must begin with a comment", query.path.display());
        let code: Vec<&str> = query.text.lines().filter(|line| !line.starts_with("--")).collect();
        for literal in code.join("\n").split('\'').skip(1).step_by(2) {
            assert!(!names.contains(&literal.to_lowercase()), "{}: '{literal}' is of a sample", query.path.display());
        }
    }
}

#[test]
fn every_view_has_a_query_of_the_cookbook() {
    for view in registry::VIEWS.iter() {
        let name = view.definition.name;
        let path = checkout().join(format!("sql/queries/{name}.sql"));
        let is_asked =
            path.exists() && read(&path).split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        assert!(is_asked, "{} does not exist, or does not read the view", path.display());
    }
}

/// The rows of a query of the cookbook on a sample, cells as text.
fn cells(name: &str, sample: &str) -> Vec<String> {
    let (_folder, engine) = engine_on(&[sample.to_string()]);
    let batches = block_on(engine.sql(&read(&checkout().join(format!("sql/queries/{name}.sql"))))).expect("rows");
    let row = |batch: &RecordBatch, row: usize| {
        let cells = batch.columns().iter().map(|column| array_value_to_string(column, row).expect("a value"));
        cells.collect::<Vec<_>>().join("|")
    };
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|number| row(batch, number))).collect()
}

/// States of two types are two views of the same time, that of rank-c from 14 to 16: nothing adds them up.
#[test]
fn activities_of_two_types_are_not_added_up() {
    let sample = "traces/message_edges.trace";
    // rank-a sends from 2 to 5, 8 to 11, 12 to 13 and 15.5 to 17, and computes from 0 to 6, 12 to 15 and 16 to 20; rank-b sends from 5 to 7
    // and computes from 5 to 6. While rank-c sends, from 15 to 17, it waits or is in no state, and solves in the other type.
    assert_eq!(
        cells("hidden_communication", sample),
        [
            format!("rank-a|MPI state|8.5|5.0|{}", 5.0 / 8.5),
            "rank-b|MPI state|2.0|1.0|0.5".to_string(),
            "rank-c|MPI state|2.0|0.0|0.0".to_string(),
            "rank-c|Phase|2.0|2.0|1.0".to_string(),
        ]
    );
    assert_eq!(
        cells("grouping", sample),
        [
            "1|rank-a|MPI state|communication|2.0",
            "1|rank-a|MPI state|computation|13.0",
            "2|rank-b|MPI state|communication|2.0",
            "2|rank-b|MPI state|computation|1.0",
            "2|rank-b|MPI state|waiting|2.0",
            "3|rank-c|MPI state|communication|3.0",
            "3|rank-c|MPI state|computation|1.0",
            "3|rank-c|MPI state|waiting|2.5",
            "3|rank-c|Phase|computation|4.0",
        ]
    );
}
