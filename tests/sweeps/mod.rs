//! Functions over all states and messages that hold neither: they run in less memory than their rows take.

use arrow::util::display::array_value_to_string;
use ocellus_engine::{Engine, EngineOptions};
use ocellus_trace::import::ImportOptions;

use crate::support::{block_on, checkout, empty_store, import_into};

/// Rows of each relation: some 13 MB of them, of which algorithms that collect them would hold three copies.
const ROWS: usize = 300_000;
const MEMORY: usize = 24 << 20;

/// 0 and 1 exchange messages, and 2 and 3; a message takes 2 µs, and one is sent every microsecond.
fn links() -> String {
    format!(
        "SELECT CAST(value % 4 AS INT) AS source_id, CAST(value % 4 + 1 - 2 * (value % 2) AS INT) AS target_id,
            value * 1e-6 AS start_time, value * 1e-6 + 2e-6 AS end_time, 8.0 AS volume, 'MPI_Send' AS value,
            CAST(value AS TEXT) AS key
         FROM range(0, {ROWS})"
    )
}

/// Ten containers that run in the first half of every second.
fn states() -> String {
    format!(
        "SELECT CAST(value % 10 AS INT) AS container_id, 'State' AS type, 'run' AS value,
            CAST(value / 10 AS DOUBLE) AS start_time, value / 10 + 0.5 AS end_time
         FROM range(0, {ROWS})"
    )
}

/// Container 1 waits in the first half of every second.
fn waits() -> String {
    format!(
        "SELECT 1 AS container_id, 'MPI_Recv' AS value, 'waiting' AS activity, CAST(value AS DOUBLE) AS start_time,
            value + 0.5 AS end_time
         FROM range(0, {ROWS})"
    )
}

/// Every second container 0 sends what container 1 waits for: sent after 0.125 seconds, received after 0.25.
fn answers() -> String {
    format!(
        "SELECT 0 AS source_id, 1 AS target_id, value + 0.125 AS start_time, value + 0.25 AS end_time,
            CAST(value AS TEXT) AS key
         FROM range(0, {ROWS})"
    )
}

fn limited() -> (tempfile::TempDir, Engine) {
    limited_to(MEMORY)
}

fn limited_to(memory: usize) -> (tempfile::TempDir, Engine) {
    let (folder, store) = empty_store();
    let trace = import_into(&store, &checkout().join("traces/paper.trace"), &ImportOptions::default());
    let options =
        EngineOptions { trace: Some(trace), threads: Some(2), memory_limit: Some(memory), ..EngineOptions::default() };
    let engine = Engine::open(store, options).expect("an engine");
    (folder, engine)
}

/// Rows as text.
fn rows(engine: &Engine, sql: &str) -> Vec<String> {
    let mut found = vec![];
    for batch in block_on(engine.sql(sql)).unwrap_or_else(|e| panic!("{sql}: {e}")) {
        for row in 0..batch.num_rows() {
            let cell = |column| array_value_to_string(column, row).expect("a value");
            found.push(batch.columns().iter().map(|column| cell(column)).collect::<Vec<String>>().join("|"));
        }
    }
    found
}

/// The plan runs a sweep, and the result is the one that was worked out by hand.
fn check(sql: &str, expected: &[&str]) {
    check_with("TableSweepExec", sql, expected);
}

/// The same, with another operator.
fn check_with(operator: &str, sql: &str, expected: &[&str]) {
    check_in(MEMORY, operator, sql, expected);
}

/// The same, in some memory.
fn check_in(memory: usize, operator: &str, sql: &str, expected: &[&str]) {
    let (_folder, engine) = limited_to(memory);
    let plan = rows(&engine, &format!("EXPLAIN {sql}")).join("\n");
    assert!(plan.contains(operator), "{plan}");
    assert_eq!(rows(&engine, sql), expected, "{sql}");
}

#[test]
fn phases_hold_no_links() {
    let links = links();
    check(
        &format!(
            "SELECT count(*), sum(messages), sum(volume) FROM comm_phases(({links}), phases => 5, per => 'phase')"
        ),
        &["5|300000|2400000.0"],
    );
    // Links are numbered in the order of time, which is that of their keys.
    check(
        &format!(
            "SELECT count(*), max(link), count(DISTINCT phase), sum(CAST(key AS BIGINT) - link)
             FROM comm_phases(({links}), phases => 5)"
        ),
        &["300000|299999|5|0"],
    );
}

