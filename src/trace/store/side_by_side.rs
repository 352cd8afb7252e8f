//! Jobs that mostly wait for the disk, side by side.
//!
//! In: jobs. Out: what they give, in their order, or the first error in this order. A sync of a file waits for the disk, and
//! another job goes on meanwhile. What jobs hold in memory is held by few of them at once.

#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};

use crate::error::Result;

/// Something to do once.
pub(super) type FinishingJob<'a, T> = Box<dyn FnOnce() -> Result<T> + Send + 'a>;

/// Jobs that are done at once.
const AT_ONCE: usize = 2;

/// Does all jobs; where no second thread can be started, one after the other.
pub(super) fn do_all<T: Send>(jobs: Vec<FinishingJob<'_, T>>) -> Result<Vec<T>> {
    let more_threads = jobs.len().clamp(1, AT_ONCE) - 1;
    let waiting = Mutex::new(jobs.into_iter().enumerate());
    let done = Mutex::new(vec![]);
    let work = || {
        // Its own statement, so that nobody waits while a job is done.
        let next = || lock(&waiting).next();
        while let Some((place, job)) = next() {
            let given = job();
            lock(&done).push((place, given));
        }
    };
    thread::scope(|scope| {
        for _ in 0..more_threads {
            if Builder::new().name("finish".to_string()).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, given)| given).collect()
}

/// A job that panics ends the scope, and holds no lock while it does so.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
