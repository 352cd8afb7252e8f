//! DUMPI, the traces of SST: a `.meta` file and one binary file per rank, or the text that
//! `dumpi2ascii` prints of them.
//!
//! ```text
//! file of a rank ─► calls ─► steps ─┐ first pass: members of communicators, order of receives
//! file of a rank ─► calls ─► steps ─┼─► merged by time: how far clocks are off      second pass
//! file of a rank ─► calls ─► steps ─┴─► merged by time, clocks put right: emitted   third pass
//! ```
//! Every pass reads the files through one window per rank, so that memory grows with the ranks, the
//! communicators and the messages under way, and not with the calls.

mod call;
mod clocks;
mod collectives;
mod comm_creation;
mod communicators;
mod datatypes;
mod emitter;
mod file;
mod progress;
mod rank;
mod set;
mod stream;
mod table;
mod text;
mod types;
mod world;

use std::collections::VecDeque;

use hashbrown::HashMap;
use rayon::prelude::*;

use self::clocks::{ClockLeads, Offsets};
use self::emitter::DumpiEmitter;
use self::set::{RankFiles, SetFault, open_binary, open_text};
use self::stream::{EventData, RankStream, RankTrace, Survey, TimedEvent, survey};
use self::table::{Function, layouts};
use self::types::RankFacts;
use self::world::{RankWorld, Route};
use super::{Consumer, EventWriter, ReaderOptions, StreamMerge, TraceFormat, TraceOrigin, TraceReader};
use crate::diagnostics::{Code, quote};
use crate::error::Result;
use crate::model::EventBatch;

/// Bytes of the windows of all ranks together.
const WINDOWS: usize = 64 << 20;
/// Ranks of the first pass, and events of the second, between two looks whether the user wants to stop.
const AT_A_TIME: usize = 64;
const EVENTS: u64 = 1 << 18;
const SECOND: i64 = 1_000_000_000;

/// Reads DUMPI traces.
pub struct DumpiReader {
    format: TraceFormat,
    options: ReaderOptions,
    origin_ms: Option<i64>,
}

impl DumpiReader {
    /// A reader of binary files, or of text.
    pub fn new(format: TraceFormat, options: ReaderOptions) -> DumpiReader {
        DumpiReader { format, options, origin_ms: None }
    }

    fn open(&self, origin: &TraceOrigin) -> Result<RankFiles> {
        if self.format == TraceFormat::DumpiText { open_text(origin) } else { open_binary(origin) }
    }
}

impl TraceReader for DumpiReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let set = self.open(origin)?;
        let window = (WINDOWS / set.ranks.len().max(1)).clamp(4 << 10, 256 << 10);
        let mut surveys: Vec<Survey> = vec![];
        for some in set.ranks.chunks(AT_A_TIME) {
            surveys.extend(some.par_iter().map(|trace| survey(trace, window)).collect::<Result<Vec<_>>>()?);
            pause(consume)?;
        }
        let world = RankWorld::new(&mut surveys);
        let offsets = measure_clocks(&set, &surveys, &world, window, consume)?;
        let first = surveys
            .iter()
            .zip(&offsets.by_rank)
            .filter_map(|(survey, offset)| Some(survey.first?.saturating_add(*offset)))
            .min()
            .unwrap_or(0);
        // Whole seconds are taken off, so that fractions stay as the trace prints them.
        let zero = first.div_euclid(SECOND).saturating_mul(SECOND);
        self.origin_ms = set
            .ranks
            .iter()
            .filter_map(|trace| trace.about().started)
            .min()
            .and_then(|started| started.checked_mul(1000));
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let facts: Vec<RankFacts> = set.ranks.iter().map(facts_of).collect();
        let mut emitter =
            DumpiEmitter::begin(&mut writer, &world, &facts, &set.name, self.options.collectives, (zero, first))?;
        for fault in set.faults.iter().cloned().chain(faults_of(&set, &surveys, &world, &offsets)) {
            emitter.fault(fault.code, fault.byte, fault.message)?;
        }
        let streams = streams_of(&set, &surveys, &offsets, window)?;
        let mut merge = StreamMerge::new(streams, |event: &TimedEvent| event.at)?;
        while let Some((rank, event)) = merge.next()? {
            emitter.emit(rank, event)?;
        }
        emitter.end()?;
        writer.finish()
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}

pub(super) use self::set::files;

/// Lets the consumer cancel while there is nothing to emit yet.
fn pause(consume: &mut Consumer<'_>) -> Result<()> {
    consume(&mut EventBatch::default()).map(|_| ())
}

fn facts_of(trace: &RankTrace) -> RankFacts {
    let about = trace.about();
    RankFacts {
        file: trace.name(),
        host: if about.host == "<none>" { String::new() } else { about.host.clone() },
        counters: about.counters.clone(),
        addresses: about.addresses.iter().cloned().collect(),
    }
}

