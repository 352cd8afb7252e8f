//! What `import` and `info` tell about a trace.

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use super::sizes::{bytes, count, counted};
use ocellus_trace::diagnostics::Diagnostic;
use ocellus_trace::store::TraceEntry;

/// The tables that people count. Not `state_segments`: only what differs from `states` is stored.
const COUNTED_TABLES: [&str; 7] = ["containers", "states", "events", "variables", "links", "types", "entity_values"];

/// Time span, sizes, lines and rows of a trace.
pub fn write_trace(out: &mut dyn Write, trace: &TraceEntry) -> io::Result<()> {
    writeln!(out, "  time            {}", span(trace))?;
    writeln!(
        out,
        "  source          {}, {}, {} lost",
        bytes(trace.bytes),
        counted(trace.count("lines"), "line"),
        count(trace.count("lost_lines"))
    )?;
    writeln!(out, "  store           {}{}", bytes(trace.stored_bytes()), ratio(trace))?;
    let width = COUNTED_TABLES.iter().map(|table| count(trace.rows(table)).len()).max().unwrap_or(0);
    for table in COUNTED_TABLES {
        writeln!(out, "  {table:<14}  {:>width$}", count(trace.rows(table)))?;
    }
    Ok(())
}

/// Diagnostics by code, the worst first, each with its first example.
pub fn write_diagnostics(out: &mut dyn Write, diagnostics: &[Diagnostic]) -> io::Result<()> {
    if diagnostics.is_empty() {
        return writeln!(out, "  no diagnostics");
    }
    writeln!(out, "  diagnostics")?;
    for group in by_code(diagnostics) {
        writeln!(
            out,
            "    {:<8} {:<24} {:>9}  {}",
            group.first.code.severity().name(),
            group.first.code.name(),
            count(group.occurrences),
            example(group.first)
        )?;
    }
    Ok(())
}

/// All diagnostics of one code.
struct DiagnosticGroup<'a> {
    first: &'a Diagnostic,
    occurrences: u64,
}

fn by_code(diagnostics: &[Diagnostic]) -> Vec<DiagnosticGroup<'_>> {
    let mut groups: Vec<DiagnosticGroup<'_>> = vec![];
    for diagnostic in diagnostics {
        match groups.iter_mut().find(|group| group.first.code == diagnostic.code) {
            Some(group) => {
                group.occurrences += diagnostic.occurrences;
                if diagnostic.place.line < group.first.place.line {
                    group.first = diagnostic;
                }
            }
            None => groups.push(DiagnosticGroup { first: diagnostic, occurrences: diagnostic.occurrences }),
        }
    }
    groups.sort_by_key(|group| (std::cmp::Reverse(group.first.code.severity()), group.first.code));
    groups
}

fn example(diagnostic: &Diagnostic) -> String {
    match diagnostic.place.line {
        0 => diagnostic.message.clone(),
        line => format!("line {line}: {}", diagnostic.message),
    }
}

fn span(trace: &TraceEntry) -> String {
    let resolution = trace.resolution();
    match (trace.start_tick, trace.end_tick) {
        (Some(start), Some(end)) => format!(
            "{} s to {} s, {} s long, resolved to 1 {resolution}{}",
            resolution.seconds(start),
            resolution.seconds(end),
            resolution.seconds(end.saturating_sub(start)),
            unit(trace)
        ),
        _ => "none".to_string(),
    }
}

/// The unit of the file, where it is not the one that SQL shows.
fn unit(trace: &TraceEntry) -> String {
    match trace.time_unit.as_deref() {
        None | Some("s") => String::new(),
        Some(unit) => format!(", read as {unit}"),
    }
}

fn ratio(trace: &TraceEntry) -> String {
    if trace.bytes == 0 {
        return String::new();
    }
    let percent = trace.stored_bytes() as f64 * 100.0 / trace.bytes as f64;
    format!(", {percent:.0} % of the source")
}
