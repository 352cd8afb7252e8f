//! Planted faults, measured on the lines of the trace without a look at the simulation.

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
        let mut ends = vec![0.0; 16];
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
fn slow_ranks_and_nodes_compute_longer_by_their_strength() {
    for (kind, shape) in combinations() {
        if !matches!(kind, FaultKind::SlowRank | FaultKind::SlowNode) {
            continue;
        }
        let (trace, truth) = planted(kind, shape, 2);
        let seconds = seconds_by_rank(&trace, StateRow::is_computation);
        let place = number(&truth.containers[0]);
        let ranks = if kind == FaultKind::SlowRank { place..place + 1 } else { 4 * place..4 * place + 4 };
        let others = (1..32).filter(|rank| !ranks.contains(rank)).map(|rank| seconds[rank as usize]).collect();
        let usual = median(others);
        for rank in ranks {
            assert_close(seconds[rank as usize] / usual, truth.strength, 0.02 * truth.strength, truth.kind.name());
        }
    }
}

/// Of the computation that is wholly within the interval, a piece of the slow rank takes longer by the strength; outside it does not.
#[test]
fn a_rank_is_slow_for_a_while() {
    for shape in ProgramShape::ALL {
        let (trace, truth) = planted(FaultKind::SlowRankInterval, shape, 2);
        let slow = number(&truth.containers[0]);
        let is_within = |row: &StateRow| row.start >= truth.start && row.end <= truth.end;
        let is_outside = |row: &StateRow| row.end <= truth.start || row.start >= truth.end;
        let mean = |fits: &dyn Fn(&StateRow) -> bool| {
            let name = if shape == ProgramShape::Stencil || shape == ProgramShape::AllToAll {
                names::BEFORE
            } else {
                "process"
            };
            let rows: Vec<f64> = trace
                .states
                .iter()
                .filter(|row| row.state.starts_with(name) && fits(row))
                .map(StateRow::length)
                .collect();
            rows.iter().sum::<f64>() / rows.len() as f64
        };
        let usual = mean(&|row| row.rank != slow);
        let within = mean(&|row| row.rank == slow && is_within(row));
        let outside = mean(&|row| row.rank == slow && is_outside(row));
        assert_close(within / usual, truth.strength, 0.03 * truth.strength, "within");
        assert_close(outside / usual, 1.0, 0.02, "outside");
    }
}

#[test]
fn the_deviating_node_writes_in_its_interval_alone() {
    for shape in ProgramShape::ALL {
        let (trace, truth) = planted(FaultKind::DeviatingInterval, shape, 4);
        let node = number(&truth.containers[0]);
        let writes: Vec<&StateRow> = trace.states.iter().filter(|row| row.state == names::WRITE).collect();
        assert!(writes.len() > 40, "{shape:?}");
        for row in &writes {
            assert!(row.rank / 4 == node && row.start >= truth.start && row.end <= truth.end, "{row:?}");
        }
        let written: f64 = writes.iter().map(|row| row.length()).sum();
        // What is written after is what was computed just before.
        let mut computed = 0.0;
        for row in &writes {
            let before = trace.states.iter().find(|other| other.rank == row.rank && other.end == row.start);
            computed += before.expect("a state before").length();
        }
        assert_close(written / computed, truth.strength, 1e-3, "writing per computing");
    }
}

#[test]
fn imbalanced_ranks_differ_by_the_strength() {
    for shape in ProgramShape::ALL {
        let (trace, truth) = planted(FaultKind::Imbalance, shape, 3);
        // Only iterations in which everybody is within the interval count, so half of the pieces of its middle.
        let (third, main) = ((truth.end - truth.start) / 3.0, &truth.values[0]);
        let mean = |rank: u32, start: f64, end: f64| {
            let rows: Vec<f64> = trace
                .states
                .iter()
                .filter(|row| row.rank == rank && &row.state == main && row.start >= start && row.end <= end)
                .map(StateRow::length)
                .collect();
            rows.iter().sum::<f64>() / rows.len() as f64
        };
        let workers = u32::from(shape == ProgramShape::MasterWorker)..32;
        let within: Vec<f64> = workers.map(|rank| mean(rank, truth.start + third, truth.end - third)).collect();
        let average = within.iter().sum::<f64>() / within.len() as f64;
        let largest = within.iter().fold(0.0, |largest: f64, seconds| largest.max(*seconds));
        assert_close(largest / average - 1.0, truth.strength, 0.07, "imbalance");
    }
}

