//! What becomes of a stack that was deep.
//!
//! Trees of statements and plans are walked by recursion, so workers have stacks of 64 MiB, which become real memory as
//! far as they are used, and stay so: after a crowd of deep statements, a server with 12 MiB in use kept 170 MB of such
//! stacks. A worker that has nothing to do hands back what lies below its frame.

#[cfg(test)]
mod tests;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::ops::Range;

/// Bytes below the frame that stay: common work uses them again and again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: usize = 1 << 20;

/// Hands the unused part of this thread's stack back to the kernel; true if there is one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn return_stack() -> bool {
    thread_local! {
        static STACK: Option<Range<usize>> = stack_addresses();
    }
    let here = 0_u8;
    let frame = std::hint::black_box(&raw const here).addr();
    // Work that was given another stack is on none of ours.
    let Some(lowest) = STACK.with(|stack| Some(stack.as_ref().filter(|stack| stack.contains(&frame))?.start)) else {
        return false;
    };
    // Whole pages, and the same ones from wherever it is called.
    let end = frame.saturating_sub(KEPT) & !(KEPT - 1);
    if end <= lowest {
        return false;
    }
    // SAFETY: all between is of this thread's stack, and a mebibyte below the frame that runs. Nothing lives there: frames
    // of functions that are called later write before they read. A page that is gone is zero when it is used again.
    unsafe { libc::madvise(lowest as *mut libc::c_void, end - lowest, libc::MADV_DONTNEED) == 0 }
}

/// Where the stack of this thread is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn stack_addresses() -> Option<Range<usize>> {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut lowest, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: attributes are read after the first call filled them, and destroyed once; it asks for this thread, which is
    // there. The other two places are ours.
    let found = unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let found = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        found
    };
    (found == 0).then(|| lowest.addr()..lowest.addr().saturating_add(size))
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_stack() -> bool {
    false
}
