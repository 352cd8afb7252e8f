//! What stands in the files of a trace, in the order of time and in pieces: they are read ahead of who emits them.
//!
//! ```text
//! items    [ event | event | fault | event ]
//! numbers  [ bytes ]                [ bytes ]     of events of plain numbers, as they are in their packets
//! fields           [ values ]                     of all others
//! faults                   [ fault ]
//! ```
//! In: streams. Out: pieces of items. Most events are a few plain numbers: those who emit them decode these, which costs less than
//! to hand values over.

use std::sync::Arc;

use super::decoder::FieldValue;
use super::items::{CtfEvent, StreamContent, StreamFault, StreamItem};
use super::layout::EventLayout;
use super::stream::DataStream;
use crate::error::Result;
use crate::reader::ahead::{MorePieces, PieceSource};
use crate::reader::merge::ItemMerge;

/// Items, fields, and bytes of events after which a piece is full.
const FULL_ITEMS: usize = 1 << 13;
const FULL_FIELDS: usize = 1 << 15;
const FULL_BYTES: u64 = 1 << 20;

/// Items that follow each other.
#[derive(Debug, Default)]
pub(super) struct ItemPiece {
    items: Vec<PieceItem>,
    numbers: Vec<u8>,
    fields: Vec<FieldValue>,
    faults: Vec<StreamFault>,
    /// Of all events, as they are in the files.
    bytes: u64,
    /// Bytes of all files that were read so far.
    pub position: u64,
}

/// An item; layout and CPU are those of an event.
#[derive(Debug)]
struct PieceItem {
    time: i64,
    byte: u64,
    cpu: Option<i64>,
    stream: u32,
    layout: u32,
    values: ItemValues,
}

/// Where the values of an item are.
#[derive(Debug, Clone, Copy)]
enum ItemValues {
    /// It is an event of plain numbers.
    Numbers,
    /// It is an event with so many fields.
    Fields(u32),
    /// It is no event.
    Fault,
}

/// An item with the number of its stream.
pub(super) struct ReadItem<'a> {
    pub stream: usize,
    pub time: i64,
    pub byte: u64,
    pub content: ReadContent<'a>,
}

/// What an item is.
pub(super) enum ReadContent<'a> {
    Event(CtfEvent<'a>),
    Fault(&'a StreamFault),
}

impl ItemPiece {
    /// Gives all items until it is told to stop; `layouts` are those of all traces by their numbers.
    pub fn each(&self, layouts: &[Arc<EventLayout>], mut take: impl FnMut(ReadItem<'_>) -> Result<()>) -> Result<()> {
        let (mut numbers, mut fields, mut faults) = (&self.numbers[..], &self.fields[..], self.faults.iter());
        let mut decoded = vec![];
        for item in &self.items {
            let event = |fields| {
                let layout: &EventLayout = &layouts[item.layout as usize];
                ReadContent::Event(CtfEvent { layout, fields, cpu: layout.cpu_of(fields).or(item.cpu) })
            };
            let content = match (item.values, faults.as_slice().first()) {
                (ItemValues::Numbers, _) => {
                    if let Some(plain) = &layouts[item.layout as usize].plain {
                        plain.values(numbers, &mut decoded);
                        numbers = &numbers[plain.len()..];
                    }
                    event(&decoded)
                }
                (ItemValues::Fields(count), _) => {
                    let (own, rest) = fields.split_at(count as usize);
                    fields = rest;
                    event(own)
                }
                (ItemValues::Fault, Some(fault)) => {
                    faults.next();
                    ReadContent::Fault(fault)
                }
                (ItemValues::Fault, None) => continue,
            };
            take(ReadItem { stream: item.stream as usize, time: item.time, byte: item.byte, content })?;
        }
        Ok(())
    }

    /// Takes the item at hand of a stream.
    #[inline(always)]
    fn take(&mut self, number: usize, stream: &mut DataStream) {
        let values = match &mut stream.item.content {
            StreamContent::Event => {
                self.bytes += stream.position() - stream.item.byte;
                match stream.numbers() {
                    Some(numbers) => {
                        self.numbers.extend_from_slice(numbers);
                        ItemValues::Numbers
                    }
                    None => {
                        let fields = &mut stream.event.fields;
                        let count = fields.len() as u32;
                        self.fields.append(fields);
                        ItemValues::Fields(count)
                    }
                }
            }
            content => {
                if let StreamContent::Fault(fault) = std::mem::replace(content, StreamContent::Event) {
                    self.faults.push(fault);
                }
                ItemValues::Fault
            }
        };
        let StreamItem { time, byte, .. } = stream.item;
        let (cpu, layout) = (stream.cpu, stream.event.layout);
        self.items.push(PieceItem { time, byte, cpu, stream: number as u32, layout, values });
    }

    fn is_full(&self) -> bool {
        self.items.len() >= FULL_ITEMS || self.fields.len() >= FULL_FIELDS || self.bytes >= FULL_BYTES
    }

    fn clear(&mut self) {
        self.items.clear();
        self.numbers.clear();
        self.fields.clear();
        self.faults.clear();
        self.bytes = 0;
        // One event with very many fields does not take its room for ever.
        self.fields.shrink_to(2 * FULL_FIELDS);
        self.numbers.shrink_to(2 * FULL_BYTES as usize);
    }
}

/// Reads streams side by side.
pub(super) struct ItemSource(ItemMerge<DataStream>);

impl ItemSource {
    pub fn new(streams: Vec<DataStream>) -> Result<ItemSource> {
        Ok(ItemSource(ItemMerge::new(streams)?))
    }
}

impl PieceSource for ItemSource {
    type Piece = ItemPiece;

    fn fill(&mut self, piece: &mut ItemPiece) -> Result<MorePieces> {
        piece.clear();
        let mut more = MorePieces::Follow;
        while !piece.is_full() {
            let Some((number, stream)) = self.0.first() else {
                more = MorePieces::End;
                break;
            };
            piece.take(number, stream);
            self.0.advance()?;
        }
        piece.position = self.0.streams().iter().map(DataStream::position).sum();
        Ok(more)
    }

    fn is_large(piece: &ItemPiece) -> bool {
        piece.bytes > 16 * FULL_BYTES || piece.fields.len() > 16 * FULL_FIELDS
    }
}
