//! The threads that queries run on, and how Python waits for them.
//!
//! ```text
//!  Python's thread: detached, looks for Ctrl-C every 50 ms ◄── result ── workers: plan, run
//!         └── Ctrl-C ──► cancel flag, abort
//! ```
//! Other Python threads run meanwhile. A fork copies no thread but the one that forks: in the child there are no workers
//! left, so every call says so instead of waiting for ever.

use std::num::NonZero;
use std::process;
use std::sync::OnceLock;
use std::time::Duration;

use ocellus::cli::WORKER_STACK;
use ocellus::engine::CancelFlag;
use ocellus::error::{Error, Result};
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

use crate::errors::{fork_error, python_error};

/// How long Python waits before it looks for Ctrl-C.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// The threads, and the process that started them.
struct WorkerThreads {
    runtime: Runtime,
    process: u32,
}

static WORKERS: OnceLock<WorkerThreads> = OnceLock::new();

/// Where queries run; an error in the child of a fork.
pub fn workers(py: Python<'_>) -> PyResult<&'static Handle> {
    check_fork(py)?;
    worker_threads().map_err(|error| python_error(py, error, None))
}

/// The same without Python; whoever calls it looks at [`is_forked`] first.
pub fn worker_threads() -> Result<&'static Handle> {
    if let Some(workers) = WORKERS.get() {
        return Ok(workers.runtime.handle());
    }
    // Twice as many workers as cores: a query that was stopped in the middle of a long step leaves room for the next.
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .worker_threads(2 * cores)
        .thread_name("ocellus")
        .thread_stack_size(WORKER_STACK)
        .build()
        .map_err(|source| Error::Io { context: "cannot start the threads".to_string(), source })?;
    Ok(WORKERS.get_or_init(|| WorkerThreads { runtime, process: process::id() }).runtime.handle())
}

/// Whether this process is the child of one that has workers.
pub fn is_forked() -> bool {
    WORKERS.get().is_some_and(|workers| workers.process != process::id())
}

/// An error in the child of a fork.
pub fn check_fork(py: Python<'_>) -> PyResult<()> {
    if is_forked() { Err(fork_error(py)) } else { Ok(()) }
}

/// Waits for work on the workers. Ctrl-C sets the flag, and the work ends where it waits or looks at it.
pub fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    cancel: &CancelFlag,
    text: Option<&str>,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> PyResult<T> {
    let workers = workers(py)?;
    let (sender, mut receiver) = oneshot::channel();
    let task = workers.spawn(async move {
        // Nobody listens any more after Ctrl-C.
        let _ = sender.send(work.await);
    });
    let result = loop {
        let receiver = &mut receiver;
        let received = py.detach(|| workers.block_on(async { tokio::time::timeout(PATIENCE, receiver).await }));
        match received {
            Ok(Ok(result)) => break result,
            Ok(Err(_)) => break Err(Error::Internal("the work stopped without a result".to_string())),
            Err(_) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            cancel.cancel();
            task.abort();
            return Err(interrupt);
        }
    };
    result.map_err(|error| python_error(py, error, text))
}
