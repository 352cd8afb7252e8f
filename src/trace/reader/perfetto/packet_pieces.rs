//! The packets of a trace in pieces, also those that were compressed.
//!
//! In: the bytes of a trace. Out: packets with their offsets, those of compressed packets in their place, and what is damaged.

use std::io::{Cursor, Read};

use flate2::read::ZlibDecoder;

use super::packets::{PacketStep, PacketStream, compressed};
use crate::error::Result;
use crate::reader::ahead::{MorePieces, PieceSource};

/// Bytes and packets after which a piece is full.
const FULL_BYTES: usize = 1 << 17;
const FULL_PACKETS: usize = 1 << 12;

/// Packets that follow each other.
#[derive(Debug, Default)]
pub(super) struct PacketPiece {
    bytes: Vec<u8>,
    /// Offsets in the file, and ends in the bytes.
    packets: Vec<(u64, usize)>,
    /// What is damaged, and where.
    pub damage: Vec<(u64, String)>,
}

impl PacketPiece {
    /// All packets with their offsets.
    pub fn packets(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut from = 0;
        self.packets.iter().map(move |(offset, end)| {
            let start = std::mem::replace(&mut from, *end);
            (*offset, &self.bytes[start..*end])
        })
    }

    /// How many packets there are.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        // One long packet does not take its room for ever.
        self.bytes.shrink_to(2 * FULL_BYTES);
        self.packets.clear();
        self.damage.clear();
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= FULL_BYTES || self.packets.len() >= FULL_PACKETS
    }

    #[inline(always)]
    fn push(&mut self, offset: u64, packet: &[u8]) {
        self.bytes.extend_from_slice(packet);
        self.packets.push((offset, self.bytes.len()));
    }
}

/// Reads packets.
pub(super) struct PacketSource<R> {
    stream: PacketStream<R>,
    /// The packets in the compressed packet at hand, and its offset.
    unpacked: Option<(u64, PacketStream<ZlibDecoder<Cursor<Vec<u8>>>>)>,
}

impl<R: Read> PacketSource<R> {
    pub fn new(source: R) -> PacketSource<R> {
        PacketSource { stream: PacketStream::new(source), unpacked: None }
    }
}

impl<R: Read + Send> PieceSource for PacketSource<R> {
    type Piece = PacketPiece;

    fn fill(&mut self, piece: &mut PacketPiece) -> Result<MorePieces> {
        piece.clear();
        while !piece.is_full() {
            if let Some((offset, unpacked)) = &mut self.unpacked {
                match unpacked.next() {
                    PacketStep::Packet => piece.push(*offset, unpacked.packet()),
                    PacketStep::Damage(what) => piece.damage.push((*offset, what)),
                    PacketStep::End => self.unpacked = None,
                }
                continue;
            }
            match self.stream.next() {
                PacketStep::Packet => match compressed(self.stream.packet()) {
                    None => piece.push(self.stream.start, self.stream.packet()),
                    Some(bytes) => {
                        let decoder = ZlibDecoder::new(Cursor::new(bytes.to_vec()));
                        self.unpacked = Some((self.stream.start, PacketStream::new(decoder)));
                    }
                },
                PacketStep::Damage(what) => piece.damage.push((self.stream.start, what)),
                PacketStep::End => return Ok(MorePieces::End),
            }
        }
        Ok(MorePieces::Follow)
    }
}
