//! Perfectly balanced phases: in each, every container works as long as all of them do on average.
//!
//! ```text
//!  A  ######|##            A  ####|###
//!  B  ##    |####     ─►   B  ####|###      a phase ends where a container comes to a collective of all
//! ```
//! Work is time in states in which a container neither communicates nor waits and which are no collectives; where no
//! state is one of computation, time in no state between states. Who does not work in a phase has no part in it.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use super::changes::ReplayChanges;
use super::facts::ReplayFacts;
use super::phases::{BalancedPhases, PhaseCount};
use crate::waiting::{StateRole, TimedState};

#[derive(Debug, Default, Clone, Copy)]
struct WorkLane {
    phase: PhaseCount,
    /// When its last state ended.
    end: Option<i64>,
}

/// Measures the work of phases: states come in the order in which they begin.
#[derive(Debug)]
pub struct BalanceSurvey {
    changes: ReplayChanges,
    facts: ReplayFacts,
    lanes: HashMap<u32, WorkLane>,
    /// Ticks in states and in no state, by phase and container.
    work: HashMap<(u32, u32), [i64; 2]>,
    has_computation: bool,
}

impl BalanceSurvey {
    /// Measures what changes apply to.
    pub fn new(changes: ReplayChanges, facts: ReplayFacts) -> BalanceSurvey {
        BalanceSurvey { changes, facts, lanes: HashMap::new(), work: HashMap::new(), has_computation: false }
    }

    /// Adds a state that a container follows.
    pub fn add_state(&mut self, state: &TimedState) {
        let lane = self.lanes.entry(state.container).or_default();
        let (gap, phase) = (lane.end.map(|end| (end, state.start)), lane.phase);
        lane.end = Some(lane.end.map_or(state.end, |end| end.max(state.end)));
        if state.start < state.end {
            lane.phase.begin(state, &self.facts);
        }
        let inside = lane.phase;
        self.has_computation |= state.role == StateRole::Works && !state.joins;
        if let Some(gap) = gap {
            self.add_work(phase, state.container, gap, 1);
        }
        if !state.is_blocked() {
            self.add_work(inside, state.container, (state.start, state.end), 0);
        }
    }

    fn add_work(&mut self, phase: PhaseCount, container: u32, time: (i64, i64), place: usize) {
        if let Some((start, end)) = self.changes.inside(container, time) {
            let work = self.work.entry((phase.0, container)).or_default();
            work[place] = work[place].saturating_add(end - start);
        }
    }

    /// The factors that make the work of all members of a phase their mean.
    pub fn finish(self) -> BalancedPhases {
        let works_in_gaps = !self.has_computation;
        let ticks = |work: &[i64; 2]| i128::from(work[0]) + if works_in_gaps { i128::from(work[1]) } else { 0 };
        let mut phases: HashMap<u32, (i128, i128)> = HashMap::new();
        for ((phase, _), work) in self.work.iter().filter(|(_, work)| ticks(work) > 0) {
            let (whole, members) = phases.entry(*phase).or_default();
            *whole += ticks(work);
            *members += 1;
        }
        let factor = |(key, work): (&(u32, u32), &[i64; 2])| {
            let (whole, members) = phases[&key.0];
            (*key, whole as f64 / (members * ticks(work)) as f64)
        };
        let factors = self.work.iter().filter(|(_, work)| ticks(work) > 0).map(factor).collect();
        BalancedPhases { factors, works_in_gaps }
    }

    /// Bytes on the heap, about; twice what the work takes, for the factors.
    pub fn bytes(&self) -> usize {
        self.lanes.allocation_size() + 2 * self.work.allocation_size()
    }
}
