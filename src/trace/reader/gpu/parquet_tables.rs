//! The Parquet export of Nsight Systems: one file for each table, named after it.
//!
//! In: the files. Out: rows with the values that the SQLite export of the same report has. Memory: one batch of rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use hashbrown::HashMap;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use crate::error::Result;
use crate::panics::unless_panic;
use crate::reader::table_rows::{RowConsumer, SourceTable, TableRow, TableValue};

/// Rows that are in memory at once.
const BATCH_ROWS: usize = 4096;

/// A folder of tables.
pub(super) struct ParquetTables {
    pub tables: BTreeMap<String, SourceTable>,
    files: HashMap<String, PathBuf>,
    /// Files that could not be read to their end; those of a table that is read twice are there once.
    pub damage: BTreeSet<(u64, String)>,
}

impl ParquetTables {
    /// Reads which columns the tables have.
    pub fn open(files: &[PathBuf]) -> ParquetTables {
        let mut folder = ParquetTables { tables: BTreeMap::new(), files: HashMap::new(), damage: BTreeSet::new() };
        for path in files {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match columns(path) {
                Ok(columns) => {
                    folder.tables.insert(name.clone(), SourceTable::new(&name, columns));
                    folder.files.insert(name, path.clone());
                }
                Err(error) => folder.fail(&name, 0, &error),
            }
        }
        folder
    }

    fn fail(&mut self, table: &str, row: u64, error: &dyn std::fmt::Display) {
        self.damage.insert((row, format!("{table}.parquet cannot be read from row {row} on: {error}")));
    }

    /// Hands over the rows of a table; none when there is no such table.
    pub fn scan(&mut self, table: &str, take: &mut RowConsumer<'_>) -> Result<()> {
        let (Some(path), Some(described)) = (self.files.get(table), self.tables.get(table).cloned()) else {
            return Ok(());
        };
        let opened = guarded(|| Ok(reader(path)?.with_batch_size(BATCH_ROWS).build()?));
        let mut batches = match opened {
            Ok(batches) => batches,
            Err(error) => {
                self.fail(table, 0, &error);
                return Ok(());
            }
        };
        let mut row = 0;
        let mut values = vec![];
        loop {
            let next = guarded(|| match batches.next() {
                Some(batch) => Ok(Some(plain_columns(&batch?)?)),
                None => Ok(None),
            });
            let (count, columns) = match next {
                Ok(Some(columns)) => columns,
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.fail(table, row, &error);
                    return Ok(());
                }
            };
            for place in 0..count {
                values.clear();
                values.extend(columns.iter().map(|column| column.value(place)));
                take(TableRow { table: &described, values: &values, byte: row })?;
                row += 1;
            }
        }
    }
}

/// How many rows a batch has, and its columns.
fn plain_columns(batch: &RecordBatch) -> ParquetResult<(usize, Vec<PlainColumn>)> {
    let columns: std::result::Result<Vec<_>, _> = batch.columns().iter().map(PlainColumn::of).collect();
    Ok((batch.num_rows(), columns?))
}

type ParquetResult<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn reader(path: &Path) -> ParquetResult<ParquetRecordBatchReaderBuilder<File>> {
    // The schema of Arrow that a file may carry says nothing new, and one that is damaged makes its decoder panic.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    Ok(ParquetRecordBatchReaderBuilder::try_new_with_options(File::open(path)?, options)?)
}

fn columns(path: &Path) -> ParquetResult<Vec<String>> {
    guarded(|| Ok(reader(path)?.schema().fields().iter().map(|field| field.name().clone()).collect()))
}

/// Decodes something of a file. Some damage makes the decoder panic; to the reader it is a file that cannot be read.
fn guarded<T>(decode: impl FnOnce() -> ParquetResult<T>) -> ParquetResult<T> {
    unless_panic(decode).unwrap_or_else(|| Err("its encoding is damaged".into()))
}

/// A column in one of the types that values have.
enum PlainColumn {
    Whole(ArrayRef),
    Unsigned(ArrayRef),
    Real(ArrayRef),
    Text(ArrayRef),
    Bytes(ArrayRef),
    /// Of a type that no value has, such as a list.
    Other,
}

impl PlainColumn {
    fn of(array: &ArrayRef) -> std::result::Result<PlainColumn, arrow::error::ArrowError> {
        use DataType::*;
        Ok(match array.data_type() {
            UInt64 => PlainColumn::Unsigned(array.clone()),
            Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 => {
                PlainColumn::Whole(cast(array, &Int64)?)
            }
            Float16 | Float32 | Float64 => PlainColumn::Real(cast(array, &Float64)?),
            Utf8 | LargeUtf8 | Utf8View | Dictionary(_, _) => PlainColumn::Text(cast(array, &Utf8)?),
            Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => PlainColumn::Bytes(cast(array, &Binary)?),
            _ => PlainColumn::Other,
        })
    }

    fn value(&self, place: usize) -> TableValue {
        match self {
            PlainColumn::Whole(array) if array.is_valid(place) => {
                TableValue::Int(array.as_primitive::<Int64Type>().value(place))
            }
            // SQLite knows no unsigned numbers: the export writes the same bits.
            PlainColumn::Unsigned(array) if array.is_valid(place) => {
                TableValue::Int(array.as_primitive::<UInt64Type>().value(place) as i64)
            }
            PlainColumn::Real(array) if array.is_valid(place) => {
                TableValue::Real(array.as_primitive::<Float64Type>().value(place))
            }
            PlainColumn::Text(array) if array.is_valid(place) => {
                TableValue::Text(array.as_string::<i32>().value(place).to_string())
            }
            PlainColumn::Bytes(array) if array.is_valid(place) => {
                TableValue::Blob(array.as_binary::<i32>().value(place).to_vec())
            }
            _ => TableValue::Null,
        }
    }
}
