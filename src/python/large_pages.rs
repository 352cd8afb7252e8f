//! Large blocks of memory in large pages.
//!
//! A new block comes from the system page by page, when it is first touched: 35,000 faults for a table of 140 MB, half as much
//! processor time as the query that fills it. With pages of 2 MB there are a few hundred at most. A system that has none of
//! them free, or does not give them, gives small ones, as always.

use std::alloc::{GlobalAlloc, Layout};

/// Blocks of this size and more are asked for in large pages. Smaller ones would waste too much of the last page.
const LARGE_BLOCK: usize = 4 << 20;
/// The size of a large page, and where it begins.
const LARGE_PAGE: usize = 2 << 20;

/// Another allocator, whose large blocks lie in large pages.
pub struct LargePages<A>(pub A);

// SAFETY: each call goes on to the other allocator as it came, and its answer goes back as it is. Advice about pages changes
// nothing that can be seen of their content, and it is given for whole pages within one block only.
unsafe impl<A: GlobalAlloc> GlobalAlloc for LargePages<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: what our caller promises is what the other allocator asks for.
        advised(unsafe { self.0.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; the block came from the other allocator, since all of ours do.
        unsafe { self.0.dealloc(block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { self.0.realloc(block, layout, size) }, size)
    }
}

/// The same block.
#[inline]
fn advised(block: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE_BLOCK && !block.is_null() {
        advise(block as usize, size);
    }
    block
}

#[cfg(target_os = "linux")]
#[cold]
fn advise(address: usize, size: usize) {
    let start = address.next_multiple_of(LARGE_PAGE);
    let end = (address + size) / LARGE_PAGE * LARGE_PAGE;
    if start < end {
        // SAFETY: the range lies within a block that was just allocated. The call is advice: it fails without any effect, and
        // the content of the pages stays.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_address: usize, _size: usize) {}
