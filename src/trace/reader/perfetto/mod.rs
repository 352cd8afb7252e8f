//! Perfetto traces in protocol buffers, as Chrome, Android, Linux tools and many runtimes write them.
//!
//! ```text
//! bytes ─► packets ─► packet ─┬─► clocks, descriptors            first reading: what others refer to
//!                             └─► sequences ─► track_events, legacy ─┐
//!                                              ftrace ─► atrace, compact_sched ─► collector, sorted ─► emitter
//! ```
//! The file is read twice, by a thread of its own: clocks and names of tracks may stand behind the events that need them.
//! Packets are not in the order of time, so their events are sorted. Memory is bounded; what does not fit goes to a
//! temporary file.

mod annotations;
mod asynchronous;
mod atrace;
mod bundle_site;
mod clocks;
mod collector;
mod compact_sched;
mod containers;
mod converted;
mod descriptors;
mod emitter;
mod flows;
mod ftrace;
mod legacy;
mod old_counts;
mod open_entities;
mod packet;
mod packet_pieces;
pub(super) mod packets;
mod plain_event;
pub(super) mod scheduling;
mod sequences;
mod sys_stats;
#[cfg(test)]
mod tests;
mod track_event_tags;
mod track_events;
mod track_numbers;
mod track_role;
mod tracks;
mod wire;

use self::clocks::TraceClocks;
use self::collector::Collector;
use self::containers::TrackContainers;
use self::descriptors::{ProcessDescription, ProcessTree, ThreadDescription, TrackDescription};
use self::emitter::PerfettoEmitter;
use self::open_entities::Flows;
use self::packet::{PacketContent, TracePacket};
use self::packet_pieces::{PacketChoice, ReadPacket, each_packet};
use self::plain_event::{PlainAnnotation, PlainEvent};
use self::sequences::PacketSequences;
use self::sys_stats::PollSite;
use self::track_events::{EventOrigin, TrackEvent};
pub(crate) use self::track_role::TrackRole;
use self::tracks::NameRank;
use self::wire::BadMessage;
use super::chrome::zero_of;
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::Code;
use crate::error::Result;

/// Bytes of events that are sorted in memory.
const SORTED_IN_MEMORY: usize = 16 << 20;
/// Events of one time that are taken together.
const LARGEST_GROUP: usize = 1 << 16;
const NANOSECONDS: u64 = 1_000_000_000;

/// Reads Perfetto traces.
pub struct PerfettoReader {
    options: ReaderOptions,
    sorted_in_memory: usize,
    choice: PacketChoice,
    origin_ms: Option<i64>,
}

impl PerfettoReader {
    pub fn new(options: &ReaderOptions) -> PerfettoReader {
        PerfettoReader {
            options: *options,
            sorted_in_memory: SORTED_IN_MEMORY,
            choice: PacketChoice::Decoded,
            origin_ms: None,
        }
    }
}

impl TraceReader for PerfettoReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let ticks_per_second = self.options.resolution.ticks_per_second();
        let mut reading = TraceReading::new(self.sorted_in_memory, ticks_per_second);
        each_packet(origin, PacketChoice::Descriptions, &mut writer, &mut |packet, _, _| {
            if let ReadPacket::Other(packet) = packet {
                reading.describe(packet);
            }
            Ok(())
        })?;
        reading.clocks.close();
        reading.collector.tracks.close();
        reading.collector.create_described(&mut writer)?;
        let damage = each_packet(origin, self.choice, &mut writer, &mut |packet, byte, writer| match packet {
            ReadPacket::Plain(event, annotations) => reading.take_plain(&event, annotations, byte, writer),
            ReadPacket::Other(packet) => reading.take(packet, byte, writer),
        })?;
        for (byte, what) in damage {
            writer.at(byte);
            writer.fault(Code::DamagedFile, what)?;
        }
        reading.report(&mut writer)?;
        reading.collector.destroy_described(&mut writer)?;
        let TraceReading { collector, clocks, .. } = reading;
        let sorted = collector.sorter.sorted()?;
        let first = sorted.time().unwrap_or(0);
        let zero = zero_of(first, ticks_per_second, &mut writer)?;
        let nanoseconds = i128::from(zero) * i128::from(NANOSECONDS) / i128::from(ticks_per_second);
        self.origin_ms = i64::try_from(nanoseconds).ok().and_then(|time| clocks.date_ms(time));
        let mut tracks = collector.tracks;
        tracks.name_processes();
        let containers = TrackContainers::emit(&tracks, first - zero, &mut writer)?;
        let mut arguments = collector.arguments;
        arguments.declare(&mut writer);
        let flows = Flows::new(collector.flows);
        let names = (collector.names, arguments);
        let mut emitter = PerfettoEmitter::new(tracks, containers, names, flows, &mut writer);
        sorted.each_group(LARGEST_GROUP, |group| {
            emitter.group(group, zero, &mut writer)?;
            Ok(writer.flow())
        })?;
        if writer.is_stopped() {
            return Ok(());
        }
        emitter.advance(i64::MAX, &mut writer)?;
        if emitter.displaced > 0 {
            let message = format!(
                "{} slices overlap others of their track without nesting; they are on lanes below it",
                emitter.displaced
            );
            writer.fault(Code::OverlappingStates, message)?;
        }
        writer.finish()
    }

    fn total(&self, _origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}

