//! What a sequence of packets remembers: interned strings, defaults, clocks that count on, and whether packets are missing.
//!
//! In: the packets of all sequences in the order of the file. Out: what they refer to.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use super::clocks::{ClockKey, TraceClocks, read_snapshot};
use super::old_counts::OldSums;
use super::packet::TracePacket;
use super::wire::{BadMessage, WireFields};
use crate::model::{StoredTable, WordTable};
use crate::reader::chrome::arguments::ArgumentKey;

/// The kinds of interned strings, by their field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum InternedKind {
    Category = 1,
    EventName = 2,
    AnnotationName = 3,
    AnnotationValue = 29,
}

/// The state of one sequence.
#[derive(Debug, Default)]
pub(super) struct PacketSequence {
    /// Whether the interned data are whole.
    is_valid: bool,
    interned: InternedTexts,
    default_clock: Option<u32>,
    default_track: Option<u64>,
    pub default_counters: Vec<u64>,
    pub default_double_counters: Vec<u64>,
    /// The thread that the sequence describes as its own.
    pub thread: Option<u32>,
    /// Clocks whose timestamps are differences: the last time.
    incremental: HashMap<u32, u64>,
    pub old_sums: OldSums,
    /// The sums of counters that are written as differences.
    pub sums: HashMap<u64, f64>,
}

/// The sequences of a trace by their ids. Packets of one come in runs.
#[derive(Debug, Default)]
pub(super) struct PacketSequences {
    places: HashMap<u32, usize>,
    sequences: Vec<PacketSequence>,
    /// The id that was asked for last, and its place.
    recent: Option<(u32, usize)>,
}

impl PacketSequences {
    /// The sequence of an id, new at its first packet.
    #[inline]
    pub fn of(&mut self, id: u32) -> &mut PacketSequence {
        let place = match self.recent {
            Some((known, place)) if known == id => place,
            _ => self.find(id),
        };
        &mut self.sequences[place]
    }

    fn find(&mut self, id: u32) -> usize {
        let place = *self.places.entry(id).or_insert(self.sequences.len());
        if place == self.sequences.len() {
            self.sequences.push(PacketSequence::default());
        }
        self.recent = Some((id, place));
        place
    }
}

/// Interned strings are mostly numbered from 1 on. One whose number is beyond this, and beyond twice as many as came
/// before, has a place of its own: numbers say nothing about how many strings there are.
const FEW_IDS: usize = 64;

/// An interned string, and what it became when it was last used.
#[derive(Debug, Clone, Default)]
struct InternedText {
    text: Vec<u8>,
    /// Among the names of the trace.
    name: Option<u32>,
    argument: Option<ArgumentKey>,
}

/// Interned strings by kind and number.
#[derive(Debug, Default)]
struct InternedTexts {
    /// Those of small numbers, by kind and number.
    few: [Vec<Option<InternedText>>; 4],
    /// How many there are of these, by kind.
    counts: [usize; 4],
    others: HashMap<(u32, u64), InternedText>,
}

impl InternedTexts {
    #[inline]
    fn get(&self, kind: InternedKind, id: u64) -> Option<&InternedText> {
        match self.few[place_of(kind as u32)].get(usize::try_from(id).ok()?) {
            Some(Some(found)) => Some(found),
            _ => self.others.get(&(kind as u32, id)),
        }
    }

    #[inline]
    fn get_mut(&mut self, kind: InternedKind, id: u64) -> Option<&mut InternedText> {
        match self.few[place_of(kind as u32)].get_mut(usize::try_from(id).ok()?) {
            Some(Some(found)) => Some(found),
            _ => self.others.get_mut(&(kind as u32, id)),
        }
    }

    fn insert(&mut self, kind: u32, id: u64, text: &[u8]) {
        let text = InternedText { text: text.to_vec(), ..InternedText::default() };
        let texts = &mut self.few[place_of(kind)];
        let place = usize::try_from(id).unwrap_or(usize::MAX);
        let count = &mut self.counts[place_of(kind)];
        if place >= texts.len().max(FEW_IDS + 2 * *count) {
            self.others.insert((kind, id), text);
            return;
        }
        texts.resize(texts.len().max(place + 1), None);
        self.others.remove(&(kind, id));
        *count += usize::from(texts[place].is_none());
        texts[place] = Some(text);
    }

    fn clear(&mut self) {
        self.few.iter_mut().for_each(Vec::clear);
        self.counts = [0; 4];
        self.others.clear();
    }
}

/// The place of a kind among all, see [`InternedKind`].
fn place_of(kind: u32) -> usize {
    match kind {
        1..=3 => kind as usize,
        _ => 0,
    }
}

