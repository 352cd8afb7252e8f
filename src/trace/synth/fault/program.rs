//! A program and what is wrong with it.

use super::operations::Operation;
use super::plan::FaultPlan;
use super::settings::ProgramSettings;

/// What is simulated.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaultyProgram<'a> {
    pub(super) settings: &'a ProgramSettings,
    pub(super) plan: &'a FaultPlan,
}

impl FaultyProgram<'_> {
    /// A piece of computation, as long as it is in that iteration.
    pub(super) fn compute(&self, state: &'static str, iteration: u32, usual: u64, slot: u64) -> Operation {
        let length = self.plan.work(iteration, self.settings.iterations, usual);
        Operation::Compute { state, length, slot }
    }
}
