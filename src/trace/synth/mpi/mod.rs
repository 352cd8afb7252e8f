//! An MPI program as its trace would look: ranks compute, exchange with neighbors, and reduce.
//!
//! ```text
//!  rank 0  compute compute Send──┐ Recv····│ Isend Wait··│ … Allreduce
//!  rank 1  compute Send──┐       └►Recv·│    …              Allreduce
//!  rank 2  compute compute Send  └►Recv·│    …              Allreduce
//! ```
//! In: the number of event lines, of ranks, and a seed. Out: Pajé text in the order of time. It is a
//! small simulation: a queue holds the next instant of every rank that is not blocked; a receive
//! waits for its message, a reduction for all ranks. A budget of lines counts what must still be
//! closed, so that the trace ends with every state closed, every link matched, and exactly the lines
//! that were asked for.

mod closing;
mod options;
mod output;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::Write;

pub use options::MpiOptions;

use self::output::{Output, RankStateValue};
use super::random::RandomSource;
use crate::error::{Error, Result};

/// Iterations between two reductions over all ranks.
const ITERATIONS_PER_REDUCTION: u32 = 10;

/// Writes the trace of an MPI program.
pub fn mpi(options: &MpiOptions, out: &mut dyn Write) -> Result<()> {
    if options.ranks == 0 {
        return Err(Error::Usage("an MPI trace has at least 1 rank, got 0".to_string()));
    }
    let needed = Output::fixed_lines(options.ranks);
    if options.events < needed {
        return Err(Error::Usage(format!(
            "an MPI trace of {} ranks needs at least {needed} events, got {}",
            options.ranks, options.events
        )));
    }
    let mut program = Program::new(options, out);
    program.output.begin(options)?;
    let end = program.run()?;
    program.output.finish(end)
}

/// What a rank does when its instant has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RankStep {
    Iterate,
    ReportPower,
    EnterCompute,
    EnterKernel,
    LeaveKernel,
    LeaveCompute,
    Allocate,
    EnterSend,
    Send,
    LeaveSend,
    EnterReceive,
    Await,
    Receive,
    LeaveReceive,
    EnterReduce,
    LeaveReduce,
}

/// The two neighbors of a rank in the ring, distinguished by where messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RingDirection {
    Right,
    Left,
}

/// A message on its way.
#[derive(Debug, Clone, Copy)]
struct PendingMessage {
    source: u32,
    sequence: u32,
    arrival: u64,
}

#[derive(Debug)]
struct Rank {
    step: RankStep,
    iteration: u32,
    computes_left: u8,
    open_states: u8,
    direction: RingDirection,
    /// Megabytes in use.
    memory: u64,
    /// Messages sent so far.
    sequence: u32,
    /// Messages that go right come from the left neighbor, and the other way round.
    inbox: [VecDeque<PendingMessage>; 2],
    is_waiting: bool,
}

impl Rank {
    fn new() -> Rank {
        Rank {
            step: RankStep::Iterate,
            iteration: 0,
            computes_left: 0,
            open_states: 0,
            direction: RingDirection::Right,
            memory: 0,
            sequence: 0,
            inbox: [VecDeque::new(), VecDeque::new()],
            is_waiting: false,
        }
    }
}

struct Program<'a> {
    output: Output<'a>,
    random: RandomSource,
    ranks: Vec<Rank>,
    /// The next instant of every rank that is not blocked.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// Ranks that the current step wakes, with their instant.
    woken: Vec<(u64, u32)>,
    in_reduction: u32,
    /// Lines that may still be spent on something new.
    budget: u64,
    /// The machine that computes more slowly than the others.
    slow_machine: u32,
}