impl PacketSequence {
    /// Takes what a packet says about its sequence; false when it needs what is missing.
    pub fn enter(&mut self, packet: &TracePacket<'_>) -> Result<bool, BadMessage> {
        if packet.has_loss {
            self.is_valid = false;
        }
        if packet.is_cleared {
            self.is_valid = true;
            self.interned.clear();
            self.sums.clear();
            (self.default_clock, self.default_track) = (None, None);
            self.default_counters.clear();
            self.default_double_counters.clear();
        }
        if packet.needs_state && !self.is_valid {
            return Ok(false);
        }
        if let Some(bytes) = packet.interned {
            self.intern(bytes)?;
        }
        if let Some(bytes) = packet.defaults {
            self.set_defaults(bytes)?;
        }
        Ok(true)
    }

    /// Whether packets may refer to what was interned.
    #[inline(always)]
    pub fn is_valid(&self) -> bool {
        self.is_valid
    }

    fn intern(&mut self, bytes: &[u8]) -> Result<(), BadMessage> {
        WireFields::each(bytes, |kind, value| {
            if !matches!(kind, 1..=3 | 29) {
                return Ok(());
            }
            let (mut id, mut text) = (0, &[][..]);
            WireFields::each(value.bytes(), |number, value| {
                match number {
                    1 => id = value.number(),
                    2 => text = value.bytes(),
                    _ => (),
                }
                Ok(())
            })?;
            self.interned.insert(kind, id, text);
            Ok(())
        })
    }

    fn set_defaults(&mut self, bytes: &[u8]) -> Result<(), BadMessage> {
        WireFields::each(bytes, |number, value| {
            match number {
                58 => self.default_clock = Some(value.number() as u32),
                11 => {
                    self.default_counters.clear();
                    self.default_double_counters.clear();
                    WireFields::each(value.bytes(), |number, value| {
                        match number {
                            11 => self.default_track = Some(value.number()),
                            31 => value.add_varints(&mut self.default_counters)?,
                            45 => value.add_varints(&mut self.default_double_counters)?,
                            _ => (),
                        }
                        Ok(())
                    })?;
                }
                _ => (),
            }
            Ok(())
        })
    }

    /// An interned string.
    pub fn text(&self, kind: InternedKind, id: u64) -> Option<&[u8]> {
        self.interned.get(kind, id).map(|found| &found.text[..])
    }

    /// The number of an interned string among the names of the trace.
    #[inline]
    pub fn name(&mut self, kind: InternedKind, id: u64, names: &mut WordTable) -> Option<u32> {
        let found = self.interned.get_mut(kind, id)?;
        Some(*found.name.get_or_insert_with(|| names.number(&found.text)))
    }

    /// The key that arguments of an interned name were packed with, when the last of them was of this table.
    #[inline]
    pub fn argument_key(&self, name: u64, table: StoredTable) -> Option<ArgumentKey> {
        self.interned.get(InternedKind::AnnotationName, name)?.argument.filter(|key| key.table() == table)
    }

    /// Notes the key that an argument of an interned name was packed with.
    pub fn set_argument_key(&mut self, name: u64, key: ArgumentKey) {
        if let Some(found) = self.interned.get_mut(InternedKind::AnnotationName, name) {
            found.argument = Some(key);
        }
    }

    /// The track of events that name none.
    pub fn default_track(&self) -> Option<u64> {
        self.default_track
    }

    /// Takes the values of clocks whose timestamps are differences.
    pub fn set_clocks(&mut self, snapshot: &[u8]) -> Result<(), BadMessage> {
        for reading in read_snapshot(snapshot)?.0 {
            if reading.is_incremental {
                self.incremental.insert(reading.number, reading.count);
            }
        }
        Ok(())
    }

    /// The time of a packet by the clock of the trace; `None` when its clock is not related to that one.
    pub fn time(&mut self, packet: &TracePacket<'_>, clocks: &TraceClocks) -> Option<i64> {
        self.time_of(packet.timestamp.unwrap_or(0), packet.clock, packet.sequence, clocks)
    }

    /// As [`PacketSequence::time`], of a count of a clock; of the sequence's own where none is named.
    #[inline]
    pub fn time_of(&mut self, count: u64, clock: Option<u32>, sequence: u32, clocks: &TraceClocks) -> Option<i64> {
        let Some(number) = clock.or(self.default_clock).filter(|number| *number != 0) else {
            return Some(count.min(i64::MAX as u64) as i64);
        };
        let count = match self.incremental.get_mut(&number) {
            Some(last) => {
                *last = last.wrapping_add(count);
                *last
            }
            None => count,
        };
        let key = ClockKey::new(sequence, number);
        clocks.convert(key, clocks.nanoseconds(key, count))
    }
}
