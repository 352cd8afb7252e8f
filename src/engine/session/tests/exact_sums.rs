//! Sums and means of times have the bits of exact arithmetic, for every number of threads.

use std::collections::BTreeMap;

use super::*;

/// One state of a trace.
#[derive(Debug, Clone, Copy)]
struct Span {
    value: &'static str,
    start: i64,
    end: i64,
    depth: i32,
}

impl Span {
    fn length(&self) -> i128 {
        i128::from(self.end) - i128::from(self.start)
    }
}

/// States of a trace from a seed; its times begin late or early.
fn spans(seed: u64, count: usize) -> Vec<Span> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = move |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let origin: i64 = [0, -5_000, 1_700_000_000_123_456_789][seed as usize % 3];
    let span = |_| {
        let start = origin + below(1_000_000_007) as i64;
        let length = [0, 1, 8_000, below(1_000_000), below(1 << 31) << below(20)][below(5) as usize];
        Span { value: ["v0", "v1", "v2"][below(3) as usize], start, end: start + length as i64, depth: below(2) as i32 }
    };
    let mut spans: Vec<Span> = (0..count).map(span).collect();
    spans.sort_by_key(|span| (span.start, span.end, span.value, span.depth));
    spans
}

fn columns(spans: &[Span]) -> Columns {
    let rows: Vec<_> = spans.iter().map(|span| (span.value, span.start, span.end, span.depth)).collect();
    with_cuts(states(&rows), &vec![false; rows.len()])
}

/// Two traces: `fine` counts nanoseconds and has three files, `coarse` counts microseconds.
fn store(fine: &[Span], coarse: &[Span]) -> HandMade {
    let mut store = HandMade::new();
    let files = fine.chunks(fine.len().div_ceil(3).max(1)).map(columns).collect();
    store.trace("fine").table("states", &[], files, 10);
    store.trace("coarse").table("states", &[], vec![columns(coarse)], 10);
    store.traces.last_mut().expect("two traces").resolution_digits = 6;
    store
}

/// The nearest double of a fraction: its decimal digits, rounded by the standard library.
fn fraction(numerator: i128, denominator: i128) -> f64 {
    let (size, divisor) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    let mut digits = format!("{}{}.", if numerator < 0 { "-" } else { "" }, size / divisor);
    let mut rest = size % divisor;
    for _ in 0..60 {
        rest *= 10;
        digits.push_str(&(rest / divisor).to_string());
        rest %= divisor;
    }
    digits.push(if rest == 0 { '0' } else { '1' });
    digits.parse().expect("a number")
}

const RATE: i128 = 1_000_000_000;

/// Rows of the answer, one number each.
type Expected = Vec<Option<f64>>;

fn total(ticks: impl Iterator<Item = i128>, per: i128) -> Option<f64> {
    let ticks: Vec<i128> = ticks.collect();
    (!ticks.is_empty()).then(|| fraction(ticks.iter().sum(), per))
}

fn mean(ticks: impl Iterator<Item = i128>, per: i128) -> Option<f64> {
    let ticks: Vec<i128> = ticks.collect();
    (!ticks.is_empty()).then(|| fraction(ticks.iter().sum(), per * ticks.len() as i128))
}

fn by_value(spans: &[Span]) -> BTreeMap<&'static str, Vec<Span>> {
    let mut groups: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    spans.iter().for_each(|span| groups.entry(span.value).or_default().push(*span));
    groups
}

