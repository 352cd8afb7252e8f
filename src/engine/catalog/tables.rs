//! Tables of a store as logical plans over its Parquet files.
//!
//! In: the manifest of a store. Out: for each trace and table, a plan of stock nodes: a projection
//! over scans of files, so that EXPLAIN stays readable and any executor can run it.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::{DFSchema, Result, TableReference, internal_datafusion_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{EmptyRelation, LogicalPlan, LogicalPlanBuilder, ScalarUDF, lit, not};

use super::checked_file::{CheckedFile, TableSummary, store_error};
use super::checked_table::CheckedTable;
use super::columns::{IS_CUT, column_of, conform, documented, join_extras, show, stored_schema};
use super::distinct::NameCounts;
use super::trace_info;
use ocellus_trace::schema::{self, Column, ColumnSource, ExtraColumn};
use ocellus_trace::store::{FileEntry, Leases, MANIFEST, TableEntry, TraceEntry, bands_of, damaged};

/// Makes the plans of tables.
#[derive(Debug)]
pub(super) struct Tables {
    /// URL of the store's folder.
    pub(super) root: String,
    pub(super) traces: Vec<TraceEntry>,
    /// Turns ticks into seconds: `tick_seconds(tick, ticks_per_second)`.
    pub(super) tick_seconds: Arc<ScalarUDF>,
    /// Keeps the files of the traces, should another program drop them.
    leases: Leases,
    /// The store's folder, where leases are taken; `None` for a store that no program of ours changes.
    pub(super) folder: Option<PathBuf>,
}

impl Tables {
    pub(super) fn new(url: &str, traces: Vec<TraceEntry>, tick_seconds: Arc<ScalarUDF>) -> Tables {
        let root = url.trim_end_matches('/').to_string();
        Tables { root, traces, tick_seconds, leases: Leases::default(), folder: None }
    }

    /// The same, keeping the traces that are leased, and those that are asked for.
    pub(super) fn with_leases(self, folder: PathBuf, leases: Leases) -> Tables {
        Tables { folder: Some(folder), leases, ..self }
    }

    /// The columns of a table of one trace; of none: what the union over all traces shows of them.
    pub(super) fn columns(&self, trace: Option<&TraceEntry>, table: &schema::Table) -> Vec<Column> {
        let Some(trace) = trace else {
            let extras_of_traces: Vec<Vec<ExtraColumn>> =
                self.traces.iter().map(|trace| extras(trace, &table.name)).collect();
            return table.columns_with(&join_extras(extras_of_traces.iter().map(Vec::as_slice)));
        };
        table.columns_with(&extras(trace, &table.name))
    }

    /// The plan of one table of one trace.
    pub(super) fn of_trace(&self, trace: &TraceEntry, table: &schema::Table) -> Result<LogicalPlan> {
        let ticks_per_second = trace.resolution().ticks_per_second();
        let columns = self.columns(Some(trace), table);
        let stored = match table.name.as_str() {
            "trace_info" => trace_info::row(trace, &columns)?,
            "state_segments" => self.segments(trace, &columns)?,
            name => self.scan(trace, name, &columns)?,
        };
        show(stored, &columns, &self.tick_seconds, ticks_per_second)
    }

    /// The union of one table over all traces, with the name of the trace first.
    pub(super) fn of_all_traces(&self, table: &schema::Table) -> Result<LogicalPlan> {
        let columns = self.columns(None, table);
        let name_of = |trace: &str| documented(lit(text(trace)), "trace", "Name of the trace.");
        let mut parts = vec![];
        for trace in &self.traces {
            parts.push(conform(self.of_trace(trace, table)?, &columns, vec![name_of(&trace.name)])?);
        }
        if parts.is_empty() {
            let nothing = LogicalPlanBuilder::empty(false).build()?;
            parts.push(conform(nothing, &columns, vec![name_of("")])?);
        }
        union(parts)
    }

    /// The innermost states: those that were never cut, and the pieces of the others.
    fn segments(&self, trace: &TraceEntry, columns: &[Column]) -> Result<LogicalPlan> {
        let stored: Vec<Column> =
            columns.iter().filter(|column| column.source == ColumnSource::Stored).cloned().collect();
        let mut parts = vec![];
        if has_files(trace, "states") {
            let states = self.scan(trace, "states", columns)?;
            let is_cut = column_of(&states, IS_CUT)?;
            let whole = LogicalPlanBuilder::from(states).filter(not(is_cut))?.build()?;
            parts.push(conform(whole, &stored, vec![])?);
        }
        if has_files(trace, "state_segments") || parts.is_empty() {
            parts.push(conform(self.scan(trace, "state_segments", columns)?, &stored, vec![])?);
        }
        union(parts)
    }

