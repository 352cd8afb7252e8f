//! `read_csv(path)`: files of separated values as a table.
//!
//! ```text
//!  path ─► files ─► the first line of the first: delimiter, header ─► types of the first rows ─► scan
//! ```

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::csv::reader::Format;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::logical_expr::LogicalPlan;

use super::named_files::{files_of, scan};
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;

/// Rows of each file that decide the types of the columns.
const SAMPLE_ROWS: usize = 100_000;
/// Bytes of a first line; a longer one is not of a table.
const LONGEST_LINE: u64 = 1 << 20;
/// What may stand between two values, the more usual first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "read_csv",
        family: "files",
        form: Form::Table,
        description: "Reads CSV files of the user, to be joined with a trace.",
        notes: "The delimiter is the one of , ; tab and | that the first line of the first file has most often. That \
                line is a header unless one of its cells is empty, a number or there twice; without a header, columns \
                are called column_1, column_2 and so on. The first 100,000 rows of each file decide the types: whole \
                number, number, truth value, date, timestamp, and text for all others. All files must have the same \
                columns. An empty cell is NULL. Paths are relative to the current folder. Servers and \
                clusters refuse the function. Row order is unspecified.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "path",
                kind: ConstantKind::Text,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "A file, or several: * in the name of a file stands for anything, ? for one character.",
            },
            ConstantParameter {
                name: "header",
                kind: ConstantKind::Boolean,
                default: DefaultValue::Absent,
                accepts: Accepts::Anything,
                doc: "Whether the first line of each file holds the names of the columns; inferred when not given.",
            },
            ConstantParameter {
                name: "delimiter",
                kind: ConstantKind::Text,
                default: DefaultValue::Absent,
                accepts: Accepts::Anything,
                doc: "The character between two values; inferred when not given.",
            },
        ],
        columns: &[
            OutputColumn { name: "machine", kind: "TEXT", doc: "The columns of the files, such as these." },
            OutputColumn { name: "site", kind: "TEXT", doc: "" },
            OutputColumn { name: "cores", kind: "BIGINT", doc: "" },
        ],
        examples: &[
            "SELECT machine, site, cores FROM read_csv('traces/machines.csv') ORDER BY machine",
            "SELECT c.name, m.site FROM containers AS c JOIN read_csv('traces/machines.csv') AS m ON m.machine = c.name \
             ORDER BY c.name",
        ],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let files = files_of(&call)?;
    let refusal = |reason: String| plan_datafusion_err!("{}: {reason}", call.definition.name);
    let layout = layout_of(&call, &files).map_err(refusal)?;
    let schema = schema_of(&files, layout).map_err(refusal)?;
    let format = CsvFormat::default()
        .with_has_header(layout.header == Header::Present)
        .with_delimiter(layout.delimiter)
        // A file is not cut within a value, then.
        .with_newlines_in_values(true);
    scan(&call, &files, Arc::new(format), Arc::new(schema))
}

/// How the files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CsvLayout {
    delimiter: u8,
    header: Header,
}

/// Whether the first line holds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    Present,
    Absent,
}

fn layout_of(call: &Call<'_>, files: &[PathBuf]) -> std::result::Result<CsvLayout, String> {
    let line = match files.first() {
        Some(path) => first_line(path)?,
        None => vec![],
    };
    let delimiter = match call.text("delimiter").map(str::as_bytes) {
        None => delimiter_of(&line),
        Some([delimiter]) => *delimiter,
        Some(b"\\t") => b'\t',
        Some(_) => return Err("delimiter must be one character".to_string()),
    };
    let header = match call.constant("header") {
        Some(Constant::Boolean(true)) => Header::Present,
        Some(Constant::Boolean(false)) => Header::Absent,
        _ => header_of(&line, delimiter)?,
    };
    Ok(CsvLayout { delimiter, header })
}

fn first_line(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut reader = BufReader::new(File::open(path).map_err(failed)?.take(LONGEST_LINE));
    let mut line = vec![];
    reader.read_until(b'\n', &mut line).map_err(failed)?;
    Ok(line)
}

/// The delimiter that a line has most often outside quotes; the first of equals.
fn delimiter_of(line: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in line {
        is_quoted ^= *byte == b'"';
        if let Some(index) = DELIMITERS.iter().position(|delimiter| delimiter == byte)
            && !is_quoted
        {
            counts[index] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let first = counts.iter().position(|count| *count == most).unwrap_or(0);
    DELIMITERS[first]
}

/// Whether the cells of a line can be names: none is empty, a number, or there twice.
fn header_of(line: &[u8], delimiter: u8) -> std::result::Result<Header, String> {
    let format = Format::default().with_delimiter(delimiter).with_header(true);
    let (cells, _) = format.infer_schema(line, Some(0)).map_err(|error| error.to_string())?;
    let mut names: Vec<&str> = cells.fields().iter().map(|field| field.name().trim()).collect();
    let is_value = |name: &&str| name.is_empty() || name.parse::<f64>().is_ok();
    let has_value = names.iter().any(is_value);
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    Ok(if has_value || names.len() < count { Header::Absent } else { Header::Present })
}

/// The columns of the files, which all must have the same names.
fn schema_of(files: &[PathBuf], layout: CsvLayout) -> std::result::Result<Schema, String> {
    let format = Format::default().with_delimiter(layout.delimiter).with_header(layout.header == Header::Present);
    let mut columns: Vec<(String, DataType)> = vec![];
    for path in files {
        let file = File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
        let (found, rows) = format
            .infer_schema(BufReader::new(file), Some(SAMPLE_ROWS))
            .map_err(|error| format!("{} is no table: {error}", path.display()))?;
        let found = found.fields().iter().map(|field| (field.name().clone(), field.data_type().clone()));
        columns = merged(columns, found.collect(), rows)
            .ok_or_else(|| format!("{} has other columns than the files before it", path.display()))?;
    }
    if columns.is_empty() {
        let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        return Err(format!("there is nothing in {}", names.join(", ")));
    }
    let fields: Vec<Field> = columns
        .into_iter()
        .map(|(name, kind)| Field::new(name, if kind == DataType::Null { DataType::Utf8 } else { kind }, true))
        .collect();
    Ok(Schema::new(fields))
}

/// The columns of two files; `None` when their names differ. Numbers of both kinds are numbers, and all other
/// types that differ are text.
fn merged(
    columns: Vec<(String, DataType)>,
    found: Vec<(String, DataType)>,
    rows: usize,
) -> Option<Vec<(String, DataType)>> {
    if columns.is_empty() {
        return Some(found);
    }
    let has_same_names =
        columns.len() == found.len() && columns.iter().zip(&found).all(|((one, _), (other, _))| one == other);
    if !has_same_names {
        return None;
    }
    if rows == 0 {
        return Some(columns);
    }
    let common = |one: DataType, other: DataType| match (one, other) {
        (one, other) if one == other => one,
        (DataType::Null, kind) | (kind, DataType::Null) => kind,
        (DataType::Int64, DataType::Float64) | (DataType::Float64, DataType::Int64) => DataType::Float64,
        _ => DataType::Utf8,
    };
    let pairs = columns.into_iter().zip(found);
    Some(pairs.map(|((name, one), (_, other))| (name, common(one, other))).collect())
}
