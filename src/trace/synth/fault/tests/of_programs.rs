//! Faults of programs.

use super::*;

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
