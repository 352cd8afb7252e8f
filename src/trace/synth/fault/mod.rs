//! Programs with one planted fault, and what was planted.
//!
//! ```text
//!  options ─► settings ─► shapes: operations of each rank ─► simulation ─► record ─► output: Pajé text
//!     seed ─► plan: where, when, how strong ┘    mailbox, network ┘           └────► truth: against the clean run
//! ```
//! In: a kind of fault, a shape of program and a seed. Out: the trace of a simulated run in which only the cause is planted:
//! who waits and for how long follows from messages and meetings. The clean run of a seed has the same noise, so that the
//! difference of both is what the fault costs.

mod layout;
mod mailbox;
mod network;
mod noise;
mod operations;
mod options;
mod output;
mod plan;
mod program;
mod record;
mod settings;
mod shapes;
mod simulation;
mod slowdown;
#[cfg(test)]
mod tests;
mod truth;
mod variables;

use std::io::Write;

pub use options::{FaultKind, FaultOptions, ProgramShape};
pub use truth::FaultTruth;

use self::layout::RANKS_PER_NODE;
use self::noise::NoiseField;
use self::plan::FaultPlan;
use self::program::FaultyProgram;
use self::record::RunRecord;
use self::settings::ProgramSettings;
use crate::error::Result;

/// Writes the trace of a program with a fault; gives what was planted, nothing for a clean run.
pub fn fault(options: &FaultOptions, out: &mut dyn Write) -> Result<Option<FaultTruth>> {
    let runs = FaultRuns::new(options)?;
    let (plan, run) = runs.faulty.as_ref().map_or((&runs.clean_plan, &runs.clean), |(plan, run)| (plan, run));
    let samples = variables::samples(run, plan, options.ranks / RANKS_PER_NODE, runs.noise);
    output::write(options, plan, run, &samples, runs.noise, out)?;
    Ok(runs.faulty.as_ref().map(|(plan, run)| truth::truth(options, plan, run, &runs.clean)))
}

/// The clean run, and the one with the fault.
struct FaultRuns {
    noise: NoiseField,
    clean_plan: FaultPlan,
    clean: RunRecord,
    faulty: Option<(FaultPlan, RunRecord)>,
}

impl FaultRuns {
    fn new(options: &FaultOptions) -> Result<FaultRuns> {
        options.check()?;
        let deviation = (options.noise * 1e6).round() as u64;
        let noise = NoiseField::new(options.seed, deviation);
        // Networks vary more than processors.
        let network_noise = NoiseField::new(options.seed ^ 0x004E_4554, 3 * deviation);
        let settings = ProgramSettings::new(options, plan::strength(options));
        let run =
            |plan: &FaultPlan| simulation::simulate(FaultyProgram { settings: &settings, plan }, noise, network_noise);
        let clean_plan = FaultPlan::clean();
        let clean = run(&clean_plan)?;
        let faulty = match options.kind {
            FaultKind::None => None,
            _ => {
                let plan = FaultPlan::new(options, &settings, clean.end);
                let run = run(&plan)?;
                Some((plan, run))
            }
        };
        Ok(FaultRuns { noise, clean_plan, clean, faulty })
    }
}
