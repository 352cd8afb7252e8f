//! Counts what is really allocated: by the whole process, and by each query.
//!
//! ```text
//!  thread: bytes since it last told ──► each 64 KiB ──► all bytes, and those of the query that it works for
//! ```
//! Pools of memory know what operators say that they hold; this knows what is held, by planning, by functions and by
//! whatever says nothing. A thread works for a query while it polls a future of it ([`AllocationMeter::metered`]);
//! tasks that DataFusion starts meanwhile work for the same query. Whoever frees what another query allocated is
//! counted for it; that is rare, and matters only until the queries end.
//!
//! Only a program whose global allocator is [`CountingAllocator`] counts; elsewhere all numbers stay 0.

#[cfg(test)]
mod tests;

use std::alloc::{GlobalAlloc, Layout, System};
use std::any::Any;
use std::cell::Cell;
use std::pin::Pin;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use datafusion::common::runtime::{JoinSetTracer, set_join_set_tracer};
use futures::FutureExt;
use futures::future::BoxFuture;

/// Bytes that a thread may allocate or free before it tells.
const STEP: isize = 64 << 10;
/// Queries that are counted at once, and one for all work that is of no query; more are counted with that.
const METERS: usize = 4096;
/// The meter of work that is of no query.
const NOBODY: usize = 0;

static ALL: AtomicIsize = AtomicIsize::new(0);
static BY_METER: [AtomicIsize; METERS] = [const { AtomicIsize::new(0) }; METERS];
static FREE_METERS: Mutex<FreeMeters> = Mutex::new(FreeMeters { returned: vec![], next: NOBODY + 1 });

thread_local! {
    // Both are constant at first and need no end, so that an allocator may use them at any time.
    static UNTOLD: Cell<isize> = const { Cell::new(0) };
    static WORKS_FOR: Cell<usize> = const { Cell::new(NOBODY) };
}

/// The allocator of the system, which counts.
#[derive(Debug)]
pub struct CountingAllocator;

// SAFETY: each call goes on to the allocator of the system as it came, and its answer goes back as it is. Counting
// allocates nothing, panics nowhere, and touches two numbers of the thread and some atomic ones.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: what our caller promises is what the system's allocator asks for.
        let block = unsafe { System.alloc(layout) };
        count_block(block, layout.size());
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let block = unsafe { System.alloc_zeroed(layout) };
        count_block(block, layout.size());
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; the block came from the system's allocator, since all of ours do.
        unsafe { System.dealloc(block, layout) };
        count((layout.size() as isize).wrapping_neg());
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            count((size as isize).wrapping_sub(layout.size() as isize));
        }
        moved
    }
}

#[inline]
fn count_block(block: *mut u8, size: usize) {
    if !block.is_null() {
        count(size as isize);
    }
}

#[inline]
fn count(bytes: isize) {
    let untold = UNTOLD.get().wrapping_add(bytes);
    UNTOLD.set(untold);
    if untold.unsigned_abs() >= STEP.unsigned_abs() {
        tell();
    }
}

/// Tells all, and the query that this thread works for, what the thread allocated.
#[cold]
fn tell() {
    let bytes = UNTOLD.replace(0);
    ALL.fetch_add(bytes, Ordering::Relaxed);
    BY_METER[WORKS_FOR.get()].fetch_add(bytes, Ordering::Relaxed);
}

/// Bytes that the process has allocated and not freed.
pub fn held_memory() -> usize {
    usize::try_from(ALL.load(Ordering::Relaxed)).unwrap_or(0)
}

/// Meters that no query has.
struct FreeMeters {
    returned: Vec<usize>,
    next: usize,
}

/// Counts what one query holds; freed with it.
#[derive(Debug)]
pub(super) struct AllocationMeter {
    number: usize,
}

impl AllocationMeter {
    /// A meter of its own, or, when there are too many, that of nobody.
    pub(super) fn take() -> AllocationMeter {
        // Numbers are taken in one step, so the lock is whole after any panic.
        let mut free = FREE_METERS.lock().unwrap_or_else(PoisonError::into_inner);
        let number = free.returned.pop().unwrap_or_else(|| {
            let number = free.next;
            free.next = METERS.min(number + 1);
            if number < METERS { number } else { NOBODY }
        });
        AllocationMeter { number }
    }

    /// Bytes that were allocated for the query and not freed.
    pub(super) fn held(&self) -> usize {
        match self.number {
            NOBODY => 0,
            number => usize::try_from(BY_METER[number].load(Ordering::Relaxed)).unwrap_or(0),
        }
    }

    /// The same work, counted here.
    pub(super) fn metered<F: Future + Send>(&self, work: F) -> Metered<F> {
        metered(self.number, work)
    }
}

impl Drop for AllocationMeter {
    fn drop(&mut self) {
        if self.number != NOBODY {
            BY_METER[self.number].store(0, Ordering::Relaxed);
            FREE_METERS.lock().unwrap_or_else(PoisonError::into_inner).returned.push(self.number);
        }
    }
}

/// Work for a query: threads work for it while they poll it, or drop it.
pub(super) struct Metered<F> {
    number: usize,
    /// `None` once it was dropped.
    work: Option<Pin<Box<F>>>,
}

fn metered<F: Future + Send>(number: usize, work: F) -> Metered<F> {
    Metered { number, work: Some(Box::pin(work)) }
}

impl<F: Future> Future for Metered<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _working = Working::begin(self.number);
        match &mut self.work {
            Some(work) => work.as_mut().poll(context),
            None => Poll::Pending,
        }
    }
}

impl<F> Drop for Metered<F> {
    fn drop(&mut self) {
        let _working = Working::begin(self.number);
        self.work = None;
    }
}

/// While it lives, this thread works for a query.
struct Working {
    before: usize,
}

impl Working {
    fn begin(number: usize) -> Working {
        tell();
        Working { before: WORKS_FOR.replace(number) }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        tell();
        WORKS_FOR.set(self.before);
    }
}

/// Lets tasks that DataFusion starts work for the query of whoever starts them.
#[derive(Debug)]
struct TaskFollower;

static TASK_FOLLOWER: TaskFollower = TaskFollower;

/// Has tasks of DataFusion counted for their queries from now on. Where something else follows tasks, they are not.
pub(super) fn follow_tasks() {
    // An error says that this was done before.
    let _ = set_join_set_tracer(&TASK_FOLLOWER);
}

type AnyResult = Box<dyn Any + Send>;

impl JoinSetTracer for TaskFollower {
    fn trace_future(&self, future: BoxFuture<'static, AnyResult>) -> BoxFuture<'static, AnyResult> {
        match WORKS_FOR.get() {
            NOBODY => future,
            number => metered(number, future).boxed(),
        }
    }

    fn trace_block(&self, work: Box<dyn FnOnce() -> AnyResult + Send>) -> Box<dyn FnOnce() -> AnyResult + Send> {
        match WORKS_FOR.get() {
            NOBODY => work,
            number => Box::new(move || {
                let _working = Working::begin(number);
                work()
            }),
        }
    }
}
