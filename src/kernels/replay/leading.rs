//! The states that a container follows: one at a time, where it is in several at once.
//!
//! ```text
//!  outer     [===================]     carried
//!  inner         [=====]               whole
//!  followed  oooo iiiii oooooooooo     outer is followed in two pieces
//! ```
//! In: the states of one container, in the order in which they start, of equal ones the longest first. Out: each of them
//! once, and pieces. At every instant the state is followed that started last of those that are open.

#[cfg(test)]
mod tests;

use super::ReplayPart;

/// A state, or a piece of one, and what it is in a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedState<D> {
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// What it is.
    pub part: ReplayPart,
    /// What the caller knows of it.
    pub detail: D,
}

/// A state that has not ended.
#[derive(Debug)]
struct CoveringState<D> {
    start: i64,
    end: i64,
    detail: D,
    /// Whether it was given, as a carried one.
    is_given: bool,
}

/// Cuts the states of one container.
#[derive(Debug)]
pub struct LeadingStates<D> {
    /// Those that have not ended; the last one is followed.
    open: Vec<CoveringState<D>>,
    /// Up to here everything is known.
    at: i64,
}

impl<D> Default for LeadingStates<D> {
    fn default() -> LeadingStates<D> {
        LeadingStates { open: vec![], at: i64::MIN }
    }
}

impl<D: Clone> LeadingStates<D> {
    /// Adds a state. One without length in another is carried.
    pub fn add(&mut self, start: i64, end: i64, detail: D, give: &mut impl FnMut(LedState<D>)) {
        self.advance(start, give);
        if end > start {
            self.open.push(CoveringState { start, end, detail, is_given: false });
            return;
        }
        let part = if self.open.is_empty() { ReplayPart::Whole } else { ReplayPart::Carried };
        give(LedState { start, end: start, part, detail });
    }

    /// Ends all states: another container follows.
    pub fn finish(&mut self, give: &mut impl FnMut(LedState<D>)) {
        self.advance(i64::MAX, give);
        self.at = i64::MIN;
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        self.open.capacity() * size_of::<CoveringState<D>>()
    }

    /// Ends states until an instant, from which on another may be followed.
    fn advance(&mut self, tick: i64, give: &mut impl FnMut(LedState<D>)) {
        while let Some(end) = self.open.last().map(|last| last.end).filter(|end| *end <= tick) {
            self.advance_to(end, give);
            self.open.pop();
        }
        self.advance_to(tick, give);
    }

    /// The last open state is followed until an instant.
    fn advance_to(&mut self, tick: i64, give: &mut impl FnMut(LedState<D>)) {
        let from = self.at;
        self.at = from.max(tick);
        let Some(last) = self.open.last_mut() else { return };
        let from = from.max(last.start);
        let is_whole = (from, tick) == (last.start, last.end);
        if !last.is_given && !is_whole && (from < tick || tick >= last.end) {
            last.is_given = true;
            let (start, end, detail) = (last.start, last.end, last.detail.clone());
            give(LedState { start, end, part: ReplayPart::Carried, detail });
        }
        if from < tick {
            let part = if is_whole { ReplayPart::Whole } else { ReplayPart::Piece };
            give(LedState { start: from, end: tick, part, detail: last.detail.clone() });
        }
    }
}
