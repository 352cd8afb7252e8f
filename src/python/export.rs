//! Rows become a file, or a folder of Parquet files by value. It appears under its name when it is whole.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use arrow::datatypes::SchemaRef;
use ocellus::error::{Error, Result};
use ocellus::output::{OutputFile, OutputFolder};
use ocellus::render::formats::{
    ByteCounter, PartitionedWriter, ResultFormat, ResultWriter, SinkKind, TextStyle, writer,
};
use ocellus::store::Existing;
use pyo3::prelude::*;

use crate::errors::python_error;
use crate::rows::RunningRows;

/// What is written where.
pub struct ExportPlan {
    path: PathBuf,
    existing: Existing,
    target: ExportTarget,
}

enum ExportTarget {
    File(ResultFormat),
    /// By the values of these columns.
    Folder(Vec<String>),
}

impl ExportPlan {
    /// Checks what the user asked for.
    pub fn new(path: &Path, format: Option<&str>, overwrite: bool, partition_by: Vec<String>) -> Result<ExportPlan> {
        let existing = if overwrite { Existing::Replace } else { Existing::Refuse };
        check_free(path, existing)?;
        let format = match format {
            Some(name) => Some(ResultFormat::parse(name)?),
            None => ResultFormat::of_file(path),
        };
        let target = match format {
            None | Some(ResultFormat::Parquet) if !partition_by.is_empty() => ExportTarget::Folder(partition_by),
            Some(other) if !partition_by.is_empty() => {
                let message = format!("partition_by writes a folder of Parquet files, not {}", other.name());
                return Err(Error::Usage(message));
            }
            Some(format) => ExportTarget::File(format),
            None => {
                return Err(Error::Usage(format!(
                    "the name {} does not determine a format: use the extension csv, tsv, json, ndjson, parquet, arrow or md, or \
                     give format=",
                    path.display()
                )));
            }
        };
        Ok(ExportPlan { path: path.to_path_buf(), existing, target })
    }
}

/// Refuses to overwrite what the user did not say.
pub fn check_free(path: &Path, existing: Existing) -> Result<()> {
    if existing == Existing::Refuse && path.exists() {
        return Err(Error::Usage(format!("{} already exists; overwrite=True replaces it", path.display())));
    }
    Ok(())
}

/// A file or folder that is written before it has its name.
enum PartialExport {
    File(OutputFile),
    Folder(OutputFolder),
}

/// Writes all rows; how many there were. Ctrl-C leaves nothing behind.
pub fn write_rows(py: Python<'_>, rows: &mut RunningRows, plan: ExportPlan) -> PyResult<u64> {
    let failed = |error| python_error(py, error, None);
    let (partial, mut writer) = open(&plan, &rows.schema).map_err(failed)?;
    let mut count = 0;
    while let Some(batch) = rows.next(py)? {
        count += batch.num_rows() as u64;
        py.detach(|| writer.write(&batch)).map_err(failed)?;
    }
    let published = py.detach(|| {
        writer.finish()?;
        drop(writer);
        match partial {
            PartialExport::File(mut file) => file.publish(),
            PartialExport::Folder(folder) => folder.publish(),
        }
    });
    published.map(|()| count).map_err(failed)
}

fn open(plan: &ExportPlan, schema: &SchemaRef) -> Result<(PartialExport, Box<dyn ResultWriter>)> {
    match &plan.target {
        ExportTarget::File(format) => {
            let file = OutputFile::create(&plan.path, plan.existing)?;
            let sink = Box::new(BufWriter::with_capacity(1 << 16, file.writer()?));
            let writer = writer(*format, schema, &TextStyle::default(), SinkKind::File, sink)?;
            Ok((PartialExport::File(file), writer))
        }
        ExportTarget::Folder(columns) => {
            let folder = OutputFolder::create(&plan.path, plan.existing)?;
            let writer = PartitionedWriter::new(schema, columns, folder.path(), ByteCounter::default())?;
            Ok((PartialExport::Folder(folder), Box::new(writer)))
        }
    }
}
