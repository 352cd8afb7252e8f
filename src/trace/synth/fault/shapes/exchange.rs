//! Ranks that exchange messages with partners and meet twice in each iteration: a stencil, or a transposition.
//!
//! ```text
//!  usual              post  before  send  main ··wait  after  ·meet  tail  ·meet
//!  late sender        post  before  main  after  send ··wait         ·meet  tail  ·meet
//!  late at a meeting  post  before  send  main ··wait  after  tail   ·meet        ·meet
//!  posting on need          before  send  main  post ··wait  after   ·meet  tail  ·meet
//!  late receiver            before  send  main  after  post ··wait   ·meet  tail  ·meet
//! ```
//! Ranks are on a grid as wide as a node. A stencil has four neighbors on a torus; a transposition has all others of the
//! row, and in a second phase all others of the column; the work after it is that of the second.

use crate::synth::fault::layout::RANKS_PER_NODE;
use crate::synth::fault::operations::{Operation, names};
use crate::synth::fault::options::ProgramShape;
use crate::synth::fault::plan::WorkOrder;
use crate::synth::fault::program::FaultyProgram;
use crate::synth::fault::settings::{ReceivePosting, phases};

/// Slots of noise: those of a phase, then those of the iteration.
const SLOTS: u64 = 3;
const TAIL_SLOT: u64 = 100;
const SECTION_SLOT: u64 = 101;

pub(super) fn iterate(program: &FaultyProgram<'_>, rank: u32, iteration: u32, out: &mut Vec<Operation>) {
    let (settings, plan) = (program.settings, program.plan);
    let order = plan.order(rank, iteration);
    let phases = phases(settings.shape);
    let [before, main, after, tail] = settings.parts();
    let main = plan.main_work(rank, iteration, main);
    for phase in 0..phases {
        let is_last = phase + 1 == phases;
        let partners = partners(settings.shape, settings.ranks, rank, phase);
        let slot = phase * SLOTS;
        let work = ExchangeWork {
            before: program.compute(names::BEFORE, iteration, before / phases, slot),
            main: program.compute(names::MAIN, iteration, main / phases, slot + 1),
            after: is_last.then(|| program.compute(names::AFTER, iteration, after, slot + 2)),
        };
        // Only what the last phase has could be done too early.
        exchange(program, &partners, work, if is_last { order } else { WorkOrder::Usual }, out);
    }
    let tail = program.compute(names::TAIL, iteration, tail, TAIL_SLOT);
    let meet = Operation::Meet { state: names::REDUCE };
    match order {
        WorkOrder::WorkBeforeMeeting => out.extend([tail, meet, meet]),
        _ => out.extend([meet, tail, meet]),
    }
    if let Some((worker, length)) = plan.section(iteration, settings) {
        if rank == worker {
            out.push(program.compute(names::SECTION, iteration, length, SECTION_SLOT));
        }
        out.push(Operation::Meet { state: names::BARRIER });
    }
}

/// The work around an exchange; what comes after belongs to the last phase.
struct ExchangeWork {
    before: Operation,
    main: Operation,
    after: Option<Operation>,
}

/// Adds one exchange with all partners, and the work around it.
fn exchange(
    program: &FaultyProgram<'_>,
    partners: &[u32],
    work: ExchangeWork,
    order: WorkOrder,
    out: &mut Vec<Operation>,
) {
    let ExchangeWork { before, main, after } = work;
    let pieces = program.plan.pieces();
    if pieces > 1 {
        out.push(before);
        for piece in 0..pieces {
            let bytes = program.settings.bytes * (piece + 1) / pieces - program.settings.bytes * piece / pieces;
            post(partners, out);
            send(partners, bytes, out);
            wait(out);
        }
        out.push(main);
        out.extend(after);
        return;
    }
    let bytes = program.settings.bytes;
    match order {
        WorkOrder::WorkBeforeSend => {
            post(partners, out);
            out.extend([before, main]);
            out.extend(after);
            send(partners, bytes, out);
            wait(out);
        }
        WorkOrder::WorkBeforeReceive => {
            out.push(before);
            send(partners, bytes, out);
            out.push(main);
            out.extend(after);
            post(partners, out);
            wait(out);
        }
        WorkOrder::Usual | WorkOrder::WorkBeforeMeeting => {
            let posting = program.settings.posting;
            if posting == ReceivePosting::Early {
                post(partners, out);
            }
            out.push(before);
            send(partners, bytes, out);
            if !program.plan.overlaps() {
                wait(out);
                out.push(main);
                out.extend(after);
                return;
            }
            out.push(main);
            if posting == ReceivePosting::OnNeed {
                post(partners, out);
            }
            wait(out);
            out.extend(after);
        }
    }
}

fn post(partners: &[u32], out: &mut Vec<Operation>) {
    out.extend(partners.iter().map(|source| Operation::PostReceive { source: *source }));
}

fn send(partners: &[u32], bytes: u64, out: &mut Vec<Operation>) {
    out.extend(partners.iter().map(|target| Operation::StartSend { target: *target, bytes }));
}

fn wait(out: &mut Vec<Operation>) {
    let state = names::WAIT_ALL;
    out.extend([Operation::AwaitReceives { state }, Operation::AwaitSends { state }]);
}

/// With whom a rank exchanges messages in a phase.
fn partners(shape: ProgramShape, ranks: u32, rank: u32, phase: u64) -> Vec<u32> {
    let width = RANKS_PER_NODE;
    let height = ranks / width;
    let (row, column) = (rank / width, rank % width);
    let at = |row: u32, column: u32| (row % height) * width + column % width;
    match (shape, phase) {
        (ProgramShape::AllToAll, 0) => (1..width).map(|step| at(row, column + step)).collect(),
        (ProgramShape::AllToAll, _) => (1..height).map(|step| at(row + step, column)).collect(),
        _ => vec![at(row, column + 1), at(row, column + width - 1), at(row + 1, column), at(row + height - 1, column)],
    }
}
