//! States that a container is in beside the one that it follows: their ends keep their place between its points.
//!
//! ```text
//!  measured  |----a-------|      a third of the way between two points
//!  replayed  |--a----|           a third of the way between them
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::moment::Moment;
use super::{ReplayRow, ReplayState, Replayed};

/// The carried states of a container.
#[derive(Debug)]
pub(super) struct CarriedStates<D> {
    /// Those that started after the last point.
    begun: Vec<ReplayState<D>>,
    /// Those that started before, by end, with a number of their own, and when they start now.
    open: BTreeMap<(i64, u64), (ReplayState<D>, i64)>,
    /// When it is in states that are changed, from the last point on, in order and apart.
    changed: Vec<(i64, i64)>,
    /// The factor on these.
    factor: f64,
    next: u64,
}

impl<D> Default for CarriedStates<D> {
    fn default() -> CarriedStates<D> {
        CarriedStates { begun: vec![], open: BTreeMap::new(), changed: vec![], factor: 1.0, next: 0 }
    }
}

impl<D> CarriedStates<D> {
    /// A state starts, no earlier than the one before.
    pub(super) fn add(&mut self, row: ReplayState<D>) {
        let (start, end) = (row.state.start, row.state.end);
        if row.factor != 1.0 && start < end {
            self.factor = row.factor;
            match self.changed.last_mut().filter(|last| start <= last.1) {
                Some(last) => last.1 = last.1.max(end),
                None => self.changed.push((start, end)),
            }
        }
        self.begun.push(row);
    }

    /// The container reaches a point: what starts and ends since the point before is known.
    pub(super) fn pass(&mut self, before: Option<Moment>, point: Moment, give: &mut impl FnMut(Replayed<D>)) {
        let new = |tick: i64| between(before, point, tick);
        self.place(point.old, new, give);
        self.changed.retain(|(_, end)| *end > point.old);
    }

    /// The container has no more points.
    pub(super) fn finish(&mut self, last: Option<Moment>, give: &mut impl FnMut(Replayed<D>)) {
        let late = last.map_or(0, |last| last.new.saturating_sub(last.old));
        self.place(i64::MAX, |tick| tick.saturating_add(late), give);
    }

    /// How many are held.
    pub(super) fn len(&self) -> usize {
        self.begun.len() + self.open.len()
    }

    /// Ticks of an interval that are in changed states, and the factor on them.
    pub(super) fn changed(&self, (start, end): (i64, i64)) -> (i64, f64) {
        let common = |(from, to): &(i64, i64)| (end.min(*to) - start.max(*from)).max(0);
        (self.changed.iter().map(common).sum(), self.factor)
    }

    fn place(&mut self, until: i64, new: impl Fn(i64) -> i64, give: &mut impl FnMut(Replayed<D>)) {
        let begun = self.begun.partition_point(|row| row.state.start <= until);
        for row in self.begun.drain(..begun) {
            let (start, end) = (new(row.state.start), row.state.end);
            self.open.insert((end, self.next), (row, start));
            self.next += 1;
        }
        while let Some(first) = self.open.first_entry().filter(|first| first.key().0 <= until) {
            let (end, (row, start)) = (first.key().0, first.remove());
            let end = new(end).max(start);
            give(Replayed { row: ReplayRow::State(row), start, end });
        }
    }
}

/// When an instant between two points is reached: in proportion.
fn between(before: Option<Moment>, point: Moment, tick: i64) -> i64 {
    let Some(before) = before.filter(|before| before.old < point.old) else { return tick.min(point.new) };
    let [old, new] = [point.old - before.old, point.new - before.new].map(i128::from);
    let part = i128::from(tick - before.old) * new / old;
    before.new.saturating_add(part as i64)
}
