//! `ocellus generate`: synthetic traces, the same bytes for the same seed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::arguments::{GenerateArguments, TraceKind};
use super::{Outcome, stdout, stdout_failed};
use crate::error::{Error, Result};
use crate::synth::{self, MpiOptions, PerturbationOptions};

/// Runs the command.
pub fn run(arguments: &GenerateArguments) -> Result<Outcome> {
    match &arguments.kind {
        TraceKind::Mpi { events, ranks, seed, output } => {
            let options = MpiOptions { events: *events, ranks: *ranks, seed: *seed };
            write_to(output, |out| synth::mpi(&options, out))
        }
        TraceKind::Containers { count, seed, output } => {
            write_to(output, |out| synth::containers(*count, *seed, out))
        }
        TraceKind::Perturbation { processes, disturbed, seed, output } => {
            let options = PerturbationOptions { processes: *processes, disturbed: *disturbed, seed: *seed };
            write_to(output, |out| synth::perturbation(&options, out))
        }
    }
}

fn write_to(output: &Option<PathBuf>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<Outcome> {
    match output {
        Some(path) if path != Path::new("-") => {
            let file = File::create(path).map_err(|e| Error::io("create", path, e))?;
            let mut out = BufWriter::with_capacity(1 << 20, file);
            write(&mut out)?;
            out.flush().map_err(|e| Error::io("write", path, e))?;
        }
        _ => {
            let mut out = stdout();
            write(&mut out)?;
            out.flush().map_err(stdout_failed)?;
        }
    }
    Ok(Outcome::Done)
}
