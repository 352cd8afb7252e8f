//! A connection: one engine over a snapshot of a store, which any number of Python threads may use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::datatypes::SchemaRef;
use datafusion::common::TableReference;
use datafusion::datasource::MemTable;
use ocellus::catalog::{did_you_mean, type_name};
use ocellus::cli::parse_size;
use ocellus::engine::{CancelFlag, Engine, EngineOptions, ResultKind, Statement, remote};
use ocellus::error::{Error, Result};
use ocellus::functions::pages;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrow_capsules::read_stream;
use crate::errors::{python_error, usage_error};
use crate::importing::{ReadingOptions, open_source};
use crate::parameters::bound;
use crate::pictures::{drawn, reported};
use crate::results::{Rows, kind_name};
use crate::rows::RunningRows;
use crate::traces::described;
use crate::workers::{is_forked, wait_for};

/// A connection to a store.
#[pyclass(frozen, module = "ocellus._ocellus")]
pub struct Session {
    sources: Vec<PathBuf>,
    reading: ReadingOptions,
    options: EngineOptions,
    state: Arc<SessionState>,
}

/// What a connection and its queries share.
#[derive(Default)]
struct SessionState {
    /// `None` after it was closed.
    engine: Mutex<Option<Arc<Engine>>>,
    /// Tables that the user registered, by name.
    registered: Mutex<BTreeMap<String, Arc<MemTable>>>,
}

impl SessionState {
    fn engine(&self, py: Python<'_>) -> PyResult<Arc<Engine>> {
        crate::workers::check_fork(py)?;
        locked(&self.engine).clone().ok_or_else(|| usage_error(py, "the connection is closed"))
    }
}

impl Drop for SessionState {
    fn drop(&mut self) {
        if is_forked() {
            // Its temporary files are those of the parent.
            std::mem::forget(locked(&self.engine).take());
        }
    }
}

/// Held for moments only, and never while Python waits.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Session {
    /// Opens a store, a trace, several traces, or a store in object storage; what there is to say comes with it.
    #[staticmethod]
    #[pyo3(signature = (sources, trace, memory_limit, threads, reading, progress))]
    fn open(
        py: Python<'_>,
        sources: Vec<PathBuf>,
        trace: Option<String>,
        memory_limit: Option<String>,
        threads: Option<usize>,
        reading: ReadingOptions,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(Session, Vec<String>)> {
        let memory_limit = memory_limit.as_deref().map(parse_size).transpose();
        let memory_limit = memory_limit.map_err(|message| usage_error(py, format!("memory_limit: {message}")))?;
        if threads == Some(0) {
            return Err(usage_error(py, "threads must be at least 1, got 0"));
        }
        let options = EngineOptions { memory_limit, threads, trace, ..EngineOptions::default() };
        let session = Session { sources, reading, options, state: Arc::default() };
        let notes = session.refresh(py, progress)?;
        Ok((session, notes))
    }

    /// Sees the store as it is now. Tables that were registered stay.
    fn refresh(&self, py: Python<'_>, progress: Option<Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
        let (engine, notes) = self.opened(py, progress.as_ref())?;
        let registered = locked(&self.state.registered).clone();
        for (name, table) in registered {
            add_table(&engine, &name, table).map_err(|error| python_error(py, error, None))?;
        }
        *locked(&self.state.engine) = Some(Arc::new(engine));
        Ok(notes)
    }

    /// Ends the connection; running queries go on.
    fn close(&self) {
        if !is_forked() {
            locked(&self.state.engine).take();
        }
    }

    /// Reads a text of one or several statements, with values for its `?`.
    fn prepare(&self, py: Python<'_>, text: &str, values: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<PreparedQuery>> {
        let text = if values.is_empty() { text.to_string() } else { bound(py, text, &values)? };
        let statements = self.state.engine(py)?.split(&text);
        let statements = statements.map_err(|error| python_error(py, error, Some(&text)))?;
        let query = |statement| PreparedQuery { state: Arc::clone(&self.state), statement };
        Ok(statements.into_iter().map(query).collect())
    }

    /// The traces of the store.
    fn traces<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.state.engine(py)?.traces().iter().map(|trace| described(py, trace)).collect()
    }

    /// The trace whose tables need no prefix.
    fn current_trace(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.state.engine(py)?.current_schema())
    }

    /// Makes Arrow data a table.
    fn register(&self, py: Python<'_>, name: String, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let engine = self.state.engine(py)?;
        let (schema, batches) = read_stream(data)?;
        let table = MemTable::try_new(schema, vec![batches]);
        let table = Arc::new(table.map_err(|error| python_error(py, engine.explain(&error, ""), None))?);
        // Once more under the same name is what a notebook does whose cell is run again.
        let _ = self.unregister(py, name.clone());
        add_table(&engine, &name, Arc::clone(&table)).map_err(|error| python_error(py, error, None))?;
        locked(&self.state.registered).insert(name, table);
        Ok(())
    }

    /// Forgets a table that was registered; whether there was one.
    fn unregister(&self, py: Python<'_>, name: String) -> PyResult<bool> {
        let engine = self.state.engine(py)?;
        if locked(&self.state.registered).remove(&name).is_none() {
            return Ok(false);
        }
        let removed = engine.context().deregister_table(TableReference::bare(name));
        removed.map(|_| true).map_err(|error| python_error(py, engine.explain(&error, ""), None))
    }

    /// The page of a function, view or table in Markdown; of all of them without a name.
    fn help(&self, py: Python<'_>, name: Option<&str>) -> PyResult<String> {
        let engine = self.state.engine(py)?;
        let wanted = name.map(|name| name.trim_end_matches("()").to_lowercase());
        let file = format!("{}.md", wanted.as_deref().unwrap_or("README"));
        if let Some((_, page)) = pages().into_iter().find(|(name, _)| *name == file) {
            return Ok(page
                .replace("Generated from its definition; do not edit.\n\n", "")
                .replace("Generated from their definitions; do not edit.\n\n", ""));
        }
        let name = wanted.unwrap_or_default();
        let page = async move { table_page(&engine, &name).await };
        wait_for(py, &CancelFlag::default(), None, page)
    }

    /// Draws a view as the content of a file with that extension.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        view: &str,
        extension: &str,
        options: Bound<'py, PyDict>,
    ) -> PyResult<(Bound<'py, PyBytes>, String)> {
        drawn(py, self.state.engine(py)?, view, extension, &options)
    }

    /// Writes the report of the trace into a folder.
    fn report(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        reported(py, self.state.engine(py)?, &path, overwrite)
    }
}

