//! Which slices are open on a thread, and on which lane a slice has its place.
//!
//! Slices of one lane nest; one that overlaps the innermost open slice without nesting goes to the next
//! lane where it fits.
//!
//! ```text
//! lane 0  ######### A ########   ### D ###
//! lane 0     ## B ##
//! lane 1            ##### C #######            C starts inside A and ends after it
//! ```

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

/// An open slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenSlice {
    number: u64,
    /// `None` for one whose end is an event of its own.
    end: Option<i64>,
    name: u32,
}

/// A place for slices: a thread and a lane of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SliceLane {
    pub thread: u32,
    pub lane: usize,
}

/// An end that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DueEnd {
    pub end: i64,
    pub lane: SliceLane,
    /// How many slices end here: the one that is due, and those without an end inside it.
    pub count: usize,
}

/// The open slices of all threads.
#[derive(Debug, Default)]
pub(super) struct SliceLanes {
    open: HashMap<u32, Vec<Vec<OpenSlice>>>,
    /// Ends of complete slices, inner ones first.
    due: BinaryHeap<Reverse<(i64, Reverse<u64>, SliceLane)>>,
    count: u64,
}

impl SliceLanes {
    /// The next end at or before a time.
    pub fn next_due(&mut self, until: i64) -> Option<DueEnd> {
        while let Some(Reverse((end, Reverse(number), lane))) = self.due.peek().copied() {
            if end > until {
                return None;
            }
            self.due.pop();
            let stack = self.open.get_mut(&lane.thread).and_then(|lanes| lanes.get_mut(lane.lane));
            let Some(stack) = stack else { continue };
            // One that was ended early is no longer there.
            let Some(place) = stack.iter().rposition(|open| open.number == number) else { continue };
            let count = stack.len() - place;
            stack.truncate(place);
            return Some(DueEnd { end, lane, count });
        }
        None
    }

    /// Opens a complete slice on the first lane where it fits.
    pub fn open_complete(&mut self, thread: u32, end: i64, name: u32) -> SliceLane {
        let number = self.number();
        let lanes = self.open.entry(thread).or_default();
        let fits = |lane: &Vec<OpenSlice>| lane.last().is_none_or(|open| open.end.is_none_or(|outer| outer >= end));
        let place = lanes.iter().position(fits).unwrap_or_else(|| {
            lanes.push(vec![]);
            lanes.len() - 1
        });
        lanes[place].push(OpenSlice { number, end: Some(end), name });
        let lane = SliceLane { thread, lane: place };
        self.due.push(Reverse((end, Reverse(number), lane)));
        lane
    }

    /// Opens a slice whose end comes later.
    pub fn open_begin(&mut self, thread: u32, name: u32) -> SliceLane {
        let number = self.number();
        let lanes = self.open.entry(thread).or_default();
        if lanes.is_empty() {
            lanes.push(vec![]);
        }
        lanes[0].push(OpenSlice { number, end: None, name });
        SliceLane { thread, lane: 0 }
    }

    /// Ends the innermost slice without an end; returns how many end with it, itself included.
    pub fn end(&mut self, thread: u32) -> Option<usize> {
        let stack = self.open.get_mut(&thread)?.first_mut()?;
        let place = stack.iter().rposition(|open| open.end.is_none())?;
        let count = stack.len() - place;
        stack.truncate(place);
        Some(count)
    }

    /// The name of the innermost slice that is open on a thread.
    pub fn innermost(&self, thread: u32) -> Option<u32> {
        let lanes = self.open.get(&thread)?;
        lanes.iter().rev().find_map(|lane| lane.last()).map(|open| open.name)
    }

    fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}
