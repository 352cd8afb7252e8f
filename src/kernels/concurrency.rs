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

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

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

/// The stays in one state, when they come in the order of their starts: only those that are open are held.
///
/// ```text
///  now            |         what ends before it is settled; what ends or starts at it may still change
///  A  .###########..
///  B  ...####.....          over, forgotten
///  C  ............###
/// ```
#[derive(Debug, Clone, Default)]
pub struct ActivitySweep {
    /// Until when each container stays.
    open: HashMap<i64, i64>,
    /// One end per open container; it is too early where the stay was extended afterwards.
    ends: BinaryHeap<Reverse<(i64, i64)>>,
    /// The latest start, and how many containers started to stay then.
    latest: (i64, i64),
    current: Option<Activity>,
}

impl ActivitySweep {
    /// Adds a stay that starts no earlier than the one before, and gives the intervals that it settles. A stay without
    /// length holds no instant and is left out.
    pub fn add(&mut self, stay: Stay, give: impl FnMut(Activity)) {
        if stay.end <= stay.start {
            return;
        }
        if stay.start > self.latest.0 || self.open.is_empty() {
            self.settle(Some(stay.start), give);
            self.latest = (stay.start, 0);
        }
        match self.open.get_mut(&stay.container) {
            Some(end) => *end = stay.end.max(*end),
            None => {
                self.open.insert(stay.container, stay.end);
                self.ends.push(Reverse((stay.end, stay.container)));
                self.latest.1 += 1;
            }
        }
    }

    /// Gives the intervals that are left: nothing comes any more.
    pub fn finish(&mut self, give: impl FnMut(Activity)) {
        self.settle(None, give);
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.open.allocation_size() + self.ends.capacity() * size_of::<(i64, i64)>()
    }

    /// Settles what happens before an instant, or everything.
    fn settle(&mut self, limit: Option<i64>, mut give: impl FnMut(Activity)) {
        while let Some(end) = self.next_end() {
            let now = if self.latest.1 > 0 { end.min(self.latest.0) } else { end };
            if limit.is_some_and(|limit| now >= limit) {
                return;
            }
            let mut change = 0;
            if now == self.latest.0 {
                change += std::mem::take(&mut self.latest.1);
            }
            while self.next_end() == Some(now) {
                if let Some(Reverse((_, container))) = self.ends.pop() {
                    self.open.remove(&container);
                    change -= 1;
                }
            }
            if change == 0 {
                continue;
            }
            let active = self.current.map_or(0, |current| current.active) + change;
            if let Some(current) = self.current.filter(|current| current.active > 0) {
                give(Activity { end: now, ..current });
            }
            self.current = Some(Activity { active, start: now, end: now });
        }
    }

    /// The earliest end of an open stay.
    fn next_end(&mut self) -> Option<i64> {
        while let Some(Reverse((end, container))) = self.ends.peek().copied() {
            match self.open.get(&container) {
                Some(known) if *known > end => {
                    self.ends.pop();
                    self.ends.push(Reverse((*known, container)));
                }
                _ => return Some(end),
            }
        }
        None
    }
}

/// Whether a stay begins within an earlier one of the same container, or right at its end.
fn continues(earlier: &Stay, stay: &Stay) -> bool {
    stay.container == earlier.container && earlier.start <= stay.start && stay.start <= earlier.end
}

fn count_equal(sorted: &[i64], value: i64) -> usize {
    sorted.iter().take_while(|item| **item == value).count()
}
