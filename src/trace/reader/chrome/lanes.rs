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

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

/// An open slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    number: u64,
    /// `None` for one whose end is an event of its own.
    end: Option<i64>,
    name: u32,
}

/// A place for slices: a thread and a lane of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Lane {
    pub thread: u32,
    pub lane: usize,
}

/// An end that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Due {
    pub end: i64,
    pub lane: Lane,
    /// How many slices end here: the one that is due, and those without an end inside it.
    pub count: usize,
}

/// The open slices of all threads.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    open: HashMap<u32, Vec<Vec<Open>>>,
    /// Ends of complete slices, inner ones first.
    due: BinaryHeap<Reverse<(i64, Reverse<u64>, Lane)>>,
    count: u64,
}

impl Lanes {
    /// The next end at or before a time.
    pub fn next_due(&mut self, until: i64) -> Option<Due> {
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
            return Some(Due { end, lane, count });
        }
        None
    }

    /// Opens a complete slice on the first lane where it fits.
    pub fn open_complete(&mut self, thread: u32, end: i64, name: u32) -> Lane {
        let number = self.number();
        let lanes = self.open.entry(thread).or_default();
        let fits = |lane: &Vec<Open>| lane.last().is_none_or(|open| open.end.is_none_or(|outer| outer >= end));
        let place = lanes.iter().position(fits).unwrap_or_else(|| {
            lanes.push(vec![]);
            lanes.len() - 1
        });
        lanes[place].push(Open { number, end: Some(end), name });
        let lane = Lane { thread, lane: place };
        self.due.push(Reverse((end, Reverse(number), lane)));
        lane
    }

    /// Opens a slice whose end is told later.
    pub fn open_begin(&mut self, thread: u32, name: u32) -> Lane {
        let number = self.number();
        let lanes = self.open.entry(thread).or_default();
        if lanes.is_empty() {
            lanes.push(vec![]);
        }
        lanes[0].push(Open { number, end: None, name });
        Lane { thread, lane: 0 }
    }

    /// Ends the innermost slice without an end; tells how many end with it, itself included.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_does_not_nest_goes_to_another_lane() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.open_complete(0, 10, 0).lane, 0);
        assert_eq!(lanes.open_complete(0, 5, 1).lane, 0);
        assert_eq!(lanes.open_complete(0, 12, 2).lane, 1);
        assert_eq!(lanes.open_complete(0, 10, 3).lane, 1);
        assert_eq!(lanes.innermost(0), Some(3));
        let ends: Vec<(i64, usize)> =
            std::iter::from_fn(|| lanes.next_due(11)).map(|due| (due.end, due.lane.lane)).collect();
        assert_eq!(ends, [(5, 0), (10, 1), (10, 0)]);
        assert_eq!(lanes.open_complete(0, 20, 4).lane, 0);
    }

    #[test]
    fn an_end_takes_what_is_open_inside_it() {
        let mut lanes = Lanes::default();
        lanes.open_begin(7, 0);
        lanes.open_complete(7, 10, 1);
        assert_eq!(lanes.end(7), Some(2));
        assert_eq!(lanes.next_due(100), None);
        assert_eq!((lanes.end(7), lanes.end(8)), (None, None));
        lanes.open_complete(7, 10, 2);
        lanes.open_begin(7, 3);
        assert_eq!(lanes.next_due(10).map(|due| due.count), Some(2));
    }

    proptest! {
        /// Slices of a lane nest, and every slice ends once, at its own end.
        #[test]
        fn lanes_nest(slices in prop::collection::vec((0_i64..30, 0_i64..12), 0..40)) {
            let mut slices: Vec<(i64, i64)> = slices.into_iter().map(|(start, length)| (start, start + length)).collect();
            slices.sort_by_key(|(start, end)| (*start, -end));
            let mut lanes = Lanes::default();
            let mut stacks: HashMap<Lane, Vec<i64>> = HashMap::new();
            let mut ended = vec![];
            let mut pop = |due: Due, stacks: &mut HashMap<Lane, Vec<i64>>| {
                let end = stacks.get_mut(&due.lane).and_then(Vec::pop);
                assert_eq!((end, due.count), (Some(due.end), 1));
                ended.push(due.end);
            };
            for (start, end) in &slices {
                while let Some(due) = lanes.next_due(*start) {
                    pop(due, &mut stacks);
                }
                stacks.entry(lanes.open_complete(0, *end, 0)).or_default().push(*end);
            }
            while let Some(due) = lanes.next_due(i64::MAX) {
                pop(due, &mut stacks);
            }
            let mut expected: Vec<i64> = slices.iter().map(|(_, end)| *end).collect();
            expected.sort_unstable();
            prop_assert_eq!(ended, expected);
        }
    }
}
