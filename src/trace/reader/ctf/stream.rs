//! One file of a trace: packets, and the events in them.
//!
//! ```text
//! file   = packet*
//! packet = header context event* padding
//! event  = header common-context context payload
//! ```
//! Memory: one packet. Fields that do not fit cost the rest of it; a header that makes no sense, the rest of the file.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use super::bits::BitReader;
use super::classes::{ClockClass, FieldRole, TraceClass, advanced};
use super::decoder::{DecodeState, FieldValue};
use super::items::{StreamContent, StreamFault, StreamItem};
use super::layout::EventLayouts;
use super::packet_file::PacketFile;
use super::planned_events::PlannedStreams;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::reader::merge::ItemStream;

/// The first number of a packet.
pub(in crate::reader) const MAGIC: u32 = 0xc1fc_1fc1;
/// How much of a packet is read to find its size.
const HEAD: u64 = 4096;
/// Bytes of a packet that are read before its size is known, at most.
const LARGEST_GUESS: u64 = 1 << 20;
/// Fields without a length take no bits of a file: so many may be read at once, and then so many for each bit.
const STEPS_AT_ONCE: u64 = 1 << 19;
const STEPS_PER_BIT: u64 = 128;
const NANOSECONDS: i128 = 1_000_000_000;

/// A trace: what its metadata say, and where it stands.
#[derive(Debug)]
pub(super) struct CtfTrace {
    pub folder: PathBuf,
    pub class: TraceClass,
    pub layouts: EventLayouts,
    pub streams: PlannedStreams,
}

/// A file being read.
pub(super) struct DataStream {
    file: PacketFile,
    pub trace: Arc<CtfTrace>,
    /// Where the next packet starts.
    offset: u64,
    /// Where the packet at hand starts.
    start: u64,
    packet: Vec<u8>,
    /// Bytes of the content of the packet before, as far as they say how many to read of the next one.
    latest: u64,
    /// Bits of the packet: where the next event starts, and where the content ends.
    at: u64,
    end: u64,
    /// Which kind of stream it is, by its place.
    class: usize,
    clock: ClockClass,
    count: u64,
    state: DecodeState,
    discarded: Option<u64>,
    sequence: Option<u64>,
    /// The CPU of the packet.
    pub cpu: Option<i64>,
    /// The time of the last event, by the zero of its clock.
    time: i128,
    /// Seconds that are taken off.
    base: i64,
    waiting: VecDeque<TimedContent>,
    /// The item at hand.
    pub item: StreamItem,
    /// The event that was read last.
    pub event: DecodedEvent,
    is_done: bool,
}

/// An event as it was decoded.
#[derive(Debug, Default)]
pub(super) struct DecodedEvent {
    /// The number of its layout.
    pub layout: u32,
    /// By the columns of the layout, unless all are plain numbers.
    pub fields: Vec<FieldValue>,
    /// Where these are in the packet, from byte to byte.
    numbers: Option<(usize, usize)>,
}

/// What stands in a file, with its time by the zero of its clock and its offset.
type TimedContent = (i128, u64, StreamContent);

impl DataStream {
    pub fn open(path: PathBuf, trace: Arc<CtfTrace>) -> Result<DataStream> {
        let file = PacketFile::open(path)?;
        let state = DecodeState::new(trace.class.slots);
        Ok(DataStream {
            file,
            trace,
            offset: 0,
            start: 0,
            packet: vec![],
            latest: 0,
            at: 0,
            end: 0,
            class: 0,
            clock: ClockClass::default(),
            count: 0,
            state,
            discarded: None,
            sequence: None,
            cpu: None,
            time: 0,
            base: 0,
            waiting: VecDeque::new(),
            item: StreamItem { time: 0, byte: 0, content: StreamContent::Event },
            event: DecodedEvent::default(),
            is_done: false,
        })
    }

    /// The time of the first event, by the zero of its clock.
    pub fn first_time(&mut self) -> Result<Option<i128>> {
        while self.waiting.len() < 1000 {
            let is_event = |(.., content): &TimedContent| matches!(content, StreamContent::Event);
            if let Some((time, ..)) = self.waiting.iter().find(|item| is_event(item)) {
                return Ok(Some(*time));
            }
            if self.is_done {
                return Ok(None);
            }
            let event = self.step()?;
            self.waiting.extend(event);
        }
        Ok(None)
    }

    /// Times are counted from a second on.
    pub fn set_base(&mut self, seconds: i64) {
        self.base = seconds;
        // What was found before the first event has its time.
        let first = self.waiting.iter().find(|(.., content)| matches!(content, StreamContent::Event));
        let first = first.map_or(i128::from(seconds) * NANOSECONDS, |(time, ..)| *time);
        for (time, _, content) in &mut self.waiting {
            if !matches!(content, StreamContent::Event) && *time == 0 {
                *time = first;
            }
        }
    }

    /// The fields of the event that was read last, where all are plain numbers: as they are in the packet.
    #[inline(always)]
    pub fn numbers(&self) -> Option<&[u8]> {
        self.event.numbers.and_then(|(from, to)| self.packet.get(from..to))
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.start + self.at / 8
    }

