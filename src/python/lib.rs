//! The Python package: the library and the command line in one shared object.
//!
//! ```text
//!  ocellus/*.py ──► Session ──► PreparedQuery ──► Rows ──► KeptRows, ArrowBatch
//!  Connection,        │                            │
//!  Query, magic       └─► pictures, import         └─► Arrow capsules, tuples, files
//!  ADBC driver manager ──► adbc ──► Arrow streams
//! ```
//! In: calls of the Python files beside this one. Out: Arrow capsules, Python objects, files; errors as exceptions.
//! Queries run on threads of their own while Python's lock is free. Nothing here installs a signal handler, changes the
//! allocator's settings or writes to standard output, but the command line when it is asked to run.

mod adbc;
mod arrow_capsules;
mod errors;
mod export;
mod importing;
mod parameters;
mod pictures;
mod python_values;
mod results;
mod rows;
mod session;
mod traces;
mod worker_query;
mod workers;

use std::ffi::OsString;
use std::io::Write;

use pyo3::prelude::*;

/// Counts what is allocated, for the limits of servers that the command line starts.
#[global_allocator]
static ALLOCATOR: ocellus::server::CountingAllocator = ocellus::server::CountingAllocator;

/// Runs the command line; its exit code.
#[pyfunction]
fn run_command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = ocellus::cli::main_of(arguments);
        // Python ends the process without the clean-up of a program of Rust; a closed pipe is no reason to complain.
        let _ = std::io::stdout().flush();
        code
    })
}

/// The shared object of the package.
#[pymodule]
fn _ocellus(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<session::Session>()?;
    module.add_class::<session::PreparedQuery>()?;
    module.add_class::<results::Rows>()?;
    module.add_class::<results::KeptRows>()?;
    module.add_class::<results::ArrowBatch>()?;
    module.add_function(wrap_pyfunction!(importing::import_trace, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::views, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::view_options, module)?)?;
    module.add_function(wrap_pyfunction!(run_command_line, module)?)
}
