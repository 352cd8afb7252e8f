//! The threads of a command: one runtime for the command itself, one for its queries.

#[cfg(test)]
mod tests;

use std::num::NonZero;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};

use super::allocator::share_arenas;
use super::outcome::Outcome;
use super::stacks::return_stack;
use ocellus_trace::error::{Error, Result};

/// Stack of a worker: plans of deep expressions recurse. Only what is used of it becomes real memory.
pub const WORKER_STACK: usize = 64 << 20;

/// Workers beyond twice as many as cores.
const MOST_WORKERS: usize = 256;

/// How long threads have to end. A query that was stopped must not hold the program back, nor a read of standard input that
/// nothing ends. Threads that end must be waited for: one that ends just when it is let go takes the program with it, since
/// glibc looks at its stack once more (bug 19951), and stacks that are as large as these are gone by then.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs work that hands queries to the workers.
///
/// The work itself runs on this thread with a runtime of its own, so that it hears Ctrl-C while every
/// worker is busy. There are twice as many workers as cores: a query that was stopped in the middle of
/// a long step leaves room for the next one.
pub fn block_on<F: Future<Output = Result<Outcome>>>(work: impl FnOnce(Handle) -> F) -> Result<Outcome> {
    block_on_front(Builder::new_current_thread(), 1, work)
}

/// The same for work that talks to many clients: two threads are theirs, and every query may keep as many workers busy
/// as there are cores, without keeping others from theirs.
#[cfg(feature = "server")]
pub fn block_on_network<F: Future<Output = Result<Outcome>>>(
    queries: usize,
    work: impl FnOnce(Handle) -> F,
) -> Result<Outcome> {
    let mut front = Builder::new_multi_thread();
    front.worker_threads(2).thread_stack_size(WORKER_STACK).on_thread_park(idle);
    block_on_front(front, queries, work)
}

fn block_on_front<F: Future<Output = Result<Outcome>>>(
    mut front: Builder,
    queries: usize,
    work: impl FnOnce(Handle) -> F,
) -> Result<Outcome> {
    let failed = |source| Error::Io { context: "cannot start the threads".to_string(), source };
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    share_arenas(cores);
    let threads = (cores * (queries + 1)).min(MOST_WORKERS).max(2 * cores);
    let workers = Builder::new_multi_thread()
        .enable_all()
        .worker_threads(threads)
        .thread_stack_size(WORKER_STACK)
        .on_thread_park(idle)
        .build()
        .map_err(failed)?;
    let front = front.enable_all().build().map_err(failed)?;
    let outcome = front.block_on(work(workers.handle().clone()));
    workers.shutdown_timeout(PATIENCE);
    front.shutdown_timeout(PATIENCE);
    outcome
}

/// What a thread does that has nothing to do.
fn idle() {
    return_stack();
}
