//! Something that goes more slowly for a while.
//!
//! ```text
//!  work of 6, factor 2 within [a, b):      ==|====|==     2 before, 4 / 2 within, 2 after: 8 long
//!                                            a    b
//! ```

#[cfg(test)]
mod tests;

/// An interval, in nanoseconds, and by how much longer everything takes within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slowdown {
    pub(super) start: u64,
    pub(super) end: u64,
    /// In thousandths, at least 1000.
    pub(super) factor: u64,
}

impl Slowdown {
    /// When work that takes `length` otherwise is done.
    pub(super) fn finish(&self, begin: u64, length: u64) -> u64 {
        let before = self.start.saturating_sub(begin).min(length);
        let (now, left) = (begin + before, length - before);
        if left == 0 || now >= self.end {
            return now + left;
        }
        let slowed = (u128::from(left) * u128::from(self.factor) / 1000) as u64;
        if slowed <= self.end - now {
            return now + slowed;
        }
        let done = (u128::from(self.end - now) * 1000 / u128::from(self.factor)) as u64;
        self.end + (left - done)
    }
}
