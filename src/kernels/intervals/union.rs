//! The union of many intervals: each instant counts once, however many intervals hold it.
//!
//! ```text
//!  added    ##..##..        in any order
//!           .##...##
//!  union    ###.####        maximal intervals, by time; those that touch are one
//! ```
//! The union is the same whatever the order of adding, so its length is too, to the last bit.

#[cfg(test)]
mod tests;

/// Intervals being united. Memory follows the number of maximal intervals, not of those added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Union {
    /// Maximal intervals, by time.
    whole: Vec<(f64, f64)>,
    /// Added since they were last united.
    added: Vec<(f64, f64)>,
}

impl Union {
    /// While there are fewer, added intervals are not united yet.
    const FEW: usize = 32;

    /// Adds an interval; one that is empty, reversed or NaN adds nothing.
    pub fn add(&mut self, start: f64, end: f64) {
        // NaN is not less than anything.
        if start < end {
            self.push(start, end);
        }
    }

    fn push(&mut self, start: f64, end: f64) {
        // What follows the last one extends it, as states in order do.
        if let Some(last) = self.added.last_mut()
            && last.0 <= start
            && start <= last.1
        {
            last.1 = last.1.max(end);
            return;
        }
        if self.added.len() >= Self::FEW.max(self.whole.len()) {
            self.unite();
        }
        self.added.push((start, end));
    }

    /// Adds the intervals of another union.
    pub fn merge(&mut self, intervals: impl IntoIterator<Item = (f64, f64)>) {
        self.unite();
        self.added.extend(intervals);
        self.unite();
    }

    fn unite(&mut self) {
        if !self.added.is_sorted_by_key(|interval| interval.0) {
            self.added.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
        let Some(first) = self.added.first() else {
            return;
        };
        let follows = self.whole.last().is_none_or(|last| last.0 <= first.0);
        if follows {
            // Rows come by time most often: what is there stays where it is.
            self.added.drain(..).for_each(|interval| append(&mut self.whole, interval));
            return;
        }
        let before = std::mem::take(&mut self.whole);
        let mut before = before.into_iter().peekable();
        for interval in self.added.drain(..) {
            while let Some(earlier) = before.next_if(|earlier| earlier.0 <= interval.0) {
                append(&mut self.whole, earlier);
            }
            append(&mut self.whole, interval);
        }
        before.for_each(|interval| append(&mut self.whole, interval));
    }

    /// The maximal intervals, by time.
    pub fn intervals(&mut self) -> &[(f64, f64)] {
        self.unite();
        &self.whole
    }

    /// Bytes that it holds beyond itself.
    pub fn size(&self) -> usize {
        (self.whole.capacity() + self.added.capacity()) * size_of::<(f64, f64)>()
    }
}

/// Adds an interval that starts no earlier than the last one.
fn append(whole: &mut Vec<(f64, f64)>, (start, end): (f64, f64)) {
    match whole.last_mut() {
        Some(last) if start <= last.1 => last.1 = last.1.max(end),
        _ => whole.push((start, end)),
    }
}

/// The summed length of intervals that do not overlap.
pub fn length(intervals: &[(f64, f64)]) -> f64 {
    let mut sum = NeumaierSum::default();
    for (start, end) in intervals {
        sum.add(end - start);
    }
    sum.total()
}

/// The summed length of what two lists share; each is sorted and does not overlap itself.
pub fn shared_length(one: &[(f64, f64)], other: &[(f64, f64)]) -> f64 {
    let mut sum = NeumaierSum::default();
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        let (start, end) = (a.0.max(b.0), a.1.min(b.1));
        if start < end {
            sum.add(end - start);
        }
        if a.1 < b.1 { i += 1 } else { j += 1 }
    }
    sum.total()
}

/// A sum that carries along what rounding cuts off (Neumaier).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NeumaierSum {
    sum: f64,
    rest: f64,
}

impl NeumaierSum {
    pub(super) fn add(&mut self, value: f64) {
        let total = self.sum + value;
        self.rest += if self.sum >= value { (self.sum - total) + value } else { (value - total) + self.sum };
        self.sum = total;
    }

    pub(super) fn total(&self) -> f64 {
        // An infinite sum leaves no rest that is a number.
        if self.sum.is_finite() { self.sum + self.rest } else { self.sum }
    }
}
