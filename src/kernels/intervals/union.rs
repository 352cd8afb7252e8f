//! The union of many intervals: each instant counts once, however many intervals hold it.
//!
//! ```text
//!  added    ##..##..        in any order
//!           .##...##
//!  union    ###.####        maximal intervals, by time; those that touch are one
//! ```
//! The union is the same whatever the order of adding, so its length is too, to the last bit.

/// Intervals being united. Memory follows the number of maximal intervals, not of those added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Union {
    /// Maximal intervals, by time.
    whole: Vec<(f64, f64)>,
    /// Added since they were last united.
    added: Vec<(f64, f64)>,
}

impl Union {
    /// Below so many, added intervals are not united yet.
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
    let mut sum = Sum::default();
    for (start, end) in intervals {
        sum.add(end - start);
    }
    sum.total()
}

/// The summed length of what two lists share; each is sorted and does not overlap itself.
pub fn shared_length(one: &[(f64, f64)], other: &[(f64, f64)]) -> f64 {
    let mut sum = Sum::default();
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
#[derive(Debug, Default)]
struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let total = self.sum + value;
        self.rest += if self.sum >= value { (self.sum - total) + value } else { (value - total) + self.sum };
        self.sum = total;
    }

    fn total(&self) -> f64 {
        // An infinite sum leaves no rest that is a number.
        if self.sum.is_finite() { self.sum + self.rest } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many of the unit cells from -40 to 40 some interval covers: the length of the union.
    fn covered(intervals: &[(i32, i32)], cell: i32) -> bool {
        intervals.iter().any(|(start, end)| *start <= cell && cell < *end)
    }

    fn union_of(intervals: &[(i32, i32)]) -> Union {
        let mut union = Union::default();
        for (start, end) in intervals {
            union.add(f64::from(*start), f64::from(*end));
        }
        union
    }

    fn interval() -> impl Strategy<Value = (i32, i32)> {
        (-40..40_i32, -3..9_i32).prop_map(|(start, width)| (start, (start + width).min(40)))
    }

    proptest! {
        #[test]
        fn lengths_count_each_cell_once(
            left in prop::collection::vec(interval(), 0..120), right in prop::collection::vec(interval(), 0..120)
        ) {
            let (mut one, mut other) = (union_of(&left), union_of(&right));
            let count = |is_in: &dyn Fn(i32) -> bool| (-40..40).filter(|cell| is_in(*cell)).count() as f64;
            prop_assert_eq!(length(one.intervals()), count(&|cell| covered(&left, cell)));
            let both = shared_length(one.intervals(), other.intervals());
            prop_assert_eq!(both, count(&|cell| covered(&left, cell) && covered(&right, cell)));
        }

        #[test]
        fn the_order_does_not_matter(
            intervals in prop::collection::vec((0.0..10.0_f64, 0.0..3.0_f64), 0..100), seed in any::<u64>()
        ) {
            let mut shuffled = intervals.clone();
            shuffled.sort_by_key(|(start, _)| start.to_bits().wrapping_mul(seed | 1));
            let of = |intervals: &[(f64, f64)]| {
                let mut union = Union::default();
                for (start, width) in intervals {
                    union.add(*start, start + width);
                }
                union
            };
            let expected = of(&intervals).intervals().to_vec();
            prop_assert_eq!(&expected, &of(&shuffled).intervals().to_vec());
            let (one, other) = shuffled.split_at(shuffled.len() / 2);
            let mut merged = of(one);
            merged.merge(of(other).intervals().iter().copied());
            prop_assert_eq!(&expected, &merged.intervals().to_vec());
        }
    }

    #[test]
    fn odd_bounds_add_nothing() {
        let mut union = Union::default();
        for (start, end) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
            union.add(start, end);
        }
        assert!(union.intervals().is_empty());
        assert_eq!(length(union.intervals()), 0.0);
        union.add(5.0, f64::INFINITY);
        assert_eq!(length(union.intervals()), f64::INFINITY);
    }

    #[test]
    fn intervals_that_follow_each_other_take_no_memory() {
        let mut union = Union::default();
        for step in 0..100_000 {
            union.add(f64::from(step), f64::from(step + 1));
        }
        assert!(union.size() < 1000, "{} bytes", union.size());
        assert_eq!(union.intervals(), [(0.0, 100_000.0)]);
    }
}
