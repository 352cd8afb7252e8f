//! `ocellus convert`: a trace of any format becomes one that other programs read.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use super::arguments::{ConvertArguments, ConvertName};
use super::outcome::Outcome;
use super::progress::ImportProgressBar;
use super::sizes::counted;
use super::source::trace_source;
use crate::output::OutputFile;
use ocellus_render::note;
use ocellus_trace::convert::{ConvertTarget, convert};
use ocellus_trace::error::{Error, Result};
use ocellus_trace::import::ImportOptions;
use ocellus_trace::store::Existing;

/// Runs the command.
pub fn run(arguments: &ConvertArguments) -> Result<Outcome> {
    let path = arguments.output.as_path();
    let target = target_of(path, arguments.format)?;
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    OutputFile::check(path, existing)?;
    let started = Instant::now();
    let progress = ImportProgressBar::new();
    let options = ImportOptions { progress: progress.clone(), ..arguments.reading.options() };
    let mut file = OutputFile::create(path, existing)?;
    let mut out = BufWriter::with_capacity(1 << 20, file.writer()?);
    let converted = convert(&trace_source(&arguments.trace), &options, target, &mut out);
    progress.finish();
    let converted = converted?;
    out.flush().map_err(|e| Error::io("write", path, e))?;
    file.publish()?;
    let (events, seconds) = (counted(converted.events, "event"), started.elapsed().as_secs_f64());
    note(&format!("wrote {events} to {} in {seconds:.2} s", path.display()));
    for (count, what) in converted.unsaid {
        note(&format!("note: the format cannot say {what} ({count})"));
    }
    if converted.lost_lines > 0 {
        let lost = counted(converted.lost_lines, "line");
        note(&format!("note: {lost} could not be used; ocellus validate {} shows why", arguments.trace.display()));
    }
    Ok(Outcome::Done)
}

fn target_of(path: &Path, name: Option<ConvertName>) -> Result<ConvertTarget> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    match (name, ending.as_str()) {
        (Some(ConvertName::Paje), _) | (None, "paje" | "trace") => Ok(ConvertTarget::Paje),
        (Some(ConvertName::Json), _) | (None, "json") => Ok(ConvertTarget::Chrome),
        (Some(ConvertName::Pftrace), _) | (None, "pftrace" | "perfetto-trace") => Ok(ConvertTarget::Perfetto),
        (None, _) => Err(Error::Usage(format!(
            "the extension of {} is none of paje, trace, json, pftrace and perfetto-trace; --format says how to write it",
            path.display()
        ))),
    }
}