    /// Reads an event, or the head of a packet, which leaves what it found in `waiting`.
    fn step(&mut self) -> Result<Option<TimedContent>> {
        if self.at < self.end {
            return Ok(Some(self.event()));
        }
        if self.offset >= self.file.len {
            self.is_done = true;
            return Ok(None);
        }
        let (start, damage) = (self.offset, self.next_packet()?);
        if let Some(what) = damage {
            self.is_done = true;
            (self.at, self.end) = (0, 0);
            let message = format!("{}: {what}; {} bytes are lost", self.file.name(), self.file.len - start);
            self.waiting.push_back((
                self.time,
                start,
                StreamContent::Fault(StreamFault::Damage(Code::DamagedFile, message)),
            ));
        }
        Ok(None)
    }

    /// Reads the next packet up to its first event; says why it cannot.
    fn next_packet(&mut self) -> Result<Option<String>> {
        let left = self.file.len - self.offset;
        self.start = self.offset;
        // Packets of a file are mostly of one size, so that the first read has all of this one.
        let mut head = HEAD.max(self.latest).min(left);
        let at = loop {
            self.file.read(self.start, head, &mut self.packet)?;
            match self.head() {
                Ok(at) => break at,
                Err(_) if head < left => head = (head * 16).min(left),
                Err(what) => return Ok(Some(what)),
            }
        };
        if self.is_busy(at) {
            return Ok(Some("its packets have too many fields without a length".to_string()));
        }
        let role = |role: FieldRole| self.state.roles[role as usize].map(|value| value.number);
        if role(FieldRole::Magic).is_some_and(|magic| magic != u64::from(MAGIC)) {
            return Ok(Some("no packet starts here".to_string()));
        }
        let total = role(FieldRole::TotalLength).filter(|bits| *bits > 0).unwrap_or(left * 8);
        let content = role(FieldRole::ContentLength).filter(|bits| *bits > 0).unwrap_or(total);
        if total < at.max(8) || content < at || content > total {
            return Ok(Some(format!("a packet has {total} bits, {content} of them with content")));
        }
        let (bytes, content_bytes) = (total.div_ceil(8), content.div_ceil(8));
        self.offset = self.start.saturating_add(bytes);
        self.latest = content_bytes.min(LARGEST_GUESS);
        let wanted = content_bytes.min(left);
        match usize::try_from(wanted).ok().filter(|wanted| *wanted <= self.packet.len()) {
            Some(wanted) => self.packet.truncate(wanted),
            None => self.file.read(self.start, wanted, &mut self.packet)?,
        }
        (self.at, self.end) = (at, content.min(self.packet.len() as u64 * 8));
        self.take_roles();
        if content_bytes > left {
            let message = format!("{}: the file ends within a packet", self.file.name());
            self.waiting.push_back((
                self.time,
                self.start,
                StreamContent::Fault(StreamFault::Damage(Code::DamagedFile, message)),
            ));
        }
        Ok(None)
    }

    /// Whether more fields were read than a file has in its first bits, up to one of the packet at hand.
    fn is_busy(&self, bit: u64) -> bool {
        let bits = self.start.saturating_mul(8).saturating_add(bit);
        self.state.steps > bits.saturating_mul(STEPS_PER_BIT).saturating_add(STEPS_AT_ONCE)
    }

    /// Reads header and context of a packet; returns where its events start.
    fn head(&mut self) -> Result<u64, String> {
        let trace = Arc::clone(&self.trace);
        let mut bits = BitReader::new(&self.packet, 0, u64::MAX);
        self.state.roles = Default::default();
        if let Some(header) = &trace.class.packet_header {
            self.state.members(header, &mut bits, |_, _| ()).map_err(|fault| fault.what().to_string())?;
        }
        let id = self.class_id(FieldRole::StreamClass, trace.streams.ids());
        let place = trace.streams.place(id);
        let found = place.and_then(|place| Some((place, trace.streams.get(place)?)));
        let (place, stream) = found.ok_or_else(|| format!("stream {id} is not described"))?;
        if place != self.class || self.start == 0 {
            self.class = place;
            self.clock = trace.class.clock(&stream.class);
        }
        self.cpu = None;
        if let Some(context) = &stream.class.packet_context {
            let cpu_place = match context {
                super::classes::FieldClass::Struct(fields) => {
                    fields.members.iter().position(|(name, _)| super::classes::is_named(name, "cpu_id"))
                }
                _ => None,
            };
            let cpu = &mut self.cpu;
            let take = |place: usize, value: FieldValue| {
                if Some(place) == cpu_place {
                    *cpu = value.whole();
                }
            };
            self.state.members(context, &mut bits, take).map_err(|fault| fault.what().to_string())?;
        }
        Ok(bits.at)
    }

