//! Runs a program: a queue holds the next instant of every rank that is not blocked, and time only goes on.
//!
//! In: a program with its fault, and noise. Out: the [`RunRecord`]. Nobody is told to wait: a rank waits until its messages
//! are there, until those that it sent have left, or until the last rank has come to a meeting.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::mailbox::Mailbox;
use super::network::{CALL, NetworkModel};
use super::noise::NoiseField;
use super::operations::{Operation, names};
use super::program::FaultyProgram;
use super::record::{DeliveredMessage, RunRecord};
use super::shapes;
use crate::error::{Error, Result};

/// What blocks a rank, and since when.
#[derive(Debug, Clone, Copy)]
struct BlockedRank {
    operation: Operation,
    since: u64,
}

#[derive(Debug, Default)]
struct RankProgress {
    step: u32,
    step_start: u64,
    operations: Vec<Operation>,
    next: usize,
    /// Messages that it is ready for and those that it has sent.
    receives: Vec<usize>,
    sends: Vec<usize>,
    blocked: Option<BlockedRank>,
    /// When it goes on: what the queue has for other times is void.
    wakes_at: Option<u64>,
    is_done: bool,
}

struct Simulation<'a> {
    program: FaultyProgram<'a>,
    noise: NoiseField,
    ranks: Vec<RankProgress>,
    mailbox: Mailbox,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// Who has come to the meeting, and when.
    meeting: Vec<(u32, u64)>,
    record: RunRecord,
}

/// Runs a program to its end.
pub(super) fn simulate(program: FaultyProgram<'_>, noise: NoiseField, network_noise: NoiseField) -> Result<RunRecord> {
    let count = program.settings.ranks;
    let mut simulation = Simulation {
        program,
        noise,
        ranks: (0..count).map(|_| RankProgress::default()).collect(),
        mailbox: Mailbox::new(program.plan.network(network_noise)),
        queue: BinaryHeap::new(),
        meeting: vec![],
        record: RunRecord::default(),
    };
    for rank in 0..count {
        shapes::step(&program, rank, 0, &mut simulation.ranks[rank as usize].operations);
        simulation.wake(rank, 0);
    }
    while let Some(Reverse((now, rank))) = simulation.queue.pop() {
        let progress = &mut simulation.ranks[rank as usize];
        if progress.wakes_at == Some(now) {
            progress.wakes_at = None;
            simulation.advance(rank, now);
        }
    }
    match simulation.ranks.iter().position(|rank| !rank.is_done) {
        Some(rank) => Err(Error::Internal(format!("the generated program never ends: rank {rank} is blocked"))),
        None => Ok(simulation.record),
    }
}

