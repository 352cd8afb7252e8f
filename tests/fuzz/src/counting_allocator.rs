//! Counts the bytes that are in use, the most that were, and all that were ever asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Beyond this an allocation fails, and with it the process.
const LIMIT: usize = 1 << 30;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the system, with counts.
pub struct CountingAllocator;

/// What was in use and had been asked for at a moment.
#[derive(Debug, Clone, Copy)]
pub struct CountStart {
    used: usize,
    total: usize,
}

/// Starts to look for the most anew.
pub fn start() -> CountStart {
    let start = CountStart { used: USED.load(Relaxed), total: TOTAL.load(Relaxed) };
    PEAK.store(start.used, Relaxed);
    start
}

/// The most that was in use since, and what was asked for in all, without what was there before.
pub fn since(start: CountStart) -> (usize, usize) {
    (PEAK.load(Relaxed).saturating_sub(start.used), TOTAL.load(Relaxed) - start.total)
}

fn take(bytes: usize) -> bool {
    let used = USED.fetch_add(bytes, Relaxed).saturating_add(bytes);
    PEAK.fetch_max(used, Relaxed);
    TOTAL.fetch_add(bytes, Relaxed);
    if used > LIMIT {
        USED.fetch_sub(bytes, Relaxed);
    }
    used <= LIMIT
}

// SAFETY: everything is passed on to the allocator of the system; a null pointer is an allocation that failed.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match take(layout.size()) {
            true => unsafe { System.alloc(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match take(layout.size()) {
            true => unsafe { System.alloc_zeroed(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && !take(size - layout.size()) {
            return std::ptr::null_mut();
        }
        if size < layout.size() {
            USED.fetch_sub(layout.size() - size, Relaxed);
        }
        unsafe { System.realloc(pointer, layout, size) }
    }
}
