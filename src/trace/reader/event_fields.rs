//! What the fields of an emitted event are made of: names, extra fields, ends of links.

use crate::model::{EventBatch, Extra, ExtraData, NameId};

/// The interned name of a type, a value or a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NameHandle(pub(super) NameId);

impl NameHandle {
    /// Its place among all names, in the order in which they were interned.
    pub(super) fn number(self) -> usize {
        self.0.0 as usize
    }
}

/// An extra field of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExtraFieldId(pub(super) u32);

impl ExtraFieldId {
    /// A field whose values are not kept.
    pub(super) const LEFT_OUT: ExtraFieldId = ExtraFieldId(u32::MAX);
}

/// What an extra field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraRole {
    /// A column of its own.
    Column,
    /// Also the `volume` of a link.
    Volume,
}

/// The value of an extra field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExtraValue<'a> {
    /// A whole number.
    Int(i64),
    /// A whole number beyond the range of `i64`.
    UInt(u64),
    /// A number.
    Double(f64),
    /// Text.
    Text(&'a str),
}

impl ExtraValue<'_> {
    /// Adds the value of a field to a batch, as the next of its extra values; returns how many were added, 1 or 0.
    #[inline]
    pub(super) fn add_to(self, batch: &mut EventBatch, field: ExtraFieldId) -> usize {
        if field == ExtraFieldId::LEFT_OUT {
            return 0;
        }
        let data = match self {
            ExtraValue::Int(value) => ExtraData::Int(value),
            ExtraValue::UInt(value) => ExtraData::UInt(value),
            ExtraValue::Double(value) => ExtraData::Double(value),
            ExtraValue::Text(text) => ExtraData::Text(batch.push_valid_text(text)),
        };
        batch.extra_values.push(Extra { field: field.0, data });
        1
    }
}

/// The extra fields of an event.
pub type ExtraValues<'a> = &'a [(ExtraFieldId, ExtraValue<'a>)];

/// One end of a link.
#[derive(Debug, Clone, Copy)]
pub struct LinkEnd<'a> {
    /// When the link starts or ends.
    pub tick: i64,
    /// The container that the link belongs to, often the root.
    pub container: NameHandle,
    /// The container at this end.
    pub end: NameHandle,
    /// The type of the link.
    pub type_: NameHandle,
    /// The value of the link.
    pub value: NameHandle,
    /// What both ends have in common.
    pub key: &'a str,
    /// Extra fields of the link.
    pub fields: ExtraValues<'a>,
}
