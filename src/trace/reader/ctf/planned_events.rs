//! The events of each kind of stream by their numbers: what an event is decoded by is found without a search.

use std::sync::Arc;

use super::bits::BitReader;
use super::classes::{FieldClass, StreamClass, TraceClass};
use super::decoder::{DecodeFault, DecodeState, FieldValue};
use super::layout::{EventLayout, EventLayouts};
use super::plain_struct::PlainStruct;

/// The streams of a trace, by their numbers.
#[derive(Debug)]
pub(super) struct PlannedStreams(Vec<PlannedStream>);

/// A kind of stream.
#[derive(Debug)]
pub(super) struct PlannedStream {
    pub id: u64,
    pub class: StreamClass,
    /// The headers of events, where they are that plain.
    pub plain_header: Option<PlainStruct>,
    /// By their numbers.
    pub events: Vec<PlannedEvent>,
}

/// A kind of event.
#[derive(Debug)]
pub(super) struct PlannedEvent {
    pub id: u64,
    pub context: Option<FieldClass>,
    pub payload: Option<FieldClass>,
    pub layout: Arc<EventLayout>,
}

impl PlannedStreams {
    /// Takes the streams out of a trace.
    pub fn take(trace: &mut TraceClass, layouts: &EventLayouts) -> PlannedStreams {
        let plan = |(id, mut class): (u64, StreamClass)| {
            let events = std::mem::take(&mut class.events);
            let events = events.into_iter().filter_map(|(event_id, event)| {
                let layout = Arc::clone(layouts.get(&(id, event_id))?);
                Some(PlannedEvent { id: event_id, context: event.context, payload: event.payload, layout })
            });
            let events = events.collect();
            let plain_header = PlainStruct::of(&class.event_header);
            PlannedStream { id, class, plain_header, events }
        };
        PlannedStreams(std::mem::take(&mut trace.streams).into_iter().map(plan).collect())
    }

    /// The numbers of the streams.
    pub fn ids(&self) -> impl Iterator<Item = &u64> {
        self.0.iter().map(|stream| &stream.id)
    }

    /// The place of a stream.
    pub fn place(&self, id: u64) -> Option<usize> {
        self.0.binary_search_by_key(&id, |stream| stream.id).ok()
    }

    /// The stream at a place.
    #[inline(always)]
    pub fn get(&self, place: usize) -> Option<&PlannedStream> {
        self.0.get(place)
    }
}

impl PlannedStream {
    /// The numbers of the events.
    pub fn ids(&self) -> impl Iterator<Item = &u64> {
        self.events.iter().map(|event| &event.id)
    }

    /// Reads the header of an event, for its numbers that have a role.
    #[inline(always)]
    pub fn read_header(&self, bits: &mut BitReader<'_>, state: &mut DecodeState) -> Result<(), DecodeFault> {
        if let Some(plain) = &self.plain_header
            && let Some(bytes) = plain.take(bits)
        {
            plain.take_roles(bytes, state);
            return Ok(());
        }
        self.class.event_header.iter().try_for_each(|header| state.members(header, bits, |_, _| ()))
    }

    /// Reads the contexts and the payload of an event. Where all are plain numbers, these stay in the packet: returns where
    /// they are, in bytes.
    #[inline(always)]
    pub fn read_fields(
        &self,
        event: &PlannedEvent,
        bits: &mut BitReader<'_>,
        state: &mut DecodeState,
        into: &mut Vec<FieldValue>,
    ) -> Result<Option<usize>, DecodeFault> {
        if let Some(plain) = &event.layout.plain {
            let from = (bits.at / 8) as usize;
            if let Some(bytes) = plain.take(bits) {
                plain.take_roles(bytes, state);
                return Ok(Some(from));
            }
        }
        let mut classes = [&self.class.event_context, &event.context, &event.payload].into_iter().flatten();
        classes.try_for_each(|class| state.members(class, bits, |_, value| into.push(value)))?;
        Ok(None)
    }

    /// An event; most are numbered from 0 on.
    #[inline(always)]
    pub fn event(&self, id: u64) -> Option<&PlannedEvent> {
        match usize::try_from(id).ok().and_then(|place| self.events.get(place)) {
            Some(event) if event.id == id => Some(event),
            _ => self.events.binary_search_by_key(&id, |event| event.id).ok().map(|place| &self.events[place]),
        }
    }
}
