//! Programs: what every rank does in every iteration.
//!
//! Step 0 is the start, steps 1 to n are the iterations 0 to n - 1, and step n + 1 is the end.

mod exchange;
mod master_worker;
mod pipeline;

use super::operations::{Operation, names};
use super::options::ProgramShape;
use super::plan::FaultPlan;
use super::settings::ProgramSettings;

/// A program and what is wrong with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program<'a> {
    pub(super) settings: &'a ProgramSettings,
    pub(super) plan: &'a FaultPlan,
}

impl Program<'_> {
    /// Adds what a rank does in a step; nothing beyond the last one.
    pub(super) fn step(&self, rank: u32, step: u32, out: &mut Vec<Operation>) {
        let (start, end) = self.plan.start_and_end(self.settings);
        let iterations = self.settings.iterations;
        match step {
            0 => {
                out.push(Operation::Spend { state: names::INIT, length: start });
                out.push(Operation::Meet { state: names::BARRIER });
                self.prepare(rank, out);
            }
            step if step <= iterations => self.iterate(rank, step - 1, out),
            step if step == iterations + 1 => {
                out.push(Operation::AwaitSends { state: names::WAIT_ALL });
                out.push(Operation::Meet { state: names::BARRIER });
                out.push(Operation::Spend { state: names::FINALIZE, length: end });
            }
            _ => {}
        }
    }

    fn prepare(&self, rank: u32, out: &mut Vec<Operation>) {
        match self.settings.shape {
            ProgramShape::MasterWorker => master_worker::prepare(rank, out),
            ProgramShape::Pipeline => pipeline::prepare(self, rank, out),
            ProgramShape::Stencil | ProgramShape::AllToAll => {}
        }
    }

    fn iterate(&self, rank: u32, iteration: u32, out: &mut Vec<Operation>) {
        match self.settings.shape {
            ProgramShape::MasterWorker => master_worker::iterate(self, rank, iteration, out),
            ProgramShape::Pipeline => pipeline::iterate(self, rank, iteration, out),
            ProgramShape::Stencil | ProgramShape::AllToAll => exchange::iterate(self, rank, iteration, out),
        }
    }

    /// A piece of computation, as long as it is in that iteration.
    fn compute(&self, state: &'static str, iteration: u32, usual: u64, slot: u64) -> Operation {
        let length = self.plan.work(iteration, self.settings.iterations, usual);
        Operation::Compute { state, length, slot }
    }
}