/// Those that are late have as much to do as the others; they do it in another order.
#[test]
fn late_ranks_compute_as_much_as_the_others() {
    for (kind, shape) in combinations() {
        if !matches!(kind, FaultKind::LateSender | FaultKind::LateReceiver | FaultKind::CollectiveWait) {
            continue;
        }
        let (trace, truth) = planted(kind, shape, 2);
        let seconds = seconds_by_rank(&trace, StateRow::is_computation);
        let late = seconds[number(&truth.containers[0]) as usize];
        assert_close(late / median(seconds), 1.0, 0.01, "computation");
    }
}

/// In each iteration of the interval, the late sender is the last to send.
#[test]
fn the_late_sender_sends_last() {
    for shape in [ProgramShape::Stencil, ProgramShape::AllToAll] {
        let (trace, truth) = planted(FaultKind::LateSender, shape, 2);
        let late = number(&truth.containers[0]);
        let is_within = |message: &&MessageRow| message.sent >= truth.start && message.received <= truth.end;
        // The receiver waits already when the message is sent.
        let mut waited = BTreeMap::from([(true, (0, 0)), (false, (0, 0))]);
        for message in trace.messages.iter().filter(is_within) {
            let waits = trace.states.iter().any(|row| {
                row.rank == message.target
                    && row.state.starts_with("MPI_Wait")
                    && row.start < message.sent
                    && message.sent < row.end
            });
            let counts = waited.get_mut(&(message.source == late)).expect("both are there");
            counts.0 += u32::from(waits);
            counts.1 += 1;
        }
        let share = |of_late: bool| f64::from(waited[&of_late].0) / f64::from(waited[&of_late].1);
        // Of ten partners of a transposition, seven are in the phase with the work that is moved.
        assert!(share(true) > 0.6, "{shape:?}: {}", share(true));
        assert!(share(false) < 0.1, "{shape:?}: {}", share(false));
    }
}

/// Messages to the late receiver are in flight for longer, by the work that it does first.
#[test]
fn the_late_receiver_keeps_its_senders_waiting() {
    for shape in [ProgramShape::Stencil, ProgramShape::AllToAll] {
        let (trace, truth) = planted(FaultKind::LateReceiver, shape, 2);
        let late = number(&truth.containers[0]);
        let flight = |to_late: bool| {
            let is_meant = |message: &&MessageRow| {
                (message.target == late) == to_late
                    && message.source != late
                    && message.sent >= truth.start
                    && message.received <= truth.end
            };
            median(trace.messages.iter().filter(is_meant).map(|message| message.received - message.sent).collect())
        };
        let work = 8e-3 * truth.strength;
        assert!(flight(true) - flight(false) > 0.7 * work, "{shape:?}: {} and {}", flight(true), flight(false));
    }
}

#[test]
fn the_origin_comes_last_to_collectives() {
    for shape in [ProgramShape::Stencil, ProgramShape::AllToAll] {
        let (trace, truth) = planted(FaultKind::CollectiveWait, shape, 2);
        let late = number(&truth.containers[0]);
        let mut meetings: BTreeMap<u64, Vec<&StateRow>> = BTreeMap::new();
        for row in trace.states.iter().filter(|row| row.state == names::REDUCE) {
            meetings.entry((row.end * 1e9).round() as u64).or_default().push(row);
        }
        // Of the two meetings of an iteration, the longer waits are in the first, for the late one; others are short.
        let (mut last, mut long) = (0, 0);
        for rows in meetings.values().filter(|rows| rows[0].start >= truth.start && rows[0].end <= truth.end) {
            assert_eq!(rows.len(), 32);
            let waits: f64 = rows.iter().map(|row| row.length()).sum();
            let latest = rows.iter().max_by(|a, b| a.start.total_cmp(&b.start)).expect("32 rows");
            if waits > 32.0 * 8e-3 * truth.strength / 2.0 {
                long += 1;
                last += u32::from(latest.rank == late);
            }
        }
        assert!(long > 15 && last == long, "{shape:?}: {last} of {long}");
    }
}