fn beyond_ticks(time: i64) -> String {
    format!("the time {time} ns does not fit into 64 bits of ticks")
}

/// What is known while a trace is read.
struct TraceReading {
    collector: Collector,
    clocks: TraceClocks,
    sequences: PacketSequences,
    ticks_per_second: i64,
    /// Packets that refer to what was lost.
    without_state: u64,
    /// Packets whose clock is not related to that of the trace.
    without_clock: u64,
    /// Bundles before which the kernel lost events.
    lost_bundles: u64,
}

impl TraceReading {
    fn new(sorted_in_memory: usize, ticks_per_second: i64) -> TraceReading {
        TraceReading {
            collector: Collector::new(sorted_in_memory),
            clocks: TraceClocks::default(),
            sequences: PacketSequences::default(),
            ticks_per_second,
            without_state: 0,
            without_clock: 0,
            lost_bundles: 0,
        }
    }

    /// Takes what others refer to. What cannot be read is reported at the second reading.
    fn describe(&mut self, bytes: &[u8]) {
        let mut packet = TracePacket::default();
        if packet.read(bytes).is_err() {
            return;
        }
        let Some((content, bytes)) = packet.content else { return };
        let tracks = &mut self.collector.tracks;
        match content {
            PacketContent::Clocks => {
                let _ = self.clocks.add(packet.sequence, bytes);
            }
            PacketContent::TrackDescriptor => {
                if let Ok(track) = TrackDescription::read(bytes) {
                    tracks.describe(packet.machine, track);
                }
            }
            PacketContent::ProcessTree => {
                if let Ok(tree) = ProcessTree::read(bytes) {
                    tracks.describe_machine(packet.machine, &tree);
                }
            }
            PacketContent::ProcessDescriptor => {
                if let Ok(process) = ProcessDescription::read(bytes) {
                    tracks.describe_process(packet.machine, &process, None, NameRank::Descriptor);
                }
            }
            PacketContent::ThreadDescriptor => {
                if let Ok(thread) = ThreadDescription::read(bytes) {
                    tracks.describe_thread(packet.machine, &thread, None, NameRank::Descriptor);
                }
            }
            PacketContent::TrackEvent
            | PacketContent::Ftrace
            | PacketContent::SysStats
            | PacketContent::ProcessStats => (),
        }
    }

    /// Takes an event that was decoded before.
    #[inline]
    fn take_plain(
        &mut self,
        event: &PlainEvent,
        annotations: &[PlainAnnotation],
        byte: u64,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        writer.at(byte);
        let sequence = self.sequences.of(event.sequence);
        if event.needs_state && !sequence.is_valid() {
            self.without_state += 1;
            return Ok(());
        }
        let Some(time) = sequence.time_of(event.timestamp, None, event.sequence, &self.clocks) else {
            self.without_clock += 1;
            return Ok(());
        };
        match writer.tick(i128::from(time), NANOSECONDS) {
            Some(tick) => self.collector.slice_edge(event, annotations, (tick, byte), sequence),
            None => writer.fault(Code::TimeOutOfRange, beyond_ticks(time)),
        }
    }

    /// Takes the events of a packet.
    fn take(&mut self, bytes: &[u8], byte: u64, writer: &mut EventWriter<'_>) -> Result<()> {
        writer.at(byte);
        match self.packet(bytes, byte, writer)? {
            Ok(()) => Ok(()),
            Err(BadMessage) => writer.fault(Code::BadRecord, "the fields of a packet cannot be read".to_string()),
        }
    }

