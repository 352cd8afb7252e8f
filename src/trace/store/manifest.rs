//! The manifest of a store: `ocellus.json`, what the store holds and how to check it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::schema::ExtraColumn;
use crate::time::Resolution;

/// The version of the store's layout that this program writes: with summaries since 2.
pub const FORMAT_VERSION: u32 = 2;

/// The oldest version of the store's layout that this program reads.
pub const OLDEST_VERSION: u32 = 1;

/// Name of the count of states that others cut into segments.
pub(super) const CUT_STATES: &str = "cut_states";

/// Name of the manifest in the folder of a store.
pub const MANIFEST: &str = "ocellus.json";

/// What a store holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the layout of the store; see [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The program that wrote the manifest, for messages.
    pub ocellus_version: String,
    /// Grows by one with every commit.
    pub generation: u64,
    /// By name.
    pub traces: Vec<TraceEntry>,
}

/// One trace of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceEntry {
    /// Name of the trace, and of its SQL schema.
    pub name: String,
    /// Folder of its files below the store.
    pub folder: String,
    /// Format it was read from, such as `paje`.
    pub format: String,
    /// Where it was read from.
    pub source: String,
    /// Size of the source.
    pub bytes: u64,
    /// Digits of the resolution: a tick is `10^-digits` seconds.
    pub resolution_digits: u8,
    /// Smallest and largest time; `None` for a trace without times.
    pub start_tick: Option<i64>,
    /// Largest time.
    pub end_tick: Option<i64>,
    /// Wall-clock time of the trace's zero, in milliseconds since 1970; `None` when not known.
    pub origin_ms: Option<i64>,
    /// The unit that its times were taken in, such as `ms`; `None` when the format says it.
    #[serde(default)]
    pub time_unit: Option<String>,
    /// When it was imported, in milliseconds since 1970.
    pub imported_at_ms: i64,
    /// The program that imported it.
    pub ocellus_version: String,
    /// `lines`, `event_lines`, `lost_lines`, `cut_states`.
    pub counts: BTreeMap<String, u64>,
    /// The stored tables.
    pub tables: Vec<TableEntry>,
}

/// One stored table of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Name of the table.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
    /// Columns that the trace adds.
    pub extra_columns: Vec<ExtraColumn>,
    /// Its files.
    pub files: Vec<FileEntry>,
    /// The bands of time of a summary; `None` for a table that is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bands: Option<BandGrid>,
}

/// The bands of time of a summary, in levels: each is eight times as wide as the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BandGrid {
    /// The finest bands are `2^shift` ticks wide.
    pub shift: u8,
    /// The same of the widest ones.
    pub coarsest: u8,
    /// Of links: all volumes are whole numbers, and so few that every order of adding them up gives the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_volume: bool,
    /// Of variables: the summary also has how many begin in a band, those included whose value is no number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts_rows: bool,
}

/// One Parquet file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// File name below the trace's folder.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// XXH3 of the content, in hexadecimal.
    pub checksum: String,
    /// The end of the file, which holds the checksums of the rest; `None` when an older version wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footer: Option<FooterEntry>,
}

/// The page indexes and the metadata at the end of a Parquet file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FooterEntry {
    /// Their size.
    pub bytes: u64,
    /// Their XXH3, in hexadecimal.
    pub checksum: String,
}

impl Manifest {
    /// A trace by its name.
    pub fn trace(&self, name: &str) -> Option<&TraceEntry> {
        self.traces.iter().find(|trace| trace.name == name)
    }
}

impl TraceEntry {
    /// A table by its name.
    pub fn table(&self, name: &str) -> Option<&TableEntry> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Rows of a stored table; 0 for one that is not there.
    pub fn rows(&self, table: &str) -> u64 {
        self.table(table).map_or(0, |table| table.rows)
    }

    /// Rows that SQL shows of a table. Of `state_segments` only the pieces of cut states are stored; the others are
    /// those of `states`. `None` when an older version imported the trace and did not count the states that were cut.
    pub fn shown_rows(&self, table: &str) -> Option<u64> {
        let stored = self.rows(table);
        if table != "state_segments" {
            return Some(stored);
        }
        match (self.counts.get(CUT_STATES), stored) {
            (Some(cut), _) => Some((self.rows("states") + stored).saturating_sub(*cut)),
            (None, 0) => Some(self.rows("states")),
            (None, _) => None,
        }
    }

    /// A count by its name; 0 when there is none.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Bytes of all files of the trace.
    pub fn stored_bytes(&self) -> u64 {
        self.tables.iter().flat_map(|table| &table.files).map(|file| file.bytes).sum()
    }

    /// The date of the trace's zero, in milliseconds since 1970: 1970 itself when not known.
    pub fn origin_ms(&self) -> i64 {
        self.origin_ms.unwrap_or(0)
    }

    /// How long a tick is.
    pub fn resolution(&self) -> Resolution {
        Resolution::from_digits(self.resolution_digits).unwrap_or(Resolution::NANOSECONDS)
    }
}