/// Questions with their answers.
fn questions(fine: &[Span], coarse: &[Span]) -> Vec<(&'static str, Expected)> {
    let lengths = || fine.iter().map(Span::length);
    let starts = || fine.iter().map(|span| i128::from(span.start));
    let outer = || fine.iter().filter(|span| span.depth == 0);
    let chosen = || fine.iter().map(|span| if span.value == "v1" { span.length() } else { 0 });
    let groups = by_value(fine);
    let pairs = || fine.iter().flat_map(|one| fine.iter().map(move |other| (one, other)));
    let matches = |one: &Span| fine.iter().filter(|other| other.value == one.value && other.depth < one.depth).count();
    vec![
        ("SELECT sum(duration) FROM states", vec![total(lengths(), RATE)]),
        ("SELECT avg(duration) FROM states", vec![mean(lengths(), RATE)]),
        ("SELECT sum(end_time - start_time) FROM states", vec![total(lengths(), RATE)]),
        ("SELECT sum(start_time) FROM states", vec![total(starts(), RATE)]),
        ("SELECT avg(start_time) FROM states", vec![mean(starts(), RATE)]),
        ("SELECT sum(start_time + duration) FROM states", vec![total(fine.iter().map(|s| i128::from(s.end)), RATE)]),
        ("SELECT sum(duration * 1000) FROM states", vec![total(lengths(), 1_000_000)]),
        ("SELECT sum(duration / 60) FROM states", vec![total(lengths(), RATE * 60)]),
        ("SELECT sum(-1 * duration * 3) FROM states", vec![total(lengths().map(|ticks| -3 * ticks), RATE)]),
        ("SELECT sum(duration) FILTER (WHERE depth = 0) FROM states", vec![total(outer().map(Span::length), RATE)]),
        ("SELECT avg(duration) FROM states WHERE depth = 0", vec![mean(outer().map(Span::length), RATE)]),
        ("SELECT sum(CASE WHEN value = 'v1' THEN duration ELSE 0 END) FROM states", vec![total(chosen(), RATE)]),
        ("SELECT avg(CASE WHEN value = 'v1' THEN duration ELSE 0 END) FROM states", vec![mean(chosen(), RATE)]),
        ("SELECT avg(CASE depth WHEN 0 THEN duration END) FROM states", vec![mean(outer().map(Span::length), RATE)]),
        ("SELECT sum(duration) FROM states WHERE depth > 7", vec![None]),
        ("SELECT avg(duration) FILTER (WHERE depth > 7) FROM states", vec![None]),
        (
            "SELECT sum(duration) FROM states GROUP BY value ORDER BY value",
            groups.values().map(|spans| total(spans.iter().map(Span::length), RATE)).collect(),
        ),
        (
            "SELECT sum(duration) FROM states GROUP BY ROLLUP (value) ORDER BY value NULLS FIRST",
            std::iter::once(total(lengths(), RATE))
                .chain(groups.values().map(|spans| total(spans.iter().map(Span::length), RATE)))
                .collect(),
        ),
        (
            "WITH first AS (SELECT duration AS d FROM states ORDER BY start_tick, end_tick, value, depth LIMIT 7) \
             SELECT sum(d) FROM first AS f",
            vec![total(lengths().take(7), RATE)],
        ),
        (
            "SELECT sum(seconds) FROM (SELECT value, sum(duration) AS seconds FROM states GROUP BY value)",
            vec![total(lengths(), RATE)],
        ),
        (
            "SELECT avg(seconds) FROM (SELECT value, sum(duration) AS seconds FROM states GROUP BY value)",
            vec![Some(fraction(lengths().sum(), RATE * groups.len() as i128))],
        ),
        (
            "SELECT avg(longest) FROM (SELECT value, max(duration) AS longest FROM states GROUP BY value)",
            vec![mean(groups.values().filter_map(|spans| spans.iter().map(Span::length).max()), RATE)],
        ),
        (
            "SELECT sum(seconds) FROM (SELECT sum(duration) AS seconds, count(DISTINCT depth) AS n FROM states GROUP BY value)",
            vec![total(lengths(), RATE)],
        ),
        (
            "SELECT sum(duration) FROM all_traces.states",
            vec![total(lengths().chain(coarse.iter().map(|span| 1000 * span.length())), RATE)],
        ),
        (
            "SELECT avg(end_time - start_time) FROM all_traces.states GROUP BY trace ORDER BY trace",
            vec![mean(coarse.iter().map(Span::length), 1_000_000), mean(lengths(), RATE)],
        ),
        (
            "SELECT sum(d) FROM (SELECT duration AS d FROM states UNION ALL SELECT end_time FROM states \
             UNION ALL SELECT 2 UNION ALL SELECT NULL)",
            vec![total(lengths().chain(fine.iter().map(|span| i128::from(span.end))).chain([2 * RATE]), RATE)],
        ),
        (
            "SELECT sum(least(a.end_time, b.end_time) - greatest(a.start_time, b.start_time)) \
             FROM states AS a JOIN states AS b ON a.value = b.value AND a.depth < b.depth",
            vec![total(
                pairs()
                    .filter(|(a, b)| a.value == b.value && a.depth < b.depth)
                    .map(|(a, b)| i128::from(a.end.min(b.end)) - i128::from(a.start.max(b.start))),
                RATE,
            )],
        ),
        (
            "SELECT sum(b.d) FROM states AS a LEFT JOIN \
             (SELECT value, depth, CASE WHEN depth = 0 THEN duration ELSE 0 END AS d FROM states) AS b \
             ON a.value = b.value AND b.depth < a.depth",
            vec![total(
                pairs().filter(|(a, b)| a.value == b.value && b.depth < a.depth).map(|(_, b)| b.length()),
                RATE,
            )],
        ),
        // Rows without a partner count in a mean only where they are made zero.
        (
            "SELECT avg(b.d) FROM states AS a LEFT JOIN \
             (SELECT value, depth, CASE WHEN depth = 0 THEN duration ELSE 0 END AS d FROM states) AS b \
             ON a.value = b.value AND b.depth < a.depth",
            vec![mean(pairs().filter(|(a, b)| a.value == b.value && b.depth < a.depth).map(|(_, b)| b.length()), RATE)],
        ),
        (
            "SELECT avg(coalesce(b.duration, 0)) FROM states AS a LEFT JOIN states AS b \
             ON a.value = b.value AND b.depth < a.depth",
            vec![mean(
                pairs()
                    .filter(|(a, b)| a.value == b.value && b.depth < a.depth)
                    .map(|(_, b)| b.length())
                    .chain(fine.iter().filter(|a| matches(a) == 0).map(|_| 0)),
                RATE,
            )],
        ),
        // A constant of the other side is NULL for those rows.
        (
            "SELECT sum(coalesce(b.zero, tick_seconds(CAST(a.depth AS BIGINT) * 1000000000, 1000000000))) \
             FROM states AS a LEFT JOIN (SELECT value, 0.0 AS zero FROM states WHERE value = 'v1' \
             ORDER BY start_tick, end_tick, depth LIMIT 1) AS b ON a.value = b.value",
            vec![total(fine.iter().map(|span| if span.value == "v1" { 0 } else { i128::from(span.depth) }), 1)],
        ),
        // Names that the ticks would have are taken by something else.
        (
            "SELECT sum(end_tick) FROM (SELECT duration AS end_tick, depth AS start_tick FROM states) AS odd",
            vec![total(lengths(), RATE)],
        ),
        (
            "SELECT sum(x - y) FROM (SELECT value AS v, start_time AS y, depth AS d FROM states WHERE depth = 0), \
             (SELECT value AS w, end_time AS x, depth AS e FROM states WHERE depth = 1) WHERE v = w",
            vec![total(
                pairs()
                    .filter(|(a, b)| a.value == b.value && a.depth == 0 && b.depth == 1)
                    .map(|(a, b)| i128::from(b.end) - i128::from(a.start)),
                RATE,
            )],
        ),
        (
            "SELECT sum(duration) OVER (ORDER BY start_tick, end_tick, value, depth ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) \
             FROM states ORDER BY start_tick, end_tick, value, depth",
            (0..fine.len())
                .map(|row| total(fine[row.saturating_sub(2)..=row].iter().map(Span::length), RATE))
                .collect(),
        ),
        (
            "SELECT avg(duration) OVER (PARTITION BY value) FROM states ORDER BY value",
            groups
                .values()
                .flat_map(|spans| spans.iter().map(|_| mean(spans.iter().map(Span::length), RATE)))
                .collect(),
        ),
    ]
}

