//! What jobs give, and that they do not wait for each other.

use std::sync::Barrier;

use super::{FinishingJob, do_all};
use crate::error::{Error, Result};

#[test]
fn what_jobs_give_comes_in_their_order() {
    let jobs = (0..20_usize).map(|number| Box::new(move || Ok(number * number)) as FinishingJob<'_, usize>).collect();
    assert_eq!(do_all(jobs).unwrap(), (0..20_usize).map(|number| number * number).collect::<Vec<_>>());
    assert_eq!(do_all::<u8>(vec![]).unwrap(), [0; 0]);
}

#[test]
fn all_jobs_are_under_way_at_once() {
    // Nobody passes the barrier alone.
    let barrier = Barrier::new(5);
    let job = || -> Result<bool> { Ok(barrier.wait().is_leader()) };
    let leaders = do_all((0..5).map(|_| Box::new(job) as FinishingJob<'_, bool>).collect()).unwrap();
    assert_eq!(leaders.into_iter().filter(|is_leader| *is_leader).count(), 1);
}

#[test]
fn the_first_error_is_the_one_of_the_first_job() {
    let fail = |number: usize| Err(Error::Internal(format!("job {number}")));
    let jobs = (0..9).map(|number| {
        Box::new(move || if number % 4 == 3 { fail(number) } else { Ok(number) }) as FinishingJob<'_, usize>
    });
    assert_eq!(do_all(jobs.collect()).unwrap_err().to_string(), fail(3).unwrap_err().to_string());
}
