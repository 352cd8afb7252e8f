//! Where results go: standard output, or a file that the user names.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};

use rustyline::DefaultEditor;

use super::pager::{PagedOutput, PagerCommand};
use ocellus_render::formats::{ResultFormat, Sink, SinkKind};
use ocellus_trace::error::{Error, Result};

/// Rows of a box on a terminal, unless the user says otherwise.
pub const TERMINAL_ROWS: usize = 40;
/// Bytes that are collected before a file or a pipe sees them.
const BUFFER: usize = 1 << 16;

/// A place for results.
#[derive(Debug)]
pub enum OutputTarget {
    /// Standard output.
    Stdout,
    /// A file that the user names.
    File {
        /// Its name, for messages.
        path: PathBuf,
        /// The open file.
        file: File,
        /// Results written so far.
        results: usize,
    },
}

impl OutputTarget {
    /// Opens a file for results; what was in it is gone.
    pub fn file(path: &Path) -> Result<OutputTarget> {
        let file = File::create(path).map_err(|e| Error::io("create", path, e))?;
        Ok(OutputTarget::File { path: path.to_path_buf(), file, results: 0 })
    }

    /// Whether it is a stream or a file.
    pub fn place(&self) -> SinkKind {
        match self {
            OutputTarget::Stdout => SinkKind::Stream,
            OutputTarget::File { .. } => SinkKind::File,
        }
    }

    /// Whether a human looks at it.
    pub fn is_terminal(&self) -> bool {
        matches!(self, OutputTarget::Stdout) && io::stdout().is_terminal()
    }

    /// A sink for one result, which shows it with a pager when somebody looks and it is longer than the screen.
    pub fn paged_sink(&mut self, format: ResultFormat) -> Result<Sink> {
        let is_seen = self.is_terminal() && io::stdin().is_terminal() && !format.is_binary();
        let height = terminal_size().map(|(_, rows)| rows);
        match (is_seen, PagerCommand::of_environment(), height) {
            (true, Some(pager), Some(rows)) => {
                Ok(Box::new(BufWriter::new(PagedOutput::new(pager, rows, io::stdout()))))
            }
            _ => self.sink(format),
        }
    }

    /// A sink for one result of a format.
    pub fn sink(&mut self, format: ResultFormat) -> Result<Sink> {
        if self.is_terminal() && format.is_binary() {
            return Err(Error::Usage(format!(
                "{} is binary and is not written to a terminal; name a file with -o or .output, or use a pipe",
                format.name()
            )));
        }
        match self {
            OutputTarget::Stdout => Ok(Box::new(BufWriter::with_capacity(BUFFER, io::stdout()))),
            OutputTarget::File { path, file, results } => {
                if *results > 0 && format.holds_one_result() {
                    return Err(Error::query(format!(
                        "{} already holds a result, and a {} file holds only one",
                        path.display(),
                        format.name()
                    )));
                }
                *results += 1;
                let file = file.try_clone().map_err(|e| Error::io("write", path, e))?;
                Ok(Box::new(BufWriter::with_capacity(BUFFER, file)))
            }
        }
    }
}

/// Columns of the terminal; `$COLUMNS` wins, as in other programs.
pub fn terminal_width() -> Option<usize> {
    if let Some(columns) = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()) {
        return Some(columns);
    }
    terminal_size().map(|(columns, _)| columns)
}

/// Columns and rows of the terminal.
fn terminal_size() -> Option<(usize, usize)> {
    let (columns, rows) = DefaultEditor::new().ok()?.dimensions()?;
    Some((usize::from(columns), usize::from(rows))).filter(|(columns, rows)| *columns > 0 && *rows > 0)
}