impl<'a> Program<'a> {
    fn new(options: &MpiOptions, out: &'a mut dyn Write) -> Program<'a> {
        let mut random = RandomSource::new(options.seed);
        let slow_machine = random.below(u64::from(output::machines(options.ranks))) as u32;
        Program {
            output: Output::new(options.ranks, out),
            random,
            ranks: (0..options.ranks).map(|_| Rank::new()).collect(),
            queue: (0..options.ranks).map(|rank| Reverse((1000 * u64::from(rank), rank))).collect(),
            woken: Vec::new(),
            in_reduction: 0,
            budget: options.events - Output::fixed_lines(options.ranks),
            slow_machine,
        }
    }

    /// Runs until the budget is spent, and closes what is open; gives the last instant.
    fn run(&mut self) -> Result<u64> {
        let mut now = 0;
        while let Some(&Reverse((instant, rank))) = self.queue.peek() {
            now = instant;
            // No step costs more than two lines.
            if self.budget < 2 {
                break;
            }
            let next = self.advance(rank, now)?;
            match (next, self.queue.peek_mut()) {
                (Some(next), Some(mut first)) => *first = Reverse((next, rank)),
                (None, Some(first)) => {
                    std::collections::binary_heap::PeekMut::pop(first);
                }
                (_, None) => {}
            }
            self.queue.extend(self.woken.drain(..).map(Reverse));
        }
        if self.budget == 1 {
            self.budget = 0;
            self.output.power(now, 0, 100)?;
        }
        self.close(now)
    }

    /// Does one step of a rank; gives its next instant, or nothing when it is blocked.
    fn advance(&mut self, rank: u32, now: u64) -> Result<Option<u64>> {
        let step = self.ranks[rank as usize].step;
        let (next_step, delay) = match step {
            RankStep::Iterate => self.iterate(rank, now)?,
            RankStep::ReportPower => self.report_power(rank, now)?,
            RankStep::EnterCompute => self.enter_compute(rank, now)?,
            RankStep::EnterKernel => self.enter_kernel(rank, now)?,
            RankStep::LeaveKernel => {
                self.pop(rank, now)?;
                (RankStep::LeaveCompute, 200 + self.random.below(5_000))
            }
            RankStep::LeaveCompute => self.leave_compute(rank, now)?,
            RankStep::Allocate => self.allocate(rank, now)?,
            RankStep::EnterSend => {
                let value = match self.ranks[rank as usize].direction {
                    RingDirection::Right => RankStateValue::Send,
                    RingDirection::Left => RankStateValue::Isend,
                };
                self.push(rank, now, value)?;
                (RankStep::Send, 100 + self.random.below(400))
            }
            RankStep::Send => self.send(rank, now)?,
            RankStep::LeaveSend => {
                self.pop(rank, now)?;
                (RankStep::EnterReceive, 50 + self.random.below(1_000))
            }
            RankStep::EnterReceive => {
                let value = match self.ranks[rank as usize].direction {
                    RingDirection::Right => RankStateValue::Recv,
                    RingDirection::Left => RankStateValue::Wait,
                };
                self.push(rank, now, value)?;
                (RankStep::Await, 100)
            }
            RankStep::Await => return Ok(self.await_message(rank, now)),
            RankStep::Receive => self.receive(rank, now)?,
            RankStep::LeaveReceive => self.leave_receive(rank, now)?,
            RankStep::EnterReduce => return self.enter_reduce(rank, now),
            RankStep::LeaveReduce => {
                self.pop(rank, now)?;
                (RankStep::Iterate, 100)
            }
        };
        self.ranks[rank as usize].step = next_step;
        Ok(Some(now + delay))
    }

    fn iterate(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.budget -= 1;
        self.output.iteration(now, rank)?;
        let computes = 3 + self.random.below(5) as u8;
        let state = &mut self.ranks[rank as usize];
        state.iteration += 1;
        state.computes_left = computes;
        let reports = rank.is_multiple_of(output::RANKS_PER_MACHINE);
        Ok((if reports { RankStep::ReportPower } else { RankStep::EnterCompute }, 100))
    }

    fn report_power(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.budget -= 1;
        let watts = 150 + self.random.below(200);
        self.output.power(now, rank / output::RANKS_PER_MACHINE, watts)?;
        Ok((RankStep::EnterCompute, 100))
    }

    fn enter_compute(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.push(rank, now, RankStateValue::Compute)?;
        if self.random.percent(20) {
            return Ok((RankStep::EnterKernel, 500 + self.random.below(5_000)));
        }
        let time = 20_000 + self.random.below(80_000);
        let is_slow = rank / output::RANKS_PER_MACHINE == self.slow_machine;
        Ok((RankStep::LeaveCompute, if is_slow { time + time / 2 } else { time }))
    }

    fn enter_kernel(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.push(rank, now, RankStateValue::Kernel)?;
        Ok((RankStep::LeaveKernel, 20_000 + self.random.below(60_000)))
    }

    fn leave_compute(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.pop(rank, now)?;
        self.ranks[rank as usize].computes_left -= 1;
        if self.random.percent(75) {
            return Ok((RankStep::Allocate, 100));
        }
        Ok((self.after_compute(rank), 200))
    }

    fn allocate(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.budget -= 1;
        let change = 1 + self.random.below(64);
        let state = &mut self.ranks[rank as usize];
        if state.memory >= 512 {
            state.memory -= change;
            self.output.sub_memory(now, rank, change)?;
        } else {
            state.memory += change;
            self.output.add_memory(now, rank, change)?;
        }
        Ok((self.after_compute(rank), 200))
    }

    fn after_compute(&self, rank: u32) -> RankStep {
        match self.ranks[rank as usize].computes_left {
            0 => RankStep::EnterSend,
            _ => RankStep::EnterCompute,
        }
    }

    fn send(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.budget -= 2;
        let count = self.ranks.len() as u32;
        let direction = self.ranks[rank as usize].direction;
        let target = match direction {
            RingDirection::Right => (rank + 1) % count,
            RingDirection::Left => (rank + count - 1) % count,
        };
        let bytes = 8 << self.random.below(17);
        let sequence = self.ranks[rank as usize].sequence;
        self.ranks[rank as usize].sequence += 1;
        let message = PendingMessage { source: rank, sequence, arrival: now + 1_500 + bytes / 8 };
        self.output.start_link(now, rank, target, sequence, bytes)?;
        let receiver = &mut self.ranks[target as usize];
        receiver.inbox[direction as usize].push_back(message);
        if receiver.is_waiting && receiver.direction == direction {
            receiver.is_waiting = false;
            receiver.step = RankStep::Receive;
            self.woken.push((message.arrival, target));
        }
        Ok((RankStep::LeaveSend, 100 + bytes / 16))
    }

    /// The instant when the message is there; nothing when it was not sent yet.
    fn await_message(&mut self, rank: u32, now: u64) -> Option<u64> {
        let state = &mut self.ranks[rank as usize];
        match state.inbox[state.direction as usize].front() {
            Some(message) => {
                state.step = RankStep::Receive;
                Some(now.max(message.arrival))
            }
            None => {
                state.is_waiting = true;
                None
            }
        }
    }

    fn receive(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        let state = &mut self.ranks[rank as usize];
        let inbox = &mut state.inbox[state.direction as usize];
        let message = inbox.pop_front().expect("a rank receives only what has arrived");
        self.output.end_link(now, message.source, rank, message.sequence)?;
        Ok((RankStep::LeaveReceive, 100 + self.random.below(300)))
    }

    fn leave_receive(&mut self, rank: u32, now: u64) -> Result<(RankStep, u64)> {
        self.pop(rank, now)?;
        let state = &mut self.ranks[rank as usize];
        let next = match state.direction {
            RingDirection::Right => {
                state.direction = RingDirection::Left;
                RankStep::EnterSend
            }
            RingDirection::Left => {
                state.direction = RingDirection::Right;
                let reduces = state.iteration.is_multiple_of(ITERATIONS_PER_REDUCTION);
                if reduces { RankStep::EnterReduce } else { RankStep::Iterate }
            }
        };
        Ok((next, 200))
    }

    /// Blocks until the last rank is there; that one wakes the others and itself.
    fn enter_reduce(&mut self, rank: u32, now: u64) -> Result<Option<u64>> {
        self.push(rank, now, RankStateValue::Allreduce)?;
        self.ranks[rank as usize].step = RankStep::LeaveReduce;
        self.in_reduction += 1;
        let count = self.ranks.len() as u32;
        if self.in_reduction < count {
            return Ok(None);
        }
        self.in_reduction = 0;
        for other in (0..count).filter(|other| *other != rank) {
            self.woken.push((now + 3_000 + 10 * u64::from(other), other));
        }
        Ok(Some(now + 3_000 + 10 * u64::from(rank)))
    }

    fn push(&mut self, rank: u32, now: u64, value: RankStateValue) -> Result<()> {
        self.budget -= 2;
        self.ranks[rank as usize].open_states += 1;
        self.output.push_state(now, rank, value)
    }

    fn pop(&mut self, rank: u32, now: u64) -> Result<()> {
        self.ranks[rank as usize].open_states -= 1;
        self.output.pop_state(now, rank)
    }
}

#[cfg(test)]
mod tests;
