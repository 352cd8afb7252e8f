//! Track events: what programs themselves recorded.
//!
//! In: the bytes of an event and the state of its sequence. Out: records of the collector.

use smallvec::SmallVec;

use super::annotations;
use super::collector::{Collector, RecordSite, phase};
use super::descriptors::{THREAD_INSTRUCTIONS, THREAD_TIME};
use super::legacy::LegacyEvent;
use super::old_counts::OldCount;
use super::plain_event::{PlainAnnotation, PlainEvent, SliceSide};
use super::sequences::{InternedKind, PacketSequence};
use super::track_event_tags::{ANNOTATION, CATEGORY, NAME, TRACK, TYPE};
use super::wire::{BadMessage, WireFields, WireValue, counted, varint};
use crate::error::Result;
use crate::model::StoredTable;

/// A track event as it is written.
#[derive(Debug, Default)]
pub(super) struct TrackEvent<'a> {
    type_: u64,
    track: Option<u64>,
    name: Option<&'a [u8]>,
    name_id: Option<u64>,
    category_ids: SmallVec<[u64; 2]>,
    counter: Option<f64>,
    flows: SmallVec<[u64; 2]>,
    ended_flows: SmallVec<[u64; 2]>,
    annotations: SmallVec<[&'a [u8]; 4]>,
    /// An old timestamp.
    timestamp_us: Option<OldCount>,
    rare: Option<Box<RareFields<'a>>>,
}

/// Fields that few events have. Apart, because every event is made and moved.
#[derive(Debug, Default)]
struct RareFields<'a> {
    categories: Vec<&'a [u8]>,
    extra_values: Vec<f64>,
    extra_tracks: Vec<u64>,
    extra_doubles: Vec<f64>,
    extra_double_tracks: Vec<u64>,
    legacy: Option<LegacyEvent<'a>>,
    thread_time_us: Option<OldCount>,
    thread_instructions: Option<OldCount>,
}

impl<'a> TrackEvent<'a> {
    /// Takes the fields of an event.
    pub fn read(&mut self, bytes: &'a [u8]) -> Result<(), BadMessage> {
        let mut rest = bytes;
        // The fields of nearly all events are told by their first byte.
        while let Some((tag, mut value)) = rest.split_first() {
            match *tag {
                TYPE => self.type_ = varint(&mut value).ok_or(BadMessage)?,
                NAME => self.name_id = Some(varint(&mut value).ok_or(BadMessage)?),
                TRACK => self.track = Some(varint(&mut value).ok_or(BadMessage)?),
                CATEGORY => self.category_ids.push(varint(&mut value).ok_or(BadMessage)?),
                ANNOTATION => self.annotations.push(counted(&mut value).ok_or(BadMessage)?),
                _ => {
                    let mut fields = WireFields::new(rest);
                    let (number, field) = fields.next().ok_or(BadMessage)??;
                    self.field(number, field)?;
                    value = fields.rest();
                }
            }
            rest = value;
        }
        Ok(())
    }

