//! Links: starts and ends matched first in first out, in either order, by container, type and key.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::context::EventOutput;
use crate::diagnostics::{Code, Diagnostics, SourcePosition, quote};
use crate::error::Result;
use crate::model::{ContainerId, Event, EventBatch, ExtraData, LinkRow, OwnedExtras, RowSink, TypeId, ValueId, World};

/// Which end of a link an event describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkSide {
    Start,
    End,
}

/// One end of a link that waits for the other.
#[derive(Debug)]
pub(super) struct LinkHalf {
    pub tick: i64,
    pub value: ValueId,
    /// The container at this end.
    pub at: ContainerId,
    pub volume: Option<f64>,
    pub extras: OwnedExtras,
    pub place: SourcePosition,
}

/// Ends of one key that wait; all of them of one side.
#[derive(Debug)]
struct PendingLink {
    container: ContainerId,
    type_: TypeId,
    key: Vec<u8>,
    side: LinkSide,
    first: Option<LinkHalf>,
    /// Those after the first; empty unless a key is used again before it is matched.
    rest: VecDeque<LinkHalf>,
}

/// Follows the links.
#[derive(Debug, Default)]
pub(super) struct LinkTracker {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    pending: Vec<PendingLink>,
    /// Places in `pending` that are free again.
    free: Vec<u32>,
}

impl LinkTracker {
    /// Takes one end: matches it, or lets it wait.
    pub fn end(
        &mut self,
        output: EventOutput<'_, '_, impl RowSink>,
        side: LinkSide,
        container: ContainerId,
        type_: TypeId,
        key: &[u8],
        half: LinkHalf,
    ) -> Result<()> {
        let (hasher, pending) = (&self.hasher, &mut self.pending);
        let hash = hasher.hash_one((container, type_, key));
        let entry = self.table.entry(
            hash,
            |slot| {
                let other = &pending[*slot as usize];
                other.container == container && other.type_ == type_ && other.key == key
            },
            |slot| {
                let other = &pending[*slot as usize];
                hasher.hash_one((other.container, other.type_, other.key.as_slice()))
            },
        );
        match entry {
            Entry::Vacant(vacant) => {
                let slot = self.free.pop().unwrap_or_else(|| {
                    let (key, rest) = (vec![], VecDeque::new());
                    pending.push(PendingLink { container, type_, key, side, first: None, rest });
                    pending.len() as u32 - 1
                });
                let place = &mut pending[slot as usize];
                (place.container, place.type_, place.side) = (container, type_, side);
                place.key.clear();
                place.key.extend_from_slice(key);
                place.first = Some(half);
                vacant.insert(slot);
                Ok(())
            }
            Entry::Occupied(occupied) if pending[*occupied.get() as usize].side == side => {
                pending[*occupied.get() as usize].rest.push_back(half);
                Ok(())
            }
            Entry::Occupied(occupied) => {
                let slot = *occupied.get();
                let place = &mut pending[slot as usize];
                let waiting = std::mem::replace(&mut place.first, place.rest.pop_front());
                if place.first.is_none() {
                    occupied.remove();
                    self.free.push(slot);
                }
                let waiting = waiting.expect("a pending key has a first half");
                let (start, end) = match side {
                    LinkSide::Start => (half, waiting),
                    LinkSide::End => (waiting, half),
                };
                emit(output, container, type_, key, start, end)
            }
        }
    }

    /// Reports every end that never found its other one.
    pub fn report_unmatched(&mut self, world: &World, diagnostics: &mut Diagnostics) {
        let mut lost: Vec<(SourcePosition, LinkSide, u32)> = vec![];
        for slot in &self.table {
            let pending = &self.pending[*slot as usize];
            let halves = pending.first.iter().chain(&pending.rest);
            lost.extend(halves.map(|half| (half.place, pending.side, *slot)));
        }
        lost.sort_by_key(|(place, _, _)| place.line);
        for (place, side, slot) in lost {
            let pending = &self.pending[slot as usize];
            let describe = || {
                format!(
                    "{} with key {} on {}",
                    quote(world.type_name(pending.type_).as_bytes()),
                    quote(&pending.key),
                    quote(world.container_name(pending.container).as_bytes())
                )
            };
            match side {
                LinkSide::Start => diagnostics
                    .report(Code::UnmatchedLinkStart, place, || format!("the link {} never ends", describe())),
                LinkSide::End => diagnostics
                    .report(Code::UnmatchedLinkEnd, place, || format!("the link {} never starts", describe())),
            }
        }
    }
}

fn emit(
    output: EventOutput<'_, '_, impl RowSink>,
    container: ContainerId,
    type_: TypeId,
    key: &[u8],
    mut start: LinkHalf,
    end: LinkHalf,
) -> Result<()> {
    let EventOutput { world, context, sink } = output;
    if start.value != end.value {
        context.note(Code::LinkValueMismatch, u64::from(type_.0), || {
            format!(
                "links of {} start with one value and end with another, first {} and {}; the start's is kept",
                quote(world.type_name(type_).as_bytes()),
                quote(world.value_name(start.value).as_bytes()),
                quote(world.value_name(end.value).as_bytes())
            )
        });
    }
    if end.tick < start.tick {
        context.note(Code::NegativeLink, u64::from(type_.0), || {
            format!(
                "links of {} end before they start, first that with key {}",
                quote(world.type_name(type_).as_bytes()),
                quote(key)
            )
        });
    }
    let numeric_value = || world.value_name(start.value).parse::<f64>().ok().filter(|value| value.is_finite());
    let row = LinkRow {
        container,
        type_,
        value: start.value,
        key,
        source: start.at,
        target: end.at,
        start: start.tick,
        end: end.tick,
        volume: start.volume.or(end.volume).or_else(numeric_value),
    };
    start.extras.add_missing(end.extras);
    sink.link(world, &row, &start.extras)
}

/// The size that a link event carries in a field of its own.
pub(super) fn volume(batch: &EventBatch, event: &Event) -> Option<f64> {
    batch.extras(event).iter().find(|extra| batch.extra_fields[extra.field as usize].is_volume).and_then(|extra| {
        match extra.data {
            ExtraData::Int(value) => Some(value as f64),
            ExtraData::UInt(value) => Some(value as f64),
            ExtraData::Double(value) => Some(value),
            ExtraData::Text(span) => batch.text(span).parse().ok(),
        }
    })
}
