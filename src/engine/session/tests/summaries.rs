//! Slices from summaries have the bits of slices from rows.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::*;
use ocellus_trace::import::{ImportOptions, Silent, TraceSource, import};

/// Numbers that look random.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

const HEAD: &str = "\
%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
%EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n\
%EventDef PajePushState 11\n% Time date\n% Type string\n% Container string\n% Value string\n% length int\n%EndEventDef\n\
%EventDef PajePopState 12\n% Time date\n% Type string\n% Container string\n%EndEventDef\n\
%EventDef PajeDefineVariableType 4\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
%EventDef PajeDefineEventType 5\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
%EventDef PajeSetVariable 13\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n\
%EventDef PajeNewEvent 14\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n\
1 P 0 Process\n3 A P Activity\n3 B P Phase\n4 X P Load\n4 Y P Heat\n5 E P Mark\n";

/// States that nest, last for long and for no time, stay open, and follow each other without a pause.
fn trace(seed: u64) -> String {
    let mut numbers = Numbers(seed);
    let mut text = HEAD.to_string();
    let containers = 1 + numbers.below(3);
    for container in 0..containers {
        writeln!(text, "7 0 c{container} P 0 \"process {container}\"").expect("text");
    }
    let mut depths = vec![[0_u64; 2]; containers as usize];
    let mut time = 0_u64;
    for _ in 0..3000 {
        // Of a state that spans a thousand others too.
        time += [0, 1, 7, 64, 1 + numbers.below(100)][numbers.below(5) as usize];
        let (container, kind) = (numbers.below(containers), numbers.below(6) / 5);
        add_instant(&mut text, &mut numbers, time, container);
        let depth = &mut depths[container as usize][kind as usize];
        let name = ["A", "B"][kind as usize];
        let seconds = format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
        if *depth > 0 && numbers.below(5) < 3 - u64::from(*depth == 1) {
            *depth -= 1;
            writeln!(text, "12 {seconds} {name} c{container}").expect("text");
        } else if *depth < 2 {
            *depth += 1;
            let (value, length) = (numbers.below(2), numbers.below(9));
            writeln!(text, "11 {seconds} {name} c{container} v{value} {length}").expect("text");
        }
    }
    text
}

/// Values that change often, and some that hardly do; events, now and then several at an instant.
fn add_instant(text: &mut String, numbers: &mut Numbers, time: u64, container: u64) {
    let seconds = format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
    let value = ["0.1", "-2.75", "1e9", "3", "0", "nan", "-inf"][numbers.below(7) as usize];
    match numbers.below(40) {
        0..16 => writeln!(text, "13 {seconds} X c{container} {value}").expect("text"),
        16 => writeln!(text, "13 {seconds} Y c{container} {value}").expect("text"),
        17..30 => writeln!(text, "14 {seconds} E c{container} e{}", numbers.below(2)).expect("text"),
        _ => {}
    }
}

pub(super) fn engine(text: &str, rows_per_band: u64) -> (TempDir, Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("run.trace");
    fs::write(&source, text).expect("a trace");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    let options =
        ImportOptions { rows_per_band: Some(rows_per_band), progress: Arc::new(Silent), ..ImportOptions::default() };
    import(&TraceSource::Path(source), &store, &options).expect("an import");
    let engine =
        Engine::open(store, EngineOptions { threads: Some(2), ..EngineOptions::default() }).expect("an engine");
    (folder, engine)
}

