//! The results of queries, as Python sees them: rows that come, rows that were kept, and one batch.

use std::path::PathBuf;
use std::sync::Mutex;

use arrow::array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use ocellus::engine::{ResultKind, counted};
use ocellus::error::Result;
use ocellus::render::formats::{ResultFormat, SinkKind, TextStyle, writer};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyCapsule, PyTuple};

use crate::arrow_capsules::{batch_capsules, schema_capsule, stream_capsule};
use crate::errors::python_error;
use crate::export::{ExportPlan, write_rows};
use crate::python_values::tuples;
use crate::rows::RunningRows;

/// The rows of a query that runs. Several threads may read them; each batch goes to one of them.
#[pyclass(frozen, module = "ocellus._ocellus")]
pub struct Rows {
    rows: Mutex<RunningRows>,
}

impl Rows {
    /// Wraps a query that runs.
    pub fn new(rows: RunningRows) -> Rows {
        Rows { rows: Mutex::new(rows) }
    }

    /// Works on the rows, while no other thread does.
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut RunningRows) -> PyResult<T>) -> PyResult<T> {
        // A panic leaves rows that can be closed, at least.
        let mut rows = self.rows.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
        work(&mut rows)
    }
}

#[pymethods]
impl Rows {
    /// The next batch; None at the end.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<ArrowBatch>> {
        self.with(py, |rows| Ok(rows.next(py)?.map(|batch| ArrowBatch { batch })))
    }

    /// All rows that are left.
    fn collect(&self, py: Python<'_>) -> PyResult<KeptRows> {
        self.with(py, |rows| Ok(KeptRows { batches: rows.collect(py)?, schema: rows.schema.clone() }))
    }

    /// At least so many of the rows that are left, if there are; the query waits for the others to be asked for.
    fn head(&self, py: Python<'_>, count: usize) -> PyResult<KeptRows> {
        self.with(py, |rows| {
            let (mut batches, mut found) = (vec![], 0);
            while found < count {
                let Some(batch) = rows.next(py)? else { break };
                found += batch.num_rows();
                batches.push(batch);
            }
            Ok(KeptRows { batches, schema: rows.schema.clone() })
        })
    }

    /// Writes all rows that are left to a file, or to a folder of Parquet files; how many there were.
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<&str>,
        overwrite: bool,
        partition_by: Vec<String>,
    ) -> PyResult<u64> {
        let plan =
            ExportPlan::new(&path, format, overwrite, partition_by).map_err(|error| python_error(py, error, None))?;
        self.with(py, |rows| write_rows(py, rows, plan))
    }

    /// Stops the query.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |rows| {
            rows.close();
            Ok(())
        })
    }

    /// What there is to say besides the rows, once all were read.
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |rows| Ok(rows.notes()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.with(py, |rows| schema_capsule(py, &rows.schema))
    }

    /// The rows that are left, which leave this object.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish, which a producer may ignore.
        drop(requested_schema);
        self.with(py, |rows| {
            let empty = RunningRows::kept(rows.schema.clone(), vec![]);
            stream_capsule(py, Box::new(StreamedRows(std::mem::replace(rows, empty))))
        })
    }
}

/// Rows for readers that know nothing of Python.
struct StreamedRows(RunningRows);

impl Iterator for StreamedRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = Python::attach(|py| self.next_or_notes(py));
        next.map_err(|error| ArrowError::ExternalError(error.to_string().into())).transpose()
    }
}

impl StreamedRows {
    /// The next batch. At the end there may be something to say besides the rows.
    fn next_or_notes(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let next = self.0.next(py)?;
        let notes = self.0.notes();
        if next.is_none() && !notes.is_empty() {
            py.import("ocellus._query")?.call_method1("warn_of", (notes,))?;
            self.0.close();
        }
        Ok(next)
    }
}

impl RecordBatchReader for StreamedRows {
    fn schema(&self) -> SchemaRef {
        self.0.schema.clone()
    }
}

/// Rows in memory.
#[pyclass(frozen, module = "ocellus._ocellus")]
pub struct KeptRows {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

#[pymethods]
impl KeptRows {
    /// How many there are.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The rows as tuples.
    fn tuples<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let mut rows = Vec::with_capacity(self.__len__());
        for batch in &self.batches {
            py.check_signals()?;
            rows.extend(tuples(py, batch)?);
        }
        Ok(rows)
    }

    /// The names of the columns.
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The first rows only.
    fn limited(&self, mut count: usize) -> KeptRows {
        let mut batches = vec![];
        for batch in &self.batches {
            let taken = batch.num_rows().min(count);
            batches.push(batch.slice(0, taken));
            count -= taken;
        }
        KeptRows { batches, schema: self.schema.clone() }
    }

    /// The rows as text in a format such as `box` or `markdown`.
    fn text(&self, py: Python<'_>, format: &str, width: Option<usize>) -> PyResult<String> {
        let written = self.written(format, width);
        written.map_err(|error| python_error(py, error, None))
    }

    /// How many rows a statement wrote.
    fn count(&self) -> Option<u64> {
        counted(&self.batches)
    }

    /// The rows once more, to be read or exported.
    fn rows(&self) -> Rows {
        Rows::new(RunningRows::kept(self.schema.clone(), self.batches.clone()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish, which a producer may ignore.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        stream_capsule(py, Box::new(RecordBatchIterator::new(batches, self.schema.clone())))
    }
}

impl KeptRows {
    fn written(&self, format: &str, width: Option<usize>) -> Result<String> {
        let text = TextSink::default();
        let style = TextStyle { width, ..TextStyle::default() };
        let format = ResultFormat::parse(format)?;
        let mut writer = writer(format, &self.schema, &style, SinkKind::Stream, Box::new(text.clone()))?;
        for batch in &self.batches {
            writer.write(batch)?;
        }
        writer.finish()?;
        drop(writer);
        Ok(text.take())
    }
}

/// Text that a writer writes and its maker reads.
#[derive(Debug, Clone, Default)]
struct TextSink(std::sync::Arc<Mutex<Vec<u8>>>);

impl TextSink {
    fn take(&self) -> String {
        let bytes = self.0.lock().map(|mut bytes| std::mem::take(&mut *bytes)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl std::io::Write for TextSink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Ok(mut text) = self.0.lock() {
            text.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One batch of rows.
#[pyclass(frozen, module = "ocellus._ocellus")]
pub struct ArrowBatch {
    batch: RecordBatch,
}

#[pymethods]
impl ArrowBatch {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn tuples<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        tuples(py, &self.batch)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A wish, which a producer may ignore.
        drop(requested_schema);
        batch_capsules(py, &self.batch)
    }
}

/// The name of a kind of result.
pub fn kind_name(kind: ResultKind) -> &'static str {
    match kind {
        ResultKind::Rows => "rows",
        ResultKind::Count => "count",
        ResultKind::Done => "done",
    }
}
