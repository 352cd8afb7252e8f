//! What jobs give, and that they do not wait for each other.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{AT_ONCE, FinishingJob, do_all};
use crate::error::{Error, Result};

#[test]
fn what_jobs_give_comes_in_their_order() {
    let jobs = (0..20_usize).map(|number| Box::new(move || Ok(number * number)) as FinishingJob<'_, usize>).collect();
    assert_eq!(do_all(jobs).unwrap(), (0..20_usize).map(|number| number * number).collect::<Vec<_>>());
    assert_eq!(do_all::<u8>(vec![]).unwrap(), [0; 0]);
}

#[test]
fn as_many_jobs_are_under_way_as_there_may_be() {
    // Nobody passes the barrier alone.
    let (barrier, now) = (Barrier::new(AT_ONCE), AtomicUsize::new(0));
    let job = || -> Result<usize> {
        let under_way = now.fetch_add(1, Ordering::SeqCst) + 1;
        barrier.wait();
        now.fetch_sub(1, Ordering::SeqCst);
        Ok(under_way)
    };
    let most = do_all((0..3 * AT_ONCE).map(|_| Box::new(job) as FinishingJob<'_, usize>).collect()).unwrap();
    assert!(most.iter().all(|under_way| *under_way <= AT_ONCE), "{most:?}");
}

#[test]
fn the_first_error_is_the_one_of_the_first_job() {
    let fail = |number: usize| Err(Error::Internal(format!("job {number}")));
    let jobs = (0..9).map(|number| {
        Box::new(move || if number % 4 == 3 { fail(number) } else { Ok(number) }) as FinishingJob<'_, usize>
    });
    assert_eq!(do_all(jobs.collect()).unwrap_err().to_string(), fail(3).unwrap_err().to_string());
}
