//! Tests of `allocation`. The allocator of this program counts.

use std::task::Waker;

use super::*;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const MIB: usize = 1 << 20;
/// What threads have not told, and small things.
const ABOUT: usize = 4 * STEP as usize;

fn is_about(held: usize, bytes: usize) -> bool {
    held.abs_diff(bytes) <= ABOUT
}

fn poll<F: Future + Send>(work: &mut Metered<F>) -> Poll<F::Output> {
    Pin::new(work).poll(&mut Context::from_waker(Waker::noop()))
}

/// Waits once.
async fn pause() {
    let mut has_waited = false;
    std::future::poll_fn(|_| match std::mem::replace(&mut has_waited, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

#[test]
fn a_meter_counts_the_work_of_its_query_only() {
    let (meter, other) = (AllocationMeter::take(), AllocationMeter::take());
    let outside = vec![1_u8; 3 * MIB];
    let mut work = meter.metered(async {
        let mut bytes = vec![1_u8; 10 * MIB];
        pause().await;
        bytes.resize(30 * MIB, 2);
        pause().await;
        drop(bytes);
        pause().await;
    });
    assert!(poll(&mut work).is_pending());
    assert!(is_about(meter.held(), 10 * MIB), "{}", meter.held());
    assert!(poll(&mut work).is_pending());
    // A vector that grows has room for twice as much at most.
    assert!((30 * MIB..=60 * MIB + ABOUT).contains(&meter.held()), "{}", meter.held());
    assert!(poll(&mut work).is_pending());
    assert!(is_about(meter.held(), 0), "{}", meter.held());
    assert!(poll(&mut work).is_ready());
    assert_eq!(other.held(), 0);
    drop(outside);
    assert!(is_about(meter.held(), 0), "{}", meter.held());
}

#[test]
fn what_stopped_work_held_is_freed_for_its_query() {
    let meter = AllocationMeter::take();
    let mut work = meter.metered(async {
        let bytes = vec![0_u8; 10 * MIB];
        pause().await;
        drop(bytes);
    });
    assert!(poll(&mut work).is_pending());
    assert!(is_about(meter.held(), 10 * MIB), "{}", meter.held());
    drop(work);
    assert!(is_about(meter.held(), 0), "{}", meter.held());
}

#[test]
fn tasks_work_for_the_query_that_starts_them() {
    let meter = AllocationMeter::take();
    let mut started = meter.metered(async {
        let task = async { Box::new(vec![1_u8; 8 * MIB]) as AnyResult }.boxed();
        let block = Box::new(|| Box::new(vec![1_u8; 4 * MIB]) as AnyResult);
        (TaskFollower.trace_future(task), TaskFollower.trace_block(block))
    });
    let Poll::Ready((mut future, block)) = poll(&mut started) else { panic!("it waits for nothing") };
    let result = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(is_about(meter.held(), 8 * MIB), "{}", meter.held());
    let more = block();
    assert!(is_about(meter.held(), 12 * MIB), "{}", meter.held());
    drop((result, more));
}

#[test]
fn all_bytes_are_counted_whoever_took_them() {
    let before = held_memory();
    let bytes = vec![0_u8; 512 * MIB];
    // Other tests take and free less than this.
    assert!(held_memory() > before + 256 * MIB, "{} and {before}", held_memory());
    drop(bytes);
}

#[test]
fn meters_are_used_again_and_begin_at_nothing() {
    let first = AllocationMeter::take();
    BY_METER[first.number].store(5, Ordering::Relaxed);
    assert_eq!(first.held(), 5);
    drop(first);
    assert_eq!(AllocationMeter::take().held(), 0);
}
