//! Where results go: standard output, or a file that the user names.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};

use rustyline::DefaultEditor;

use ocellus_render::formats::{Format, Place, Sink};
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
    pub fn place(&self) -> Place {
        match self {
            OutputTarget::Stdout => Place::Stream,
            OutputTarget::File { .. } => Place::File,
        }
    }

    /// Whether a human looks at it.
    pub fn is_terminal(&self) -> bool {
        matches!(self, OutputTarget::Stdout) && io::stdout().is_terminal()
    }

    /// A sink for one result of a format.
    pub fn sink(&mut self, format: Format) -> Result<Sink> {
        if self.is_terminal() && format.is_binary() {
            return Err(Error::Usage(format!(
                "{} is not for terminals; name a file with -o or .output, or use a pipe",
                format.name()
            )));
        }
        match self {
            OutputTarget::Stdout => Ok(Box::new(BufWriter::with_capacity(BUFFER, io::stdout()))),
            OutputTarget::File { path, file, results } => {
                if *results > 0 && format.holds_one_result() {
                    return Err(Error::query(format!(
                        "{} has a result already, and a {} file holds one",
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
    let (columns, _) = DefaultEditor::new().ok()?.dimensions()?;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}