fn streams_of(set: &RankFiles, surveys: &[Survey], offsets: &Offsets, window: usize) -> Result<Vec<RankStream>> {
    let ranks = set.ranks.iter().zip(surveys).zip(&offsets.by_rank);
    ranks.map(|((trace, survey), offset)| RankStream::new(trace, &survey.lookahead, *offset, window)).collect()
}

/// Matches all messages to see which clocks are late.
fn measure_clocks(
    set: &RankFiles,
    surveys: &[Survey],
    world: &RankWorld,
    window: usize,
    consume: &mut Consumer<'_>,
) -> Result<Offsets> {
    let none = Offsets { by_rank: vec![0; set.ranks.len()], is_exact: true };
    let mut merge = StreamMerge::new(streams_of(set, surveys, &none, window)?, |event: &TimedEvent| event.at)?;
    let mut leads = ClockLeads::default();
    let mut numbers = HashMap::new();
    // Of each route the times of sends, or else of receives, that wait for the other.
    let mut sent: HashMap<Route, VecDeque<i64>> = HashMap::new();
    let mut received: HashMap<Route, VecDeque<i64>> = HashMap::new();
    let mut events = 0_u64;
    while let Some((rank, event)) = merge.next()? {
        events += 1;
        if events.is_multiple_of(EVENTS) {
            pause(consume)?;
        }
        match event.data {
            EventData::Send { comm, to, tag, .. } => {
                let Some(route) = world.sent(rank, comm, to, tag, &mut numbers) else { continue };
                match take(&mut received, route) {
                    Some(at) => leads.message(route.from, route.to, event.at, at),
                    None => sent.entry(route).or_default().push_back(event.at),
                }
            }
            EventData::Receive { channel, number, .. } => {
                let Some(route) = world.received(rank, channel, number) else { continue };
                match take(&mut sent, route) {
                    Some(at) => leads.message(route.from, route.to, at, event.at),
                    None => received.entry(route).or_default().push_back(event.at),
                }
            }
            _ => {}
        }
    }
    Ok(leads.offsets(set.ranks.len()))
}

fn take(waiting: &mut HashMap<Route, VecDeque<i64>>, route: Route) -> Option<i64> {
    let queue = waiting.get_mut(&route)?;
    let first = queue.pop_front();
    if queue.is_empty() {
        waiting.remove(&route);
    }
    first
}

/// What is known to be wrong before the trace is emitted.
fn faults_of(set: &RankFiles, surveys: &[Survey], world: &RankWorld, offsets: &Offsets) -> Vec<SetFault> {
    let mut faults = vec![];
    for (rank, (trace, survey)) in set.ranks.iter().zip(surveys).enumerate() {
        let (name, about) = (trace.name(), trace.about());
        let known = about.faults.iter().map(|(byte, what)| SetFault {
            code: Code::DamagedFile,
            byte: *byte,
            message: format!("{name}: {what}"),
        });
        faults.extend(known);
        if about.version.is_some_and(|version| version < [0, 6, 9]) {
            let message =
                format!("{name} was written by a library older than 0.6.9, whose records differ; some may be misread");
            faults.push(SetFault::new(Code::CountMismatch, message));
        }
        faults.extend(count_faults(&name, about.footer.as_deref(), survey));
        if survey.unknown_senders > 0 {
            let message = format!(
                "{name}: {} messages were received from anyone or with any tag, and no status records the sender; they have no link",
                survey.unknown_senders
            );
            faults.push(SetFault::new(Code::UnknownSender, message));
        }
        let offset = offsets.by_rank[rank];
        if offset > 0 {
            let message = format!(
                "the clock of rank {rank} was moved by {}.{:09} seconds: it received messages before they were sent",
                offset / SECOND,
                offset % SECOND
            );
            faults.push(SetFault::new(Code::ClockMoved, message));
        }
    }
    if !offsets.is_exact {
        let message = "the clocks drift: moving them does not put all messages right".to_string();
        faults.push(SetFault::new(Code::ClockMoved, message));
    }
    let unsolved = world.communicators.faults.iter().cloned();
    faults.extend(unsolved.map(|message| SetFault::new(Code::UnknownCommunicator, message)));
    faults
}

/// Compares the counts of the footer with the calls that were read.
fn count_faults(name: &str, footer: Option<&[u32]>, survey: &Survey) -> Vec<SetFault> {
    let Some(footer) = footer else { return vec![] };
    let calls = layouts().len().min(footer.len());
    let differs = |number: &usize| {
        let read = survey.counts.get(&Function(*number as u16)).copied().unwrap_or(0);
        read != u64::from(footer[*number])
    };
    let fault = |number: usize| {
        let function = Function(number as u16);
        let read = survey.counts.get(&function).copied().unwrap_or(0);
        let message = format!(
            "{name}: the footer counts {} calls of {}, and {read} were read",
            footer[number],
            quote(function.name().as_bytes())
        );
        SetFault::new(Code::CountMismatch, message)
    };
    (0..calls).filter(differs).map(fault).collect()
}