#[test]
fn one_rank_works_while_all_others_wait() {
    for shape in [ProgramShape::Stencil, ProgramShape::AllToAll] {
        let (trace, truth) = planted(FaultKind::Serialisation, shape, 2);
        let worker = number(&truth.containers[0]);
        let sections: Vec<&StateRow> = trace.states.iter().filter(|row| row.state == names::SECTION).collect();
        assert!(sections.len() > 15);
        for section in sections {
            assert!(section.rank == worker && section.start >= truth.start && section.end <= truth.end);
            assert_close(section.length(), 8e-3 * truth.strength, 0.06 * 8e-3 * truth.strength, "section");
            let others = trace.states.iter().filter(|row| row.rank != worker && row.is_computation());
            assert!(others.filter(|row| row.start < section.end && row.end > section.start).count() == 0);
        }
    }
}

#[test]
fn a_pair_or_an_interval_has_slow_messages() {
    for (kind, shape) in combinations() {
        if !matches!(kind, FaultKind::NetworkPair | FaultKind::NetworkInterval) {
            continue;
        }
        let (trace, truth) = planted(kind, shape, 2);
        let ranks: Vec<u32> = match kind {
            FaultKind::NetworkPair => truth.containers.iter().map(|name| number(name)).collect(),
            _ => vec![],
        };
        let is_slow = |message: &MessageRow| match kind {
            FaultKind::NetworkPair => ranks.contains(&message.source) && ranks.contains(&message.target),
            _ => {
                message.source / 4 != message.target / 4 && message.sent >= truth.start && message.received <= truth.end
            }
        };
        // A nanosecond a byte, ten microseconds before the first.
        let shortest = |bytes: u64| (bytes as f64 + 1e4) * 1e-9 * truth.strength;
        let slow: Vec<&MessageRow> = trace.messages.iter().filter(|message| is_slow(message)).collect();
        assert!(slow.len() > 50, "{kind:?} {shape:?}");
        for message in &slow {
            let flight = message.received - message.sent;
            assert!(flight > 0.85 * shortest(message.bytes), "{kind:?} {shape:?} {message:?}");
        }
        let usual = trace.messages.iter().filter(|message| !is_slow(message));
        let quick = usual.filter(|message| message.received - message.sent < 0.85 * shortest(message.bytes)).count();
        assert!(quick * 3 > trace.messages.len(), "{kind:?} {shape:?}");
    }
}

#[test]
fn small_messages_carry_the_same_in_more() {
    for shape in [ProgramShape::Stencil, ProgramShape::AllToAll] {
        let (trace, truth) = planted(FaultKind::SmallMessages, shape, 2);
        let partners = if shape == ProgramShape::Stencil { 4 } else { 3 + 7 };
        let whole = 32 * partners * 20;
        assert_eq!(trace.messages.len() as u64, whole * truth.strength.floor() as u64);
        assert_eq!(trace.messages.iter().map(|message| message.bytes).sum::<u64>(), whole * 8192);
        assert!(truth.lost_share > 0.05, "{truth:?}");
    }
}

/// Nobody computes between sending and waiting for what it is sent; in the clean run everybody does.
#[test]
fn without_overlap_messages_are_waited_for_at_once() {
    for shape in [ProgramShape::Stencil, ProgramShape::AllToAll] {
        let follows = |kind: FaultKind| {
            let trace = generate(&options(kind, shape, 2));
            let (mut before, mut computes, mut waits) = (BTreeMap::new(), 0, 0);
            for row in &trace.states {
                if before.insert(row.rank, row.state.clone()).is_some_and(|state| state == names::SEND) {
                    computes += u32::from(row.is_computation());
                    waits += u32::from(row.state.starts_with("MPI_Wait"));
                }
            }
            (computes > 0, waits > 0)
        };
        assert_eq!(follows(FaultKind::NoOverlap), (false, true));
        assert_eq!(follows(FaultKind::None), (true, false));
    }
}

