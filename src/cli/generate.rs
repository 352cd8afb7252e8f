//! `ocellus generate`: synthetic traces, the same bytes for the same seed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::arguments::{GenerateArguments, HierarchyArguments, PatternName, TraceKind};
use super::outcome::Outcome;
use super::stdout::{stdout, stdout_failed};
use crate::output::OutputFile;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::Existing;
use ocellus_trace::synth::{
    self, CommunicationOptions, FaultKind, FaultOptions, HierarchyOptions, MpiOptions, Pattern, PerturbationOptions,
    ThrottledOptions,
};

/// Runs the command.
pub fn run(arguments: &GenerateArguments) -> Result<Outcome> {
    match &arguments.kind {
        TraceKind::Mpi { events, ranks, seed, output } => {
            let options = MpiOptions { events: *events, ranks: *ranks, seed: *seed };
            write_to(output, |out| synth::mpi(&options, out))
        }
        TraceKind::Hierarchy { shape, hierarchy } => {
            let options = hierarchy_options(shape, hierarchy)?;
            write_to(&hierarchy.output, |out| synth::hierarchy(&options, out))
        }
        TraceKind::Communication { pattern, children, shape, hierarchy } => {
            let pattern = match pattern {
                PatternName::Ring => Pattern::Ring,
                PatternName::Full => Pattern::Full,
                PatternName::Star => Pattern::Star,
                PatternName::HierarchicalStar => Pattern::HierarchicalStar { children: *children },
                PatternName::BinarySwap => Pattern::BinarySwap,
                PatternName::TwoThreeSwap => Pattern::TwoThreeSwap,
                PatternName::Pipeline => Pattern::Pipeline,
            };
            let options = CommunicationOptions { hierarchy: hierarchy_options(shape, hierarchy)?, pattern };
            write_to(&hierarchy.output, |out| synth::communication(&options, out))
        }
        TraceKind::Containers { count, seed, output } => write_to(output, |out| synth::containers(*count, *seed, out)),
        TraceKind::Perturbation { processes, disturbed, seed, output } => {
            let options = PerturbationOptions { processes: *processes, disturbed: *disturbed, seed: *seed };
            write_to(output, |out| synth::perturbation(&options, out))
        }
        TraceKind::Fault { kind, shape, seed, ranks, iterations, noise, strength, truth, output } => {
            let options = FaultOptions {
                kind: *kind,
                shape: *shape,
                seed: *seed,
                ranks: *ranks,
                iterations: iterations.unwrap_or_else(|| FaultOptions::usual_iterations(*kind, *shape)),
                noise: *noise,
                strength: *strength,
            };
            fault(&options, truth.as_deref(), output)
        }
        TraceKind::Throttled { cabinets, seed, output } => {
            let options = ThrottledOptions { cabinets: *cabinets, seed: *seed };
            write_to(output, |out| synth::throttled(&options, out))
        }
    }
}

/// Writes a trace with a fault, and then what was planted.
fn fault(options: &FaultOptions, truth: Option<&Path>, output: &Option<PathBuf>) -> Result<Outcome> {
    if truth.is_some() && options.kind == FaultKind::None {
        return Err(Error::Usage("a clean run has no --truth: nothing is planted".to_string()));
    }
    let goes_to = |path: Option<&Path>| path.filter(|path| *path != Path::new("-")).map(Path::to_path_buf);
    if truth.is_some() && goes_to(truth) == goes_to(output.as_deref()) {
        return Err(Error::Usage(
            "the trace and its --truth need two places: give one of them another file".to_string(),
        ));
    }
    let mut planted = None;
    let outcome = write_to(output, |out| {
        planted = synth::fault(options, out)?;
        Ok(())
    })?;
    if let (Some(path), Some(planted)) = (truth, planted) {
        let text = planted.to_json()?;
        write_to(&Some(path.to_path_buf()), |out| writeln!(out, "{text}").map_err(|e| Error::io("write", path, e)))?;
    }
    Ok(outcome)
}

fn hierarchy_options(shape: &str, arguments: &HierarchyArguments) -> Result<HierarchyOptions> {
    let levels: Option<Vec<u64>> = shape.split('x').map(|count| count.parse().ok()).collect();
    let Some(shape) = levels else {
        return Err(Error::Usage(format!("a shape is like 10x10x10x100, got '{shape}'")));
    };
    let whole = |name: &str, value: f64, factor: f64| match (value * factor).round() {
        scaled if (0.0..9e18).contains(&scaled) => Ok(scaled as u64),
        _ => Err(Error::Usage(format!("--{name} must be a positive number, got {value}"))),
    };
    Ok(HierarchyOptions {
        shape,
        duration: whole("duration", arguments.duration, 1e9)?,
        cosine_end: whole("cosine-end", arguments.cosine_end, 1e6)?,
        rounds: arguments.rounds,
        noise: arguments.noise,
        seed: arguments.seed,
    })
}

fn write_to(output: &Option<PathBuf>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<Outcome> {
    match output {
        Some(path) if path != Path::new("-") => {
            let mut file = OutputFile::create(path, Existing::Replace)?;
            let mut out = BufWriter::with_capacity(1 << 20, file.writer()?);
            write(&mut out)?;
            out.flush().map_err(|e| Error::io("write", path, e))?;
            file.publish()?;
        }
        _ => {
            let mut out = stdout();
            write(&mut out)?;
            out.flush().map_err(stdout_failed)?;
        }
    }
    Ok(Outcome::Done)
}
