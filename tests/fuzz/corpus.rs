//! Every sample, and every input that fuzzing kept, is read, or refused with a message: no panic, little memory, little work.
//!
//! Work is counted as bytes that are allocated, however short their life: a test must not look at the clock.

#[path = "src/counting_allocator.rs"]
mod counting_allocator;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use counting_allocator::CountingAllocator;
use targets::{Sandbox, TARGETS};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Inputs are below 8 kB; reading them takes buffers of some megabytes, once or twice.
const MOST_MEMORY: usize = 256 << 20;
const MOST_WORK: usize = 1 << 30;
const LARGEST_FILE: usize = 8 << 10;
const LARGEST_CORPUS: usize = 300_000;

// One test: the counts are those of the whole process.
#[test]
fn every_input_is_read_or_refused() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut failures, mut bytes) = (vec![], 0);
    for target in TARGETS {
        let kept = target.kept(&checkout);
        assert!(!kept.is_empty(), "{} has no corpus", target.name);
        for (name, input) in kept {
            bytes += input.len();
            assert!(input.len() <= LARGEST_FILE, "{}/{name} has {} bytes", target.name, input.len());
        }
        let mut sandbox = Sandbox::new(folder.path().join(target.name).join("input"));
        for (name, input) in target.inputs(&checkout) {
            let before = counting_allocator::start();
            let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&mut sandbox, &input)));
            let (memory, work) = counting_allocator::since(before);
            if outcome.is_err() || memory > MOST_MEMORY || work > MOST_WORK {
                failures.push(format!("{}/{name}: {memory} bytes at once, {work} in all", target.name));
            }
        }
    }
    assert!(bytes <= LARGEST_CORPUS, "the corpus has {bytes} bytes");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
