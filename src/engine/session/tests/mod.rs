//! Tests of the engine on stores made by hand: what the manifest and the files say is known here.

mod activities;
mod bounded_windows;
mod cancellation;
mod catalog;
mod damage;
mod damage_elsewhere;
mod exact_sums;
mod groups_and_joins;
mod inputs;
mod intervals;
mod link_summaries;
mod messages;
mod plain_words;
mod pruning;
mod replacement;
mod slices;
mod summaries;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

use super::{Engine, EngineOptions, Files};
use ocellus_trace::schema::{ColumnType, ExtraColumn};
use ocellus_trace::store::{FORMAT_VERSION, FileEntry, Manifest, Store, TableEntry, TraceEntry};

/// Columns of a file, by name.
type Columns = Vec<(&'static str, ArrayRef)>;

/// A store in a temporary folder, written without the importer.
struct HandMade {
    folder: TempDir,
    traces: Vec<TraceEntry>,
}

impl HandMade {
    fn new() -> HandMade {
        HandMade { folder: tempfile::tempdir().expect("a temporary folder"), traces: vec![] }
    }

    /// Adds a trace without tables.
    fn trace(&mut self, name: &str) -> &mut HandMade {
        let folder = format!("t{:06}", self.traces.len());
        fs::create_dir_all(self.folder.path().join(&folder)).expect("a folder");
        self.traces.push(TraceEntry {
            name: name.to_string(),
            folder,
            format: "paje".to_string(),
            source: format!("{name}.trace"),
            bytes: 1234,
            resolution_digits: 9,
            start_tick: Some(500_000_000),
            end_tick: Some(4_000_000_000),
            origin_ms: None,
            time_unit: None,
            imported_at_ms: 1_700_000_000_000,
            ocellus_version: "0.1.0".to_string(),
            counts: BTreeMap::from([("lines".to_string(), 12)]),
            tables: vec![],
        });
        self
    }

    /// Adds a table of several files to the last trace.
    fn table(
        &mut self,
        name: &str,
        extras: &[(&str, ColumnType)],
        files: Vec<Columns>,
        rows_per_group: usize,
    ) -> &mut HandMade {
        let trace = self.traces.last_mut().expect("a trace comes first");
        let mut entry =
            TableEntry { name: name.to_string(), rows: 0, extra_columns: vec![], files: vec![], bands: None };
        for (extra, kind) in extras {
            let doc = format!("Field {extra}.");
            entry.extra_columns.push(ExtraColumn { name: extra.to_string(), kind: *kind, doc });
        }
        for (number, columns) in files.into_iter().enumerate() {
            let batch = RecordBatch::try_from_iter(columns).expect("columns of equal length");
            let file_name = format!("{name}-{number}.parquet");
            let path = self.folder.path().join(&trace.folder).join(&file_name);
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(rows_per_group)).build();
            let file = File::create(&path).expect("a file");
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
            writer.write(&batch).expect("rows");
            writer.close().expect("a closed file");
            let rows = batch.num_rows() as u64;
            let bytes = fs::metadata(&path).expect("a file").len();
            entry.files.push(FileEntry { name: file_name, rows, bytes, checksum: String::new(), footer: None });
            entry.rows += rows;
        }
        trace.tables.push(entry);
        self
    }

    fn engine(&self, options: EngineOptions) -> ocellus_trace::error::Result<Engine> {
        let manifest = Manifest {
            format_version: FORMAT_VERSION,
            ocellus_version: "0.1.0".to_string(),
            generation: 1,
            traces: self.traces.clone(),
        };
        let text = serde_json::to_string(&manifest).expect("JSON");
        fs::write(self.folder.path().join("ocellus.json"), text).expect("a manifest");
        Engine::open(Store::open(self.folder.path()).expect("a store"), options)
    }
}

fn integers(values: &[i32]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn longs(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn doubles(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn booleans(values: &[bool]) -> ArrayRef {
    Arc::new(BooleanArray::from(values.to_vec()))
}

/// States of container 0, one row each: value, start and end in ticks, depth.
fn states(rows: &[(&str, i64, i64, i32)]) -> Columns {
    vec![
        ("container_id", integers(&vec![0; rows.len()])),
        ("container", texts(&vec!["p0"; rows.len()])),
        ("type", texts(&vec!["State"; rows.len()])),
        ("value", texts(&rows.iter().map(|row| row.0).collect::<Vec<_>>())),
        ("depth", integers(&rows.iter().map(|row| row.3).collect::<Vec<_>>())),
        ("start_tick", longs(&rows.iter().map(|row| row.1).collect::<Vec<_>>())),
        ("end_tick", longs(&rows.iter().map(|row| row.2).collect::<Vec<_>>())),
    ]
}

fn with_cuts(mut columns: Columns, cuts: &[bool]) -> Columns {
    columns.push(("is_cut", booleans(cuts)));
    columns
}

/// Rows as text: columns joined by a bar, NULL empty.
async fn rows(engine: &Engine, sql: &str) -> Vec<String> {
    let batches = engine.sql(sql).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    let mut rows = vec![];
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let cells = batch
                .columns()
                .iter()
                .map(|column| arrow::util::display::array_value_to_string(column, row).expect("a value"));
            rows.push(cells.collect::<Vec<_>>().join("|"));
        }
    }
    rows
}

async fn failure(engine: &Engine, sql: &str) -> String {
    match engine.sql(sql).await {
        Ok(_) => panic!("{sql} should fail"),
        Err(error) => error.to_string(),
    }
}
