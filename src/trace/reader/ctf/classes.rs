//! What the metadata of a CTF trace describe: fields, events, streams and clocks. CTF 1.8 and 2 share them.

use std::collections::BTreeMap;
use std::sync::Arc;

/// In which order the bytes of a number stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BytesOrder {
    Little,
    Big,
}

/// What a number means to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldRole {
    Magic,
    StreamClass,
    TotalLength,
    ContentLength,
    Begin,
    Discarded,
    Sequence,
    EventClass,
    Timestamp,
}

/// How many classes may be copies of others that have names: each that holds another twice doubles it.
pub(super) const MOST_COPIES: usize = 1 << 18;

/// How many roles there are.
pub(super) const ROLES: usize = FieldRole::Timestamp as usize + 1;

/// Values, both ends included.
pub(super) type ValueRange = (i128, i128);

/// Labels of numbers, with the values that they stand for.
pub(super) type Labels = Arc<Vec<(String, Vec<ValueRange>)>>;

/// A whole number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IntegerClass {
    /// 0 for one whose length depends on its value (LEB128).
    pub bits: u32,
    pub align: u32,
    pub order: BytesOrder,
    /// Whether the bits stand in the other direction than the order of bytes suggests.
    pub is_reversed: bool,
    pub is_signed: bool,
    /// Whether lists of it are text.
    pub is_text: bool,
    /// Whether it is shown in base 16.
    pub is_hex: bool,
    pub is_boolean: bool,
    /// Whether it is a timestamp.
    pub has_clock: bool,
    pub labels: Option<Labels>,
    pub role: Option<FieldRole>,
    /// Where its value is kept for those that refer to it.
    pub slot: Option<usize>,
}

/// A field that others depend on: the names that lead to it, and where its value is kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FieldReference {
    /// The scope that the names start in, where they name one.
    pub scope: Option<FieldScope>,
    pub names: Vec<String>,
    pub slot: Option<usize>,
}

/// Where fields stand in a packet, from the outermost inwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FieldScope {
    PacketHeader,
    PacketContext,
    EventHeader,
    CommonContext,
    SpecificContext,
    Payload,
}

/// How many elements or bytes there are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldLength {
    Fixed(u64),
    Of(FieldReference),
}

/// One of the possibilities of a variant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VariantOption {
    pub name: String,
    pub ranges: Vec<ValueRange>,
    pub class: FieldClass,
}

/// The layout of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldClass {
    Integer(IntegerClass),
    Float {
        bits: u32,
        align: u32,
        order: BytesOrder,
    },
    /// Ends with a zero byte.
    Text,
    /// Text of a length in bytes.
    SizedText(FieldLength),
    /// Bytes.
    Blob(FieldLength),
    Struct(StructClass),
    Array {
        length: FieldLength,
        element: Box<FieldClass>,
        align: u32,
    },
    Variant {
        selector: FieldReference,
        options: Vec<VariantOption>,
    },
    /// There when the selector is true, or one of the values.
    Optional {
        selector: FieldReference,
        ranges: Vec<ValueRange>,
        class: Box<FieldClass>,
    },
}

/// Fields one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StructClass {
    pub members: Vec<(String, FieldClass)>,
    pub align: u32,
}

impl StructClass {
    pub fn new(members: Vec<(String, FieldClass)>, least_align: u32) -> StructClass {
        let align = members.iter().map(|(_, class)| class.align()).max().unwrap_or(1).max(least_align);
        StructClass { members, align }
    }
}

impl FieldClass {
    /// Bits; the field starts at a multiple of them.
    pub fn align(&self) -> u32 {
        match self {
            FieldClass::Integer(integer) => integer.align,
            FieldClass::Float { align, .. } | FieldClass::Array { align, .. } => *align,
            FieldClass::Text | FieldClass::SizedText(_) | FieldClass::Blob(_) => 8,
            FieldClass::Struct(fields) => fields.align,
            FieldClass::Variant { .. } | FieldClass::Optional { .. } => 1,
        }
    }

