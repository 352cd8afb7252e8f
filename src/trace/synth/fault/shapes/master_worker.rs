//! A master that hands out one task per worker and iteration, and merges results in the order in which they come.
//!
//! ```text
//!  master  send to all  plan ·········wait any, merge, wait any, merge …│ send to all
//!  worker  ·wait  task  send result, post  update cache                 ·wait  task …
//! ```
//! A worker updates its cache while the master merges, and is then ready for the next task.

use crate::synth::fault::operations::{Operation, names};
use crate::synth::fault::program::FaultyProgram;

const MASTER: u32 = 0;
/// Thousandths of an iteration that a worker spends on its task, and the master on its plans.
const TASK: u64 = 800;
const PLANNING: u64 = 600;
/// Nanoseconds to merge a result.
const MERGE: u64 = 10_000;
/// Bytes of a result.
const RESULT: u64 = 32 << 10;
/// Where the slots of merging begin.
const MERGE_SLOT: u64 = 10;

/// Workers are ready for their first task.
pub(super) fn prepare(rank: u32, out: &mut Vec<Operation>) {
    if rank != MASTER {
        out.push(Operation::PostReceive { source: MASTER });
    }
}

pub(super) fn iterate(program: &FaultyProgram<'_>, rank: u32, iteration: u32, out: &mut Vec<Operation>) {
    match rank {
        MASTER => hand_out(program, iteration, out),
        _ => work(program, rank, iteration, out),
    }
}

fn hand_out(program: &FaultyProgram<'_>, iteration: u32, out: &mut Vec<Operation>) {
    let (settings, plan) = (program.settings, program.plan);
    let workers = 1..settings.ranks;
    if let Some((_, length)) = plan.section(iteration, settings) {
        out.push(program.compute(names::SECTION, iteration, length, 1));
    }
    out.extend(workers.clone().map(|source| Operation::PostReceive { source }));
    out.extend(workers.clone().map(|target| Operation::StartSend { target, bytes: settings.bytes }));
    out.push(program.compute(names::PLANNING, iteration, settings.iteration * PLANNING / 1000, 0));
    for worker in workers {
        out.push(Operation::AwaitAnyReceive);
        out.push(program.compute(names::MERGE, iteration, MERGE, MERGE_SLOT + u64::from(worker)));
    }
    out.push(Operation::AwaitSends { state: names::WAIT_ALL });
}

fn work(program: &FaultyProgram<'_>, rank: u32, iteration: u32, out: &mut Vec<Operation>) {
    let (settings, plan) = (program.settings, program.plan);
    let task = plan.main_work(rank, iteration, settings.iteration * TASK / 1000);
    let housekeeping = settings.iteration * (1000 - TASK) / 1000;
    out.push(Operation::AwaitReceives { state: names::WAIT });
    out.push(program.compute(names::TASK, iteration, task, 0));
    out.push(Operation::StartSend { target: MASTER, bytes: RESULT });
    if iteration + 1 < settings.iterations {
        out.push(Operation::PostReceive { source: MASTER });
    }
    out.push(program.compute(names::HOUSEKEEPING, iteration, housekeeping, 1));
    out.push(Operation::AwaitSends { state: names::WAIT });
}
