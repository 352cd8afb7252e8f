//! `ocellus dump`: the rows of pj_dump, for scripts that already read them.

use std::io::Write;

use super::arguments::DumpArguments;
use super::outcome::Outcome;
use super::sizes::counted;
use super::source::trace_source;
use super::stdout::{stdout, stdout_failed};
use ocellus_render::note;
use ocellus_trace::diagnostics::Severity;
use ocellus_trace::dump::{DumpOptions, dump};
use ocellus_trace::error::Result;

/// Runs the command.
pub fn run(arguments: &DumpArguments) -> Result<Outcome> {
    let options = arguments.reading.options();
    let dump_options =
        DumpOptions { decimals: usize::from(arguments.decimals), csv: arguments.csv, exact: arguments.exact };
    let mut out = stdout();
    let diagnostics = dump(&trace_source(&arguments.trace), &options, &dump_options, &mut out)?;
    out.flush().map_err(stdout_failed)?;
    let lost: u64 = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code.severity() == Severity::Error)
        .map(|diagnostic| diagnostic.occurrences)
        .sum();
    if lost > 0 {
        note(&format!(
            "note: {} could not be used; ocellus validate {} shows why",
            counted(lost, "line"),
            arguments.trace.display()
        ));
    }
    Ok(Outcome::Done)
}