    /// The number of a class as a header tells it; where headers tell none, that of the only class there is.
    fn class_id<'a>(&self, role: FieldRole, mut known: impl Iterator<Item = &'a u64>) -> u64 {
        match (self.state.roles[role as usize], known.next(), known.next()) {
            (Some(told), ..) => told.number,
            (None, Some(only), None) => *only,
            (None, ..) => 0,
        }
    }

    /// Takes what the context of a packet says about time and losses.
    fn take_roles(&mut self) {
        let role = |role: FieldRole| self.state.roles[role as usize];
        if let Some(begin) = role(FieldRole::Begin) {
            self.count = begin.number;
            self.time = self.clock.nanoseconds(self.count);
        }
        if let Some(discarded) = role(FieldRole::Discarded) {
            let mask = if discarded.bits >= 64 { u64::MAX } else { (1 << discarded.bits) - 1 };
            let lost = discarded.number.wrapping_sub(self.discarded.unwrap_or(0)) & mask;
            self.discarded = Some(discarded.number);
            if lost > 0 {
                self.waiting.push_back((self.time, self.start, StreamContent::Fault(StreamFault::Discarded(lost))));
            }
        }
        if let Some(sequence) = role(FieldRole::Sequence) {
            let missing = self.sequence.map_or(0, |last| sequence.number.saturating_sub(last.saturating_add(1)));
            self.sequence = Some(sequence.number);
            if missing > 0 {
                let message = format!("{}: {missing} packets are missing", self.file.name());
                self.waiting.push_back((
                    self.time,
                    self.start,
                    StreamContent::Fault(StreamFault::Damage(Code::CountMismatch, message)),
                ));
            }
        }
    }

    /// Reads an event; what cannot be read costs the rest of its packet.
    fn event(&mut self) -> TimedContent {
        let start = self.at;
        let content = match self.read_event() {
            Ok(()) => StreamContent::Event,
            Err(what) => self.lose_packet(start, &what),
        };
        (self.time, self.start + start / 8, content)
    }

    /// Gives up the rest of a packet, from the bit on where an event starts that cannot be read.
    #[cold]
    fn lose_packet(&mut self, start: u64, what: &str) -> StreamContent {
        let lost = (self.end - start).div_ceil(8);
        self.at = self.end;
        let message =
            format!("{}: an event cannot be read: {what}; {lost} bytes of its packet are lost", self.file.name());
        StreamContent::Fault(StreamFault::Damage(Code::DamagedFile, message))
    }

    fn read_event(&mut self) -> Result<(), String> {
        let trace: &CtfTrace = &self.trace;
        let stream = trace.streams.get(self.class).ok_or("its stream is not described")?;
        let mut bits = BitReader::new(&self.packet, self.at, self.end);
        self.state.roles[FieldRole::EventClass as usize] = None;
        self.state.roles[FieldRole::Timestamp as usize] = None;
        let failed = |fault: super::decoder::DecodeFault| fault.what().to_string();
        stream.read_header(&mut bits, &mut self.state).map_err(failed)?;
        let id = self.class_id(FieldRole::EventClass, stream.ids());
        let event = stream.event(id).ok_or_else(|| format!("event {id} is not described"))?;
        let (layout, found) = (&event.layout, &mut self.event);
        found.layout = layout.number;
        found.fields.clear();
        let from = stream.read_fields(event, &mut bits, &mut self.state, &mut found.fields).map_err(failed)?;
        found.numbers = from.map(|from| (from, (bits.at / 8) as usize));
        if bits.at == self.at {
            return Err("it has no length".to_string());
        }
        let at = bits.at;
        if self.is_busy(at) {
            return Err("its events have too many fields without a length".to_string());
        }
        self.at = at;
        if let Some(stamp) = self.state.roles[FieldRole::Timestamp as usize] {
            self.count = advanced(self.count, stamp.number, stamp.bits);
            self.time = self.clock.nanoseconds(self.count);
        }
        Ok(())
    }

    /// A time since the base.
    #[inline(always)]
    fn since_base(&self, time: i128) -> i64 {
        let time = time - i128::from(self.base) * NANOSECONDS;
        time.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Goes to what was found.
    fn go_to(&mut self, (time, byte, content): TimedContent) -> i64 {
        self.item = StreamItem { time: self.since_base(time), byte, content };
        self.item.time
    }
}

impl ItemStream for DataStream {
    #[inline]
    fn advance(&mut self) -> Result<Option<i64>> {
        // Nearly always the next event: the item stays what it is, but for time and offset.
        if self.at < self.end && self.waiting.is_empty() && matches!(self.item.content, StreamContent::Event) {
            let start = self.at;
            if let Err(what) = self.read_event() {
                self.item.content = self.lose_packet(start, &what);
            }
            self.item.time = self.since_base(self.time);
            self.item.byte = self.start + start / 8;
            return Ok(Some(self.item.time));
        }
        loop {
            let found = match self.waiting.pop_front() {
                Some(waiting) => Some(waiting),
                None if self.is_done => return Ok(None),
                None => self.step().inspect_err(|_| self.is_done = true)?,
            };
            if let Some(found) = found {
                return Ok(Some(self.go_to(found)));
            }
        }
    }
}