    fn packet(&mut self, bytes: &[u8], byte: u64, writer: &mut EventWriter<'_>) -> Result<Result<(), BadMessage>> {
        let mut packet = TracePacket::default();
        if let Err(bad) = packet.read(bytes) {
            return Ok(Err(bad));
        }
        let sequence = self.sequences.of(packet.sequence);
        match sequence.enter(&packet) {
            Ok(true) => (),
            Ok(false) => {
                self.without_state += 1;
                return Ok(Ok(()));
            }
            Err(bad) => return Ok(Err(bad)),
        }
        let Some((content, bytes)) = packet.content else {
            if let Some(field) = packet.unread {
                self.collector.ignore(&format!("packets of field {field}"));
            }
            return Ok(Ok(()));
        };
        match content {
            PacketContent::Clocks => return Ok(sequence.set_clocks(bytes)),
            PacketContent::TrackDescriptor => {
                let read = TrackDescription::read(bytes);
                if let Ok(track) = &read
                    && let Some(thread) = &track.thread
                {
                    sequence.thread = Some(self.collector.tracks.custom(packet.machine, track.uuid));
                    sequence.old_sums = thread.old_sums;
                }
                return Ok(read.map(|_| ()));
            }
            PacketContent::ThreadDescriptor => {
                let read = ThreadDescription::read(bytes);
                if let Ok(thread) = &read {
                    sequence.thread = Some(self.collector.tracks.thread(packet.machine, thread.pid, thread.tid));
                    sequence.old_sums = thread.old_sums;
                }
                return Ok(read.map(|_| ()));
            }
            PacketContent::ProcessTree => return Ok(ProcessTree::read(bytes).map(|_| ())),
            PacketContent::ProcessDescriptor => return Ok(ProcessDescription::read(bytes).map(|_| ())),
            PacketContent::Ftrace => {
                let (bad, has_lost) = self.collector.ftrace((packet.machine, byte), bytes, &self.clocks, writer)?;
                self.lost_bundles += u64::from(has_lost);
                for _ in 0..bad {
                    let message = "the fields of a kernel event cannot be read".to_string();
                    writer.fault(Code::BadRecord, message)?;
                }
            }
            PacketContent::TrackEvent => return self.track_event(&packet, bytes, byte, writer),
            PacketContent::SysStats | PacketContent::ProcessStats => {
                return self.polled(&packet, content, bytes, byte, writer);
            }
        }
        Ok(Ok(()))
    }

    fn track_event(
        &mut self,
        packet: &TracePacket<'_>,
        bytes: &[u8],
        byte: u64,
        writer: &mut EventWriter<'_>,
    ) -> Result<Result<(), BadMessage>> {
        let mut event = TrackEvent::default();
        if let Err(bad) = event.read(bytes) {
            return Ok(Err(bad));
        }
        let sequence = self.sequences.of(packet.sequence);
        let old = if packet.timestamp.is_none() { event.old_time(sequence) } else { None };
        let Some(time) = old.or_else(|| sequence.time(packet, &self.clocks)) else {
            self.without_clock += 1;
            return Ok(Ok(()));
        };
        let Some(tick) = writer.tick(i128::from(time), NANOSECONDS) else {
            writer.fault(Code::TimeOutOfRange, beyond_ticks(time))?;
            return Ok(Ok(()));
        };
        let origin = EventOrigin { tick, byte, machine: packet.machine, ticks_per_second: self.ticks_per_second };
        self.collector.track_event(&event, origin, sequence)
    }

    /// Takes counters that are polled.
    fn polled(
        &mut self,
        packet: &TracePacket<'_>,
        content: PacketContent,
        bytes: &[u8],
        byte: u64,
        writer: &mut EventWriter<'_>,
    ) -> Result<Result<(), BadMessage>> {
        let sequence = self.sequences.of(packet.sequence);
        let Some(time) = sequence.time(packet, &self.clocks) else {
            self.without_clock += 1;
            return Ok(Ok(()));
        };
        let Some(tick) = writer.tick(i128::from(time), NANOSECONDS) else {
            writer.fault(Code::TimeOutOfRange, beyond_ticks(time))?;
            return Ok(Ok(()));
        };
        let site = PollSite { tick, byte, machine: packet.machine };
        match content {
            PacketContent::ProcessStats => self.collector.process_stats(site, bytes),
            _ => self.collector.sys_stats(site, bytes),
        }
    }

    fn report(&self, writer: &mut EventWriter<'_>) -> Result<()> {
        for _ in 0..self.without_state {
            let message = "a packet refers to names that were in a packet that is missing".to_string();
            writer.fault(Code::BadRecord, message)?;
        }
        for _ in 0..self.without_clock {
            let message = "the clock of a packet is in no snapshot with that of the trace".to_string();
            writer.fault(Code::BadTime, message)?;
        }
        if self.lost_bundles > 0 {
            let message = format!("the kernel lost events before {} bundles of events", self.lost_bundles);
            writer.fault(Code::CountMismatch, message)?;
        }
        if self.collector.first_switches > 0 {
            let message = format!(
                "the first switch of each of {} CPUs does not say which thread leaves it, and is left out",
                self.collector.first_switches
            );
            writer.fault(Code::TraceProperty, message)?;
        }
        if self.collector.first_wakings > 0 {
            let message = format!(
                "{} wakings come before the first switch of their CPU, so that it is not known who runs there; they are left out",
                self.collector.first_wakings
            );
            writer.fault(Code::TraceProperty, message)?;
        }
        for (what, count) in &self.collector.ignored {
            writer.fault(Code::IgnoredEvent, format!("{count} {what} were left out"))?;
        }
        Ok(())
    }
}
