//! The packets of a trace, one after the other, through a small buffer.
//!
//! ```text
//! trace  = (0A length packet)*        files may be cut anywhere, and joined
//! ```
//! In: a stream of bytes. Out: the bytes of each packet, with its offset; those of compressed packets in their place.

use std::io::{self, ErrorKind, Read};

use super::wire::{WireFields, WireValue};

/// Packets longer than this are damage: writers keep them below a few megabytes.
const LONGEST: u64 = 256 << 20;
/// The field of a packet that holds compressed packets.
const COMPRESSED: u32 = 50;

/// What stands next in a stream.
#[derive(Debug)]
pub(super) enum PacketStep {
    /// A packet, whose bytes are in the buffer.
    Packet,
    /// Why the rest of the stream cannot be read.
    Damage(String),
    End,
}

/// Reads packets from a stream.
pub(super) struct PacketStream<R> {
    source: io::BufReader<R>,
    /// Bytes taken so far.
    offset: u64,
    /// Where the packet at hand starts.
    pub start: u64,
    is_done: bool,
}

impl<R: Read> PacketStream<R> {
    pub fn new(source: R) -> PacketStream<R> {
        PacketStream { source: io::BufReader::with_capacity(1 << 16, source), offset: 0, start: 0, is_done: false }
    }

    /// Reads the next packet into the buffer.
    pub fn next(&mut self, packet: &mut Vec<u8>) -> PacketStep {
        if self.is_done {
            return PacketStep::End;
        }
        let step = self.step(packet).unwrap_or_else(|error| match error.kind() {
            ErrorKind::UnexpectedEof => PacketStep::Damage("the trace ends in the middle of a packet".to_string()),
            _ => PacketStep::Damage(format!("the compressed stream is damaged: {error}")),
        });
        self.is_done = !matches!(step, PacketStep::Packet);
        step
    }

    fn step(&mut self, packet: &mut Vec<u8>) -> io::Result<PacketStep> {
        loop {
            self.start = self.offset;
            let Some(tag) = self.varint()? else { return Ok(PacketStep::End) };
            let len = match tag & 7 {
                0 => {
                    self.varint()?;
                    continue;
                }
                1 => 8,
                2 => self.varint()?.ok_or(ErrorKind::UnexpectedEof)?,
                5 => 4,
                _ => return Ok(PacketStep::Damage(format!("byte {} starts no packet", self.start))),
            };
            if len > LONGEST || tag >> 3 == 0 {
                return Ok(PacketStep::Damage(format!("byte {} starts no packet", self.start)));
            }
            packet.clear();
            let count = (&mut self.source).take(len).read_to_end(packet)? as u64;
            self.offset += count;
            if count < len {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if tag == 0x0a {
                return Ok(PacketStep::Packet);
            }
        }
    }

    /// A varint; `None` when the stream ends before it.
    fn varint(&mut self) -> io::Result<Option<u64>> {
        let mut number = 0;
        for place in 0..10 {
            let mut byte = [0];
            if self.source.read(&mut byte)? == 0 {
                return if place == 0 { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
            }
            self.offset += 1;
            number |= u64::from(byte[0] & 0x7f) << (7 * place);
            if byte[0] & 0x80 == 0 {
                break;
            }
        }
        Ok(Some(number))
    }
}

/// The compressed packets that a packet holds, if it does.
pub(super) fn compressed(packet: &[u8]) -> Option<&[u8]> {
    let is_it = |field: Result<(u32, WireValue<'_>), _>| matches!(field, Ok((COMPRESSED, _)));
    // Such a packet has no other field, so the first decides.
    let first = WireFields::new(packet).next()?;
    is_it(first).then(|| first.map_or(&[][..], |(_, value)| value.bytes()))
}

/// Whether a file begins with packets, up to one with a field that tells.
pub(in crate::reader) fn is_trace(head: &[u8]) -> bool {
    let has_control = head.iter().any(|byte| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b));
    if !has_control {
        return false;
    }
    let mut rest = head;
    while let Some((0x0a, after)) = rest.split_first() {
        rest = after;
        let Some(len) = super::wire::varint(&mut rest).filter(|len| *len <= LONGEST) else { return false };
        let (packet, next) = rest.split_at(rest.len().min(len as usize));
        let is_whole = packet.len() as u64 == len;
        match known_fields(packet, is_whole) {
            None => return false,
            // What describes the machine or the recording may come first.
            Some(0) => rest = next,
            Some(_) => return next.first().is_none_or(|byte| *byte == 0x0a),
        }
    }
    false
}

/// How many fields of a packet are such as events have; `None` when it is no packet.
fn known_fields(packet: &[u8], is_whole: bool) -> Option<usize> {
    let mut known = 0;
    for field in WireFields::new(packet) {
        match field {
            Ok((number, value)) => match (number, value) {
                (8 | 10 | 13 | 41 | 42 | 58 | 87 | 98, WireValue::Varint(_)) => known += 1,
                (3 | 79, _) => known += 1,
                (1 | 2 | 5..=7 | 9 | 11 | 12 | 36 | 43 | 44 | 50 | 59 | 60, WireValue::Bytes(_)) => known += 1,
                (1..=13 | 36 | 41..=44 | 50 | 58..=60 | 87 | 98, _) | (10_000.., _) => return None,
                _ => (),
            },
            // A packet that is longer than the head is cut.
            Err(_) => return (!is_whole && known > 0).then_some(known),
        }
    }
    Some(known)
}
