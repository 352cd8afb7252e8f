//! The calls of one rank as timed events in the order of time, read as they are asked for.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashMap;

use super::call::{CallTimes, MpiCall};
use super::comm_creation::{CommCreations, LocalComm};
use super::file::{CallReader, FileMetadata, RankFile, ReadOutcome};
use super::rank::{CallEffect, CollectiveTransfer, MessageChannel, RankState, ReceiveLookahead};
use super::table::{Function, MpiArgument};
use super::text::{TextCalls, TextFile};
use crate::error::Result;

/// Seconds after which the 16 bits of a time start again, in nanoseconds.
const WRAP: i64 = 65_536 * 1_000_000_000;

/// The trace of one rank, in either form.
#[derive(Debug, Clone)]
pub(super) enum RankTrace {
    Binary(RankFile),
    Text(TextFile),
    /// There is no file of the rank.
    Missing(FileMetadata),
}

impl RankTrace {
    fn calls(&self, window: usize) -> Result<CallSource> {
        Ok(match self {
            RankTrace::Binary(file) => CallSource::Binary(file.calls(window)),
            RankTrace::Text(file) => CallSource::Text(file.calls()?),
            RankTrace::Missing(_) => CallSource::Nothing,
        })
    }

    pub(super) fn name(&self) -> String {
        let path = match self {
            RankTrace::Binary(file) => &file.path,
            RankTrace::Text(file) => &file.path,
            RankTrace::Missing(_) => return "a missing file".to_string(),
        };
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(super) fn about(&self) -> &FileMetadata {
        match self {
            RankTrace::Binary(file) => &file.about,
            RankTrace::Text(file) => &file.about,
            RankTrace::Missing(about) => about,
        }
    }
}

enum CallSource {
    Binary(CallReader),
    Text(TextCalls),
    Nothing,
}

impl CallSource {
    fn next(&mut self, call: &mut MpiCall) -> Result<ReadOutcome> {
        match self {
            CallSource::Binary(calls) => calls.next(call),
            CallSource::Text(calls) => calls.next(call),
            CallSource::Nothing => Ok(ReadOutcome::End),
        }
    }

    fn byte(&self) -> u64 {
        match self {
            CallSource::Binary(calls) => calls.byte(),
            CallSource::Text(calls) => calls.byte(),
            CallSource::Nothing => 0,
        }
    }
}

/// An event of a rank.
#[derive(Debug)]
pub(super) struct TimedEvent {
    /// Nanoseconds of the clock of the rank, corrected.
    pub at: i64,
    /// Where the record stands in its file.
    pub byte: u64,
    pub thread: u16,
    pub data: EventData,
}

#[derive(Debug)]
pub(super) enum EventData {
    /// A call starts: the CPU time it takes in nanoseconds, and the bytes of its record.
    Enter {
        function: Function,
        cpu: Option<i64>,
        size: u64,
    },
    Leave,
    /// A compiled function, by its address.
    EnterCode {
        address: u64,
    },
    LeaveCode,
    Counters(Vec<u64>),
    Send {
        function: Function,
        comm: LocalComm,
        to: i32,
        tag: i32,
        bytes: Option<u64>,
    },
    Receive {
        channel: MessageChannel,
        bytes: Option<u64>,
        number: Option<u32>,
    },
    Arrive(Arc<CollectiveCall>),
    Depart(Arc<CollectiveCall>),
    /// The rest of the file is lost.
    Fault(String),
}

/// One rank's part in a collective operation.
#[derive(Debug)]
pub(super) struct CollectiveCall {
    pub function: Function,
    pub comm: LocalComm,
    /// Of the collective operations on the communicator.
    pub number: u64,
    pub transfer: CollectiveTransfer,
}

/// Reads a rank.
pub(super) struct RankStream {
    source: CallSource,
    state: RankState,
    /// Added to every time.
    offset: i64,
    call: MpiCall,
    effects: Vec<CallEffect>,
    ready: VecDeque<TimedEvent>,
    /// By communicator: collective operations so far.
    collectives: HashMap<LocalComm, u64>,
    /// When the last call stopped.
    last: i64,
    /// What the seconds that ran over add up to.
    wraps: i64,
}

impl RankStream {
    /// A later pass over a rank.
    pub(super) fn new(
        trace: &RankTrace,
        lookahead: &Arc<ReceiveLookahead>,
        offset: i64,
        window: usize,
    ) -> Result<RankStream> {
        let state = RankState::again(&trace.about().sizes, Arc::clone(lookahead));
        RankStream::with(trace, state, offset, window)
    }

    fn with(trace: &RankTrace, state: RankState, offset: i64, window: usize) -> Result<RankStream> {
        Ok(RankStream {
            source: trace.calls(window)?,
            state,
            offset,
            call: MpiCall::default(),
            effects: vec![],
            ready: VecDeque::new(),
            collectives: HashMap::new(),
            last: i64::MIN,
            wraps: 0,
        })
    }