    fn field(&mut self, number: u32, value: WireValue<'a>) -> Result<(), BadMessage> {
        let event = self;
        match number {
            1 => event.timestamp_us = Some(OldCount::Difference(value.signed())),
            16 => event.timestamp_us = Some(OldCount::Absolute(value.signed())),
            2 => event.rare_mut().thread_time_us = Some(OldCount::Difference(value.signed())),
            17 => event.rare_mut().thread_time_us = Some(OldCount::Absolute(value.signed())),
            8 => event.rare_mut().thread_instructions = Some(OldCount::Difference(value.signed())),
            20 => event.rare_mut().thread_instructions = Some(OldCount::Absolute(value.signed())),
            3 => value.add_varints(&mut event.category_ids)?,
            4 => event.annotations.push(value.bytes()),
            6 => event.rare_mut().legacy = Some(LegacyEvent::read(value.bytes())?),
            9 => event.type_ = value.number(),
            10 => event.name_id = Some(value.number()),
            11 => event.track = Some(value.number()),
            12 => {
                let mut numbers = vec![];
                value.add_varints(&mut numbers)?;
                event.rare_mut().extra_values.extend(numbers.iter().map(|number| *number as i64 as f64));
            }
            22 => event.rare_mut().categories.push(value.bytes()),
            23 => event.name = Some(value.bytes()),
            30 => event.counter = Some(value.signed() as f64),
            31 => value.add_varints(&mut event.rare_mut().extra_tracks)?,
            36 => value.add_varints(&mut event.flows)?,
            42 => value.add_varints(&mut event.ended_flows)?,
            44 => event.counter = Some(value.double()),
            45 => value.add_varints(&mut event.rare_mut().extra_double_tracks)?,
            46 => {
                let mut numbers = vec![];
                value.add_fixed64(&mut numbers);
                event.rare_mut().extra_doubles.extend(numbers.iter().map(|bits| f64::from_bits(*bits)));
            }
            47 => value.add_fixed64(&mut event.flows),
            48 => value.add_fixed64(&mut event.ended_flows),
            _ => (),
        }
        Ok(())
    }

    fn rare_mut(&mut self) -> &mut RareFields<'a> {
        self.rare.get_or_insert_default()
    }

    fn legacy(&self) -> Option<&LegacyEvent<'a>> {
        self.rare.as_deref()?.legacy.as_ref()
    }

    /// Takes the time of an event that has an old timestamp, in nanoseconds.
    pub fn old_time(&self, sequence: &mut PacketSequence) -> Option<i64> {
        self.timestamp_us?.value(&mut sequence.old_sums.timestamp_us)?.checked_mul(1000)
    }
}

/// What an event belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventOrigin {
    pub tick: i64,
    pub byte: u64,
    pub machine: u32,
    pub ticks_per_second: i64,
}

impl Collector {
    /// Keeps a track event; returns whether its annotations could be read.
    pub fn track_event(
        &mut self,
        event: &TrackEvent<'_>,
        origin: EventOrigin,
        sequence: &mut PacketSequence,
    ) -> Result<Result<(), BadMessage>> {
        let name = self.event_name(event, sequence);
        let category = self.category(event, sequence);
        let track = self.track_of(event, origin.machine, sequence);
        let site = RecordSite { tick: origin.tick, track, byte: origin.byte };
        self.extra_counters(event, origin, sequence)?;
        self.thread_counters(event, site, sequence)?;
        if event.type_ == 4 {
            if let Some(value) = event.counter {
                self.counter(site, event.track.or(sequence.default_track()), name, value, sequence)?;
            }
            return Ok(Ok(()));
        }
        let legacy = event.legacy().filter(|_| event.type_ == 0);
        let phase = match (event.type_, legacy) {
            (1, _) => phase::BEGIN,
            (2, _) => phase::END,
            (3, _) => phase::INSTANT,
            (5, _) => phase::SET_STATE,
            (0, Some(legacy)) => match legacy.phase() {
                Some(phase) => phase,
                None => {
                    self.ignore(&format!("events of phase {}", legacy.phase_text()));
                    return Ok(Ok(()));
                }
            },
            (other, _) => {
                self.ignore(&format!("track events of type {other}"));
                return Ok(Ok(()));
            }
        };
        if phase == phase::INSTANT && self.has_links(track) {
            return self.link_end(site, name, !event.ended_flows.is_empty(), &event.annotations, sequence);
        }
        if phase == phase::END {
            self.flows_of(event, site, 0)?;
        }
        let table = match phase {
            phase::INSTANT | phase::ASYNC_STEP => StoredTable::Events,
            phase::FLOW => StoredTable::Links,
            _ => StoredTable::States,
        };
        let mut packed = std::mem::take(&mut self.packed);
        let read = annotations::pack(&event.annotations, table, sequence, &mut self.arguments, &mut packed);
        self.packed = packed;
        match legacy {
            Some(legacy) => self.legacy_event(legacy, site, phase, (name, category), origin.ticks_per_second)?,
            None => self.push(site, phase, name, category)?,
        }
        if phase != phase::END {
            self.flows_of(event, site, name)?;
        }
        Ok(read)
    }

