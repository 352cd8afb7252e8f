//! One event in a compact form, as it waits to be sorted.
//!
//! ```text
//! record = start (8) byte (6) phase mode thread (4) name (4) category (4) length (4) id length (2) arguments length (2) text
//! text   = id arguments
//!        | end (8) byte (8) id length (4) arguments length (4) id arguments      where a number is too large for its place
//! ```
//! Of the latter, the id length is `ff ff`, and the length is that of the text.

#[cfg(test)]
mod tests;

/// An event, its names replaced by numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ChromeRecord<'a> {
    pub start: i64,
    /// Of a complete event; else the start.
    pub end: i64,
    /// Where in the file.
    pub byte: u64,
    pub thread: u32,
    pub name: u32,
    pub category: u32,
    pub phase: u8,
    /// Scope of an instant, or how a flow is bound.
    pub mode: u8,
    /// Id of an asynchronous event or of a flow.
    pub id: &'a [u8],
    /// The arguments: packed, or the JSON of a counter's.
    pub arguments: &'a [u8],
}

/// Bytes of a record without its text.
pub(super) const FIXED: usize = 36;
/// Bytes of the numbers that stand in the text.
const WIDE: usize = 24;
/// The id length of those records.
const IS_WIDE: u16 = u16::MAX;

/// The fixed part of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordHead([u8; FIXED]);

impl RecordHead {
    /// Appends a record.
    #[inline(always)]
    pub fn push(record: &ChromeRecord<'_>, into: &mut Vec<u8>) {
        let mut head = [0; FIXED];
        head[..8].copy_from_slice(&record.start.to_le_bytes());
        // The two highest bytes are overwritten.
        head[8..16].copy_from_slice(&record.byte.to_le_bytes());
        (head[14], head[15]) = (record.phase, record.mode);
        head[16..20].copy_from_slice(&record.thread.to_le_bytes());
        head[20..24].copy_from_slice(&record.name.to_le_bytes());
        head[24..28].copy_from_slice(&record.category.to_le_bytes());
        let length = record.end.wrapping_sub(record.start) as u64;
        let (id, arguments) = (record.id.len(), record.arguments.len());
        let is_wide = length > u64::from(u32::MAX)
            || record.byte >> 48 != 0
            || id >= usize::from(IS_WIDE)
            || arguments > usize::from(u16::MAX);
        if is_wide {
            return push_wide(record, head, into);
        }
        head[28..32].copy_from_slice(&(length as u32).to_le_bytes());
        head[32..34].copy_from_slice(&(id as u16).to_le_bytes());
        head[34..].copy_from_slice(&(arguments as u16).to_le_bytes());
        into.extend_from_slice(&head);
        into.extend_from_slice(record.id);
        into.extend_from_slice(record.arguments);
    }

    /// The head that bytes begin with; `None` where there are too few.
    #[inline(always)]
    pub fn of(bytes: &[u8]) -> Option<RecordHead> {
        bytes.first_chunk().map(|head| RecordHead(*head))
    }

    #[inline(always)]
    fn short(&self, at: usize) -> u32 {
        number(&self.0[at..at + 4]) as u32
    }

    #[inline(always)]
    fn id_len(&self) -> u16 {
        u16::from_le_bytes([self.0[32], self.0[33]])
    }

    #[inline(always)]
    fn arguments_len(&self) -> u16 {
        u16::from_le_bytes([self.0[34], self.0[35]])
    }

    #[inline(always)]
    pub fn start(&self) -> i64 {
        number(&self.0[..8]) as i64
    }

    /// Bytes of the text, which follow.
    #[inline(always)]
    pub fn text_len(&self) -> usize {
        match self.id_len() {
            IS_WIDE => self.short(28) as usize,
            id => usize::from(id) + usize::from(self.arguments_len()),
        }
    }

    /// The record whose text begins some bytes.
    #[inline(always)]
    pub fn record<'a>(&self, text: &'a [u8]) -> ChromeRecord<'a> {
        let start = self.start();
        let record = |end: i64, byte: u64, id_len: usize, arguments_len: usize, text: &'a [u8]| {
            let (id, text) = text.split_at(id_len);
            ChromeRecord {
                start,
                end,
                byte,
                thread: self.short(16),
                name: self.short(20),
                category: self.short(24),
                phase: self.0[14],
                mode: self.0[15],
                id,
                arguments: &text[..arguments_len],
            }
        };
        match self.id_len() {
            IS_WIDE => {
                let (wide, text) = text.split_at(WIDE);
                let (id_len, arguments_len) = (number(&wide[16..20]) as usize, number(&wide[20..]) as usize);
                record(number(&wide[..8]) as i64, number(&wide[8..16]), id_len, arguments_len, text)
            }
            id_len => {
                let end = start.wrapping_add(i64::from(self.short(28)));
                record(end, number(&self.0[8..14]), id_len.into(), self.arguments_len().into(), text)
            }
        }
    }
}

#[cold]
fn push_wide(record: &ChromeRecord<'_>, mut head: [u8; FIXED], into: &mut Vec<u8>) {
    let text_len = WIDE + record.id.len() + record.arguments.len();
    head[28..32].copy_from_slice(&(text_len as u32).to_le_bytes());
    head[32..34].copy_from_slice(&IS_WIDE.to_le_bytes());
    into.extend_from_slice(&head);
    into.extend_from_slice(&record.end.to_le_bytes());
    into.extend_from_slice(&record.byte.to_le_bytes());
    into.extend_from_slice(&(record.id.len() as u32).to_le_bytes());
    into.extend_from_slice(&(record.arguments.len() as u32).to_le_bytes());
    into.extend_from_slice(record.id);
    into.extend_from_slice(record.arguments);
}

/// A number of at most eight bytes, the lowest first.
#[inline(always)]
fn number(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(eight)
}
