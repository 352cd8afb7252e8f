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

#[cfg(test)]
mod tests;

/// A container is in a state during `[start, end)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The container.
    pub container: i64,
    /// When it enters the state.
    pub start: i64,
    /// When it leaves the state.
    pub end: i64,
}

/// During `[start, end)`, `active` containers are in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// How many containers are in the state.
    pub active: i64,
    /// When the interval starts.
    pub start: i64,
    /// When the interval ends.
    pub end: i64,
}

/// The stays in one state.
#[derive(Debug, Clone, Default)]
pub struct StateStays {
    stays: Vec<Stay>,
}

impl StateStays {
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

    /// Makes room for `more` stays.
    pub fn reserve(&mut self, more: usize) {
        self.stays.reserve(more);
    }

    /// The stays so far.
    pub fn stays(&self) -> &[Stay] {
        &self.stays
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.stays.capacity() * size_of::<Stay>()
    }

    /// Gives the intervals with at least one container in the order of time; neighbors differ in
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