/// Questions about windows at, next to and between the borders of bands.
fn questions(numbers: &mut Numbers, end: u64) -> Vec<String> {
    let seconds = |tick: u64| format!("{}.{:09}", tick / 1_000_000_000, tick % 1_000_000_000);
    let mut questions = vec![];
    for _ in 0..24 {
        let start = match numbers.below(4) {
            0 => 0,
            1 => numbers.below(end) / 64 * 64,
            2 => numbers.below(end) / 64 * 64 + 1,
            _ => numbers.below(end),
        };
        let stop = match numbers.below(3) {
            0 => end + numbers.below(50),
            1 => (start + 1 + numbers.below(end)).div_ceil(64) * 64,
            _ => start + 1 + numbers.below(end),
        };
        let slices = 1 + numbers.below(12);
        let fill = numbers.below(2) == 1;
        let window = match numbers.below(4) {
            0 => format!("slices => {slices}, fill => {fill}"),
            _ => format!("slices => {slices}, fill => {fill}, start => {}, stop => {}", seconds(start), seconds(stop)),
        };
        let relation = match numbers.below(6) {
            0 => "state_segments, ",
            1 => "(SELECT * FROM states WHERE container_id <> 0), ",
            3 => {
                "(SELECT CAST(0 AS INTEGER) AS container_id, value, start_time, end_time, start_tick, end_tick FROM state_segments), "
            }
            2 => "(SELECT container_id, value, start_time, end_time FROM states WHERE depth = 0 OR value = 'v1'), ",
            _ => "",
        };
        let condition = match numbers.below(4) {
            0 => format!("WHERE slice >= {}", numbers.below(slices)),
            1 => "WHERE value IN ('v0', 'v2')".to_string(),
            _ => String::new(),
        };
        questions.push(match numbers.below(7) {
            0 => format!("SELECT * FROM variable_slices({window}) ORDER BY slice, container_id, type"),
            1 => format!(
                "SELECT * FROM variable_slices((SELECT * FROM variables WHERE type = 'Load' AND container_id < 2), {window}) \
                 ORDER BY slice, container_id, type"
            ),
            3 => {
                let width = 1 + numbers.below(12);
                let window = match numbers.below(3) {
                    0 => String::new(),
                    _ => format!(", start => {}, stop => {}", seconds(start), seconds(stop)),
                };
                let values = ["mode", "all"][numbers.below(2) as usize];
                let relation = ["", "states, ", "(SELECT * FROM states WHERE depth = 0 AND value <> 'v2'), "]
                    [numbers.below(3) as usize];
                format!(
                    "SELECT * FROM timeline({relation}width => {width}, values => '{values}'{window}) \
                     ORDER BY container_id, type, first_column, value"
                )
            }
            2 => format!("SELECT * FROM event_slices({window}) {condition} ORDER BY slice, container_id, type, value"),
            _ => format!(
                "SELECT * FROM state_slices({relation}{window}) {condition} ORDER BY slice, container_id, type, value"
            ),
        });
    }
    questions
}

pub(super) const BANDS: &str = "_bands.parquet";

#[tokio::test]
async fn both_ways_give_the_same_bits() {
    // By function: how many questions were asked, and how many of them summaries have answered.
    let mut asked: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for seed in 0..8 {
        let text = trace(seed);
        let (_folder, engine) = engine(&text, 8 + seed % 5);
        let mut numbers = Numbers(seed ^ 0xFACE);
        let end = &rows(&engine, "SELECT max(end_tick) FROM states").await[0];
        let end: u64 = end.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a tick");
        for question in questions(&mut numbers, end) {
            let plan = rows(&engine, &format!("EXPLAIN {question}")).await.join("\n");
            let found = rows(&engine, &question).await;
            engine.sql("SET ocellus.summaries = false").await.expect("a setting");
            let plain = rows(&engine, &question).await;
            assert!(!rows(&engine, &format!("EXPLAIN {question}")).await.join("\n").contains(BANDS));
            engine.sql("SET ocellus.summaries = true").await.expect("a setting");
            assert_eq!(found, plain, "seed {seed}: {question}");
            let function = question.split(['(', ' ']).nth(3).expect("a function");
            let (asked, summed) = asked.entry(function.to_string()).or_default();
            *asked += 1;
            *summed += usize::from(plan.contains(BANDS));
        }
    }
    // Many of them must take the way that is tested.
    assert_eq!(asked.len(), 4);
    for (function, (asked, summed)) in asked {
        assert!(asked > 10 && summed * 4 > asked, "{function}: {summed} of {asked}");
    }
}

