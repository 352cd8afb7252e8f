//! The packets of a trace, one after the other, through a small buffer.
//!
//! ```text
//! trace  = (0A length packet)*        files may be cut anywhere, and joined
//! ```
//! In: a stream of bytes. Out: the bytes of each packet, with its offset; those of compressed packets in their place.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use super::wire::{WireFields, WireValue, varint};

/// Packets longer than this are damage: writers keep them below a few megabytes.
const LONGEST: u64 = 256 << 20;
/// The field of a packet that holds compressed packets.
const COMPRESSED: u32 = 50;
/// Bytes that are read at once. A packet that does not fit makes the buffer grow as its bytes come.
const BUFFER: usize = 1 << 16;
/// The longest varint.
const VARINT: usize = 10;

/// What stands next in a stream.
#[derive(Debug)]
pub(super) enum PacketStep {
    /// A packet, which [`PacketStream::packet`] has.
    Packet,
    /// Why the rest of the stream cannot be read.
    Damage(String),
    End,
}

/// Reads packets from a stream. They stay in its buffer.
pub(super) struct PacketStream<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where in the buffer the bytes stand that were read and not taken.
    ahead: Range<usize>,
    /// Where in the buffer the packet at hand stands.
    packet: Range<usize>,
    /// Bytes taken so far.
    offset: u64,
    /// Where the packet at hand starts.
    pub start: u64,
    /// Why the source could not be read on; what came before it is taken first.
    failure: Option<io::Error>,
    is_done: bool,
}

impl<R: Read> PacketStream<R> {
    pub fn new(source: R) -> PacketStream<R> {
        PacketStream {
            source,
            buffer: vec![0; BUFFER],
            ahead: 0..0,
            packet: 0..0,
            offset: 0,
            start: 0,
            failure: None,
            is_done: false,
        }
    }

    /// The bytes of the packet at hand.
    pub fn packet(&self) -> &[u8] {
        &self.buffer[self.packet.clone()]
    }

    /// Goes to the next packet.
    #[inline]
    pub fn next(&mut self) -> PacketStep {
        if self.has_whole() { PacketStep::Packet } else { self.next_of_any() }
    }

    /// Goes to the next packet when the buffer has all of it, as it nearly always does.
    #[inline(always)]
    fn has_whole(&mut self) -> bool {
        let ahead = &self.buffer[self.ahead.clone()];
        let Some((0x0a, mut rest)) = ahead.split_first() else { return false };
        let Some(len) = varint(&mut rest).filter(|len| *len <= rest.len() as u64) else { return false };
        if self.is_done || len > LONGEST {
            return false;
        }
        let before = ahead.len() - rest.len();
        self.start = self.offset;
        self.take(before);
        self.packet = self.ahead.start..self.ahead.start + len as usize;
        self.take(len as usize);
        true
    }

    fn next_of_any(&mut self) -> PacketStep {
        if self.is_done {
            return PacketStep::End;
        }
        let step = self.step().unwrap_or_else(|error| match error.kind() {
            ErrorKind::UnexpectedEof => PacketStep::Damage("the trace ends in the middle of a packet".to_string()),
            _ => PacketStep::Damage(format!("the compressed stream is damaged: {error}")),
        });
        self.is_done = !matches!(step, PacketStep::Packet);
        step
    }

    fn step(&mut self) -> io::Result<PacketStep> {
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
            let len = len as usize;
            if self.fill(len) < len {
                return Err(self.cut());
            }
            self.packet = self.ahead.start..self.ahead.start + len;
            self.take(len);
            if tag == 0x0a {
                return Ok(PacketStep::Packet);
            }
        }
    }

    /// Reads until so many bytes are ahead, or the source ends or fails; returns how many there are.
    #[inline]
    fn fill(&mut self, wanted: usize) -> usize {
        if self.ahead.len() < wanted && self.failure.is_none() {
            self.read_on(wanted);
        }
        self.ahead.len()
    }

    fn read_on(&mut self, wanted: usize) {
        self.buffer.copy_within(self.ahead.clone(), 0);
        self.ahead = 0..self.ahead.len();
        while self.ahead.len() < wanted {
            if self.ahead.end == self.buffer.len() {
                // Twice as much as came, and not as much as a damaged length says.
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            match self.source.read(&mut self.buffer[self.ahead.end..]) {
                Ok(0) => return,
                Ok(count) => self.ahead.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return self.failure = Some(error),
            }
        }
    }

    /// Why there are no more bytes, in the middle of something.
    fn cut(&mut self) -> io::Error {
        self.failure.take().unwrap_or_else(|| ErrorKind::UnexpectedEof.into())
    }

    #[inline]
    fn take(&mut self, count: usize) {
        self.ahead.start += count;
        self.offset += count as u64;
    }

    /// A varint; `None` when the stream ends before it.
    #[inline]
    fn varint(&mut self) -> io::Result<Option<u64>> {
        if self.fill(VARINT) == 0 {
            return self.failure.take().map_or(Ok(None), Err);
        }
        if let Some(byte @ 0..0x80) = self.buffer.get(self.ahead.start).copied() {
            self.take(1);
            return Ok(Some(u64::from(byte)));
        }
        let mut number = 0;
        for (place, byte) in self.buffer[self.ahead.clone()].iter().enumerate().take(VARINT) {
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 || place + 1 == VARINT {
                self.take(place + 1);
                return Ok(Some(number));
            }
        }
        self.take(self.ahead.len());
        Err(self.cut())
    }
}

/// The compressed packets that a packet holds, if it does.
#[inline]
pub(super) fn compressed(packet: &[u8]) -> Option<&[u8]> {
    // The lowest bits of the number and kind of its first field: all that is looked at of nearly every packet.
    const FIRST: u8 = (COMPRESSED << 3 | 2) as u8 & 0x7f;
    if packet.first().is_none_or(|byte| byte & 0x7f != FIRST) {
        return None;
    }
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
        let Some(len) = varint(&mut rest).filter(|len| *len <= LONGEST) else { return false };
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
