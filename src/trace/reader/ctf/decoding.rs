//! The events of all files by time, decoded in pieces.
//!
//! In: the files of a trace. Out: what stands in them, in the order of time, with the numbers of the files.

use super::stream::{DataStream, DecodedEvent, StreamContent};
use crate::error::Result;
use crate::reader::ahead::{MorePieces, PieceSource};
use crate::reader::merge::ItemMerge;

/// Items of a piece, and the bytes after which it is full.
const FULL_ITEMS: usize = 1 << 10;
const FULL_BYTES: u64 = 1 << 18;

/// Something in a file.
#[derive(Debug)]
pub(super) struct DecodedItem {
    /// The number of the file.
    pub file: usize,
    pub time: i64,
    pub byte: u64,
    pub content: StreamContent,
    /// Where the content is an event.
    pub event: DecodedEvent,
}

/// Items that follow each other.
#[derive(Debug, Default)]
pub(super) struct DecodedPiece {
    /// Those behind `len` keep the memory of earlier ones.
    items: Vec<DecodedItem>,
    len: usize,
    /// Bytes of its events in their files.
    bytes: u64,
    /// Bytes that were read of all files up to its end.
    pub position: u64,
}

impl DecodedPiece {
    /// Gives all items; what they hold may be taken.
    pub fn items(&mut self) -> &mut [DecodedItem] {
        &mut self.items[..self.len]
    }

    #[inline(always)]
    fn push(&mut self, file: usize, stream: &mut DataStream) {
        if self.len == self.items.len() {
            let (content, event) = (StreamContent::Event, DecodedEvent::default());
            self.items.push(DecodedItem { file, time: 0, byte: 0, content, event });
        }
        let item = &mut self.items[self.len];
        self.len += 1;
        (item.file, item.time, item.byte) = (file, stream.item.time, stream.item.byte);
        item.content = std::mem::replace(&mut stream.item.content, StreamContent::Event);
        if matches!(item.content, StreamContent::Event) {
            // The memory of an earlier event goes back to the file.
            std::mem::swap(&mut item.event, &mut stream.event);
        }
    }
}

/// Files that are decoded together.
pub(super) struct Decoding(ItemMerge<DataStream>);

impl Decoding {
    /// Goes to the first event of every file.
    pub fn new(streams: Vec<DataStream>) -> Result<Decoding> {
        ItemMerge::new(streams).map(Decoding)
    }
}

impl PieceSource for Decoding {
    type Piece = DecodedPiece;

    fn fill(&mut self, piece: &mut DecodedPiece) -> Result<MorePieces> {
        // Texts of events that were taken.
        piece.items().iter_mut().for_each(|item| item.event.fields.clear());
        (piece.len, piece.bytes) = (0, 0);
        while piece.len < FULL_ITEMS && piece.bytes < FULL_BYTES {
            let Some((file, stream)) = self.0.first() else { return Ok(MorePieces::End) };
            piece.push(file, stream);
            piece.bytes += stream.event_bytes;
            self.0.advance()?;
        }
        piece.position = self.0.streams().iter().map(DataStream::position).sum();
        Ok(MorePieces::Follow)
    }

    fn is_large(piece: &DecodedPiece) -> bool {
        piece.bytes > 16 * FULL_BYTES
    }
}
