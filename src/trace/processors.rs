//! How many processors there are for work beside other work.

use std::thread;

/// Whether a second thread can run beside the first; yes where nobody knows.
pub(crate) fn are_many() -> bool {
    thread::available_parallelism().map_or(true, |count| count.get() > 1)
}
