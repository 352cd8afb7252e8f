//! What the benchmarks of kernels share: the shortest of a few runs, and a line with its growth.

use std::time::{Duration, Instant};

const REPEATS: usize = 3;

/// The shortest of a few runs.
pub fn best(mut work: impl FnMut()) -> Duration {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..REPEATS).map(|_| time(&mut work)).min().unwrap_or_default()
}

/// Prints a line, with the factor to the line before it.
pub fn line(what: &str, size: usize, time: Duration, before: &mut Option<(usize, Duration)>) {
    let growth = before.map_or(String::new(), |(last_size, last)| {
        let factor = time.as_secs_f64() / last.as_secs_f64();
        format!("{factor:5.1} x for {:.1} x", size as f64 / last_size as f64)
    });
    println!("{what:44} {size:>9} {:>10.1} ms  {growth}", time.as_secs_f64() * 1e3);
    *before = Some((size, time));
}
