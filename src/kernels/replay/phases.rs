//! Phases of a container, and the factors that balance the work in them.

use hashbrown::HashMap;

use super::facts::ReplayFacts;
use crate::waiting::TimedState;

/// Counts the phases of a container: they end where it comes to a collective of all.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct PhaseCount(pub(super) u32);

impl PhaseCount {
    /// A state begins.
    pub(super) fn begin(&mut self, state: &TimedState, facts: &ReplayFacts) {
        if state.joins && facts.waits.is_common(state.value) {
            self.0 = self.0.saturating_add(1);
        }
    }
}

/// Factors on work, by phase and container.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BalancedPhases {
    pub(super) factors: HashMap<(u32, u32), f64>,
    /// Whether time in no state is work.
    pub(super) works_in_gaps: bool,
}

impl BalancedPhases {
    /// The factor on the work of a container in a phase.
    pub(super) fn factor(&self, phase: PhaseCount, container: u32) -> f64 {
        self.factors.get(&(phase.0, container)).copied().unwrap_or(1.0)
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        self.factors.allocation_size()
    }
}
