//! Slices and totals of links from summaries have the bits of those from rows.

use std::fmt::Write;

use super::summaries::{BANDS, Numbers, engine};
use super::*;

const HEAD: &str = "\
%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n\
%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n% EndContainerType string\n% Name string\n%EndEventDef\n\
%EventDef PajeStartLink 20\n% Time date\n% Type string\n% Container string\n% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n\
%EventDef PajeStartLink 21\n% Time date\n% Type string\n% Container string\n% StartContainer string\n% Value string\n% Key string\n% Size double\n%EndEventDef\n\
%EventDef PajeEndLink 22\n% Time date\n% Type string\n% Container string\n% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n\
1 S 0 Site\n1 P S Process\n4 L S P P Message\n4 M S P P Signal\n7 0 site S 0 site\n";

fn seconds(tick: u64) -> String {
    format!("{}.{:09}", tick / 1_000_000_000, tick % 1_000_000_000)
}

/// Links with and without volume and length: many short ones, some that cross many borders, one that spans everything, one
/// that never ends, and a few that end before they start.
fn trace(seed: u64, containers: u64, volumes: &[&str]) -> String {
    let mut numbers = Numbers(seed);
    let mut text = HEAD.to_string();
    for container in 0..containers {
        writeln!(text, "7 0 c{container} P site \"process {container}\"").expect("text");
    }
    let mut lines = vec![];
    let mut time = 3_u64;
    for number in 0..3000 {
        time += [0, 1, 7, 64, 1 + numbers.below(100)][numbers.below(5) as usize];
        let length = match numbers.below(100) {
            0 => 5000,
            1..5 => numbers.below(600),
            5..30 => 0,
            _ => numbers.below(40),
        };
        let (source, target) = (numbers.below(containers), numbers.below(containers));
        let value = ["p2p", "collective", "x", "1TA"][numbers.below(4) as usize];
        let key = format!("{source}_{target}_{}{number}_1", ["", "-"][numbers.below(2) as usize]);
        let kind = ["L", "L", "M"][numbers.below(3) as usize];
        let (start, end) = match number {
            100 => (0, 60_000),
            _ if numbers.below(500) == 0 => (time + 20, time),
            _ => (time, time + length),
        };
        lines.push((start, format!("20 {} {kind} site c{source} {value} {key}", seconds(start))));
        if numbers.below(5) > 0 {
            let volume = volumes[numbers.below(volumes.len() as u64) as usize];
            let sized = format!("21 {} {kind} site c{source} {value} {key} {volume}", seconds(start));
            lines.last_mut().expect("a line").1 = sized;
        }
        if number != 200 {
            lines.push((end, format!("22 {} {kind} site c{target} {value} {key}", seconds(end))));
        }
    }
    lines.sort_by_key(|(time, _)| *time);
    lines.iter().for_each(|(_, line)| writeln!(text, "{line}").expect("text"));
    text
}

const WHOLE: [&str; 5] = ["0", "8", "524288", "1000000007", "3"];
const BROKEN: [&str; 4] = ["0.1", "-2.75", "1e9", "3"];
/// No whole numbers, but such that no order of adding them up rounds.
const HALVES: [&str; 4] = ["0.5", "-2.75", "1e9", "3"];

async fn sorted_rows(engine: &Engine, question: &str) -> Vec<String> {
    let mut rows = rows(engine, question).await;
    rows.sort_unstable();
    rows
}

/// Both ways to answer a question, and whether the first took summaries.
async fn is_summed(engine: &Engine, question: &str) -> bool {
    let plan = rows(engine, &format!("EXPLAIN {question}")).await.join("\n");
    let found = sorted_rows(engine, question).await;
    engine.sql("SET ocellus.summaries = false").await.expect("a setting");
    let plain = sorted_rows(engine, question).await;
    engine.sql("SET ocellus.summaries = true").await.expect("a setting");
    assert_eq!(found, plain, "{question}");
    plan.contains(BANDS)
}