#[test]
fn the_tree_of_phases_holds_no_links() {
    // Of messages that are a microsecond apart always the first two that are left are merged, and of what they become: 300,000
    // are halved 5 times, and 9,375 are not even.
    // It sorts twice at once.
    check_in(
        2 * MEMORY,
        "TableSweepExec",
        &format!(
            "SELECT count(*), max(step), max(messages), count(*) FILTER (WHERE messages = 32), sum(right - left) FILTER (WHERE messages = 2)
             FROM phase_tree(({}))",
            links()
        ),
        &["299999|299999|300000|9375|150000"],
    );
}

/// Container 1 waits in the first half of every second, and 0 is in no state.
#[test]
fn states_of_links_hold_no_states() {
    check(
        &format!(
            "SELECT source_state, target_state, count(*), count(DISTINCT key), sum(end_tick - start_tick) / 1000000
             FROM states_of_links(({}), ({})) GROUP BY source_state, target_state",
            waits(),
            answers()
        ),
        &["|MPI_Recv|300000|300000|37500000"],
    );
}

#[test]
fn communities_hold_no_links() {
    let links = links();
    check(
        &format!("SELECT container_id, community FROM comm_communities(({links}), phases => 1) ORDER BY container_id"),
        &["0|0", "1|0", "2|1", "3|1"],
    );
    check(
        &format!("SELECT messages, volume, communities, height FROM comm_curve(({links}), phases => 1)"),
        &["300000|2400000.0|2|0.0"],
    );
    check(
        &format!(
            "SELECT source_community, target_community, messages, operations, senders
             FROM comm_flows(({links}), phases => 1) ORDER BY source_community"
        ),
        &["0|0|150000|MPI_Send|2", "1|1|150000|MPI_Send|2"],
    );
    check(&format!("SELECT pattern, occurrences FROM comm_patterns(({links}), phases => 1)"), &["0|1"]);
    check(&format!("SELECT count(*) FROM community_tree(({links}), phases => 1)"), &["3"]);
}

#[test]
fn traffic_holds_no_links() {
    // The window is that of the trace, which is longer than the 0.3 seconds of the messages.
    check(
        &format!("SELECT sum(sent), sum(sent_volume) FROM comm_in_flight(({}), slices => 4)", links()),
        &["300000|2400000.0"],
    );
}

#[test]
fn concurrency_holds_no_states() {
    check(
        &format!("SELECT count(*), min(active), max(active), sum(duration) FROM concurrency(({}))", states()),
        &["30000|10|10|15000.0"],
    );
}

#[test]
fn waits_hold_no_states() {
    let (waits, answers) = (waits(), answers());
    let call = format!("wait_states(({waits}), ({answers}), start => 0, stop => {ROWS}");
    check(
        &format!("SELECT kind, partner_id, waits, seconds FROM {call}) ORDER BY kind"),
        &["late sender|0|300000|37500.0", "transfer|0|300000|37500.0", "unexplained||300000|75000.0"],
    );
    // Waits are numbered by time, as the links that end them.
    check(
        &format!(
            "SELECT count(*), max(wait), sum(CAST(key AS BIGINT) - wait), sum(received_time - sent_time)
             FROM {call}, per => 'wait') WHERE kind = 'transfer'"
        ),
        &["300000|299999|0|37500.0"],
    );
}

/// Every second 0 asks 1, who has the question after 0.0625 seconds and answers after 0.125; 0 has the answer after 0.25 and
/// waits until 0.5. Back from the end of a second: 0 in no state, 0 waiting, the answer, 1 waiting, the question.
#[test]
fn the_critical_path_holds_no_states() {
    let seconds = ROWS / 2;
    let states = format!(
        "SELECT CAST(value % 2 AS INT) AS container_id, 'MPI_Wait' AS value, 'waiting' AS activity,
            CAST(value / 2 AS DOUBLE) AS start_time, value / 2 + 0.5 AS end_time
         FROM range(0, {ROWS})"
    );
    let links = format!(
        "SELECT CAST(value % 2 AS INT) AS source_id, CAST(1 - value % 2 AS INT) AS target_id,
            value / 2 + 0.125 * (value % 2) AS start_time, value / 2 + 0.0625 + 0.1875 * (value % 2) AS end_time
         FROM range(0, {ROWS})"
    );
    let call = format!("critical_path(({states}), ({links}), start => 0, stop => {seconds})");
    check(
        &format!("SELECT kind, container_id, target_id, count(*), sum(seconds) FROM {call} GROUP BY ALL ORDER BY ALL"),
        &[
            "computation|0||150000|75000.0",
            "transfer|0|1|150000|9375.0",
            "transfer|1|0|150000|18750.0",
            "wait|0||150000|37500.0",
            "wait|1||150000|9375.0",
        ],
    );
    // Five steps a second, numbered in the order of time: the first is the first question.
    check(
        &format!(
            "SELECT count(*), max(step), sum(step), count(target_id), max(abs(start_time - step / 5 - 0.0625 * (step % 5)))
             FROM {call} WHERE step % 5 < 2"
        ),
        &["300000|749996|112499400000|150000|0.0"],
    );
}

