//! Trace files become batches of events. One folder per format; nothing above knows the format.
//!
//! A reader of a format that is not Pajé emits its trace through an [`EventWriter`]; one that has a stream per
//! process joins them with a [`StreamMerge`].

mod ahead;
mod chrome;
mod ctf;
mod declared_columns;
mod distinct_names;
pub mod dumpi;
mod event_fields;
mod event_writer;
mod format;
mod gpu;
mod input;
mod kernel_text;
mod merge;
mod origin;
mod otf2;
pub mod paje;
mod paraver;
mod perfetto;
mod pj_dump;
mod readers;
mod running_threads;
mod sqlite;
mod table_rows;
mod text_lines;

use crate::error::Result;
use crate::model::EventBatch;
use crate::time::{Resolution, TimeUnit};

pub(crate) use chrome::{ChromeRecord, RecordGroup, RecordSorter, Sorted};
pub use distinct_names::PLAIN_NAME;
pub use event_fields::{ExtraFieldId, ExtraRole, ExtraValue, ExtraValues, LinkEnd, NameHandle};
pub use event_writer::EventWriter;
pub use format::TraceFormat;
pub use input::TraceInput;
pub use merge::StreamMerge;
pub use origin::{TraceOrigin, bytes_of};
pub(crate) use perfetto::TrackRole;

/// What the consumer of batches wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFlow {
    /// More batches.
    GoOn,
    /// No more batches.
    Stop,
}

/// Takes the batches of a trace, in order. It may keep a batch and leave an empty one in its place.
pub type Consumer<'a> = dyn FnMut(&mut EventBatch) -> Result<ReadFlow> + Send + 'a;

/// How collective operations are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Collectives {
    /// Links between the members.
    #[default]
    Links,
    /// One event per member.
    Events,
}

impl Collectives {
    /// Both ways.
    pub const ALL: [Collectives; 2] = [Collectives::Links, Collectives::Events];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Collectives::Links => "links",
            Collectives::Events => "events",
        }
    }
}

impl std::fmt::Display for Collectives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Collectives {
    type Err = String;

    fn from_str(text: &str) -> Result<Collectives, String> {
        let found = Collectives::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| format!("collectives must be links or events, got {text}"))
    }
}

/// Settings of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReaderOptions {
    /// Unit of the numbers in the trace, for formats that do not say it; found by the reader when not given.
    pub time_unit: Option<TimeUnit>,
    /// Length of a tick.
    pub resolution: Resolution,
    /// How collective operations are shown.
    pub collectives: Collectives,
}

/// Reads a trace of one format.
pub trait TraceReader {
    /// Hands over the batches of a trace in order, until the end or until the consumer stops. The
    /// consumer may run while the next batches are read. May be called again for a second pass.
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()>;

    /// Whether the consumer runs beside the reader by the reader's own doing.
    fn is_parallel(&self) -> bool {
        false
    }

    /// How many bytes there are to read of a trace whose files have `bytes`; `None` when that cannot be
    /// known before.
    fn total(&self, _origin: &TraceOrigin, bytes: u64) -> Result<Option<u64>> {
        Ok(Some(bytes))
    }

    /// The date of the trace's zero, in milliseconds since 1970, once it was read; `None` when the
    /// trace does not record it.
    fn origin_ms(&self) -> Option<i64> {
        None
    }

    /// The unit that the numbers of the trace were taken in, once it was read; `None` when the format says it.
    fn time_unit(&self) -> Option<TimeUnit> {
        None
    }
}