/// A question about a window at, next to or between the borders of bands.
fn question(numbers: &mut Numbers, end: u64) -> String {
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
    let window = match numbers.below(4) {
        0 => String::new(),
        _ => format!(", start => {}, stop => {}", seconds(start), seconds(stop)),
    };
    let more = [", fill => true", ", boundary => 'clip'", ", boundary => 'inside', type => 'Message'", ""]
        [numbers.below(4) as usize];
    let relation = [
        "",
        "",
        "(SELECT * FROM links WHERE source_id <> 2 AND type <> 'Signal'), ",
        "(SELECT * FROM link_kinds WHERE kind = 'collective'), ",
        "(SELECT CAST(0 AS INTEGER) AS source_id, target_id, type, volume, start_time, end_time, start_tick, end_tick FROM links), ",
    ][numbers.below(5) as usize];
    let condition = match numbers.below(4) {
        0 => format!("WHERE slice >= {}", numbers.below(slices)),
        1 => format!("WHERE slice < {} AND role = 'origin'", 1 + numbers.below(slices)),
        _ => String::new(),
    };
    format!(
        "SELECT * FROM link_slices({relation}slices => {slices}{window}{more}) {condition} \
         ORDER BY slice, container_id, role, type"
    )
}

#[tokio::test]
async fn both_ways_give_the_same_bits() {
    let (mut asked, mut summed) = (0, 0);
    for seed in 0..4 {
        let volumes = if seed % 2 == 0 { &WHOLE[..] } else { &BROKEN[..] };
        let (_folder, engine) = engine(&trace(seed, 2 + seed % 3, volumes), 8 + seed % 5);
        let mut numbers = Numbers(seed ^ 0xFACE);
        let end = &rows(&engine, "SELECT max(end_tick) FROM links").await[0];
        let end: u64 = end.parse().expect("a tick");
        for _ in 0..20 {
            asked += 1;
            summed += usize::from(is_summed(&engine, &question(&mut numbers, end)).await);
        }
    }
    // Many of them must take the way that is tested.
    assert!(summed * 3 > asked, "{summed} of {asked}");
}

#[tokio::test]
async fn totals_are_the_same_both_ways() {
    // Each with whether summaries answer it, and whether they do so where volumes are no whole numbers.
    let questions = [
        ("SELECT * FROM comm_matrix", true, false),
        ("SELECT * FROM comm_by_container", true, false),
        // Which containers are at their ends is known.
        ("SELECT * FROM comm_matrix_by_depth", true, true),
        ("SELECT source, target, count(*), sum(end_tick - start_tick) FROM links GROUP BY ALL", true, true),
        ("SELECT type, sum(duration), avg(duration), min(source_id) FROM links GROUP BY 1 ORDER BY 1", true, true),
        ("SELECT container_id, container, count(*) FROM links WHERE target = 'process 1' GROUP BY ALL", true, true),
        ("SELECT kind, count(*) FROM link_kinds GROUP BY kind ORDER BY kind", true, true),
        ("SELECT sum(volume), count(*) FROM links WHERE source_id = target_id", true, false),
        ("SELECT sum(volume) FROM links WHERE type = 'none'", true, false),
        ("SELECT source, sum(volume) FROM all_traces.links GROUP BY 1 ORDER BY 1", true, false),
        // The number of links is asked for, too, and that is known.
        ("SELECT type, links, median_seconds, max_seconds, mean_seconds FROM link_latency ORDER BY type", true, true),
        // More than a summary knows.
        ("SELECT value, count(*) FROM links GROUP BY 1 ORDER BY 1", false, false),
        ("SELECT count(*) FROM links WHERE key LIKE '%-%'", false, false),
        ("SELECT count(*) FROM links WHERE regexp_like(value, '^coll')", false, false),
        ("SELECT count(*) FROM links WHERE volume > 5", false, false),
        ("SELECT count(volume), min(volume) FROM links", false, false),
        ("SELECT count(*) FROM links WHERE start_tick > 500", false, false),
        ("SELECT * FROM message_histogram", false, false),
    ];
    for (seed, volumes) in [(0, &WHOLE[..]), (1, &HALVES[..])] {
        let (_folder, engine) = engine(&trace(seed, 3, volumes), 8);
        for (question, is_whole_summed, is_broken_summed) in questions {
            let expected = if seed == 1 { is_broken_summed } else { is_whole_summed };
            assert_eq!(is_summed(&engine, question).await, expected, "seed {seed}: {question}");
        }
    }
}

