//! The packets of a trace in pieces, also those that were compressed.
//!
//! In: the bytes of a trace. Out: packets with their offsets, those of compressed packets in their place, and what is damaged.

use std::io::{Cursor, Read};

use flate2::read::ZlibDecoder;

use super::packet::TracePacket;
use super::packets::{PacketStep, PacketStream, compressed};
use super::plain_event::{PlainAnnotation, PlainEvent};
use crate::error::Result;
use crate::reader::ahead::{MorePieces, PieceSource, take_ahead};
use crate::reader::{EventWriter, TraceOrigin};

/// Bytes and packets after which a piece is full.
const FULL_BYTES: usize = 1 << 19;
const FULL_PACKETS: usize = 1 << 14;

/// Packets between two pauses.
const PAUSE: usize = 1 << 14;

/// Takes a packet and its offset.
pub(super) type PacketConsumer<'a> = dyn FnMut(ReadPacket<'_>, u64, &mut EventWriter<'_>) -> Result<()> + 'a;

/// Hands over packets, also those that were compressed; returns what is damaged, and where.
pub(super) fn each_packet(
    origin: &TraceOrigin,
    choice: PacketChoice,
    writer: &mut EventWriter<'_>,
    take: &mut PacketConsumer<'_>,
) -> Result<Vec<(u64, String)>> {
    let (mut damage, mut count) = (vec![], 0);
    take_ahead(&mut PacketSource::new(origin.reader()?, choice), |piece| {
        for (offset, packet) in piece.packets() {
            take(packet, offset, writer)?;
        }
        damage.append(&mut piece.damage);
        count += piece.count;
        if count >= PAUSE {
            count = 0;
            writer.pause()?;
        }
        Ok(writer.flow())
    })?;
    Ok(damage)
}

/// A packet as it was read.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadPacket<'a> {
    Plain(PlainEvent, &'a [PlainAnnotation]),
    /// Its bytes.
    Other(&'a [u8]),
}

/// Which packets are handed over, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PacketChoice {
    /// Those without events.
    Descriptions,
    /// All, usual events decoded.
    Decoded,
    /// All as they are.
    #[cfg(test)]
    Bytes,
}

/// Packets that follow each other.
#[derive(Debug, Default)]
pub(super) struct PacketPiece {
    /// Of the packets that are not plain.
    bytes: Vec<u8>,
    /// Of those that are.
    annotations: Vec<PlainAnnotation>,
    /// With their offsets in the file.
    packets: Vec<(u64, PiecePacket)>,
    /// Packets that were read, also those that are not handed over.
    pub count: usize,
    /// What is damaged, and where.
    pub damage: Vec<(u64, String)>,
}

#[derive(Debug, Clone, Copy)]
enum PiecePacket {
    Plain(PlainEvent),
    /// How many bytes it has.
    Other(usize),
}

impl PacketPiece {
    /// All packets with their offsets.
    pub fn packets(&self) -> impl Iterator<Item = (u64, ReadPacket<'_>)> {
        let (mut bytes, mut annotations) = (&self.bytes[..], &self.annotations[..]);
        self.packets.iter().map(move |(offset, packet)| match packet {
            PiecePacket::Plain(event) => {
                let (own, rest) = annotations.split_at(event.annotations as usize);
                annotations = rest;
                (*offset, ReadPacket::Plain(*event, own))
            }
            PiecePacket::Other(len) => {
                let (own, rest) = bytes.split_at(*len);
                bytes = rest;
                (*offset, ReadPacket::Other(own))
            }
        })
    }

    fn clear(&mut self) {
        self.bytes.clear();
        // One long packet does not take its room for ever.
        self.bytes.shrink_to(2 * FULL_BYTES);
        self.annotations.clear();
        self.annotations.shrink_to(2 * FULL_PACKETS);
        self.packets.clear();
        self.count = 0;
        self.damage.clear();
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= FULL_BYTES || self.annotations.len() >= FULL_PACKETS || self.count >= FULL_PACKETS
    }

    #[inline(always)]
    fn push(&mut self, offset: u64, packet: &[u8], choice: PacketChoice) {
        self.count += 1;
        match choice {
            PacketChoice::Descriptions if TracePacket::has_events(packet) => return,
            PacketChoice::Decoded => {
                if let Some(event) = PlainEvent::read(packet, &mut self.annotations) {
                    self.packets.push((offset, PiecePacket::Plain(event)));
                    return;
                }
            }
            _ => (),
        }
        self.bytes.extend_from_slice(packet);
        self.packets.push((offset, PiecePacket::Other(packet.len())));
    }
}

/// Reads packets.
pub(super) struct PacketSource<R> {
    choice: PacketChoice,
    stream: PacketStream<R>,
    /// The packets in the compressed packet at hand, and its offset.
    unpacked: Option<(u64, PacketStream<ZlibDecoder<Cursor<Vec<u8>>>>)>,
}

impl<R: Read> PacketSource<R> {
    pub fn new(source: R, choice: PacketChoice) -> PacketSource<R> {
        PacketSource { choice, stream: PacketStream::new(source), unpacked: None }
    }
}

impl<R: Read + Send> PieceSource for PacketSource<R> {
    type Piece = PacketPiece;

    fn fill(&mut self, piece: &mut PacketPiece) -> Result<MorePieces> {
        piece.clear();
        while !piece.is_full() {
            if let Some((offset, unpacked)) = &mut self.unpacked {
                match unpacked.next() {
                    PacketStep::Packet => piece.push(*offset, unpacked.packet(), self.choice),
                    PacketStep::Damage(what) => piece.damage.push((*offset, what)),
                    PacketStep::End => self.unpacked = None,
                }
                continue;
            }
            match self.stream.next() {
                PacketStep::Packet => match compressed(self.stream.packet()) {
                    None => piece.push(self.stream.start, self.stream.packet(), self.choice),
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

    fn is_large(piece: &PacketPiece) -> bool {
        piece.bytes.len() > 16 * FULL_BYTES || piece.annotations.len() > 16 * FULL_PACKETS
    }
}