fn numbers(rows: &[String]) -> Vec<Option<u64>> {
    let bits = |text: &String| text.parse::<f64>().ok().map(f64::to_bits);
    rows.iter().map(bits).collect()
}

#[tokio::test]
async fn times_are_added_exactly() {
    for seed in 0..3 {
        let (fine, coarse) = (spans(seed, 40), spans(seed + 100, 10));
        let store = store(&fine, &coarse);
        for threads in [1, 2, 7] {
            let options =
                EngineOptions { threads: Some(threads), trace: Some("fine".to_string()), ..EngineOptions::default() };
            let engine = store.engine(options).expect("an engine");
            for (question, expected) in questions(&fine, &coarse) {
                let found = numbers(&rows(&engine, question).await);
                let expected: Vec<Option<u64>> = expected.iter().map(|number| number.map(f64::to_bits)).collect();
                if seed == 0 && threads == 2 && !question.contains("b.zero") {
                    let plan = rows(&engine, &format!("EXPLAIN {question}")).await.join("\n");
                    assert!(plan.contains("sum_seconds(") || plan.contains("avg_seconds("), "{question}\n{plan}");
                }
                assert_eq!(found, expected, "seed {seed}, {threads} threads: {question}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_time_is_left_alone() {
    let fine = spans(1, 20);
    let store = store(&fine, &fine);
    let options = EngineOptions { trace: Some("fine".to_string()), ..EngineOptions::default() };
    let engine = store.engine(options).expect("an engine");
    for question in [
        "SELECT sum(DISTINCT duration) FROM states",
        "SELECT sum(duration * duration) FROM states",
        "SELECT sum(duration * 0.1) FROM states",
        "SELECT sum(CAST(depth AS DOUBLE)) FROM states",
        "SELECT sum(d) FROM (SELECT DISTINCT duration AS d FROM states)",
        "SELECT sum(m) FROM (SELECT avg(duration) AS m FROM states GROUP BY value)",
        "SELECT stddev(duration), var_pop(duration), min(duration), max(duration), median(duration) FROM states",
        "SELECT sum(d) FROM (SELECT CASE WHEN random() < 0.5 THEN duration END AS d FROM states)",
        "SELECT sum(end_tick - start_tick) FROM states",
    ] {
        let plan = rows(&engine, &format!("EXPLAIN {question}")).await.join("\n");
        assert!(!plan.contains("sum_seconds("), "{question}\n{plan}");
        rows(&engine, question).await;
    }
}

#[tokio::test]
async fn explain_shows_the_ticks() {
    let fine = spans(1, 20);
    let store = store(&fine, &fine);
    let options = EngineOptions { trace: Some("fine".to_string()), ..EngineOptions::default() };
    let engine = store.engine(options).expect("an engine");
    let plan = rows(&engine, "EXPLAIN SELECT value, sum(duration) FROM states GROUP BY value").await.join("\n");
    assert!(plan.contains("sum_seconds(states.end_tick - states.start_tick, Int64(1000000000))"), "{plan}");
    assert!(!plan.contains("tick_seconds"), "{plan}");
}

/// What is made of two columns, each of them made of two, and so on: two to the power of 30 ways lead to the stored times.
#[tokio::test]
async fn times_of_times_are_planned_soon() {
    let fine = spans(1, 20);
    let store = store(&fine, &fine);
    let options = EngineOptions { trace: Some("fine".to_string()), ..EngineOptions::default() };
    let engine = store.engine(options).expect("an engine");
    let mut question = "WITH t0 AS (SELECT start_time AS a, end_time AS b FROM states)".to_string();
    for level in 1..=30 {
        question += &format!(", t{level} AS (SELECT a + b AS a, a - b AS b FROM t{})", level - 1);
    }
    assert_eq!(rows(&engine, &format!("{question} SELECT sum(a) FROM t30")).await.len(), 1);
}
