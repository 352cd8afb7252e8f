//! The lines of ftrace and of perf script.
//!
//! ```text
//! ftrace  ·  comm-TID [(TGID)] [CPU] [flags] SECONDS: event: fields
//!         ·  comm-TID [(TGID)] [CPU] [flags] SECONDS: function <-caller
//! perf    ·  comm TID|PID/TID [CPU] SECONDS: [period] event: fields
//!         ·          address symbol+0x1f (object)                     a frame of the sample above, innermost first
//! ```
//! Names of commands may hold blanks, hyphens and brackets.

#[cfg(test)]
mod tests;

/// Which of the two a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelSyntax {
    /// `trace` of tracefs, or trace-cmd report.
    Ftrace,
    /// perf script with its default columns.
    Perf,
}

/// A line with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KernelLine<'a> {
    pub comm: &'a str,
    pub tid: u32,
    /// The process of the thread, where the line says it.
    pub tgid: Option<u32>,
    pub cpu: Option<u32>,
    pub seconds: &'a str,
    pub period: Option<u64>,
    pub event: &'a str,
    pub rest: &'a str,
}

impl<'a> KernelLine<'a> {
    /// Reads a line; `None` when it is none with an event.
    pub fn parse(line: &'a str, syntax: KernelSyntax) -> Option<KernelLine<'a>> {
        match syntax {
            KernelSyntax::Ftrace => ftrace(line),
            KernelSyntax::Perf => perf(line),
        }
    }

    /// The event without the subsystem that perf writes before it.
    pub fn short_event(&self) -> &'a str {
        self.event.rsplit(':').next().unwrap_or(self.event)
    }
}

fn ftrace(line: &str) -> Option<KernelLine<'_>> {
    // The first brackets around a number after a thread.
    for (open, _) in line.match_indices('[') {
        let (cpu, after) = line[open + 1..].split_once(']')?;
        let (Some(cpu), Some((comm, tid, tgid))) = (whole(cpu), task(line[..open].trim_end())) else { continue };
        let after = after.trim_start();
        let (seconds, text) = match time_first(after) {
            Some(found) => found,
            None => time_first(after.split_once(' ')?.1.trim_start())?,
        };
        let (event, rest) = match text.split_once(':') {
            Some((event, rest)) if !event.is_empty() && !event.contains(' ') => (event, rest.trim()),
            _ => ("function", text.trim()),
        };
        return Some(KernelLine { comm, tid, tgid, cpu: Some(cpu), seconds, period: None, event, rest });
    }
    None
}

/// `comm-TID` or `comm-TID (TGID)`
fn task(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let (text, tgid) = match text.strip_suffix(')').and_then(|inner| inner.rsplit_once('(')) {
        Some((before, tgid)) => (before.trim_end(), whole(tgid.trim())),
        None => (text, None),
    };
    let (comm, tid) = text.rsplit_once('-')?;
    Some((comm.trim(), whole(tid)?, tgid))
}

/// `1407.548019: …`
fn time_first(text: &str) -> Option<(&str, &str)> {
    let (seconds, rest) = text.split_once(':')?;
    is_time(seconds).then_some((seconds, rest.trim_start()))
}

fn is_time(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(whole, fraction)| is_number(whole) && is_number(fraction))
}

fn perf(line: &str) -> Option<KernelLine<'_>> {
    // The first word that is a time; names of commands come before it.
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let time = line.split_whitespace().find(|word| word.strip_suffix(':').is_some_and(is_time))?;
    let before = line[..place(time)].trim();
    let (before, cpu) = match before.strip_suffix(']').and_then(|inner| inner.rsplit_once('[')) {
        Some((before, cpu)) => (before.trim_end(), Some(whole(cpu)?)),
        None => (before, None),
    };
    let (comm, ids) = before.rsplit_once([' ', '\t'])?;
    let (tgid, tid) = match ids.split_once('/') {
        Some((pid, tid)) => (Some(whole(pid)?), whole(tid)?),
        None => (None, whole(ids)?),
    };
    let text = line[place(time) + time.len()..].trim_start();
    let (period, text) = match text.split_once(' ') {
        Some((first, rest)) if first.bytes().all(|byte| byte.is_ascii_digit()) => match first.parse() {
            Ok(period) => (Some(period), rest.trim_start()),
            Err(_) => (None, text),
        },
        _ => (None, text),
    };
    let (event, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let event = event.strip_suffix(':').filter(|event| !event.is_empty())?;
    let comm = comm.trim();
    let seconds = time.trim_end_matches(':');
    (!comm.is_empty()).then_some(KernelLine { comm, tid, tgid, cpu, seconds, period, event, rest: rest.trim() })
}

/// The function of a frame: `address symbol+0x1f (object)`.
pub(super) fn frame(line: &str) -> Option<&str> {
    let line = line.trim();
    let (address, symbol) = line.split_once(' ')?;
    if address.is_empty() || !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let symbol = symbol.rsplit_once(" (").map_or(symbol, |(symbol, _)| symbol).trim();
    let symbol = symbol.rsplit_once("+0x").map_or(symbol, |(symbol, _)| symbol);
    (!symbol.is_empty()).then_some(symbol)
}

fn whole(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}
