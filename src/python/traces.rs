//! Traces of a store, as Python sees them.

use ocellus::store::TraceEntry;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What the manifest knows of a trace.
pub fn described<'py>(py: Python<'py>, trace: &TraceEntry) -> PyResult<Bound<'py, PyDict>> {
    let seconds = |tick: Option<i64>| tick.map(|tick| trace.resolution().seconds(tick));
    let rows = PyDict::new(py);
    for table in ["containers", "states", "events", "variables", "links"] {
        rows.set_item(table, trace.shown_rows(table).unwrap_or_else(|| trace.rows(table)))?;
    }
    let described = PyDict::new(py);
    described.set_item("name", &trace.name)?;
    described.set_item("format", &trace.format)?;
    described.set_item("source", &trace.source)?;
    described.set_item("bytes", trace.bytes)?;
    described.set_item("start_time", seconds(trace.start_tick))?;
    described.set_item("end_time", seconds(trace.end_tick))?;
    described.set_item("rows", rows)?;
    described.set_item("diagnostics", trace.rows("diagnostics"))?;
    described.set_item("lost_lines", trace.count("lost_lines"))?;
    Ok(described)
}