impl Session {
    fn opened(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<(Engine, Vec<String>)> {
        let options = self.options.clone();
        if let [source] = self.sources.as_slice()
            && let Some(url) = remote::url_of(Path::new(source))
        {
            let url = url.to_string();
            let opening = async move { remote::open(&url, &options).await };
            return Ok((wait_for(py, &CancelFlag::default(), None, opening)?, vec![]));
        }
        let (store, mut notes) = open_source(py, self.sources.clone(), &self.reading, progress)?;
        notes.extend(store.take_warnings());
        let engine = py.detach(|| Engine::open(store, options));
        Ok((engine.map_err(|error| python_error(py, error, None))?, notes))
    }
}

fn add_table(engine: &Engine, name: &str, table: Arc<MemTable>) -> Result<()> {
    let added = engine.context().register_table(TableReference::bare(name), table);
    added.map(|_| ()).map_err(|error| engine.explain(&error, ""))
}

/// The page of a table of the store.
async fn table_page(engine: &Engine, name: &str) -> Result<String> {
    let (schema, table) = match name.split_once('.') {
        Some((schema, table)) => (schema.to_string(), table),
        None => (engine.current_schema(), name),
    };
    let Some(found) = engine.table(&schema, table).await? else {
        let mut known = engine.table_names(&schema);
        known.extend(engine.functions().map(|definition| definition.name.to_string()));
        let suggestion = did_you_mean(name, known.iter().map(String::as_str));
        return Err(Error::Usage(format!("no function, view or table {name}{suggestion}")));
    };
    let mut page = format!("# {}\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n", found.name, found.doc);
    for column in &found.columns {
        page.push_str(&format!("| {} | {} | {} |\n", column.name, column.kind, column.doc));
    }
    Ok(page)
}

/// A statement that can be run, any number of times.
#[pyclass(frozen, module = "ocellus._ocellus")]
pub struct PreparedQuery {
    state: Arc<SessionState>,
    statement: Statement,
}

#[pymethods]
impl PreparedQuery {
    /// What the statement gives (`rows`, `count` or `done`), and its columns with their types in SQL, without running it.
    #[expect(clippy::type_complexity, reason = "it is a tuple in Python")]
    fn foresee(&self, py: Python<'_>) -> PyResult<(&'static str, Option<Vec<(String, String)>>)> {
        let (engine, statement) = (self.state.engine(py)?, self.statement.clone());
        let foreseen = async move { engine.foresee(&statement).await };
        let (kind, schema): (ResultKind, Option<SchemaRef>) =
            wait_for(py, &CancelFlag::default(), Some(self.statement.text()), foreseen)?;
        Ok((kind_name(kind), schema.map(|schema| columns(&schema))))
    }

    /// Starts the statement.
    fn run(&self, py: Python<'_>) -> PyResult<Rows> {
        let engine = self.state.engine(py)?;
        Ok(Rows::new(RunningRows::start(py, engine, self.statement.clone())?))
    }

    /// The statement alone, in normal form.
    fn sql(&self) -> String {
        self.statement.sql()
    }
}

fn columns(schema: &SchemaRef) -> Vec<(String, String)> {
    schema.fields().iter().map(|field| (field.name().clone(), type_name(field.data_type()))).collect()
}
