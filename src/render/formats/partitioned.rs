//! A folder of Parquet files, one folder per value of some columns, as Hive lays them out:
//! `type=State/value=Running/part-0.parquet`. Those columns are in the names only.
//!
//! ```text
//!  batches ─► a chunk ─► rows by value ─► waiting rows of each value ─► when too many wait: the largest as a row group
//! ```
//! Memory and open files are bounded whatever the rows are: what waits, by [`CHUNK`] and [`MAX_WAITING`]; writers, by
//! [`MAX_OPEN`]: the one that was used longest ago is closed, and its value goes on in `part-1.parquet`.
//! The order of rows is kept within a value.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::SchemaRef;
use arrow::row::{OwnedRow, RowConverter, SortField};

use super::cells::CellTexts;
use super::counting_writer::{ByteCounter, CountingWriter};
use super::errors::arrow_failed;
use super::parquet_file::ParquetWriter;
use super::plain_types::{plain_batch, plain_schema};
use super::writer::ResultWriter;
use ocellus_engine::catalog::did_you_mean;
use ocellus_trace::error::{Error, Result};

/// Bytes of rows that are sorted by value at a time: many small batches would cost more than their rows.
const CHUNK: usize = 16 << 20;
/// Bytes of rows that wait to be written.
const MAX_WAITING: usize = 128 << 20;
/// Files that are written at a time.
const MAX_OPEN: usize = 64;
/// Folders; a column with more values than this was hardly meant.
const MAX_FOLDERS: usize = 100_000;
/// The name of NULL, by Hive's custom.
const NULL_NAME: &str = "__HIVE_DEFAULT_PARTITION__";

/// Writes rows to folders by their values.
pub struct PartitionedWriter {
    folder: PathBuf,
    /// All columns, with plain types.
    schema: SchemaRef,
    /// Columns whose values are names of folders.
    keys: Vec<usize>,
    /// The other columns.
    kept: Vec<usize>,
    converter: RowConverter,
    places: HashMap<OwnedRow, usize>,
    parts: Vec<PartitionFolder>,
    limits: PartitionLimits,
    /// Rows that came since the last chunk, and their bytes.
    chunk: Vec<RecordBatch>,
    chunk_bytes: usize,
    /// Bytes that wait in all parts.
    waiting: usize,
    /// Parts with a writer, the one that was used longest ago first.
    open: Vec<usize>,
    counter: ByteCounter,
}

#[derive(Debug, Clone, Copy)]
struct PartitionLimits {
    chunk: usize,
    waiting: usize,
    open: usize,
    folders: usize,
}

/// The rows of one value.
struct PartitionFolder {
    folder: PathBuf,
    /// Files that were begun.
    files: usize,
    waiting: Vec<RecordBatch>,
    bytes: usize,
    writer: Option<ParquetWriter>,
}

impl PartitionedWriter {
    /// A writer into an empty folder; `columns` name those that become folders, outermost first.
    pub fn new(
        schema: &SchemaRef,
        columns: &[String],
        folder: &Path,
        counter: ByteCounter,
    ) -> Result<PartitionedWriter> {
        let schema = plain_schema(schema);
        let mut keys = vec![];
        for column in columns {
            let place = schema.index_of(column).map_err(|_| unknown_column(column, &schema))?;
            if keys.contains(&place) {
                return Err(Error::Usage(format!("--partition-by names {column} twice")));
            }
            keys.push(place);
        }
        let kept: Vec<usize> = (0..schema.fields().len()).filter(|place| !keys.contains(place)).collect();
        if kept.is_empty() {
            return Err(Error::Usage(
                "--partition-by names all columns; at least one must stay in the files".to_string(),
            ));
        }
        let fields = keys.iter().map(|key| SortField::new(schema.field(*key).data_type().clone())).collect();
        Ok(PartitionedWriter {
            folder: folder.to_path_buf(),
            converter: RowConverter::new(fields).map_err(arrow_failed)?,
            schema,
            keys,
            kept,
            places: HashMap::new(),
            parts: vec![],
            limits: PartitionLimits { chunk: CHUNK, waiting: MAX_WAITING, open: MAX_OPEN, folders: MAX_FOLDERS },
            chunk: vec![],
            chunk_bytes: 0,
            waiting: 0,
            open: vec![],
            counter,
        })
    }

    /// Gives the rows of the chunk to their parts.
    fn distribute(&mut self) -> Result<()> {
        let chunk = concat_batches(&self.schema, &self.chunk).map_err(arrow_failed)?;
        self.chunk.clear();
        self.chunk_bytes = 0;
        let kept = chunk.project(&self.kept).map_err(arrow_failed)?;
        for (place, rows) in self.split(&chunk)? {
            let rows = take_record_batch(&kept, &UInt32Array::from(rows)).map_err(arrow_failed)?;
            // Beside its values, every array has a head.
            let bytes = rows.get_array_memory_size() + 256 * self.kept.len();
            let part = &mut self.parts[place];
            part.waiting.push(rows);
            part.bytes += bytes;
            self.waiting += bytes;
        }
        if self.waiting > self.limits.waiting { self.flush_largest() } else { Ok(()) }
    }

