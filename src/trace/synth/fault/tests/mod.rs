//! Planted faults, measured on the lines of the trace without a look at the simulation.

mod of_machines;
mod of_programs;

use std::collections::BTreeMap;

use super::operations::names;
use super::*;
use crate::synth::checking::{check, event_lines};

/// A state as the lines of the trace have it, in seconds.
#[derive(Debug, Clone)]
struct StateRow {
    rank: u32,
    state: String,
    start: f64,
    end: f64,
}

impl StateRow {
    fn length(&self) -> f64 {
        self.end - self.start
    }

    fn is_computation(&self) -> bool {
        !self.state.starts_with("MPI_") && self.state != names::WRITE
    }
}

/// A message as the lines of the trace have it.
#[derive(Debug, Clone)]
struct MessageRow {
    source: u32,
    target: u32,
    bytes: u64,
    sent: f64,
    received: f64,
}

/// A generated trace and what it says of itself.
struct GeneratedTrace {
    text: String,
    states: Vec<StateRow>,
    messages: Vec<MessageRow>,
    truth: Option<FaultTruth>,
}

fn options(kind: FaultKind, shape: ProgramShape, seed: u64) -> FaultOptions {
    let iterations = FaultOptions::usual_iterations(kind, shape);
    FaultOptions { kind, shape, seed, ranks: 32, iterations, noise: 0.01, strength: None }
}

/// The same of a program that is half as wide and short.
fn brief(kind: FaultKind, shape: ProgramShape, seed: u64) -> FaultOptions {
    FaultOptions { ranks: 16, iterations: 20, ..options(kind, shape, seed) }
}

fn generate(options: &FaultOptions) -> GeneratedTrace {
    let mut bytes = vec![];
    let truth = fault(options, &mut bytes).expect("memory takes all");
    let text = String::from_utf8(bytes).expect("text");
    let rank = |name: &str| -> u32 { name[1..].parse().expect("a rank") };
    let (mut open, mut sent) = (BTreeMap::new(), BTreeMap::new());
    let (mut states, mut messages) = (vec![], vec![]);
    for fields in event_lines(&text) {
        let time = || -> f64 { fields[1].parse().expect("a time") };
        match (fields[0], fields.len()) {
            ("12", 5) => drop(open.insert(rank(fields[3]), (fields[4].to_string(), time()))),
            ("13", 4) => {
                if let Some((state, start)) = open.remove(&rank(fields[3])) {
                    states.push(StateRow { rank: rank(fields[3]), state, start, end: time() });
                }
            }
            ("15", 8) => {
                sent.insert(fields[6].to_string(), (rank(fields[5]), time(), fields[7].parse().expect("bytes")));
            }
            ("16", 7) => {
                if let Some((source, start, bytes)) = sent.remove(fields[6]) {
                    let (target, received) = (rank(fields[5]), time());
                    messages.push(MessageRow { source, target, bytes, sent: start, received });
                }
            }
            _ => {}
        }
    }
    GeneratedTrace { text, states, messages, truth }
}

fn planted(kind: FaultKind, shape: ProgramShape, seed: u64) -> (GeneratedTrace, FaultTruth) {
    let trace = generate(&options(kind, shape, seed));
    let truth = trace.truth.clone().expect("something is planted");
    (trace, truth)
}

/// All pairs that make sense.
fn combinations() -> Vec<(FaultKind, ProgramShape)> {
    let all = FaultKind::ALL.into_iter().flat_map(|kind| ProgramShape::ALL.map(|shape| (kind, shape)));
    all.filter(|(kind, shape)| shape.supports(*kind)).collect()
}

/// The number at the end of a name.
fn number(name: &str) -> u32 {
    name.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number")
}

fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty());
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Seconds of states that fit, by rank.
fn seconds_by_rank(trace: &GeneratedTrace, fits: impl Fn(&StateRow) -> bool) -> Vec<f64> {
    let mut seconds = vec![0.0; 32];
    for row in trace.states.iter().filter(|row| fits(row)) {
        seconds[row.rank as usize] += row.length();
    }
    seconds
}