#[tokio::test]
async fn what_a_band_does_not_know_is_read_from_rows() {
    let (_folder, engine) = engine(&trace(3, 3, &WHOLE), 8);
    for (call, expected) in [
        ("link_slices(slices => 2)", true),
        ("link_slices(slices => 2, boundary => 'clip', start => 0.00001)", true),
        ("link_slices((SELECT * FROM links WHERE volume > 3), slices => 2)", false),
        ("link_slices((SELECT * FROM links WHERE value = 'p2p'), slices => 2)", false),
        ("link_slices((SELECT * FROM links WHERE duration > 0), slices => 2)", false),
        ("link_slices((SELECT * FROM links WHERE start_time > 0.00001), slices => 2)", false),
        ("link_slices((SELECT * FROM links LIMIT 100), slices => 2)", false),
        (
            "link_slices((SELECT source_id, target_id, start_time, end_time, 2 * volume AS volume FROM links), slices => 2)",
            false,
        ),
    ] {
        let plan = rows(&engine, &format!("EXPLAIN SELECT * FROM {call}")).await.join("\n");
        assert_eq!(plan.contains(BANDS), expected, "{call}\n{plan}");
    }
}

/// So many pairs that each has a few links only.
#[tokio::test]
async fn many_pairs_have_no_summary() {
    let (_folder, engine) = engine(&trace(4, 80, &WHOLE), 64);
    assert!(!is_summed(&engine, "SELECT * FROM link_slices(slices => 2)").await);
    let (_folder, engine) = super::summaries::engine(&trace(4, 1, &WHOLE), 64);
    assert!(is_summed(&engine, "SELECT * FROM comm_matrix").await);
}

/// A store that was made before there were summaries of links.
#[tokio::test]
async fn a_store_without_them_answers() {
    let (folder, engine) = engine(&trace(5, 3, &WHOLE), 8);
    let question = "SELECT * FROM link_slices(slices => 3)";
    let found = sorted_rows(&engine, question).await;
    let path = folder.path().join("store/ocellus.json");
    let mut manifest = Store::open(folder.path().join("store")).and_then(|store| store.manifest()).expect("a manifest");
    manifest.traces[0].tables.retain(|table| table.name != "links_bands");
    fs::write(&path, manifest.to_text().expect("a text")).expect("a manifest");
    let store = Store::open(folder.path().join("store")).expect("a store");
    let older = Engine::open(store, EngineOptions::default()).expect("an engine");
    assert!(!rows(&older, &format!("EXPLAIN {question}")).await.join("\n").contains(BANDS));
    assert_eq!(found, sorted_rows(&older, question).await);
}

/// What happens at the very end of a trace belongs to the last slice, also where a band ends there.
#[tokio::test]
async fn the_last_instant_counts() {
    let mut text = format!("{HEAD}7 0 a P site a\n7 0 b P site b\n");
    for number in 0..=1024 {
        let time = seconds(number * 64);
        writeln!(text, "20 {time} L site a v {number}\n22 {time} L site b v {number}").expect("text");
    }
    let (_folder, engine) = engine(&text, 8);
    let question = "SELECT role, sum(links) FROM link_slices(slices => 4) GROUP BY role ORDER BY role";
    assert!(is_summed(&engine, question).await);
    assert_eq!(rows(&engine, question).await, ["destination|1025", "origin|1025"]);
}