#[test]
fn the_start_or_the_end_is_long() {
    for (shape, seed) in ProgramShape::ALL.into_iter().flat_map(|shape| [1, 2, 3, 4].map(|seed| (shape, seed))) {
        let (trace, truth) = planted(FaultKind::Startup, shape, seed);
        let rows: Vec<&StateRow> = trace.states.iter().filter(|row| row.state == truth.values[0]).collect();
        assert_eq!(rows.len(), 32);
        let start = rows.iter().fold(f64::MAX, |start, row| start.min(row.start));
        let end = rows.iter().fold(0.0, |end: f64, row| end.max(row.end));
        assert_close(start, truth.start, 1e-9, "start");
        assert_close(end, truth.end, 1e-9, "end");
        let compute = seconds_by_rank(&trace, StateRow::is_computation);
        assert_close((end - start) / median(compute), truth.strength, 0.05, "long");
    }
}

/// The main work of the last iteration is that of the first by one and the strength.
#[test]
fn iterations_drift() {
    for shape in ProgramShape::ALL {
        let (trace, truth) = planted(FaultKind::Drift, shape, 2);
        let name = match shape {
            ProgramShape::MasterWorker => names::TASK,
            ProgramShape::Pipeline => names::STAGE,
            _ => names::BEFORE,
        };
        let (mut first, mut last) = (0.0, 0.0);
        for rank in 1..32 {
            let rows: Vec<&StateRow> =
                trace.states.iter().filter(|row| row.rank == rank && row.state == name).collect();
            first += rows[0].length();
            last += rows[rows.len() - 1].length();
        }
        assert_close(last / first - 1.0, truth.strength, 0.03, "drift");
    }
}

#[test]
fn memory_is_full_on_one_node_in_the_interval_alone() {
    let (trace, truth) = planted(FaultKind::MemoryCeiling, ProgramShape::Stencil, 2);
    let node = number(&truth.containers[0]);
    let mut full = 0;
    for fields in event_lines(&trace.text).into_iter().filter(|fields| fields[0] == "8" && fields[2] == "memory") {
        let (time, value): (f64, f64) = (fields[1].parse().expect("a time"), fields[4].parse().expect("a value"));
        let is_full = fields[3] == format!("n{node}") && time >= truth.start && time < truth.end;
        assert_eq!(value == 16384.0, is_full, "{fields:?}");
        full += u32::from(is_full);
    }
    assert!(full > 10);
}

/// As many lines as the strength says are cut, or messages of one node arrive before they are sent.
#[test]
fn traces_are_damaged_or_a_clock_differs() {
    let mut seen = std::collections::BTreeSet::new();
    for (shape, seed) in ProgramShape::ALL.into_iter().flat_map(|shape| [1, 2, 3, 4].map(|seed| (shape, seed))) {
        let (trace, truth) = planted(FaultKind::TraceQuality, shape, seed);
        assert_eq!(truth.lost_seconds, 0.0);
        seen.insert(truth.values[0].clone());
        if truth.values[0] == "clock" {
            let node = number(&truth.containers[0]);
            check_clock(&trace, node);
            continue;
        }
        let lines: Vec<Vec<&str>> = event_lines(&trace.text)
            .into_iter()
            .filter(|fields| ["8", "12", "13", "15", "16"].contains(&fields[0]))
            .collect();
        let cut = lines.iter().filter(|fields| fields.len() == 2).count() as f64;
        assert_close(cut / lines.len() as f64, truth.strength, 0.1 * truth.strength, "cut lines");
    }
    assert_eq!(seen.len(), 2);
}

/// Ends before their starts, which the lines have in the order of time, are those of messages that the node sends.
fn check_clock(trace: &GeneratedTrace, node: u32) {
    let (mut sent, mut early) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for fields in event_lines(&trace.text) {
        match fields[0] {
            "15" if early.contains(fields[6]) => {
                assert_eq!(fields[5][1..].parse::<u32>().expect("a rank") / 4, node, "{fields:?}");
            }
            "15" => _ = sent.insert(fields[6]),
            "16" if !sent.contains(fields[6]) => _ = early.insert(fields[6]),
            _ => {}
        }
    }
    assert!(early.len() > 20, "{} messages of node {node}", early.len());
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
    assert!(refused(FaultOptions { iterations: 50_000, ..usual }).contains("at most 1000000"));
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