fn assert_close(measured: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((measured - expected).abs() <= tolerance, "{what}: {measured} instead of {expected}");
}

#[test]
fn a_seed_decides_the_bytes_and_the_truth() {
    for (kind, shape) in combinations() {
        let (once, again) = (generate(&brief(kind, shape, 3)), generate(&brief(kind, shape, 3)));
        assert_eq!(once.text, again.text);
        assert_eq!(once.truth, again.truth);
        assert_ne!(once.text, generate(&brief(kind, shape, 4)).text, "{kind:?} {shape:?}");
    }
}

/// Lines are in the order of time and everything is closed; states of a rank follow each other without gap or overlap from
/// the start to its end; messages are received after they were sent; and no name is undefined.
#[test]
fn every_trace_is_whole() {
    for (kind, shape) in combinations().into_iter().filter(|(kind, _)| *kind != FaultKind::TraceQuality) {
        let trace = generate(&brief(kind, shape, 5));
        check(&trace.text);
        let mut ends = [0.0; 16];
        for row in &trace.states {
            assert_eq!(row.start, ends[row.rank as usize], "{kind:?} {shape:?} {row:?}");
            assert!(row.end > row.start);
            assert!(names::ALL.iter().any(|(name, _)| *name == row.state));
            ends[row.rank as usize] = row.end;
        }
        assert!(trace.messages.iter().all(|message| message.received > message.sent));
        let end = ends.iter().fold(0.0, |end: f64, other| end.max(*other));
        let total: f64 = trace.states.iter().map(StateRow::length).sum();
        assert_close(total, ends.iter().sum(), 1e-6, "sum of states");
        let Some(truth) = trace.truth else { continue };
        assert_close(truth.run_seconds, end, 1e-9, "end of the run");
        assert!(0.0 <= truth.start && truth.start < truth.end && truth.end <= end, "{truth:?}");
        assert_close(truth.lost_seconds, 16.0 * truth.lost_run_seconds, 1e-6, "lost seconds");
        assert_close(truth.lost_run_seconds, truth.run_seconds - truth.clean_run_seconds, 1e-9, "lost seconds");
    }
}

/// Nobody waits without a reason: a wait ends a microsecond after a message came, or one that was sent left its sender or
/// was on its way until then; a collective ends for all at once, and as long after the last one came as a tree takes.
#[test]
fn every_wait_has_its_reason() {
    let nanoseconds = |seconds: f64| (seconds * 1e9).round() as u64;
    for (kind, shape) in combinations().into_iter().filter(|(kind, _)| *kind != FaultKind::TraceQuality) {
        let trace = generate(&brief(kind, shape, 6));
        let (mut received, mut meetings) = (std::collections::BTreeSet::new(), BTreeMap::new());
        for message in &trace.messages {
            received.insert((message.target, nanoseconds(message.received)));
        }
        for row in trace.states.iter().filter(|row| row.length() > 1.5e-6) {
            let end = nanoseconds(row.end);
            if row.state.starts_with("MPI_Wait") {
                let has_come = received.contains(&(row.rank, end - 1000));
                let has_left = || {
                    let is_meant = |message: &MessageRow| message.source == row.rank && message.sent <= row.start;
                    trace
                        .messages
                        .iter()
                        .any(|message| is_meant(message) && nanoseconds(message.received) + 1000 >= end)
                };
                assert!(has_come || has_left(), "{kind:?} {shape:?} {row:?}");
            }
            if row.state == names::REDUCE || row.state == names::BARRIER {
                meetings.entry(end).or_insert_with(Vec::new).push(nanoseconds(row.start));
            }
        }
        for (end, starts) in meetings {
            assert_eq!(starts.len(), 16, "{kind:?} {shape:?}");
            // Four levels of a tree, up and down, for sixteen ranks.
            assert_eq!(starts.into_iter().max(), Some(end - 2 * 4 * 3000), "{kind:?} {shape:?}");
        }
    }
}

