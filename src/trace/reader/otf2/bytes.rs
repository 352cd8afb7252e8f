//! The elementary values of an OTF2 record.
//!
//! Whole numbers of 32 and 64 bits are written short: a byte that says how many bytes follow (0 to 4 or
//! 0 to 8), then that many bytes; 0xff alone stands for "undefined", all bits set. Other numbers have their
//! full width. The order of bytes is that of the machine that wrote the file.

#[cfg(test)]
mod tests;

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    /// The order that the second byte of a file names.
    pub fn from_mark(mark: u8) -> Option<ByteOrder> {
        match mark {
            0x23 => Some(ByteOrder::Big),
            0x42 => Some(ByteOrder::Little),
            _ => None,
        }
    }

    /// A number of up to eight bytes.
    pub fn number(self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            ByteOrder::Big => bytes.iter().fold(0, add),
            ByteOrder::Little => bytes.iter().rev().fold(0, add),
        }
    }
}

/// The record ends before its fields do, or a field is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

pub(super) type ReadResult<T> = Result<T, Malformed>;

/// The fields of a record, from front to back.
#[derive(Debug, Clone)]
pub(super) struct RecordBytes<'a> {
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> RecordBytes<'a> {
    pub fn new(rest: &'a [u8], order: ByteOrder) -> RecordBytes<'a> {
        RecordBytes { rest, order }
    }

    /// How many bytes are left: no list can have more elements.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    fn take(&mut self, count: usize) -> ReadResult<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn u8(&mut self) -> ReadResult<u8> {
        Ok(self.take(1)?[0])
    }

    /// A number of `count` bytes.
    pub fn full(&mut self, count: usize) -> ReadResult<u64> {
        Ok(self.order.number(self.take(count)?))
    }

    fn short(&mut self, widest: usize, undefined: u64) -> ReadResult<u64> {
        match self.u8()? {
            0xff => Ok(undefined),
            size if usize::from(size) <= widest => self.full(usize::from(size)),
            _ => Err(Malformed),
        }
    }

    pub fn u32(&mut self) -> ReadResult<u32> {
        Ok(self.short(4, u64::from(u32::MAX))? as u32)
    }

    pub fn u64(&mut self) -> ReadResult<u64> {
        self.short(8, u64::MAX)
    }

    pub fn i64(&mut self) -> ReadResult<i64> {
        Ok(self.u64()? as i64)
    }

    pub fn f64(&mut self) -> ReadResult<f64> {
        Ok(f64::from_bits(self.full(8)?))
    }

    /// Text up to its NUL.
    pub fn text(&mut self) -> ReadResult<String> {
        let end = memchr::memchr(0, self.rest).ok_or(Malformed)?;
        let text = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        self.rest = &self.rest[end + 1..];
        Ok(text)
    }

    /// A list of `count` elements. Memory grows with what is there, not with what is promised.
    pub fn list<T>(
        &mut self,
        count: u64,
        mut element: impl FnMut(&mut RecordBytes<'a>) -> ReadResult<T>,
    ) -> ReadResult<Vec<T>> {
        if count > self.left() as u64 {
            return Err(Malformed);
        }
        (0..count).map(|_| element(self)).collect()
    }
}
