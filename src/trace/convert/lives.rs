//! When containers are created and destroyed, in the order in which a trace says it.

use crate::simulator::Simulated;

/// When containers are created and destroyed.
pub(super) struct ContainerLives {
    /// Time and container; parents first.
    pub creations: Vec<(i64, u32)>,
    /// Children first.
    pub ends: Vec<(i64, u32)>,
    pub created: usize,
    pub ended: usize,
    /// By container.
    end_of: Vec<i64>,
}

impl ContainerLives {
    pub fn of(simulated: &Simulated) -> ContainerLives {
        let containers = &simulated.world.containers;
        let last = simulated.span.map_or(0, |(_, last)| last);
        let end_of: Vec<i64> = containers.iter().map(|container| container.end.unwrap_or(last)).collect();
        // No container is written before its parent, whatever its time.
        let mut turns: Vec<i64> = vec![];
        for container in containers {
            let parent = turns.get(container.parent.0 as usize).copied();
            turns.push(parent.map_or(container.start, |parent| parent.max(container.start)));
        }
        let mut creations: Vec<(i64, u32)> = turns.into_iter().zip(0..).collect();
        creations.sort_unstable();
        let mut ends: Vec<(i64, u32)> = end_of.iter().copied().zip(0..).collect();
        ends.sort_unstable_by_key(|(end, container)| (*end, std::cmp::Reverse(*container)));
        ContainerLives { creations, ends, created: 0, ended: 0, end_of }
    }

    /// When a container ends.
    pub fn end(&self, container: u32) -> i64 {
        self.end_of.get(container as usize).copied().unwrap_or(i64::MAX)
    }
}