#[test]
fn a_clean_run_has_no_truth_and_hardly_waits() {
    for (shape, seed) in ProgramShape::ALL.into_iter().flat_map(|shape| [1, 2, 3].map(|seed| (shape, seed))) {
        let trace = generate(&options(FaultKind::None, shape, seed));
        assert_eq!(trace.truth, None);
        let total: f64 = trace.states.iter().map(StateRow::length).sum();
        let computation: f64 = trace.states.iter().filter(|row| row.is_computation()).map(StateRow::length).sum();
        assert!(computation / total > 0.93, "{shape:?} computes for {} of its time", computation / total);
    }
}

/// A run with a slow rank is the clean one of the seed, but for that rank: the difference of both traces is what the truth says.
#[test]
fn what_is_lost_is_lost_against_the_clean_trace() {
    for shape in ProgramShape::ALL {
        let clean = generate(&options(FaultKind::None, shape, 8));
        let (_, truth) = planted(FaultKind::SlowRank, shape, 8);
        let end = clean.states.iter().fold(0.0, |end: f64, row| end.max(row.end));
        assert_close(truth.clean_run_seconds, end, 1e-9, "clean run");
    }
}

/// Over many seeds, positions differ and something is lost that is worth finding.
#[test]
fn seeds_plant_in_many_places_and_it_costs() {
    for (kind, shape) in combinations() {
        if matches!(kind, FaultKind::None | FaultKind::TraceQuality | FaultKind::SmallMessages) {
            continue;
        }
        let plant = |seed| fault(&options(kind, shape, seed), &mut std::io::sink()).expect("a sink takes all");
        let truths: Vec<FaultTruth> = (1..=4).filter_map(plant).collect();
        for truth in &truths {
            assert!(truth.lost_share > 0.05, "{truth:?}");
        }
        let places: std::collections::BTreeSet<String> = truths
            .iter()
            .map(|truth| format!("{:?} {:.3} {:.3}", truth.containers, truth.start, truth.strength))
            .collect();
        assert!(places.len() > 2, "{places:?}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let usual = options(FaultKind::LateSender, ProgramShape::Stencil, 1);
    let refused = |options: FaultOptions| fault(&options, &mut vec![]).expect_err("refused").to_string();
    let shape = refused(FaultOptions { shape: ProgramShape::Pipeline, ..usual });
    assert!(shape.contains("it takes the shapes stencil, all-to-all"), "{shape}");
    for ranks in [0, 12, 33, 2048] {
        assert!(refused(FaultOptions { ranks, ..usual }).contains("multiple of 4 from 16 to 1024"));
    }
    assert!(refused(FaultOptions { iterations: 9, ..usual }).contains("between 10 and 50000"));
    assert!(refused(FaultOptions { iterations: 50_000, ..usual }).contains("12800000 operations, at most 2000000"));
    let pieces = FaultOptions { kind: FaultKind::SmallMessages, strength: Some(1000.0), ..usual };
    assert!(refused(FaultOptions { ranks: 1024, ..pieces }).contains("at most 2000000"));
    for noise in [-0.1, 0.6, f64::NAN] {
        assert!(refused(FaultOptions { noise, ..usual }).contains("between 0 and 0.5"));
    }
    for strength in [-1.0, 0.0, 0.7, f64::NAN, f64::INFINITY] {
        assert!(refused(FaultOptions { strength: Some(strength), ..usual }).contains("between 0.001 and 0.6"));
    }
    let clean = FaultOptions { kind: FaultKind::None, strength: Some(1.0), ..usual };
    assert!(refused(clean).contains("a clean run has no --strength"));
}

/// The ends of what is accepted run to their end as well.
#[test]
fn extremes_are_written() {
    for (kind, shape) in combinations() {
        let (least, most) = kind.accepted_strengths();
        for strength in [least, most.min(200_000)] {
            let strength = Some(strength as f64 / 1000.0).filter(|_| kind != FaultKind::None);
            let noise = if least == 1 { 0.0 } else { 0.5 };
            let options = FaultOptions { ranks: 16, iterations: 10, noise, strength, ..options(kind, shape, 1) };
            let trace = generate(&options);
            assert_eq!(trace.truth.is_some(), kind != FaultKind::None);
        }
    }
}
