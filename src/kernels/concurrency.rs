//! How many containers are in a state at each instant.
//!
//! In: stays, each of one container, in any order. Out: intervals during which the number of
//! containers does not change.
//!
//! ```text
//!  A  .####..####.      A container that stays twice at once counts once;
//!  A  ..####......      an interval in which nobody stays is left out.
//!  B  ...######...
//!  =  .1122212211.
//! ```
//! Cost: one sort of the stays by container and start, one of the starts and one of the ends. All
//! three are merges of sorted runs, since stays mostly come container by container in the order of time.

/// A container is in a state during `[start, end)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    pub container: i64,
    pub start: i64,
    pub end: i64,
}

/// During `[start, end)`, `active` containers are in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    pub active: i64,
    pub start: i64,
    pub end: i64,
}

/// The stays in one state.
#[derive(Debug, Clone, Default)]
pub struct Stays {
    stays: Vec<Stay>,
}

impl Stays {
    /// Adds a stay. One without length holds no instant and is left out.
    pub fn push(&mut self, stay: Stay) {
        if stay.end <= stay.start {
            return;
        }
        match self.stays.last_mut() {
            Some(last) if continues(last, &stay) => last.end = last.end.max(stay.end),
            _ => self.stays.push(stay),
        }
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.stays.reserve(more);
    }

    pub fn stays(&self) -> &[Stay] {
        &self.stays
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.stays.capacity() * size_of::<Stay>()
    }

    /// Gives the intervals with at least one container in the order of time; neighbours differ in
    /// their number, or have a gap between them.
    pub fn sweep(mut self, mut give: impl FnMut(Activity)) {
        self.join_stays_of_one_container();
        let mut starts: Vec<i64> = self.stays.iter().map(|stay| stay.start).collect();
        let mut ends: Vec<i64> = self.stays.iter().map(|stay| stay.end).collect();
        drop(self);
        // Stable: it finds the sorted run of every container and merges the runs.
        starts.sort();
        ends.sort();
        let (mut started, mut ended) = (0, 0);
        let mut current = Activity { active: 0, start: 0, end: 0 };
        while let Some(&next_end) = ends.get(ended) {
            let now = starts.get(started).map_or(next_end, |&next_start| next_start.min(next_end));
            started += count_equal(&starts[started..], now);
            ended += count_equal(&ends[ended..], now);
            let active = started as i64 - ended as i64;
            if active == current.active {
                continue;
            }
            if current.active > 0 {
                give(Activity { end: now, ..current });
            }
            current = Activity { active, start: now, end: now };
        }
    }

    /// Afterwards no two stays of one container overlap or touch.
    fn join_stays_of_one_container(&mut self) {
        self.stays.sort_by_key(|stay| (stay.container, stay.start));
        self.stays.dedup_by(|stay, kept| {
            let is_joined = continues(kept, stay);
            if is_joined {
                kept.end = kept.end.max(stay.end);
            }
            is_joined
        });
    }
}

/// Whether a stay begins within an earlier one of the same container, or right at its end.
fn continues(earlier: &Stay, stay: &Stay) -> bool {
    stay.container == earlier.container && earlier.start <= stay.start && stay.start <= earlier.end
}

fn count_equal(sorted: &[i64], value: i64) -> usize {
    sorted.iter().take_while(|item| **item == value).count()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn fast(stays: &[Stay]) -> Vec<Activity> {
        let mut collected = Stays::default();
        for stay in stays {
            collected.push(*stay);
        }
        let mut found = vec![];
        collected.sweep(|activity| found.push(activity));
        found
    }

    /// Looks at every stretch between two neighbouring times, and counts who is there.
    fn slow(stays: &[Stay]) -> Vec<Activity> {
        let times: BTreeSet<i64> = stays.iter().flat_map(|stay| [stay.start, stay.end]).collect();
        let times: Vec<i64> = times.into_iter().collect();
        let mut found: Vec<Activity> = vec![];
        for pair in times.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            let here = stays.iter().filter(|stay| stay.start <= start && end <= stay.end);
            let active = here.map(|stay| stay.container).collect::<BTreeSet<i64>>().len() as i64;
            match found.last_mut() {
                Some(last) if last.active == active => last.end = end,
                _ => found.push(Activity { active, start, end }),
            }
        }
        found.retain(|activity| activity.active > 0);
        found
    }

    fn stay(container: i64, start: i64, end: i64) -> Stay {
        Stay { container, start, end }
    }

    #[test]
    fn the_drawing_of_the_head() {
        let stays = [stay(1, 1, 5), stay(1, 7, 11), stay(1, 2, 6), stay(2, 3, 9)];
        let expected = [(1, 1, 3), (2, 3, 6), (1, 6, 7), (2, 7, 9), (1, 9, 11)];
        let expected: Vec<Activity> =
            expected.iter().map(|&(active, start, end)| Activity { active, start, end }).collect();
        assert_eq!(fast(&stays), expected);
    }

    #[test]
    fn nobody_anywhere() {
        assert_eq!(fast(&[]), []);
        assert_eq!(fast(&[stay(1, 5, 5), stay(2, 7, 6)]), []);
    }

    #[test]
    fn one_leaves_when_another_comes() {
        let joined = [Activity { active: 1, start: 0, end: 9 }];
        assert_eq!(fast(&[stay(1, 0, 5), stay(2, 5, 9)]), joined);
        assert_eq!(fast(&[stay(1, 5, 9), stay(1, 0, 5)]), joined);
    }

    #[test]
    fn the_ends_of_time() {
        let stays = [stay(1, i64::MIN, i64::MAX), stay(2, 0, i64::MAX)];
        assert_eq!(fast(&stays), slow(&stays));
    }

    proptest! {
        #[test]
        fn both_ways_agree(rows in prop::collection::vec((0_i64..4, 0_i64..20, 0_i64..8), 0..40)) {
            let stays: Vec<Stay> =
                rows.into_iter().map(|(container, start, length)| stay(container, start, start + length)).collect();
            prop_assert_eq!(fast(&stays), slow(&stays));
        }
    }
}
