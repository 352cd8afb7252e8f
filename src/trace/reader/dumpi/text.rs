//! The text that `dumpi2ascii` prints of one rank.
//!
//! ```text
//! MPI_Send entering at walltime 3601.732, cputime 0.039 seconds in thread 0.
//! Perfcounters: [PAPI_TOT_INS=12]                                      where there are any
//! MPI_Datatype datatype=9 (MPI_INT)                                    one line per argument
//! int counts[2]=[1, 2]
//! MPI_Status status=[{bytes=4, cancelled=0, source=1, tag=7, error=0}]
//! MPI_Send returning at walltime 3601.733, cputime 0.040 seconds in thread 0.
//! ```
//! Before and after the calls: `key=value` of the header, `MPI_Send called 3 times and ignored 0
//! times` of the footer, `Datatype 9 (MPI_INT) has size 4`, `Function address 7 has label f`.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::call::{CallTimes, MpiCall, Status};
use super::file::{FileMetadata, ReadOutcome};
use super::table::{ArgumentEncoding, Function, MpiArgument};
use crate::diagnostics::quote;
use crate::error::Result;
use crate::reader::TraceOrigin;
use crate::reader::text_lines::TextLines;
use crate::time::{Clock, Resolution, TimeUnit};

/// The text of a rank.
#[derive(Debug, Clone)]
pub(super) struct TextFile {
    pub path: PathBuf,
    pub about: FileMetadata,
    origin: TraceOrigin,
}

impl TextFile {
    /// Reads everything but the calls.
    pub(super) fn open(path: &Path, origin: TraceOrigin) -> Result<TextFile> {
        let mut file = TextFile { path: path.to_path_buf(), about: FileMetadata::default(), origin };
        let mut lines = TextLines::new(file.origin.input()?);
        while let Some((_, line)) = lines.next()? {
            let line = String::from_utf8_lossy(line);
            about_line(&line, &mut file.about);
        }
        if let Some(damage) = lines.damage() {
            file.about.faults.push((0, format!("the compressed stream ends too early: {damage}")));
        }
        Ok(file)
    }

    /// Starts to read the calls.
    pub(super) fn calls(&self) -> Result<TextCalls> {
        Ok(TextCalls { lines: TextLines::new(self.origin.input()?) })
    }
}

fn about_line(line: &str, about: &mut FileMetadata) {
    if let Some(host) = line.strip_prefix("hostname=") {
        about.host = host.to_string();
    } else if let Some(version) = line.strip_prefix("version=") {
        let mut parts = version.split('.').map_while(|part| part.parse().ok());
        about.version = Some([0; 3].map(|_: u8| parts.next().unwrap_or(0)));
    } else if let Some((name, rest)) = line.split_once(" called ") {
        let count = rest.split(' ').next().and_then(|count| count.parse().ok());
        if let (Some(Function(number)), Some(count)) = (Function::of_name(name), count) {
            let footer = about.footer.get_or_insert_default();
            footer.resize(footer.len().max(usize::from(number) + 1), 0);
            footer[usize::from(number)] = count;
        }
    } else if let Some((datatype, size)) = line.strip_prefix("Datatype ").and_then(|rest| rest.split_once(" has size "))
    {
        let number = datatype.split(' ').next().and_then(|number| number.parse::<u16>().ok());
        if let (Some(number), Ok(size)) = (number, size.trim().parse()) {
            about.sizes.resize(about.sizes.len().max(usize::from(number) + 1), 0);
            about.sizes[usize::from(number)] = size;
        }
    } else if let Some((address, name)) =
        line.strip_prefix("Function address ").and_then(|rest| rest.split_once(" has label "))
    {
        about.addresses.extend(address.parse().ok().map(|address| (address, name.to_string())));
    } else if about.counters.is_empty()
        && let Some(counters) = line.strip_prefix("Perfcounters: ")
    {
        about.counters = counter_values(counters).map(|(name, _)| name.to_string()).collect();
    }
}

/// `[A=1, B=2]`
fn counter_values(text: &str) -> impl Iterator<Item = (&str, u64)> {
    let text = text.trim().trim_start_matches('[').trim_end_matches(']');
    text.split(", ").filter_map(|pair| {
        let (name, value) = pair.rsplit_once('=')?;
        Some((name, value.parse::<i64>().ok()? as u64))
    })
}

/// The calls of a text, one by one.
pub(super) struct TextCalls {
    lines: TextLines,
}

impl TextCalls {
    /// Offset of the next line.
    pub(super) fn byte(&self) -> u64 {
        self.lines.byte()
    }

    /// Reads the next call.
    pub(super) fn next(&mut self, call: &mut MpiCall) -> Result<ReadOutcome> {
        let Some(entry) = self.entering(call)? else { return Ok(ReadOutcome::End) };
        if let Err(what) = entry {
            return Ok(ReadOutcome::Fault(what));
        }
        let Some(layout) = call.function.layout() else { return Ok(ReadOutcome::End) };
        loop {
            let Some((_, line)) = self.lines.next()? else {
                return Ok(ReadOutcome::Fault(format!("the text ends within {}", layout.name)));
            };
            let mut line = String::from_utf8_lossy(line).into_owned();
            if let Some((name, rest)) = line.split_once(" returning at ") {
                if name != call.function.name() && name != layout.short_name {
                    let what = format!(
                        "{} returns within {}; the rest of the file cannot be read",
                        quote(name.as_bytes()),
                        layout.name
                    );
                    return Ok(ReadOutcome::Fault(what));
                }
                return match times(rest) {
                    Some((wall, cpu, _)) => {
                        set_stop(call, wall, cpu);
                        self.counters_at_stop(call)?;
                        Ok(ReadOutcome::Call)
                    }
                    None => Ok(ReadOutcome::Fault(format!(
                        "{} has no times; the rest of the file cannot be read",
                        quote(line.as_bytes())
                    ))),
                };
            }
            if let Some(counters) = line.strip_prefix("Perfcounters: ") {
                call.counters.extend(counter_values(counters).map(|(_, value)| (value, value)));
                continue;
            }
            // Lists of lists are printed over several lines.
            let mut brackets = Brackets::default();
            brackets.add(&line);
            while brackets.open > 0 && line.len() < 1 << 20 {
                let Some((_, more)) = self.lines.next()? else { break };
                let more = String::from_utf8_lossy(more);
                brackets.add(&more);
                line.push_str(&more);
            }
            argument(&line, call);
        }
    }

