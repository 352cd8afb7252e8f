//! Prints a trace as pj_dump does, for scripts that already read its rows.
//!
//! In: a trace. Out: lines of text; nothing is stored.

mod options;
mod sink;

use std::io::Write;

pub use options::DumpOptions;

use self::sink::DumpSink;
use crate::diagnostics::Diagnostic;
use crate::error::Result;
use crate::import::{ImportOptions, TraceSource, run};
use crate::simulator::Precision;

/// Prints the rows that pj_dump prints.
pub fn dump(
    source: &TraceSource,
    options: &ImportOptions,
    dump: &DumpOptions,
    out: &mut dyn Write,
) -> Result<Vec<Diagnostic>> {
    // pj_dump prints the numbers of the file, whatever their unit.
    let unit = options.time_unit.unwrap_or_default();
    let options = &ImportOptions { time_unit: Some(unit), ..options.clone() };
    let precision = if dump.exact { Precision::Double } else { Precision::Single };
    let run = run(&source.open()?, options, precision, || DumpSink::create(*dump, options.resolution))?;
    run.sink.finish(&run.simulated, out)?;
    Ok(run.simulated.diagnostics.rows())
}
