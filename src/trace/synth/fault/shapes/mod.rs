//! Programs: what every rank does in every iteration.
//!
//! Step 0 is the start, steps 1 to n are the iterations 0 to n - 1, and step n + 1 is the end.

mod exchange;
mod master_worker;
mod pipeline;

use super::operations::{Operation, names};
use super::options::ProgramShape;
use super::program::FaultyProgram;

/// Adds what a rank does in a step; nothing beyond the last one.
pub(super) fn step(program: &FaultyProgram<'_>, rank: u32, step: u32, out: &mut Vec<Operation>) {
    let (start, end) = program.plan.start_and_end(program.settings);
    let iterations = program.settings.iterations;
    match step {
        0 => {
            out.push(Operation::Spend { state: names::INIT, length: start });
            out.push(Operation::Meet { state: names::BARRIER });
            prepare(program, rank, out);
        }
        step if step <= iterations => iterate(program, rank, step - 1, out),
        step if step == iterations + 1 => {
            out.push(Operation::AwaitSends { state: names::WAIT_ALL });
            out.push(Operation::Meet { state: names::BARRIER });
            out.push(Operation::Spend { state: names::FINALIZE, length: end });
        }
        _ => {}
    }
}

fn prepare(program: &FaultyProgram<'_>, rank: u32, out: &mut Vec<Operation>) {
    match program.settings.shape {
        ProgramShape::MasterWorker => master_worker::prepare(rank, out),
        ProgramShape::Pipeline => pipeline::prepare(program, rank, out),
        ProgramShape::Stencil | ProgramShape::AllToAll => {}
    }
}

fn iterate(program: &FaultyProgram<'_>, rank: u32, iteration: u32, out: &mut Vec<Operation>) {
    match program.settings.shape {
        ProgramShape::MasterWorker => master_worker::iterate(program, rank, iteration, out),
        ProgramShape::Pipeline => pipeline::iterate(program, rank, iteration, out),
        ProgramShape::Stencil | ProgramShape::AllToAll => exchange::iterate(program, rank, iteration, out),
    }
}
