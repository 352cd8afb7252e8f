//! Text of Linux tracers: `trace` of tracefs, trace-cmd report, perf script.
//!
//! ```text
//! lines ─► survey ─► containers, columns
//!       └► line, fields ─► emitter
//! ```
//! The text is read twice: threads are renamed when programs start, and columns have one type.

mod containers;
mod emitter;
mod fields;
mod line;
mod survey;
#[cfg(test)]
mod tests;

pub use self::line::KernelSyntax;

use self::containers::KernelContainers;
use self::emitter::KernelEmitter;
use self::line::{KernelLine, frame};
use self::survey::{KernelSurvey, is_comment};
use super::chrome::zero_of;
use super::text_lines::TextLines;
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::{Code, quote};
use crate::error::Result;
use crate::time::{Clock, TickError, TimeUnit};

/// Frames of a stack that are kept.
const DEEPEST_STACK: usize = 4096;

/// Which of these texts begins like this, if any.
pub fn syntax_of(head: &[u8]) -> Option<KernelSyntax> {
    if head.starts_with(b"# tracer: ") {
        return Some(KernelSyntax::Ftrace);
    }
    // Line by line: of a binary file, little is made text of.
    let mut lines =
        head.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)));
    let is_skipped = |line: &str| {
        let is_property = ["cpus=", "version = ", "CPU "].iter().any(|start| line.starts_with(start));
        line.trim().is_empty() || is_comment(line) || is_property
    };
    let first = lines.find(|line| !is_skipped(line))?;
    [KernelSyntax::Ftrace, KernelSyntax::Perf].into_iter().find(|syntax| KernelLine::parse(&first, *syntax).is_some())
}

/// Reads such a text.
pub struct KernelTextReader {
    syntax: KernelSyntax,
    clock: Clock,
}

impl KernelTextReader {
    pub fn new(syntax: KernelSyntax, options: &ReaderOptions) -> KernelTextReader {
        KernelTextReader { syntax, clock: Clock { unit: TimeUnit::Seconds, resolution: options.resolution } }
    }
}

impl TraceReader for KernelTextReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.clock.resolution, consume);
        let survey = KernelSurvey::of(origin, self.syntax, || writer.pause())?;
        let first = survey.first.as_ref().and_then(|first| self.clock.parse(first.as_bytes()).ok());
        let first = first.map_or(0, |first| first.tick);
        let zero = zero_of(first, self.clock.resolution.ticks_per_second(), &mut writer)?;
        let containers = KernelContainers::create(first - zero, &survey, &mut writer)?;
        let emitter = KernelEmitter::new(containers, &survey, &mut writer);
        let mut work = KernelWork { syntax: self.syntax, clock: self.clock, zero, emitter, open: None };
        work.lines(origin, &mut writer)?;
        writer.finish()
    }

    fn total(&self, _origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// A line of perf whose stack follows.
#[derive(Default)]
struct OpenSample {
    text: String,
    byte: u64,
    /// Innermost first.
    frames: Vec<String>,
}

struct KernelWork {
    syntax: KernelSyntax,
    clock: Clock,
    zero: i64,
    emitter: KernelEmitter,
    open: Option<OpenSample>,
}

impl KernelWork {
    fn lines(&mut self, origin: &TraceOrigin, writer: &mut EventWriter<'_>) -> Result<()> {
        let mut lines = TextLines::new(origin.input()?);
        while let Some(line) = lines.line()? {
            writer.at(line.byte);
            writer.advance(line.byte);
            if line.is_cut {
                writer.fault(Code::LineTooLong, "a line is too long; it was skipped".to_string())?;
                continue;
            }
            if line.is_unfinished {
                let message = "the last line has no line end; it may have been cut";
                writer.fault(Code::TruncatedLine, message.to_string())?;
            }
            self.line(&String::from_utf8_lossy(line.text), line.byte, writer)?;
            if writer.is_stopped() {
                return Ok(());
            }
        }
        self.close(writer)?;
        self.emitter.finish(writer)?;
        match lines.damage() {
            Some(damage) => writer.fault(Code::DamagedStream, format!("the compressed stream is damaged: {damage}")),
            None => Ok(()),
        }
    }

    fn line(&mut self, text: &str, byte: u64, writer: &mut EventWriter<'_>) -> Result<()> {
        if text.trim().is_empty() {
            return self.close(writer);
        }
        if is_comment(text) {
            return self.comment(text, writer);
        }
        if KernelLine::parse(text, self.syntax).is_some() {
            self.close(writer)?;
            self.open = Some(OpenSample { text: text.to_string(), byte, frames: vec![] });
            // Lines of ftrace have no stack.
            return if self.syntax == KernelSyntax::Ftrace { self.close(writer) } else { Ok(()) };
        }
        if let Some(open) = &mut self.open
            && let Some(function) = frame(text)
        {
            if open.frames.len() < DEEPEST_STACK {
                open.frames.push(function.to_string());
            }
            return Ok(());
        }
        if let Some(lost) = lost_events(text) {
            return writer.fault(Code::CountMismatch, format!("the tracer lost events: {lost}"));
        }
        let is_property = ["cpus=", "version = "].iter().any(|start| text.starts_with(start));
        if is_property || (text.starts_with("CPU ") && text.ends_with(" is empty")) {
            return writer.fault(Code::TraceProperty, text.to_string());
        }
        writer.at(byte);
        let message = format!("{} is no line with the default columns of the tracer", quote(text.as_bytes()));
        writer.fault(Code::UnreadableLine, message)
    }

    /// Lines of the header that say something.
    fn comment(&mut self, text: &str, writer: &mut EventWriter<'_>) -> Result<()> {
        let text = text.trim_start_matches(['#', ' ', '\t']);
        let says = ["tracer: ", "entries-in-buffer", "captured on", "hostname", "os release", "cmdline"];
        if says.iter().any(|start| text.starts_with(start)) {
            return writer.fault(Code::TraceProperty, text.to_string());
        }
        Ok(())
    }

    /// Emits the line whose stack has ended.
    fn close(&mut self, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let Some(line) = KernelLine::parse(&open.text, self.syntax) else { return Ok(()) };
        writer.at(open.byte);
        let tick = match self.clock.parse(line.seconds.as_bytes()) {
            Ok(parsed) => {
                if parsed.rounded {
                    writer.note_rounded();
                }
                parsed.tick
            }
            Err(TickError::NotANumber) => {
                return writer.fault(Code::BadTime, format!("the time {} is no number", line.seconds));
            }
            Err(TickError::OutOfRange) => {
                let message = format!("the time {} does not fit into 64 bits of ticks", line.seconds);
                return writer.fault(Code::TimeOutOfRange, message);
            }
        };
        // Outermost first, as flame graphs have it.
        let stack: Vec<&str> = open.frames.iter().rev().map(String::as_str).collect();
        let stack = (!stack.is_empty()).then(|| stack.join(";"));
        self.emitter.line(tick - self.zero, &line, stack.as_deref(), writer)
    }
}

/// `CPU:0 [LOST 12 EVENTS]` of ftrace and trace-cmd.
fn lost_events(text: &str) -> Option<&str> {
    let text = text.trim();
    (text.starts_with("CPU:") && text.contains("LOST") && text.contains("EVENTS")).then_some(text)
}
