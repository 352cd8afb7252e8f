//! One packet: what it says about its time, its sequence and its content.
//!
//! In: the bytes of a packet. Out: its fields; contents stay bytes until somebody asks for them.

use super::wire::{BadMessage, WireFields, WireValue, bytes_tag, counted, varint, varint_tag};

/// The fields of contents that are events.
const FTRACE: u32 = 1;
const TRACK_EVENT: u32 = 11;
/// The bytes before fields that nearly all packets have.
pub(super) const TIMESTAMP: u8 = varint_tag(8);
pub(super) const SEQUENCE: u8 = varint_tag(10);
pub(super) const EVENT: u8 = bytes_tag(TRACK_EVENT as u8);
pub(super) const FLAGS: u8 = varint_tag(13);

/// A packet, its contents as bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TracePacket<'a> {
    pub timestamp: Option<u64>,
    pub clock: Option<u32>,
    pub sequence: u32,
    pub machine: u32,
    /// Interned data and defaults start anew here.
    pub is_cleared: bool,
    /// The packet refers to what was interned before.
    pub needs_state: bool,
    /// Packets of the sequence before this one are missing.
    pub has_loss: bool,
    pub interned: Option<&'a [u8]>,
    pub defaults: Option<&'a [u8]>,
    pub content: Option<(PacketContent, &'a [u8])>,
    /// The field of a content that is not read.
    pub unread: Option<u32>,
}

/// What a packet is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PacketContent {
    Clocks,
    TrackEvent,
    TrackDescriptor,
    ProcessTree,
    Ftrace,
    ProcessDescriptor,
    ThreadDescriptor,
    /// Counters of the machine.
    SysStats,
    /// Memory of processes.
    ProcessStats,
}

impl<'a> TracePacket<'a> {
    /// Takes the fields of a packet.
    pub fn read(&mut self, bytes: &'a [u8]) -> Result<(), BadMessage> {
        let mut rest = bytes;
        // The fields of nearly all packets are told by their first byte.
        while let Some((tag, mut value)) = rest.split_first() {
            match *tag {
                TIMESTAMP => self.timestamp = Some(varint(&mut value).ok_or(BadMessage)?),
                SEQUENCE => self.sequence = varint(&mut value).ok_or(BadMessage)? as u32,
                EVENT => {
                    let event = counted(&mut value).ok_or(BadMessage)?;
                    self.content = Some((PacketContent::TrackEvent, event));
                }
                FLAGS => self.set_flags(varint(&mut value).ok_or(BadMessage)?),
                _ => {
                    let mut fields = WireFields::new(rest);
                    let (number, field) = fields.next().ok_or(BadMessage)??;
                    self.field(number, field);
                    value = fields.rest();
                }
            }
            rest = value;
        }
        Ok(())
    }

    #[inline(always)]
    fn set_flags(&mut self, flags: u64) {
        self.is_cleared |= flags & 1 != 0;
        self.needs_state |= flags & 2 != 0;
    }

    /// Whether a packet has events: then nothing in it describes what others refer to.
    #[inline(always)]
    pub fn has_events(bytes: &[u8]) -> bool {
        let mut rest = bytes;
        // Nearly all begin with their time, and the event follows.
        if let [TIMESTAMP, value @ ..] = rest {
            let mut value = value;
            if varint(&mut value).is_some() && value.first() == Some(&EVENT) {
                rest = value;
            }
        }
        WireFields::new(rest).any(|field| matches!(field, Ok((FTRACE | TRACK_EVENT, _))))
    }

    fn field(&mut self, number: u32, value: WireValue<'a>) {
        let content = match number {
            FTRACE => PacketContent::Ftrace,
            2 => PacketContent::ProcessTree,
            6 => PacketContent::Clocks,
            7 => PacketContent::SysStats,
            9 => PacketContent::ProcessStats,
            TRACK_EVENT => PacketContent::TrackEvent,
            43 => PacketContent::ProcessDescriptor,
            44 => PacketContent::ThreadDescriptor,
            60 => PacketContent::TrackDescriptor,
            8 => return self.timestamp = Some(value.number()),
            10 => return self.sequence = value.number() as u32,
            12 => return self.interned = Some(value.bytes()),
            13 => return self.set_flags(value.number()),
            41 => return self.is_cleared |= value.number() != 0,
            42 => return self.has_loss |= value.number() != 0,
            58 => return self.clock = Some(value.number() as u32),
            59 => return self.defaults = Some(value.bytes()),
            98 => return self.machine = value.number() as u32,
            // Who wrote the packet, and what describes the recording: no events.
            3 | 33..=36 | 45 | 64 | 69 | 70 | 72 | 79 | 87..=90 | 124 => return,
            other => return self.unread = Some(other),
        };
        self.content = Some((content, value.bytes()));
    }
}