    /// The line that a call starts with; others before it are skipped.
    fn entering(&mut self, call: &mut MpiCall) -> Result<Option<Result<(), String>>> {
        loop {
            let Some((byte, line)) = self.lines.next()? else { return Ok(None) };
            let line = String::from_utf8_lossy(line);
            let Some((name, rest)) = line.split_once(" entering at ") else { continue };
            let function = match name {
                "Function_enter" => Some(Function::ENTER),
                "Function_exit" => Some(Function::EXIT),
                name => Function::of_name(name),
            };
            let (Some(function), Some((wall, cpu, thread))) = (function, times(rest)) else {
                return Ok(Some(Err(format!(
                    "{} is no call that is known; the rest of the file cannot be read",
                    quote(line.as_bytes())
                ))));
            };
            call.clear(function, byte);
            call.thread = thread;
            call.wall = Some(CallTimes { start: wall, stop: wall });
            call.cpu = Some(CallTimes { start: cpu, stop: cpu });
            return Ok(Some(Ok(())));
        }
    }

    /// The counters at the return are printed after it.
    fn counters_at_stop(&mut self, call: &mut MpiCall) -> Result<()> {
        let line = self.lines.peek()?.map(|line| String::from_utf8_lossy(line).into_owned()).unwrap_or_default();
        let Some(counters) = line.strip_prefix("Perfcounters: ").filter(|_| !call.counters.is_empty()) else {
            return Ok(());
        };
        for (pair, (_, value)) in call.counters.iter_mut().zip(counter_values(counters)) {
            pair.1 = value;
        }
        self.lines.next().map(|_| ())
    }
}

fn set_stop(call: &mut MpiCall, wall: i64, cpu: i64) {
    if let Some(times) = &mut call.wall {
        times.stop = wall;
    }
    if let Some(times) = &mut call.cpu {
        times.stop = cpu;
    }
}

/// How many brackets are open after some lines; quotes are looked at, since a text may hold some.
#[derive(Debug, Default)]
struct Brackets {
    open: i64,
    is_quoted: bool,
}

impl Brackets {
    fn add(&mut self, line: &str) {
        for byte in line.bytes() {
            self.is_quoted ^= byte == b'"';
            match byte {
                b'[' if !self.is_quoted => self.open += 1,
                b']' if !self.is_quoted => self.open -= 1,
                _ => {}
            }
        }
    }
}

/// `walltime 3601.732305825, cputime 0.039855678 seconds in thread 0.`
fn times(text: &str) -> Option<(i64, i64, u16)> {
    let (wall, rest) = text.strip_prefix("walltime ")?.split_once(", cputime ")?;
    let (cpu, thread) = rest.split_once(" seconds in thread ")?;
    let clock = Clock { unit: TimeUnit::Seconds, resolution: Resolution::NANOSECONDS };
    let nanoseconds = |text: &str| clock.parse(text.as_bytes()).ok().map(|parsed| parsed.tick);
    Some((nanoseconds(wall)?, nanoseconds(cpu)?, thread.trim_end_matches('.').parse().ok()?))
}

/// `TYPE name=VALUE`, `TYPE name[N]=[VALUE, …]`; what is not looked at is skipped.
fn argument(line: &str, call: &mut MpiCall) {
    let Some((head, value)) = line.split_once('=') else { return };
    let Some(name) = head.split(' ').next_back().map(|name| name.split('[').next().unwrap_or(name)) else { return };
    let field = call.function.layout().and_then(|layout| layout.fields.iter().find(|field| field.name == name));
    let Some(field) = field else { return };
    match field.kind {
        ArgumentEncoding::Number(_) => {
            if let Some(number) = numbers(value).next() {
                call.set_number(field.argument, number);
            }
        }
        ArgumentEncoding::Numbers(_) | ArgumentEncoding::Lists => {
            call.set_list(field.argument, numbers(value).map(|number| number as i32))
        }
        ArgumentEncoding::Statuses => call.statuses.extend(value.split('{').skip(1).filter_map(status)),
        ArgumentEncoding::Text(_) => {}
    }
    if field.argument == MpiArgument::Address
        && let Some(address) = value.split_whitespace().next()
    {
        call.set_number(MpiArgument::Address, address.parse::<u64>().unwrap_or(0) as i64);
    }
}

/// The numbers of a value, up to its label in brackets.
fn numbers(value: &str) -> impl Iterator<Item = i64> {
    let value = value.split('(').next().unwrap_or(value);
    value.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|number| number.parse().ok())
}

/// `bytes=4, cancelled=0, source=1, tag=7, error=0}`
fn status(text: &str) -> Option<Status> {
    let text = text.split('}').next()?;
    let mut status = Status::default();
    for (name, value) in text.split(", ").filter_map(|pair| pair.split_once('=')) {
        let value: i32 = value.parse().ok()?;
        match name {
            "bytes" => status.bytes = value,
            "source" => status.source = value,
            "tag" => status.tag = value,
            "cancelled" => status.is_cancelled = value != 0,
            _ => {}
        }
    }
    Some(status)
}