    /// Keeps a begin or an end that was decoded before.
    #[inline]
    pub fn slice_edge(
        &mut self,
        event: &PlainEvent,
        fields: &[PlainAnnotation],
        (tick, byte): (i64, u64),
        sequence: &mut PacketSequence,
    ) -> Result<()> {
        let name = event.name.map_or(0, |id| self.interned_name(id, sequence));
        let category = event.category.and_then(|id| sequence.name(InternedKind::Category, id, &mut self.names));
        let track = match event.track.or(sequence.default_track()).filter(|uuid| *uuid != 0) {
            Some(uuid) => self.tracks.custom(0, uuid),
            None => self.own_track(sequence),
        };
        for field in fields {
            annotations::pack_whole(*field, StoredTable::States, sequence, &mut self.arguments, &mut self.packed);
        }
        let phase = match event.side {
            SliceSide::Begin => phase::BEGIN,
            SliceSide::End => phase::END,
        };
        self.push(RecordSite { tick, track, byte }, phase, name, category.unwrap_or(0))
    }

    /// Keeps the flows that an event belongs to.
    fn flows_of(&mut self, event: &TrackEvent<'_>, site: RecordSite, name: u32) -> Result<()> {
        for flow in &event.ended_flows {
            self.push_flow(site, name, *flow, 1)?;
        }
        for flow in &event.flows {
            self.push_flow(site, name, *flow, 0)?;
        }
        Ok(())
    }

    fn event_name(&mut self, event: &TrackEvent<'_>, sequence: &mut PacketSequence) -> u32 {
        let id = event.name_id.or_else(|| event.legacy().and_then(|legacy| legacy.name_id));
        match (event.name, id) {
            (Some(name), _) => self.names.number(name),
            (None, Some(id)) => self.interned_name(id, sequence),
            (None, None) => 0,
        }
    }

    #[inline(always)]
    fn interned_name(&mut self, id: u64, sequence: &mut PacketSequence) -> u32 {
        match sequence.name(InternedKind::EventName, id, &mut self.names) {
            Some(name) => name,
            None => self.names.number(format!("name #{id}").as_bytes()),
        }
    }

    fn category(&mut self, event: &TrackEvent<'_>, sequence: &mut PacketSequence) -> u32 {
        if let ([id], None) = (&event.category_ids[..], &event.rare) {
            return sequence.name(InternedKind::Category, *id, &mut self.names).unwrap_or(0);
        }
        let interned = event.category_ids.iter().filter_map(|id| sequence.text(InternedKind::Category, *id));
        let written = event.rare.as_deref().map_or(&[][..], |rare| &rare.categories);
        let mut all = written.iter().copied().chain(interned);
        match (all.next(), all.next()) {
            (None, _) => 0,
            (Some(one), None) => self.names.number(one),
            (Some(first), Some(second)) => {
                let rest: Vec<&[u8]> = [first, second].into_iter().chain(all).collect();
                self.names.number(&rest.join(&b","[..]))
            }
        }
    }

    /// The track of an event: its own, or the default, or the thread of its sequence.
    fn track_of(&mut self, event: &TrackEvent<'_>, machine: u32, sequence: &PacketSequence) -> u32 {
        let uuid = event.track.or(sequence.default_track()).unwrap_or(0);
        if uuid != 0 {
            return self.tracks.custom(machine, uuid);
        }
        if let Some(legacy) = event.legacy()
            && let Some(tid) = legacy.tid
        {
            let own = sequence.thread.and_then(|thread| self.tracks.pid_of(thread));
            return match legacy.pid.or(own) {
                Some(pid) => self.tracks.thread(machine, pid, tid),
                None => self.tracks.thread_by_id(machine, tid),
            };
        }
        self.own_track(sequence)
    }

