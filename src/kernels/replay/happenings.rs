//! What happens at one instant of measured time.

use super::ReplayState;
use super::instant::InstantPoint;
use super::moment::Moment;

/// What happens at an instant.
pub(super) struct Happenings<D> {
    pub(super) tick: i64,
    pub(super) arrivals: Vec<u64>,
    pub(super) departures: Vec<u64>,
    /// Containers whose states end.
    pub(super) ended: Vec<u32>,
    /// States that begin, by container.
    pub(super) states: Vec<ReplayState<D>>,
    /// Links that begin, by source.
    pub(super) links: Vec<u64>,
    /// All containers that something happens in, sorted.
    pub(super) containers: Vec<u32>,
    /// The point of each.
    pub(super) points: Vec<InstantPoint>,
    /// Whether a message that it waited for arrives.
    pub(super) is_released: Vec<bool>,
    /// Points that need others of the same instant.
    pub(super) needs: Vec<(usize, usize)>,
}

impl<D> Happenings<D> {
    pub(super) fn place(&self, container: u32) -> usize {
        self.containers.partition_point(|known| *known < container)
    }

    /// When the point of a container is reached.
    pub(super) fn moment(&self, container: u32) -> Moment {
        Moment { old: self.tick, new: self.points[self.place(container)].time }
    }

    /// A state with a length that a container begins.
    pub(super) fn beginning(&self, container: u32) -> Option<&ReplayState<D>> {
        let from = self.states.partition_point(|row| row.state.container < container);
        let of_container = self.states[from..].iter().take_while(|row| row.state.container == container);
        of_container.into_iter().find(|row| row.state.start < row.state.end)
    }
}
