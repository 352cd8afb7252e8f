//! A program that is disturbed for a moment: after case A of Dosimont et al., IEEE Cluster 2014.
//!
//! In: how many processes, and how many of them are disturbed. Out: a trace of nine seconds.
//!
//! ```text
//!  0 s        1.5   1.8   2.1                                              9 s
//!  init        start, two steps   work: iterations of 50 ms, each the same mix of
//!  everybody   everybody          compute, send and wait; of each eight processes one mostly waits
//!                                        ^^^ 3.0 to 3.3 s: the disturbed ones send or wait longer
//! ```

#[cfg(test)]
mod tests;

use std::io::Write;

use super::header::HEADER;
use super::lines::TraceLines;
use super::random::RandomSource;
use crate::error::{Error, Result};

const PER_MACHINE: u32 = 8;
/// Phases end here, in microseconds.
const INIT: u64 = 1_500_000;
const FIRST_STEP: u64 = 1_800_000;
const SECOND_STEP: u64 = 2_100_000;
const DISTURBED_FROM: u64 = 3_000_000;
const DISTURBED_UNTIL: u64 = 3_300_000;
const END: u64 = 9_000_000;

const DEFINITIONS: [&str; 8] = [
    "0 C 0 Cluster",
    "0 M C Machine",
    "0 P M Process",
    "2 S P \"MPI state\"",
    "5 i S MPI_Init \"0.9 0.8 0.2\"",
    "5 c S compute \"0.2 0.7 0.3\"",
    "5 s S MPI_Send \"0.3 0.5 0.9\"",
    "5 w S MPI_Wait \"0.8 0.2 0.2\"",
];

/// Milliseconds of an iteration: compute, send, wait.
type IterationMix = [u64; 3];
const STATES: [&str; 3] = [" c", " s", " w"];

/// What to generate.
#[derive(Debug, Clone, Copy)]
pub struct PerturbationOptions {
    /// How many processes there are.
    pub processes: u32,
    /// How many of them are disturbed, spread evenly.
    pub disturbed: u32,
    /// Where the random numbers start.
    pub seed: u64,
}

impl PerturbationOptions {
    fn is_disturbed(&self, process: u32) -> bool {
        let (processes, disturbed) = (u64::from(self.processes), u64::from(self.disturbed));
        (u64::from(process) * disturbed) % processes < disturbed
    }
}

/// A state of a process, in microseconds.
struct ProcessState {
    start: u64,
    end: u64,
    process: u32,
    state: &'static str,
}

/// Writes the trace.
pub fn perturbation(options: &PerturbationOptions, out: &mut dyn Write) -> Result<()> {
    let PerturbationOptions { processes, disturbed, seed } = *options;
    if processes == 0 || disturbed > processes {
        return Err(Error::Usage(format!(
            "a trace has at least 1 process and disturbs at most all of them, got {processes} and {disturbed}"
        )));
    }
    let mut random = RandomSource::new(seed);
    let mut spans = vec![];
    for process in 0..processes {
        live(&mut spans, process, options.is_disturbed(process), &mut random);
    }
    // What ends comes before what begins.
    let mut events: Vec<(u64, bool, u32, &str)> = vec![];
    for span in &spans {
        events.push((span.start, true, span.process, span.state));
        events.push((span.end, false, span.process, ""));
    }
    events.sort_by_key(|(time, begins, process, _)| (*time, *begins, *process));
    let mut lines = TraceLines::new(out);
    lines.text("# ocellus generate perturbation: ").number(u64::from(processes)).text(" processes, ");
    lines.number(u64::from(disturbed)).text(" disturbed, seed ").number(seed).text("\n").text(HEADER);
    for definition in DEFINITIONS {
        lines.text(definition).end()?;
    }
    create(&mut lines, processes)?;
    for (time, begins, process, state) in events {
        lines.text(if begins { "12 " } else { "13 " }).seconds(time * 1000);
        lines.text(" S p").number(u64::from(process)).text(state).end()?;
    }
    destroy(&mut lines, processes)?;
    lines.flush()
}

/// Adds the states of one process.
fn live(spans: &mut Vec<ProcessState>, process: u32, is_disturbed: bool, random: &mut RandomSource) {
    spans.push(ProcessState { start: 0, end: INIT, process, state: " i" });
    let (usual, longer): (IterationMix, IterationMix) = match process % PER_MACHINE {
        0 => ([10, 5, 35], [3, 37, 10]),
        _ => ([15, 30, 5], [3, 12, 35]),
    };
    let moment = if is_disturbed { longer } else { usual };
    let phases = [
        (FIRST_STEP, [25, 15, 10]),
        (SECOND_STEP, [40, 5, 5]),
        (DISTURBED_FROM, usual),
        (DISTURBED_UNTIL, moment),
        (END, usual),
    ];
    let mut now = INIT;
    for (end, mix) in phases {
        while now < end {
            for (milliseconds, state) in mix.into_iter().zip(STATES) {
                // Two percent more or less.
                let length = milliseconds * 980 + random.below(milliseconds * 40);
                let until = (now + length).min(end);
                if until > now {
                    spans.push(ProcessState { start: now, end: until, process, state });
                }
                now = until;
            }
        }
    }
}

fn create(lines: &mut TraceLines<'_>, processes: u32) -> Result<()> {
    lines.text("6 ").seconds(0).text(" cluster C 0 cluster").end()?;
    for process in 0..processes {
        let machine = u64::from(process / PER_MACHINE);
        if process % PER_MACHINE == 0 {
            lines.text("6 ").seconds(0).text(" m").number(machine).text(" M cluster machine-").number(machine).end()?;
        }
        lines.text("6 ").seconds(0).text(" p").number(u64::from(process)).text(" P m").number(machine);
        lines.text(" process-").number(u64::from(process)).end()?;
    }
    Ok(())
}

fn destroy(lines: &mut TraceLines<'_>, processes: u32) -> Result<()> {
    let time = END * 1000;
    for process in 0..processes {
        lines.text("7 ").seconds(time).text(" P p").number(u64::from(process)).end()?;
    }
    for machine in 0..processes.div_ceil(PER_MACHINE) {
        lines.text("7 ").seconds(time).text(" M m").number(u64::from(machine)).end()?;
    }
    lines.text("7 ").seconds(time).text(" C cluster").end()
}