    /// Times of the call: later by a turn where 16 bits of seconds ran over, and never before they start.
    fn times(&mut self) -> CallTimes {
        let Some(mut times) = self.call.times() else {
            let now = if self.last == i64::MIN { 0 } else { self.last };
            return CallTimes { start: now, stop: now };
        };
        let is_binary = matches!(self.source, CallSource::Binary(_));
        if is_binary && self.last != i64::MIN && times.start + self.wraps < self.last - WRAP / 2 {
            self.wraps += WRAP;
        }
        times.start += self.wraps;
        times.stop += self.wraps;
        if is_binary && times.start - times.stop > WRAP / 2 {
            times.stop += WRAP;
        }
        times.stop = times.stop.max(times.start);
        self.last = times.stop;
        times
    }

    /// Reads one call into events; `false` at the end.
    fn read(&mut self) -> Result<ReadOutcome> {
        let before = self.source.byte();
        let next = self.source.next(&mut self.call)?;
        match &next {
            ReadOutcome::Call => self.take(self.source.byte() - before),
            ReadOutcome::Fault(what) => {
                let last = if self.last == i64::MIN { 0 } else { self.last };
                let at = last.saturating_add(self.offset);
                self.ready.push_back(TimedEvent { at, byte: before, thread: 0, data: EventData::Fault(what.clone()) });
            }
            ReadOutcome::End => {}
        }
        Ok(next)
    }

    fn take(&mut self, size: u64) {
        let CallTimes { start, stop } = self.times();
        let (start, stop) = (start.saturating_add(self.offset), stop.saturating_add(self.offset));
        self.effects.clear();
        self.state.digest(&self.call, &mut self.effects);
        let (call, ready) = (&self.call, &mut self.ready);
        let (byte, thread, function) = (call.byte, call.thread, call.function);
        let mut push = |at, data| ready.push_back(TimedEvent { at, byte, thread, data });
        if !call.counters.is_empty() {
            push(start, EventData::Counters(call.counters.iter().map(|pair| pair.0).collect()));
        }
        match function {
            Function::ENTER => {
                return push(
                    start,
                    EventData::EnterCode { address: call.long(MpiArgument::Address).unwrap_or(0) as u64 },
                );
            }
            Function::EXIT => return push(stop, EventData::LeaveCode),
            _ => {}
        }
        let cpu = call.cpu.map(|cpu| cpu.stop.saturating_sub(cpu.start));
        push(start, EventData::Enter { function, cpu, size });
        let mut at_stop = vec![];
        for effect in self.effects.drain(..) {
            match effect {
                CallEffect::Send { comm, to, tag, bytes } => {
                    push(start, EventData::Send { function, comm, to, tag, bytes })
                }
                CallEffect::Receive { channel, bytes, number } => {
                    at_stop.push(EventData::Receive { channel, bytes, number })
                }
                CallEffect::Collective { comm, transfer } => {
                    let count = self.collectives.entry(comm).or_default();
                    let collective = Arc::new(CollectiveCall { function, comm, number: *count, transfer });
                    *count += 1;
                    push(start, EventData::Arrive(Arc::clone(&collective)));
                    at_stop.push(EventData::Depart(collective));
                }
            }
        }
        for data in at_stop {
            push(stop, data);
        }
        if !call.counters.is_empty() {
            push(stop, EventData::Counters(call.counters.iter().map(|pair| pair.1).collect()));
        }
        push(stop, EventData::Leave);
    }
}

impl Iterator for RankStream {
    type Item = Result<TimedEvent>;

    fn next(&mut self) -> Option<Result<TimedEvent>> {
        while self.ready.is_empty() {
            match self.read() {
                Ok(ReadOutcome::End) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

/// What a first pass over a rank finds.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub creations: CommCreations,
    pub lookahead: Arc<ReceiveLookahead>,
    /// By function.
    pub counts: HashMap<Function, u64>,
    /// By communicator: collective operations.
    pub collectives: HashMap<LocalComm, u64>,
    pub first: Option<i64>,
    pub unknown_senders: u64,
    /// Whether the calls could be read to their end.
    pub is_whole: bool,
}

/// Reads a rank for the first time.
pub(super) fn survey(trace: &RankTrace, window: usize) -> Result<Survey> {
    let mut stream = RankStream::with(trace, RankState::first(&trace.about().sizes), 0, window)?;
    let mut survey = Survey::default();
    loop {
        match stream.read()? {
            ReadOutcome::Call => {}
            ReadOutcome::Fault(_) => break,
            ReadOutcome::End => {
                survey.is_whole = true;
                break;
            }
        }
        survey.creations.take(&stream.call);
        *survey.counts.entry(stream.call.function).or_default() += 1;
        survey.first = survey.first.or(stream.ready.front().map(|event| event.at));
        stream.ready.clear();
    }
    let mut lookahead = std::mem::take(&mut stream.state.found);
    if lookahead.numbered.is_empty() {
        lookahead = ReceiveLookahead::default();
    }
    survey.lookahead = Arc::new(lookahead);
    survey.unknown_senders = stream.state.unknown_senders;
    survey.collectives = stream.collectives;
    Ok(survey)
}