#[tokio::test]
async fn totals_are_the_same_both_ways() {
    let questions = [
        (
            "SELECT value, sum(end_tick - start_tick), count(*), min(depth), max(depth) FROM states GROUP BY 1 ORDER BY 1",
            true,
        ),
        (
            "SELECT container_id, container, type, value, count(1), sum(end_tick - start_tick) FROM state_segments \
             GROUP BY ALL ORDER BY ALL",
            true,
        ),
        ("SELECT type, depth, count(*) FILTER (WHERE value = 'v1') FROM states GROUP BY 1, 2 ORDER BY 1, 2", true),
        ("SELECT sum(end_tick - start_tick), count(*) FROM states WHERE value LIKE '%1' AND container_id < 2", true),
        ("SELECT sum(end_tick - start_tick), count(*) FROM states WHERE value = 'none'", true),
        ("SELECT DISTINCT container, value FROM states ORDER BY 1, 2", true),
        ("SELECT value, sum(duration) FROM states GROUP BY value ORDER BY value", true),
        ("SELECT value, avg(duration), sum(end_time - start_time), count(*) FROM states GROUP BY 1 ORDER BY 1", true),
        ("SELECT sum(duration), avg(duration) FROM state_segments WHERE value = 'none'", true),
        (
            "SELECT type, sum(CASE WHEN value = 'v1' THEN duration ELSE 0 END), avg(CASE depth WHEN 0 THEN duration END) \
             FROM states GROUP BY 1 ORDER BY 1",
            true,
        ),
        ("SELECT avg(duration) FILTER (WHERE depth = 1) * 1000, sum(duration / 60) FROM all_traces.states", true),
        ("SELECT avg(seconds) FROM (SELECT container, sum(duration) AS seconds FROM states GROUP BY container)", true),
        ("SELECT value, sum(start_time), avg(duration) FROM states GROUP BY 1 ORDER BY 1", false),
        ("SELECT value, sum(CASE WHEN start_tick > 5 THEN duration END) FROM states GROUP BY 1 ORDER BY 1", false),
        ("SELECT * FROM flat_profile ORDER BY container_id, type, value", true),
        ("SELECT * FROM load_imbalance ORDER BY type, value, depth", true),
        ("SELECT container_id, value, count(*) FROM events GROUP BY 1, 2 ORDER BY 1, 2", true),
        ("SELECT count(*) FROM events WHERE value = 'e1'", true),
        ("SELECT container_id, container, type, count(*) FROM variables GROUP BY ALL ORDER BY ALL", true),
        ("SELECT count(*), count(*) FILTER (WHERE type = 'Heat') FROM variables WHERE container_id < 1", true),
        // Values that are no numbers have time, too.
        ("SELECT type, sum(duration), count(*) FROM variables GROUP BY 1 ORDER BY 1", false),
        ("SELECT type, count(*) FROM variables WHERE value > 1 GROUP BY 1 ORDER BY 1", false),
        ("SELECT value, max(end_tick), count(*) FROM states GROUP BY 1 ORDER BY 1", false),
        // A field of the trace, and not how long states last.
        ("SELECT value, sum(length) FROM states GROUP BY 1 ORDER BY 1", false),
        ("SELECT value, count(DISTINCT depth) FROM states WHERE start_tick > 100 GROUP BY 1 ORDER BY 1", false),
        ("SELECT value, sum(start_tick - end_tick) FROM states GROUP BY 1 ORDER BY 1", false),
        ("SELECT value, sum(end_tick - start_tick) FROM states WHERE end_tick > 5000 GROUP BY 1 ORDER BY 1", false),
    ];
    for seed in 0..4 {
        let (folder, engine) = engine(&trace(seed), 8);
        let store = Store::open(folder.path().join("store")).expect("a store");
        let alone = Engine::open(store, EngineOptions { threads: Some(1), ..EngineOptions::default() });
        let alone = alone.expect("an engine");
        let plan = rows(&alone, "EXPLAIN SELECT value, avg(duration), count(*) FROM states GROUP BY value").await;
        assert!(plan.join("\n").contains(BANDS), "one thread: {plan:?}");
        for (question, is_summed) in questions {
            let found = rows(&engine, question).await;
            let plan = rows(&engine, &format!("EXPLAIN {question}")).await.join("\n");
            assert_eq!(plan.contains(BANDS), is_summed, "{question}\n{plan}");
            assert_eq!(found, rows(&alone, question).await, "seed {seed}, one thread: {question}");
            engine.sql("SET ocellus.summaries = false").await.expect("a setting");
            assert_eq!(found, rows(&engine, question).await, "seed {seed}: {question}");
            engine.sql("SET ocellus.summaries = true").await.expect("a setting");
        }
    }
}

