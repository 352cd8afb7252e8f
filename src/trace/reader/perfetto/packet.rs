//! One packet: what it says about its time, its sequence and its content.
//!
//! In: the bytes of a packet. Out: its fields; contents stay bytes until somebody asks for them.

use super::wire::{BadMessage, WireFields, WireValue};

/// The fields of contents that are events.
const FTRACE: u32 = 1;
const TRACK_EVENT: u32 = 11;

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
    pub fn read(bytes: &'a [u8]) -> Result<TracePacket<'a>, BadMessage> {
        let mut packet = TracePacket::default();
        WireFields::each(bytes, |number, value| {
            packet.field(number, value);
            Ok(())
        })?;
        Ok(packet)
    }

    /// As [`TracePacket::read`], but gives up on a packet of events as soon as it is known to be one.
    pub fn read_description(bytes: &'a [u8]) -> Result<TracePacket<'a>, BadMessage> {
        let mut packet = TracePacket::default();
        WireFields::each(bytes, |number, value| {
            if matches!(number, FTRACE | TRACK_EVENT) {
                return Err(BadMessage);
            }
            packet.field(number, value);
            Ok(())
        })?;
        Ok(packet)
    }

    #[inline]
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
            13 => {
                self.is_cleared |= value.number() & 1 != 0;
                return self.needs_state |= value.number() & 2 != 0;
            }
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
