//! `ocellus validate`: what is wrong with a trace, one row per report.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};

use super::arguments::ValidateArguments;
use super::outcome::Outcome;
use super::progress::ImportProgressBar;
use super::sizes::counted;
use super::source::trace_source;
use super::stdout::stdout;
use crate::shell::{TERMINAL_ROWS, terminal_width};
use ocellus_render::formats::{self, SinkKind, TextStyle};
use ocellus_render::note;
use ocellus_trace::diagnostics::Diagnostic;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::import::{self, ImportOptions};

/// Runs the command.
pub fn run(arguments: &ValidateArguments) -> Result<Outcome> {
    let is_terminal = io::stdout().is_terminal();
    if arguments.format.is_binary() && is_terminal {
        return Err(Error::Usage(format!(
            "{} is binary and is not written to a terminal; use a pipe",
            arguments.format.name()
        )));
    }
    let bar = ImportProgressBar::new();
    let options = ImportOptions { progress: bar.clone(), ..arguments.reading.options() };
    let validation = import::validate(&trace_source(&arguments.trace), &options);
    bar.finish();
    let validation = validation?;
    let batch = batch_of(&validation.diagnostics)?;
    let style = if is_terminal {
        TextStyle { width: terminal_width(), max_rows: Some(TERMINAL_ROWS), ..TextStyle::default() }
    } else {
        TextStyle::default()
    };
    let mut writer = formats::writer(arguments.format, &batch.schema(), &style, SinkKind::Stream, Box::new(stdout()))?;
    writer.write(&batch)?;
    writer.finish()?;
    note(&format!(
        "{}: {}, {}, {} lost",
        arguments.trace.display(),
        counted(validation.lines, "line"),
        counted(validation.event_lines, "event line"),
        validation.lost_lines
    ));
    Ok(if validation.lost_lines == 0 { Outcome::Done } else { Outcome::FoundFaults })
}

/// The columns of the `diagnostics` table.
fn batch_of(diagnostics: &[Diagnostic]) -> Result<RecordBatch> {
    let text = |values: Vec<&str>| -> ArrayRef { Arc::new(StringArray::from(values)) };
    let number = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    // A report about the whole trace has no place.
    let place = |row: &Diagnostic, value: u64| (row.place.line > 0).then(|| signed(value));
    let columns = [
        ("severity", text(diagnostics.iter().map(|row| row.code.severity().name()).collect())),
        ("code", text(diagnostics.iter().map(|row| row.code.name()).collect())),
        ("line", number(diagnostics.iter().map(|row| place(row, row.place.line)).collect())),
        ("byte", number(diagnostics.iter().map(|row| place(row, row.place.byte)).collect())),
        ("message", text(diagnostics.iter().map(|row| row.message.as_str()).collect())),
        ("occurrences", number(diagnostics.iter().map(|row| Some(signed(row.occurrences))).collect())),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}
