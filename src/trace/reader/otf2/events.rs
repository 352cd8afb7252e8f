//! Event records become events; the ids of a location become global ones.

#[cfg(test)]
mod tests;

use super::bytes::{Malformed, ReadResult, RecordBytes};
use super::layout::{self, MOST_FIELDS, RecordFieldKind, RecordLayout};
use super::local::{LocationDefinitions, Mapping};

/// A point-to-point message at one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessageRecord {
    /// Rank of the other end in the communicator.
    pub peer: u32,
    pub comm: u32,
    pub tag: u32,
    pub bytes: u64,
}

/// What one location did in a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Collective {
    pub operation: u8,
    pub comm: u32,
    pub root: u32,
    pub sent: u64,
    pub received: u64,
}

/// What an event record says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum EventRecord {
    Enter(u32),
    Leave(u32),
    Send(MessageRecord),
    Receive(MessageRecord),
    CollectiveBegin,
    CollectiveEnd(Collective),
    /// The end of one that did not block.
    CollectiveComplete(Collective),
    /// Values of the members of a metric.
    Metric {
        metric: u32,
        values: Vec<f64>,
    },
    Program {
        name: u32,
        arguments: Vec<u32>,
    },
    ContextEnter(u32),
    ContextLeave(u32),
    /// Any other record: its fields, ids already global.
    Other(&'static RecordLayout, [u64; MOST_FIELDS]),
}

/// An extra field that an event was given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Attribute {
    pub attribute: u32,
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AttributeValue {
    Int(i64),
    UInt(u64),
    Double(f64),
    Id(Mapping, u64),
}

/// Reads the fields of a record that is known; `None` for one that is not.
pub(super) fn decode(
    code: u8,
    bytes: &mut RecordBytes<'_>,
    local: &LocationDefinitions,
) -> ReadResult<Option<EventRecord>> {
    let id = |mapping: Mapping, id: u32| local.global(mapping, u64::from(id)) as u32;
    Ok(Some(match code {
        12 => EventRecord::Enter(id(Mapping::Region, bytes.u32()?)),
        13 => EventRecord::Leave(id(Mapping::Region, bytes.u32()?)),
        14 | 15 => EventRecord::Send(message(bytes, local)?),
        18 | 19 => EventRecord::Receive(message(bytes, local)?),
        22 => EventRecord::CollectiveBegin,
        23 => EventRecord::CollectiveEnd(collective(bytes, local)?),
        86 => EventRecord::CollectiveComplete(collective(bytes, local)?),
        31 => {
            let (metric, count) = (id(Mapping::Metric, bytes.u32()?), bytes.u8()?);
            EventRecord::Metric { metric, values: bytes.list(u64::from(count), measurement)? }
        }
        66 => EventRecord::ContextEnter(id(Mapping::Context, bytes.u32()?)),
        67 => EventRecord::ContextLeave(id(Mapping::Context, bytes.u32()?)),
        83 => {
            let (name, count) = (id(Mapping::String, bytes.u32()?), bytes.u32()?);
            let arguments = bytes.list(u64::from(count), |bytes| Ok(id(Mapping::String, bytes.u32()?)))?;
            EventRecord::Program { name, arguments }
        }
        _ => match layout::of(code) {
            Some(layout) => EventRecord::Other(layout, fields(layout, bytes, local)?),
            None => return Ok(None),
        },
    }))
}

fn message(bytes: &mut RecordBytes<'_>, local: &LocationDefinitions) -> ReadResult<MessageRecord> {
    let peer = bytes.u32()?;
    let comm = local.global(Mapping::Comm, u64::from(bytes.u32()?)) as u32;
    Ok(MessageRecord { peer, comm, tag: bytes.u32()?, bytes: bytes.u64()? })
}

fn collective(bytes: &mut RecordBytes<'_>, local: &LocationDefinitions) -> ReadResult<Collective> {
    let operation = bytes.u8()?;
    let comm = local.global(Mapping::Comm, u64::from(bytes.u32()?)) as u32;
    Ok(Collective { operation, comm, root: bytes.u32()?, sent: bytes.u64()?, received: bytes.u64()? })
}

fn measurement(bytes: &mut RecordBytes<'_>) -> ReadResult<f64> {
    let (kind, raw) = (bytes.u8()?, bytes.u64()?);
    match kind {
        8 => Ok(raw as i64 as f64),
        4 => Ok(raw as f64),
        10 => Ok(f64::from_bits(raw)),
        _ => Err(Malformed),
    }
}

fn fields(
    layout: &RecordLayout,
    bytes: &mut RecordBytes<'_>,
    local: &LocationDefinitions,
) -> ReadResult<[u64; MOST_FIELDS]> {
    let mut values = [0; MOST_FIELDS];
    for (value, (_, kind)) in values.iter_mut().zip(layout.fields) {
        *value = match kind {
            RecordFieldKind::U8 => u64::from(bytes.u8()?),
            RecordFieldKind::U32 => u64::from(bytes.u32()?),
            RecordFieldKind::U64 => bytes.u64()?,
            RecordFieldKind::I64 => bytes.i64()? as u64,
            RecordFieldKind::Time => bytes.full(8)?,
            RecordFieldKind::Id(mapping) => local.global(*mapping, u64::from(bytes.u32()?)),
        };
    }
    Ok(values)
}

/// Reads the list of attributes that stands before an event.
pub(super) fn attributes(bytes: &mut RecordBytes<'_>, local: &LocationDefinitions) -> ReadResult<Vec<Attribute>> {
    let count = bytes.u32()?;
    bytes.list(u64::from(count), |bytes| {
        let attribute = local.global(Mapping::Attribute, u64::from(bytes.u32()?)) as u32;
        let kind = bytes.u8()?;
        Ok(Attribute { attribute, value: value(kind, bytes, local)? })
    })
}

fn value(kind: u8, bytes: &mut RecordBytes<'_>, local: &LocationDefinitions) -> ReadResult<AttributeValue> {
    use Mapping::*;
    const IDS: [Mapping; 15] = [
        String,
        Attribute,
        Location,
        Region,
        Group,
        Metric,
        Comm,
        Parameter,
        Window,
        Place,
        Context,
        Interrupt,
        File,
        Handle,
        LocationGroup,
    ];
    Ok(match kind {
        1 => AttributeValue::UInt(bytes.full(1)?),
        2 => AttributeValue::UInt(bytes.full(2)?),
        3 => AttributeValue::UInt(u64::from(bytes.u32()?)),
        4 => AttributeValue::UInt(bytes.u64()?),
        5 => AttributeValue::Int(i64::from(bytes.full(1)? as i8)),
        6 => AttributeValue::Int(i64::from(bytes.full(2)? as i16)),
        7 => AttributeValue::Int(i64::from(bytes.u32()? as i32)),
        8 => AttributeValue::Int(bytes.i64()?),
        9 => AttributeValue::Double(f64::from(f32::from_bits(bytes.full(4)? as u32))),
        10 => AttributeValue::Double(bytes.f64()?),
        11..=25 => {
            let mapping = IDS[usize::from(kind) - 11];
            // The number of a location has 64 bits, all others have 32.
            let id = if mapping == Location { bytes.u64()? } else { u64::from(bytes.u32()?) };
            AttributeValue::Id(mapping, local.global(mapping, id))
        }
        _ => return Err(Malformed),
    })
}
