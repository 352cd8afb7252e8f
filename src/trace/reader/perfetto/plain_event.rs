//! Begins and ends of slices of the usual shape, which the thread that reads packets decodes: nearly all packets of nearly all
//! traces of programs.
//!
//! ```text
//! packet = timestamp, sequence, flags, event, in any order
//! event  = type (begin or end), track, name, category, annotations: all by number, values whole numbers
//! ```
//! In: the bytes of a packet. Out: its numbers; `None` for every other packet, which is decoded where it is taken. Both ways
//! give the same.

use super::packet::{EVENT, FLAGS, SEQUENCE, TIMESTAMP};
use super::track_event_tags::{ANNOTATION, CATEGORY, NAME, TRACK, TYPE};
use super::wire::{WireFields, counted, varint};

/// A begin or an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlainEvent {
    pub timestamp: u64,
    pub sequence: u32,
    /// The packet refers to what was interned before.
    pub needs_state: bool,
    pub side: SliceSide,
    pub track: Option<u64>,
    pub name: Option<u64>,
    pub category: Option<u64>,
    /// How many annotations it has.
    pub annotations: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SliceSide {
    Begin,
    End,
}

/// An annotation by the number of its name.
pub(super) type PlainAnnotation = (u64, i64);

impl PlainEvent {
    /// Reads a packet, and adds its annotations to a list; only if it is such an event.
    #[inline]
    pub fn read(packet: &[u8], annotations: &mut Vec<PlainAnnotation>) -> Option<PlainEvent> {
        let (mut timestamp, mut sequence, mut flags, mut event) = (None, 0, 0, None);
        let mut rest = packet;
        while let Some((tag, mut value)) = rest.split_first() {
            match *tag {
                TIMESTAMP => timestamp = Some(varint(&mut value)?),
                SEQUENCE => sequence = varint(&mut value)? as u32,
                FLAGS => flags |= varint(&mut value)?,
                EVENT if event.is_none() => event = Some(counted(&mut value)?),
                _ => return None,
            }
            rest = value;
        }
        // Others clear what was interned.
        if flags & 1 != 0 {
            return None;
        }
        let before = annotations.len();
        let read = PlainEvent::fields(event?, annotations);
        let Some(fields) = read else {
            annotations.truncate(before);
            return None;
        };
        let count = (annotations.len() - before) as u32;
        match timestamp {
            Some(timestamp) => {
                Some(PlainEvent { timestamp, sequence, needs_state: flags & 2 != 0, annotations: count, ..fields })
            }
            None => {
                annotations.truncate(before);
                None
            }
        }
    }

    #[inline(always)]
    fn fields(event: &[u8], annotations: &mut Vec<PlainAnnotation>) -> Option<PlainEvent> {
        let (mut type_, mut track, mut name, mut category) = (0, None, None, None);
        let mut rest = event;
        while let Some((tag, mut value)) = rest.split_first() {
            match *tag {
                TYPE => type_ = varint(&mut value)?,
                TRACK => track = Some(varint(&mut value)?),
                NAME => name = Some(varint(&mut value)?),
                CATEGORY if category.is_none() => category = Some(varint(&mut value)?),
                ANNOTATION => annotations.push(whole_of_interned(counted(&mut value)?)?),
                _ => return None,
            }
            rest = value;
        }
        let side = match type_ {
            1 => SliceSide::Begin,
            2 => SliceSide::End,
            _ => return None,
        };
        let plain =
            PlainEvent { timestamp: 0, sequence: 0, needs_state: false, side, track, name, category, annotations: 0 };
        Some(plain)
    }
}

/// Name and value of an annotation that is an interned name and a whole number, as most are.
#[inline(always)]
pub(super) fn whole_of_interned(bytes: &[u8]) -> Option<PlainAnnotation> {
    let (mut name, mut number) = (None, None);
    for field in WireFields::new(bytes) {
        match field.ok()? {
            (1, value) => name = Some(value.number()),
            (3, value) => number = Some(i64::try_from(value.number()).ok()?),
            (4, value) => number = Some(value.signed()),
            _ => return None,
        }
    }
    Some((name?, number?))
}
