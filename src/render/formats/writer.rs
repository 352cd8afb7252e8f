//! What the writers of all formats share: their interface, where they write to, and how text looks.

use std::io::Write;

use arrow::array::RecordBatch;

use ocellus_trace::error::Result;

/// The destination of a result.
pub type Sink = Box<dyn Write + Send>;

/// Whether a sink is a file or a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SinkKind {
    /// A file that can be read at any position.
    File,
    /// A pipe or a terminal that is read in order.
    Stream,
    /// A stream whose reader knows dictionaries: in Arrow, a text that comes again is written once.
    DictionaryStream,
}

/// Settings of text formats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextStyle {
    /// Text of NULL; each format has its own when not given.
    pub null: Option<String>,
    /// Columns of the terminal; `None` for no limit.
    pub width: Option<usize>,
    /// Most rows that a box shows; `None` for all.
    pub max_rows: Option<usize>,
}

/// Writes one result.
pub trait ResultWriter: Send {
    /// Takes the next rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Writes what is left and flushes.
    fn finish(&mut self) -> Result<()>;
}