    /// The rows of a batch by the part that they belong to, in the order of their first rows.
    fn split(&mut self, batch: &RecordBatch) -> Result<Vec<(usize, Vec<u32>)>> {
        let keys = batch.project(&self.keys).map_err(arrow_failed)?;
        let rows = self.converter.convert_columns(keys.columns()).map_err(arrow_failed)?;
        let cells = CellTexts::new(&keys)?;
        let mut split: Vec<(usize, Vec<u32>)> = vec![];
        let mut seen: HashMap<usize, usize> = HashMap::new();
        for (number, row) in rows.iter().enumerate() {
            let place = match self.places.get(&row.owned()) {
                Some(place) => *place,
                None => self.add(row.owned(), &cells, number)?,
            };
            let group = *seen.entry(place).or_insert_with(|| {
                split.push((place, vec![]));
                split.len() - 1
            });
            split[group].1.push(number as u32);
        }
        Ok(split)
    }

    /// Begins a part for values that were not seen before.
    fn add(&mut self, key: OwnedRow, cells: &CellTexts<'_>, row: usize) -> Result<usize> {
        if self.parts.len() >= self.limits.folders {
            return Err(Error::query(format!(
                "--partition-by gives more than {} folders; choose columns with fewer values",
                self.limits.folders
            )));
        }
        let mut folder = self.folder.clone();
        let mut text = String::new();
        for (place, key) in self.keys.iter().enumerate() {
            let is_value = cells.read(row, place, &mut text)?;
            let value = if is_value { escaped(&text) } else { NULL_NAME.to_string() };
            folder.push(format!("{}={value}", escaped(self.schema.field(*key).name())));
        }
        self.parts.push(PartitionFolder { folder, files: 0, waiting: vec![], bytes: 0, writer: None });
        self.places.insert(key, self.parts.len() - 1);
        Ok(self.parts.len() - 1)
    }

    /// Writes the parts with the most waiting rows, until half as much waits as may.
    fn flush_largest(&mut self) -> Result<()> {
        let mut largest: Vec<usize> = (0..self.parts.len()).filter(|place| self.parts[*place].bytes > 0).collect();
        largest.sort_by_key(|place| std::cmp::Reverse(self.parts[*place].bytes));
        for place in largest {
            if self.waiting <= self.limits.waiting / 2 {
                break;
            }
            self.flush(place)?;
        }
        Ok(())
    }

    /// Writes the waiting rows of a part as a row group.
    fn flush(&mut self, place: usize) -> Result<()> {
        let schema = Arc::new(self.schema.project(&self.kept).map_err(arrow_failed)?);
        self.open.retain(|open| *open != place);
        if self.parts[place].writer.is_none() && self.open.len() >= self.limits.open {
            self.close(self.open.first().copied())?;
        }
        let part = &mut self.parts[place];
        let rows = concat_batches(&schema, &part.waiting).map_err(arrow_failed)?;
        part.waiting.clear();
        self.waiting -= std::mem::take(&mut part.bytes);
        let mut writer = match part.writer.take() {
            Some(writer) => writer,
            None => part.open(&schema, &self.counter)?,
        };
        writer.write(&rows)?;
        writer.end_group()?;
        part.writer = Some(writer);
        self.open.push(place);
        Ok(())
    }

    /// Ends the file of a part.
    fn close(&mut self, place: Option<usize>) -> Result<()> {
        let Some(place) = place else { return Ok(()) };
        self.open.retain(|open| *open != place);
        match self.parts[place].writer.take() {
            Some(mut writer) => writer.finish(),
            None => Ok(()),
        }
    }
}

impl ResultWriter for PartitionedWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = plain_batch(batch, &self.schema)?;
        self.chunk_bytes += batch.get_array_memory_size();
        self.chunk.push(batch);
        if self.chunk_bytes > self.limits.chunk { self.distribute() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<()> {
        self.distribute()?;
        for place in 0..self.parts.len() {
            if !self.parts[place].waiting.is_empty() {
                self.flush(place)?;
            }
            self.close(Some(place))?;
        }
        Ok(())
    }
}

impl PartitionFolder {
    fn open(&mut self, schema: &SchemaRef, counter: &ByteCounter) -> Result<ParquetWriter> {
        fs::create_dir_all(&self.folder).map_err(|e| Error::io("create", &self.folder, e))?;
        let path = self.folder.join(format!("part-{}.parquet", self.files));
        let file = File::create(&path).map_err(|e| Error::io("create", &path, e))?;
        self.files += 1;
        let sink = BufWriter::with_capacity(1 << 16, CountingWriter::new(file, counter));
        ParquetWriter::new(schema, Box::new(sink))
    }
}

/// A name as Hive writes it: what a file name or a reader of `name=value` could take for something else
/// becomes `%` and two hexadecimal digits.
fn escaped(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for (place, character) in text.char_indices() {
        let is_special = character.is_ascii_control() || "\"#%'*/:=?\\{}[]^<>|".contains(character);
        // A value that reads as NULL's name is none.
        if is_special || (place == 0 && text == NULL_NAME) {
            let _ = write!(name, "%{:02X}", u32::from(character));
        } else {
            name.push(character);
        }
    }
    name
}

fn unknown_column(column: &str, schema: &SchemaRef) -> Error {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    Error::Usage(format!(
        "--partition-by: the query gives no column {column}; it gives {}{}",
        names.join(", "),
        did_you_mean(column, names.iter().copied())
    ))
}

#[cfg(test)]
mod tests;