    /// A scan of the files of a stored table; of none, when it has no files.
    fn scan(&self, trace: &TraceEntry, name: &str, columns: &[Column]) -> Result<LogicalPlan> {
        let schema = stored_schema(name, columns);
        let files = trace.table(name).map_or(&[][..], |table: &TableEntry| &table.files);
        if files.is_empty() {
            self.require_no_rows(trace, name)?;
            let schema = Arc::new(DFSchema::try_from(schema)?);
            let nothing = LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema });
            // Whoever reads the plan still sees which table has no rows.
            return LogicalPlanBuilder::from(nothing)
                .alias(TableReference::partial(trace.name.as_str(), name))?
                .build();
        }
        if let Some(folder) = &self.folder {
            self.leases.take(&folder.join(&trace.folder)).map_err(store_error)?;
        }
        let summary = self.summary(trace, name)?;
        let files = files.iter().map(|file| self.file(trace, file, summary.clone())).collect::<Result<Vec<_>>>()?;
        let place = ListingTableUrl::parse(format!("{}/", self.root))?.object_store();
        let table = CheckedTable::new(schema, place, files, NameCounts::of(trace));
        let provider = provider_as_source(Arc::new(table));
        let reference = TableReference::partial(trace.name.as_str(), name);
        LogicalPlanBuilder::scan(reference, provider, None)?.build()
    }

    /// The summary of a stored table.
    fn summary(&self, trace: &TraceEntry, name: &str) -> Result<Option<Arc<TableSummary>>> {
        let Some(summary) = trace.table(&bands_of(name)) else {
            return Ok(None);
        };
        let Some(bands) = summary.bands.filter(|_| !summary.files.is_empty()) else {
            return Ok(None);
        };
        let files = summary.files.iter().map(|file| self.file(trace, file, None)).collect::<Result<_>>()?;
        let ticks_per_second = trace.resolution().ticks_per_second();
        Ok(Some(Arc::new(TableSummary { table: name.to_string(), files, bands, ticks_per_second })))
    }

    /// A table without files must be one without rows.
    fn require_no_rows(&self, trace: &TraceEntry, name: &str) -> Result<()> {
        match trace.rows(name) {
            0 => Ok(()),
            rows => {
                let what = format!("it names no file of {}.{name}, which has {rows} rows", trace.name);
                Err(store_error(damaged(&format!("{}/{MANIFEST}", self.root), what)))
            }
        }
    }

    fn file(
        &self,
        trace: &TraceEntry,
        file: &FileEntry,
        summary: Option<Arc<TableSummary>>,
    ) -> Result<Arc<CheckedFile>> {
        let url = format!("{}/{}/{}", self.root, url_path(&trace.folder), url_path(&file.name));
        let folder = self.folder.as_ref().map(|root| root.join(&trace.folder));
        let name = match &folder {
            Some(folder) => folder.join(&file.name).display().to_string(),
            None => url.clone(),
        };
        Ok(Arc::new(CheckedFile {
            entry: file.clone(),
            name,
            location: ListingTableUrl::parse(url)?.prefix().clone(),
            folder,
            imported_at_ms: trace.imported_at_ms,
            summary,
        }))
    }
}

/// The columns that a trace adds to a table.
fn extras(trace: &TraceEntry, table: &str) -> Vec<ExtraColumn> {
    let of = |name: &str| trace.table(name).map_or(&[][..], |entry| &entry.extra_columns);
    match table {
        // Pieces of states carry what the states carry.
        "state_segments" => join_extras([of("states"), of("state_segments")]),
        name => of(name).to_vec(),
    }
}

fn has_files(trace: &TraceEntry, table: &str) -> bool {
    trace.table(table).is_some_and(|entry| !entry.files.is_empty())
}

fn union(parts: Vec<LogicalPlan>) -> Result<LogicalPlan> {
    let mut parts = parts.into_iter();
    let first = parts.next().ok_or_else(|| internal_datafusion_err!("a union of nothing"))?;
    let mut builder = LogicalPlanBuilder::from(first);
    for part in parts {
        builder = builder.union(part)?;
    }
    builder.build()
}

fn text(value: &str) -> datafusion::common::ScalarValue {
    datafusion::common::ScalarValue::Utf8View(Some(value.to_string()))
}

/// A path as a URL writes it: a bare path may hold characters that DataFusion takes for a pattern.
pub(super) fn url_path(path: &str) -> String {
    let mut url = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}