    /// The classes that lie directly in it, by their place.
    pub fn child(&self, place: usize) -> Option<&FieldClass> {
        match self {
            FieldClass::Struct(fields) => fields.members.get(place).map(|(_, class)| class),
            FieldClass::Array { element, .. } => Some(element),
            FieldClass::Variant { options, .. } => options.get(place).map(|option| &option.class),
            FieldClass::Optional { class, .. } => Some(class),
            _ => None,
        }
    }

    /// As [`FieldClass::child`], to be changed.
    pub fn child_mut(&mut self, place: usize) -> Option<&mut FieldClass> {
        match self {
            FieldClass::Struct(fields) => fields.members.get_mut(place).map(|(_, class)| class),
            FieldClass::Array { element, .. } => Some(element),
            FieldClass::Variant { options, .. } => options.get_mut(place).map(|option| &mut option.class),
            FieldClass::Optional { class, .. } => Some(class),
            _ => None,
        }
    }

    /// How many classes it is made of, itself included, and how many of them lie in each other.
    pub fn extent(&self) -> (usize, usize) {
        let inner = (0..self.children()).filter_map(|place| self.child(place)).map(FieldClass::extent);
        let (count, height) =
            inner.fold((0_usize, 0), |(count, height), (inner, below)| (count + inner, height.max(below)));
        (count + 1, height + 1)
    }

    /// How many classes lie directly in it.
    pub fn children(&self) -> usize {
        match self {
            FieldClass::Struct(fields) => fields.members.len(),
            FieldClass::Array { .. } | FieldClass::Optional { .. } => 1,
            FieldClass::Variant { options, .. } => options.len(),
            _ => 0,
        }
    }
}

/// A clock: what its counts are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClockClass {
    pub frequency: u64,
    /// Seconds and counts from 1970, or from another zero.
    pub offset_seconds: i64,
    pub offset: i128,
}

impl Default for ClockClass {
    fn default() -> ClockClass {
        ClockClass { frequency: 1_000_000_000, offset_seconds: 0, offset: 0 }
    }
}

impl ClockClass {
    /// Nanoseconds since the zero of the clock; counts between two are cut off.
    pub fn nanoseconds(&self, count: u64) -> i128 {
        let counts = i128::from(count) + self.offset;
        if self.frequency == 1_000_000_000 {
            return i128::from(self.offset_seconds) * 1_000_000_000 + counts;
        }
        let frequency = i128::from(self.frequency.max(1));
        i128::from(self.offset_seconds) * 1_000_000_000 + (counts * 1_000_000_000).div_euclid(frequency)
    }
}

/// The count of a clock whose lowest bits are given: it never goes back.
pub(super) fn advanced(count: u64, low: u64, bits: u32) -> u64 {
    if bits >= 64 {
        return low;
    }
    let mask = (1_u64 << bits) - 1;
    let next = count & !mask | low & mask;
    if next < count { next.wrapping_add(1 << bits) } else { next }
}

/// A kind of event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EventClass {
    pub id: u64,
    pub stream: u64,
    pub name: String,
    pub context: Option<FieldClass>,
    pub payload: Option<FieldClass>,
}

/// A kind of stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StreamClass {
    pub packet_context: Option<FieldClass>,
    pub event_header: Option<FieldClass>,
    pub event_context: Option<FieldClass>,
    /// The name of its clock.
    pub clock: Option<String>,
    pub events: BTreeMap<u64, EventClass>,
}

/// What the metadata describe.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TraceClass {
    pub packet_header: Option<FieldClass>,
    pub environment: BTreeMap<String, String>,
    pub clocks: BTreeMap<String, ClockClass>,
    pub streams: BTreeMap<u64, StreamClass>,
    /// How many values are kept for those that refer to them.
    pub slots: usize,
    /// What could not be understood.
    pub faults: Vec<String>,
}

impl TraceClass {
    /// The clock of a stream: its own, or the only one.
    pub fn clock(&self, stream: &StreamClass) -> ClockClass {
        let own = stream.clock.as_ref().and_then(|name| self.clocks.get(name));
        own.or_else(|| self.clocks.values().next()).cloned().unwrap_or_default()
    }
}

/// Whether a name is the one that is looked for: TSDL puts `_` before names that could be its own words.
pub(super) fn is_named(name: &str, wanted: &str) -> bool {
    name == wanted || name.strip_prefix('_') == Some(wanted) || Some(name) == wanted.strip_prefix('_')
}