impl Simulation<'_> {
    /// A rank goes on: with what it waits for, or with its next operation.
    fn advance(&mut self, rank: u32, now: u64) {
        if let Some(blocked) = self.ranks[rank as usize].blocked {
            self.unblock(rank, blocked, now);
            return;
        }
        let Some(operation) = self.next_operation(rank, now) else { return };
        match operation {
            Operation::Compute { state, length, slot } => {
                let step = self.ranks[rank as usize].step;
                let length = self.noise.disturb(length, [u64::from(rank), u64::from(step), slot]).max(1);
                let end = self.program.plan.compute_end(rank, now, length);
                self.record.span(rank, state, now, end);
                let mut next = end;
                if let Some((state, length)) = self.program.plan.interruption(rank, now, end - now) {
                    next += length;
                    self.record.span(rank, state, end, next);
                }
                self.wake(rank, next);
            }
            Operation::Spend { state, length } => {
                let end = now + self.noise.disturb(length, [u64::from(rank), u64::MAX, length]).max(1);
                self.record.span(rank, state, now, end);
                self.wake(rank, end);
            }
            Operation::PostReceive { source } => {
                self.record.span(rank, names::POST, now, now + CALL);
                let message = self.mailbox.post(now, source, rank);
                self.ranks[rank as usize].receives.push(message);
                self.notify(source, now);
                self.wake(rank, now + CALL);
            }
            Operation::StartSend { target, bytes } => {
                self.record.span(rank, names::SEND, now, now + CALL);
                let message = self.mailbox.send(now, rank, target, bytes);
                self.ranks[rank as usize].sends.push(message);
                self.notify(target, now);
                self.wake(rank, now + CALL);
            }
            Operation::AwaitReceives { .. } | Operation::AwaitAnyReceive | Operation::AwaitSends { .. } => {
                let blocked = BlockedRank { operation, since: now };
                self.ranks[rank as usize].blocked = Some(blocked);
                self.unblock(rank, blocked, now);
            }
            Operation::Meet { state } => self.meet(rank, state, now),
        }
    }

    /// The next operation of a rank, of its next step if need be; nothing when it has done all.
    fn next_operation(&mut self, rank: u32, now: u64) -> Option<Operation> {
        let progress = &mut self.ranks[rank as usize];
        while progress.next == progress.operations.len() {
            if progress.is_done {
                return None;
            }
            self.record.step(progress.step, progress.step_start, now);
            progress.step += 1;
            (progress.step_start, progress.next) = (now, 0);
            progress.operations.clear();
            shapes::step(&self.program, rank, progress.step, &mut progress.operations);
            progress.is_done = progress.operations.is_empty();
        }
        progress.next += 1;
        Some(progress.operations[progress.next - 1])
    }

    /// Something happened that a rank may wait for.
    fn notify(&mut self, rank: u32, now: u64) {
        if let Some(blocked) = self.ranks[rank as usize].blocked {
            self.unblock(rank, blocked, now);
        }
    }

    /// Ends a wait whose end is known, or asks to be called when it will be.
    fn unblock(&mut self, rank: u32, blocked: BlockedRank, now: u64) {
        let progress = &mut self.ranks[rank as usize];
        let messages = &self.mailbox.messages;
        let arrival = |message: &usize| messages[*message].arrival;
        let (state, ready, received) = match blocked.operation {
            Operation::AwaitReceives { state } => {
                let arrivals: Option<Vec<u64>> = progress.receives.iter().map(arrival).collect();
                let Some(arrivals) = arrivals else { return };
                (state, arrivals.into_iter().max().unwrap_or(0), std::mem::take(&mut progress.receives))
            }
            Operation::AwaitSends { state } => {
                let free: Option<Vec<u64>> =
                    progress.sends.iter().map(|message| messages[*message].sender_is_free()).collect();
                let Some(free) = free else { return };
                progress.sends.clear();
                (state, free.into_iter().max().unwrap_or(0), vec![])
            }
            _ => {
                let first = (0..progress.receives.len())
                    .filter_map(|place| arrival(&progress.receives[place]).map(|arrival| (arrival, place)))
                    .min();
                let Some((first_arrival, place)) = first else { return };
                // Another message may still come before it.
                if first_arrival > now {
                    self.wake(rank, first_arrival);
                    return;
                }
                (names::WAIT_ANY, first_arrival, vec![progress.receives.remove(place)])
            }
        };
        progress.blocked = None;
        for message in received {
            let message = messages[message];
            if let (Some(sent), Some(arrival)) = (message.sent, message.arrival) {
                let received = arrival.max(blocked.since);
                let (source, target, bytes) = (message.source, message.target, message.bytes);
                self.record.messages.push(DeliveredMessage { source, target, bytes, sent, received });
            }
        }
        let end = ready.max(blocked.since) + CALL;
        self.record.span(rank, state, blocked.since, end);
        self.wake(rank, end);
    }

    /// A rank comes to a meeting; the last one ends it.
    fn meet(&mut self, rank: u32, state: &'static str, now: u64) {
        self.meeting.push((rank, now));
        if self.meeting.len() < self.ranks.len() {
            return;
        }
        let end = now + NetworkModel::meeting(self.ranks.len() as u32);
        for (member, came) in std::mem::take(&mut self.meeting) {
            self.record.span(member, state, came, end);
            self.wake(member, end);
        }
    }

    fn wake(&mut self, rank: u32, time: u64) {
        self.ranks[rank as usize].wakes_at = Some(time);
        self.queue.push(Reverse((time, rank)));
    }
}
