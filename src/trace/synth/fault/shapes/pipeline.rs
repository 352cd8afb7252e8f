//! Items that pass from node to node: each rank takes them from the same place in the node before.
//!
//! ```text
//!  usual         ·wait for item i  post for i + 1  process  ·wait for the last send  send ►
//!  no overlap    post  ·wait  process  send  ·wait ►
//! ```

use crate::synth::fault::layout::RANKS_PER_NODE;
use crate::synth::fault::operations::{Operation, names};
use crate::synth::fault::program::FaultyProgram;

/// Everybody but the first node is ready for the first item.
pub(super) fn prepare(program: &FaultyProgram<'_>, rank: u32, out: &mut Vec<Operation>) {
    if let Some(source) = before(rank).filter(|_| program.plan.overlaps()) {
        out.push(Operation::PostReceive { source });
    }
}

pub(super) fn iterate(program: &FaultyProgram<'_>, rank: u32, iteration: u32, out: &mut Vec<Operation>) {
    let (settings, plan) = (program.settings, program.plan);
    let (source, target) = (before(rank), after(rank, settings.ranks));
    let state = names::WAIT;
    if let Some(source) = source {
        if !plan.overlaps() {
            out.push(Operation::PostReceive { source });
        }
        out.push(Operation::AwaitReceives { state });
        if plan.overlaps() && iteration + 1 < settings.iterations {
            out.push(Operation::PostReceive { source });
        }
    }
    let length = plan.main_work(rank, iteration, settings.iteration);
    out.push(program.compute(names::STAGE, iteration, length, 0));
    let Some(target) = target else { return };
    if plan.overlaps() {
        out.push(Operation::AwaitSends { state });
        out.push(Operation::StartSend { target, bytes: settings.bytes });
    } else {
        out.push(Operation::StartSend { target, bytes: settings.bytes });
        out.push(Operation::AwaitSends { state });
    }
}

fn before(rank: u32) -> Option<u32> {
    rank.checked_sub(RANKS_PER_NODE)
}

fn after(rank: u32, ranks: u32) -> Option<u32> {
    Some(rank + RANKS_PER_NODE).filter(|next| *next < ranks)
}
