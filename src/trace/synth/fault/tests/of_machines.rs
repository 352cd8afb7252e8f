//! Faults of machines, networks and traces.

use std::collections::BTreeSet;

use super::*;

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
    let mut seen = BTreeSet::new();
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
    let (mut sent, mut early) = (BTreeSet::new(), BTreeSet::new());
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
