//! What a sequence of packets remembers: interned strings, defaults, clocks that count on, and whether packets are missing.
//!
//! In: the packets of all sequences in the order of the file. Out: what they refer to.

use hashbrown::HashMap;

use super::clocks::{ClockKey, TraceClocks, read_snapshot};
use super::packet::TracePacket;
use super::wire::{BadMessage, WireFields};

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
    /// Old timestamps: microseconds that differences are added to.
    pub reference_us: i64,
    /// The sums of counters that are written as differences.
    pub sums: HashMap<u64, f64>,
}

/// Interned strings are numbered from 1 on, and nearly all numbers are below this.
const FEW_IDS: u64 = 1 << 12;

/// Interned strings by kind and number.
#[derive(Debug, Default)]
struct InternedTexts {
    /// Those of small numbers, by kind and number.
    few: [Vec<Option<Vec<u8>>>; 4],
    others: HashMap<(u32, u64), Vec<u8>>,
}

impl InternedTexts {
    #[inline]
    fn get(&self, kind: u32, id: u64) -> Option<&[u8]> {
        let found = match id {
            ..FEW_IDS => self.few[place_of(kind)].get(id as usize)?.as_ref()?,
            _ => self.others.get(&(kind, id))?,
        };
        Some(found)
    }

    fn insert(&mut self, kind: u32, id: u64, text: &[u8]) {
        if id >= FEW_IDS {
            self.others.insert((kind, id), text.to_vec());
            return;
        }
        let texts = &mut self.few[place_of(kind)];
        texts.resize(texts.len().max(id as usize + 1), None);
        texts[id as usize] = Some(text.to_vec());
    }

    fn clear(&mut self) {
        self.few.iter_mut().for_each(Vec::clear);
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
        self.interned.get(kind as u32, id)
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
        let count = packet.timestamp.unwrap_or(0);
        let Some(number) = packet.clock.or(self.default_clock).filter(|number| *number != 0) else {
            return Some(count.min(i64::MAX as u64) as i64);
        };
        let count = match self.incremental.get_mut(&number) {
            Some(last) => {
                *last = last.wrapping_add(count);
                *last
            }
            None => count,
        };
        let key = ClockKey::new(packet.sequence, number);
        clocks.convert(key, clocks.nanoseconds(key, count))
    }
}