    /// The track of events that name none, where the sequence has no default.
    fn own_track(&mut self, sequence: &PacketSequence) -> u32 {
        match sequence.thread {
            Some(thread) => thread,
            None => self.tracks.trace(),
        }
    }

    /// Counters whose values stand in other events.
    fn extra_counters(
        &mut self,
        event: &TrackEvent<'_>,
        origin: EventOrigin,
        sequence: &mut PacketSequence,
    ) -> Result<()> {
        let Some(rare) = &event.rare else { return Ok(()) };
        let or_default = |own: &[u64], default: &[u64]| if own.is_empty() { default.to_vec() } else { own.to_vec() };
        let mut counters = vec![];
        if !rare.extra_values.is_empty() {
            let tracks = or_default(&rare.extra_tracks, &sequence.default_counters);
            counters.extend(tracks.into_iter().zip(rare.extra_values.iter().copied()));
        }
        if !rare.extra_doubles.is_empty() {
            let tracks = or_default(&rare.extra_double_tracks, &sequence.default_double_counters);
            counters.extend(tracks.into_iter().zip(rare.extra_doubles.iter().copied()));
        }
        for (uuid, value) in counters {
            let track = self.tracks.custom(origin.machine, uuid);
            let site = RecordSite { tick: origin.tick, track, byte: origin.byte };
            self.counter(site, Some(uuid), 0, value, sequence)?;
        }
        Ok(())
    }

    /// What the thread of an event has run so far, which older programs write into it.
    fn thread_counters(
        &mut self,
        event: &TrackEvent<'_>,
        site: RecordSite,
        sequence: &mut PacketSequence,
    ) -> Result<()> {
        let Some(rare) = &event.rare else { return Ok(()) };
        let sums = &mut sequence.old_sums;
        let counters = [
            (THREAD_TIME, rare.thread_time_us, 1000, &mut sums.thread_time_us),
            (THREAD_INSTRUCTIONS, rare.thread_instructions, 1, &mut sums.thread_instructions),
        ];
        for (name, written, multiplier, sum) in counters {
            let Some(written) = written else { continue };
            let value = written.value(sum).and_then(|value| value.checked_mul(multiplier));
            match (value, self.tracks.thread_of(site.track)) {
                (Some(value), Some(track)) => {
                    let name = self.names.number(name.as_bytes());
                    self.push_counter(RecordSite { track, ..site }, name, value as f64)?;
                }
                (None, _) => self.ignore(&format!("values of {name} beyond 64 bits")),
                (_, None) => self.ignore(&format!("values of {name} at events of no thread")),
            }
        }
        Ok(())
    }

    /// Keeps the value of a counter: a variable of what its track belongs to.
    fn counter(
        &mut self,
        site: RecordSite,
        uuid: Option<u64>,
        name: u32,
        mut value: f64,
        sequence: &mut PacketSequence,
    ) -> Result<()> {
        let info = &self.tracks.tracks[site.track as usize];
        let Some(counter) = &info.counter else {
            return self.push_counter(site, name, value);
        };
        let counter_name = info.name.clone().or(counter.usual_name.map(str::to_string));
        let (parent, multiplier) = (info.parent, counter.multiplier);
        if counter.is_incremental {
            let sum = sequence.sums.entry(uuid.unwrap_or(0)).or_default();
            *sum += value;
            value = *sum;
        }
        let name = counter_name.map_or(name, |name| self.names.number(name.as_bytes()));
        let home = parent.unwrap_or_else(|| self.tracks.trace());
        self.push_counter(RecordSite { track: home, ..site }, name, value * multiplier)
    }
}
