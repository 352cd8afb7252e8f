//! What the rows of one time mean together: the stacks of states that change then, and the variables that go on.

use hashbrown::HashSet;

use super::packed_row::phase;
use crate::reader::RecordGroup;

/// The rows of one time, sorted by what must be looked at together.
pub struct OneTime {
    tick: i64,
    /// Container, type and place of the row, by stack; within one, in the order in which rows were finished.
    states: Vec<(u32, u32, usize)>,
    /// Variables that have a value from this time on.
    set: HashSet<(u32, u32)>,
}

impl OneTime {
    pub fn of(tick: i64, group: &RecordGroup<'_>) -> OneTime {
        let (mut states, mut set) = (vec![], HashSet::new());
        for place in 0..group.len() {
            let record = group.record(place);
            let series = (record.thread, record.name);
            match record.phase {
                phase::STATE | phase::STATE_END | phase::INSTANT_STATE => states.push((series.0, series.1, place)),
                phase::VARIABLE if record.end > tick => {
                    set.insert(series);
                }
                _ => (),
            }
        }
        states.sort_unstable();
        OneTime { tick, states, set }
    }

    /// The stacks of states that change, in the order of their numbers.
    pub fn stacks(&self) -> impl Iterator<Item = &[(u32, u32, usize)]> {
        self.states.chunk_by(|first, second| (first.0, first.1) == (second.0, second.1))
    }

    /// Whether a variable that ends now has no value afterwards, though its container goes on until `end`.
    pub fn leaves_nothing(&self, container: u32, type_: u32, end: i64) -> bool {
        !self.set.contains(&(container, type_)) && self.tick < end
    }
}