#[test]
fn windows_sort_in_little_memory() {
    let (_folder, engine) = limited();
    let explained = |sql: &str| rows(&engine, &format!("EXPLAIN {sql}")).join("\n");
    let plan = explained("SELECT max(end_tick) OVER (PARTITION BY container_id ORDER BY start_tick) FROM states");
    assert!(plan.contains("BoundedSortExec"), "{plan}");
    // Those that look at the row before sort by time alone.
    for view in ["idle_gaps", "state_transitions"] {
        let plan = explained(&format!("SELECT * FROM {view}"));
        assert!(plan.contains("PreviousRowsExec"), "{plan}");
    }
}

/// Texts of 10 kB: a batch of them is five times what a sort below a window may hold, and is sorted all the same.
#[test]
fn windows_sort_batches_that_are_larger_than_their_share() {
    let rows = "SELECT value % 10 AS part, value AS number, repeat('text ', 2000) || CAST(value % 10 AS TEXT) AS name
         FROM range(0, 20000)";
    check_in(
        1 << 30,
        "BoundedSortExec",
        &format!(
            "SELECT count(*), max(least), max(name) = repeat('text ', 2000) || '9'
             FROM (SELECT name, min(number) OVER (PARTITION BY part ORDER BY number) AS least FROM ({rows}))"
        ),
        &["20000|9|true"],
    );
}

/// Ten containers have a row each every ten ticks, which lasts five: the one before ended five ticks ago.
#[test]
fn windows_over_the_row_before_hold_one_row_per_container() {
    let rows = format!(
        "SELECT value % 10 AS container_id, CAST(value % 10 AS TEXT) AS name, value AS start_tick, value + 5 AS end_tick
         FROM range(0, {ROWS})"
    );
    let window = "OVER (PARTITION BY container_id ORDER BY start_tick)";
    check_with(
        "PreviousRowsExec",
        &format!(
            "SELECT count(*), count(before), sum(start_tick - before), count(*) FILTER (WHERE name = name_before)
             FROM (SELECT start_tick, name, lag(end_tick) {window} AS before, lag(name, 1) {window} AS name_before FROM ({rows}))"
        ),
        &["300000|299990|1499950|299990"],
    );
    // What looks further back, has a default, skips NULL or goes backwards is none of these.
    let (_folder, engine) = limited();
    for call in [
        format!("lag(end_tick, 2) {window}"),
        format!("lag(end_tick, 1, 0) {window}"),
        format!("lag(end_tick) IGNORE NULLS {window}"),
        format!("lead(end_tick) {window}"),
        "lag(end_tick) OVER (PARTITION BY container_id ORDER BY start_tick DESC)".to_string(),
    ] {
        let plan = self::rows(&engine, &format!("EXPLAIN SELECT {call} FROM ({rows})")).join("\n");
        assert!(!plan.contains("PreviousRowsExec"), "{plan}");
    }
}

/// Ten containers run in the first half of 30,000 seconds, and container 1 waits in that of 300,000.
#[test]
fn lengths_of_overlaps_hold_no_intervals() {
    check_with(
        "OverlapLengthsExec",
        &format!(
            "SELECT container_id, left_seconds, right_seconds, overlap_seconds FROM overlap_seconds(({}), ({}))
             WHERE container_id < 2 ORDER BY container_id",
            states(),
            waits()
        ),
        &["0|15000.0|0.0|0.0", "1|15000.0|150000.0|15000.0"],
    );
    check_with(
        "OverlapLengthsExec",
        &format!("SELECT * FROM overlap_seconds(({}), ({}), by => '')", states(), waits()),
        &["15000.0|150000.0|15000.0|1.0"],
    );
    check_with(
        "OverlapLengthsExec",
        "SELECT * FROM overlap_seconds((SELECT * FROM states WHERE false), (SELECT * FROM states WHERE false), by => '')",
        &["0.0|0.0|0.0|"],
    );
}

#[test]
fn paths_hold_no_states() {
    // Ten containers with one path each.
    check(
        &format!(
            "SELECT count(*), sum(states), sum(ticks) / 1000000000 FROM call_paths((SELECT *, 0 AS depth FROM ({})))",
            states()
        ),
        &["10|300000|150000"],
    );
}