/// Stores of older versions have summaries of variables, but not how many there are.
#[tokio::test]
async fn variables_are_counted_as_rows_where_their_summary_does_not_count() {
    let (folder, engine) = engine(&trace(5), 8);
    let question = "SELECT type, count(*) FROM variables GROUP BY 1 ORDER BY 1";
    let found = rows(&engine, question).await;
    let root = folder.path().join("store");
    let path = root.join(ocellus_trace::store::MANIFEST);
    let text = fs::read_to_string(&path).expect("a manifest");
    let mut manifest = ocellus_trace::store::Manifest::parse("store", &text).expect("a manifest");
    let grids = manifest.traces.iter_mut().flat_map(|trace| &mut trace.tables).filter_map(|table| table.bands.as_mut());
    let counting = grids.map(|bands| std::mem::take(&mut bands.counts_rows)).filter(|counts| *counts).count();
    assert_eq!(counting, 1, "variables alone");
    fs::write(&path, manifest.to_text().expect("a manifest")).expect("a manifest");
    let older = Store::open(root).expect("a store");
    let older = Engine::open(older, EngineOptions { threads: Some(2), ..EngineOptions::default() }).expect("an engine");
    let plan = rows(&older, &format!("EXPLAIN {question}")).await.join("\n");
    assert!(!plan.contains(BANDS), "{plan}");
    assert_eq!(rows(&older, question).await, found);
    let slices = rows(&older, "EXPLAIN SELECT * FROM variable_slices(slices => 2)").await.join("\n");
    assert!(slices.contains(BANDS), "{slices}");
}

#[tokio::test]
async fn what_a_band_does_not_know_is_read_from_rows() {
    let (_folder, engine) = engine(&trace(3), 8);
    let of = |relation: &str| format!("EXPLAIN SELECT * FROM state_slices({relation} slices => 2)");
    for (question, is_summed) in [
        ("variable_slices(slices => 2)", true),
        ("variable_slices((SELECT * FROM variables WHERE value > 1), slices => 2)", false),
        ("event_slices(slices => 2, type => 'Mark')", true),
        ("timeline(width => 3)", true),
        ("timeline(width => 3, depth => 1)", false),
        ("timeline((SELECT * FROM states WHERE duration > 0), width => 3)", false),
        ("event_slices((SELECT * FROM events WHERE time > 0.0000001), slices => 2)", false),
    ] {
        let plan = rows(&engine, &format!("EXPLAIN SELECT * FROM {question}")).await.join("\n");
        assert_eq!(plan.contains(BANDS), is_summed, "{question}\n{plan}");
    }
    for (relation, is_summed) in [
        ("", true),
        ("state_segments,", true),
        ("(SELECT * FROM states WHERE value LIKE 'v%' AND depth < 2),", true),
        (
            "(SELECT CAST(0 AS INTEGER) AS container_id, start_time, end_time, start_tick, end_tick FROM state_segments),",
            true,
        ),
        ("(SELECT * FROM states WHERE duration > 0),", false),
        ("(SELECT * FROM states WHERE start_time >= 0.0000001),", false),
        ("(SELECT container_id, start_time, end_time, CAST(start_tick AS VARCHAR) AS value FROM states),", false),
        ("(SELECT container_id, end_time AS start_time, end_time + 1 AS end_time FROM states),", false),
        ("(SELECT * FROM states LIMIT 100),", false),
        ("(SELECT DISTINCT * FROM states),", false),
    ] {
        let plan = rows(&engine, &of(relation)).await.join("\n");
        assert_eq!(plan.contains(BANDS), is_summed, "{relation}\n{plan}");
    }
}

#[tokio::test]
async fn a_small_trace_has_no_summary() {
    let (_folder, engine) = engine(&trace(3), 24 << 10);
    let plan = rows(&engine, "EXPLAIN SELECT * FROM state_slices(slices => 2)").await.join("\n");
    assert!(!plan.contains(BANDS), "{plan}");
}

/// What happens at the very end of a trace belongs to the last slice, also where a band ends there.
#[tokio::test]
async fn the_last_instant_counts() {
    let mut text = format!("{HEAD}7 0 c P 0 c\n");
    for number in 0..=1024_u64 {
        writeln!(text, "14 0.{:09} E c e", number * 64).expect("text");
    }
    let (_folder, engine) = engine(&text, 8);
    let question = "SELECT sum(events) FROM event_slices(slices => 4)";
    assert!(rows(&engine, &format!("EXPLAIN {question}")).await.join("\n").contains(BANDS));
    assert_eq!(rows(&engine, question).await, ["1025"]);
}
