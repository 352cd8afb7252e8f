//! Jobs that mostly wait for the disk, side by side.
//!
//! In: jobs. Out: what they give, in their order, or the first error in this order. A sync of a file waits for the disk; several
//! that wait at once share what the disk does.

#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};

use crate::error::Result;

/// Something to do once.
pub(super) type FinishingJob<'a, T> = Box<dyn FnOnce() -> Result<T> + Send + 'a>;

/// Does all jobs, each on a thread of its own; where no more threads can be started, those that are there do the rest.
pub(super) fn do_all<T: Send>(jobs: Vec<FinishingJob<'_, T>>) -> Result<Vec<T>> {
    let more_threads = jobs.len().saturating_sub(1);
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
