//! The tables, read from `schemas/*.toml`: one definition for storage, SQL, catalog and docs.
//!
//! A column is either stored, or seconds computed from stored ticks. The SQL order of columns is the
//! order of the file; columns that a trace adds of its own come before the ticks.

mod docs;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use docs::{markdown, table_markdown};

/// Type of a column, by its SQL name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ColumnType {
    /// 32 bits.
    Integer,
    /// 64 bits.
    BigInt,
    /// 64 bits, unsigned.
    UBigInt,
    /// 64 bits, floating point.
    Double,
    /// UTF-8.
    Text,
    /// True or false.
    Boolean,
    /// Milliseconds since 1970, UTC.
    Timestamp,
}

/// Where the values of a column come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnSource {
    /// A column of the Parquet file with the same name.
    Stored,
    /// The seconds of a stored tick column.
    Seconds(String),
    /// The seconds between two stored tick columns.
    SecondsBetween {
        /// The tick column that is subtracted.
        from: String,
        /// The tick column that it is subtracted from.
        to: String,
    },
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name in SQL.
    pub name: String,
    /// SQL type.
    pub kind: ColumnType,
    /// Unit of its numbers.
    pub unit: Option<String>,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// `table.column` that the values refer to.
    pub reference: Option<String>,
    /// Where its values come from.
    pub source: ColumnSource,
    /// What it means.
    pub doc: String,
}

/// A column that a trace adds to a table: a field that its event definitions declare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraColumn {
    /// Name in SQL.
    pub name: String,
    /// SQL type.
    pub kind: ColumnType,
    /// What it means.
    pub doc: String,
}

/// A table of every trace.
#[derive(Debug, Clone)]
pub struct Table {
    /// Name in SQL.
    pub name: String,
    /// What it holds.
    pub doc: String,
    /// Its columns, in SQL order.
    pub columns: Vec<Column>,
}

impl Table {
    /// The columns in SQL order, with those that a trace adds before the ticks.
    pub fn columns_with(&self, extras: &[ExtraColumn]) -> Vec<Column> {
        let ticks = self
            .columns
            .iter()
            .position(|column| column.unit.as_deref() == Some("ticks"))
            .unwrap_or(self.columns.len());
        let (head, tail) = self.columns.split_at(ticks);
        let extras = extras.iter().map(|extra| Column {
            name: extra.name.clone(),
            kind: extra.kind,
            unit: None,
            nullable: true,
            reference: None,
            source: ColumnSource::Stored,
            doc: extra.doc.clone(),
        });
        head.iter().cloned().chain(extras).chain(tail.iter().cloned()).collect()
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// All tables, in the order of the documentation.
pub fn tables() -> &'static [Table] {
    &TABLES
}

/// The table of that name.
pub fn table(name: &str) -> Option<&'static Table> {
    tables().iter().find(|table| table.name == name)
}

const SOURCES: [&str; 14] = [
    include_str!("../../../schemas/containers.toml"),
    include_str!("../../../schemas/states.toml"),
    include_str!("../../../schemas/state_segments.toml"),
    include_str!("../../../schemas/events.toml"),
    include_str!("../../../schemas/variables.toml"),
    include_str!("../../../schemas/links.toml"),
    include_str!("../../../schemas/types.toml"),
    include_str!("../../../schemas/entity_values.toml"),
    include_str!("../../../schemas/topology_nodes.toml"),
    include_str!("../../../schemas/topology_edges.toml"),
    include_str!("../../../schemas/hierarchy_nodes.toml"),
    include_str!("../../../schemas/container_machines.toml"),
    include_str!("../../../schemas/trace_info.toml"),
    include_str!("../../../schemas/diagnostics.toml"),
];

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    SOURCES.iter().map(|source| parse(source).expect("the embedded schemas are checked by a test")).collect()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    name: String,
    doc: String,
    column: Vec<ColumnFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnFile {
    name: String,
    #[serde(rename = "type")]
    kind: ColumnType,
    unit: Option<String>,
    #[serde(default)]
    null: bool,
    reference: Option<String>,
    seconds_of: Option<String>,
    doc: String,
}

fn parse(text: &str) -> Result<Table, toml::de::Error> {
    let file: TableFile = toml::from_str(text)?;
    let columns = file
        .column
        .into_iter()
        .map(|column| Column {
            source: source_of(column.seconds_of),
            name: column.name,
            kind: column.kind,
            unit: column.unit,
            nullable: column.null,
            reference: column.reference,
            doc: column.doc,
        })
        .collect();
    Ok(Table { name: file.name, doc: file.doc, columns })
}

fn source_of(seconds_of: Option<String>) -> ColumnSource {
    match seconds_of {
        None => ColumnSource::Stored,
        Some(ticks) => match ticks.split_once(" - ") {
            Some((to, from)) => ColumnSource::SecondsBetween { from: from.to_string(), to: to.to_string() },
            None => ColumnSource::Seconds(ticks),
        },
    }
}
