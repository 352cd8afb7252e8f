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

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use super::lane_room::LaneRoom;

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
pub(in crate::reader) struct SliceLane {
    pub thread: u32,
    pub lane: usize,
}

/// An end that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reader) struct DueEnd {
    pub end: i64,
    pub lane: SliceLane,
    /// How many slices end here: the one that is due, and those without an end inside it.
    pub count: usize,
}

/// A complete slice that is open.
#[derive(Debug, Clone, Copy)]
struct DueSlice {
    end: i64,
    number: u64,
    lane: SliceLane,
}

impl DueSlice {
    /// The greatest ends first; of those that end together, the one that was opened last. One number, which is compared
    /// without a branch.
    #[inline(always)]
    fn rank(&self) -> u128 {
        let end = self.end.cast_unsigned() ^ 1 << 63;
        u128::from(!end) << 64 | u128::from(self.number)
    }
}

impl Ord for DueSlice {
    #[inline(always)]
    fn cmp(&self, other: &DueSlice) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for DueSlice {
    #[inline(always)]
    fn partial_cmp(&self, other: &DueSlice) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for DueSlice {
    fn eq(&self, other: &DueSlice) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for DueSlice {}

/// The open slices of all threads.
#[derive(Debug, Default)]
pub(in crate::reader) struct SliceLanes {
    /// By thread.
    open: Vec<ThreadLanes>,
    /// Ends of complete slices, inner ones first.
    due: BinaryHeap<DueSlice>,
    count: u64,
}

impl SliceLanes {
    /// The next end at or before a time.
    pub fn next_due(&mut self, until: i64) -> Option<DueEnd> {
        while let Some(DueSlice { end, number, lane }) = self.due.peek().copied() {
            if end > until {
                return None;
            }
            self.due.pop();
            let Some(lanes) = self.open.get_mut(lane.thread as usize) else { continue };
            let Some(stack) = lanes.stacks.get(lane.lane) else { continue };
            // Numbers grow inwards. One that was ended early is no longer there.
            let Ok(place) = stack.binary_search_by_key(&number, |open| open.number) else { continue };
            return Some(DueEnd { end, lane, count: lanes.truncate(lane.lane, place) });
        }
        None
    }

    /// Opens a complete slice on the first lane where it fits.
    pub fn open_complete(&mut self, thread: u32, end: i64, name: u32) -> SliceLane {
        let number = self.number();
        let lanes = self.lanes_of(thread);
        let place = lanes.room.first(end).unwrap_or(lanes.stacks.len());
        lanes.push(place, OpenSlice { number, end: Some(end), name });
        let lane = SliceLane { thread, lane: place };
        self.due.push(DueSlice { end, number, lane });
        lane
    }

    /// Opens a slice whose end comes later.
    pub fn open_begin(&mut self, thread: u32, name: u32) -> SliceLane {
        let number = self.number();
        self.lanes_of(thread).push(0, OpenSlice { number, end: None, name });
        SliceLane { thread, lane: 0 }
    }

    /// Ends the innermost slice without an end; returns how many end with it, itself included.
    pub fn end(&mut self, thread: u32) -> Option<usize> {
        let lanes = self.open.get_mut(thread as usize).filter(|lanes| lanes.begun > 0)?;
        let place = lanes.stacks.first()?.iter().rposition(|open| open.end.is_none())?;
        Some(lanes.truncate(0, place))
    }

    /// The name of the innermost slice that is open on a thread.
    pub fn innermost(&self, thread: u32) -> Option<u32> {
        let lanes = self.open.get(thread as usize)?;
        let lane = lanes.occupied.last().copied().unwrap_or(0);
        lanes.stacks.get(lane)?.last().map(|open| open.name)
    }

    #[inline(always)]
    fn lanes_of(&mut self, thread: u32) -> &mut ThreadLanes {
        let place = thread as usize;
        if place >= self.open.len() {
            self.open.resize_with(place + 1, ThreadLanes::default);
        }
        &mut self.open[place]
    }

    fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// The lanes of one thread. A slice costs the logarithm of their number, however many do not nest.
#[derive(Debug, Default)]
struct ThreadLanes {
    /// The open slices of each lane, from the outermost inwards.
    stacks: Vec<Vec<OpenSlice>>,
    room: LaneRoom,
    /// Lanes with an open slice, without lane 0, where nearly all slices are.
    occupied: BTreeSet<usize>,
    /// Open slices without an end, all on lane 0.
    begun: usize,
}

impl ThreadLanes {
    /// Opens a slice on a lane, which may be the next new one.
    fn push(&mut self, lane: usize, slice: OpenSlice) {
        if lane == self.stacks.len() {
            self.stacks.push(vec![]);
        }
        self.begun += usize::from(slice.end.is_none());
        self.stacks[lane].push(slice);
        if lane > 0 {
            self.occupied.insert(lane);
        }
        self.room.set(lane, room_in(&self.stacks[lane]));
    }

    /// Ends the slices of a lane from a place inwards; returns how many.
    fn truncate(&mut self, lane: usize, place: usize) -> usize {
        let ended = self.stacks[lane].drain(place..);
        let count = ended.len();
        self.begun -= ended.filter(|slice| slice.end.is_none()).count();
        if place == 0 && lane > 0 {
            self.occupied.remove(&lane);
        }
        self.room.set(lane, room_in(&self.stacks[lane]));
        count
    }
}

/// The latest end of a slice that fits into the innermost open one.
fn room_in(stack: &[OpenSlice]) -> i64 {
    stack.last().and_then(|open| open.end).unwrap_or(i64::MAX)
}
