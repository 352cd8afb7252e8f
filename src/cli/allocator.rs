//! What becomes of memory that was freed.
//!
//! The allocator of GNU systems hands blocks of megabytes back to the kernel when they are freed, and gets the
//! next one page by page with a fault for each. Columns of queries are such blocks: a fifth of the time of
//! `state_slices(slices => 10000)` went into faults.
//!
//! Of smaller blocks it keeps what it has, in an arena for each few threads, and each arena grows to the most that its threads
//! ever needed at once: under mixed load, a server with 17 to 76 MiB in use held 109 to 309 MiB that was free. The end
//! of an arena is never handed back, up to 64 MiB of it, so there are as many arenas as cores, not eight times as many:
//! after queries that take all they can, a server with 12 MiB in use keeps 67 MB instead of 190 to 290, and the wait states
//! of 80 million events take 274 MB instead of 397, in the same time.

#[cfg(test)]
mod tests;

/// Blocks up to this size are kept when they are freed: the most that the allocator accepts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BLOCK: libc::c_int = 32 << 20;

/// Freed memory beyond this goes back to the kernel.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 256 << 20;

/// Keeps freed memory for the next query. True when the allocator follows; with others nothing changes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_freed_memory() -> bool {
    let set = |setting, bytes| {
        // SAFETY: mallopt takes two numbers, touches no memory of ours, and refuses what it does not know; it locks
        // the allocator, so that other threads may allocate meanwhile.
        unsafe { libc::mallopt(setting, bytes) == 1 }
    };
    set(libc::M_MMAP_THRESHOLD, KEPT_BLOCK) && set(libc::M_TRIM_THRESHOLD, KEPT)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_freed_memory() -> bool {
    false
}

/// Lets all threads share as many arenas; before they start, for it says nothing to arenas that are there. True when
/// the allocator follows; with others nothing changes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_arenas(arenas: usize) -> bool {
    let arenas = libc::c_int::try_from(arenas).unwrap_or(libc::c_int::MAX);
    // SAFETY: as above.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, arenas) == 1 }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_arenas(_arenas: usize) -> bool {
    false
}

/// Bytes of the process that are in memory and of no file, those that were freed and kept included; 0 where nobody says.
#[cfg(feature = "server")]
pub fn resident_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<usize>().ok());
    kibibytes.unwrap_or(0).saturating_mul(1024)
}

/// Hands all memory that was freed back to the kernel. True when there was some; with other allocators nothing changes.
#[cfg(all(feature = "server", target_os = "linux", target_env = "gnu"))]
pub fn return_freed_memory() -> bool {
    // SAFETY: malloc_trim takes a number and gives up only pages without any block; it locks one arena after the other, so
    // that other threads may allocate meanwhile.
    unsafe { libc::malloc_trim(0) == 1 }
}

#[cfg(all(feature = "server", not(all(target_os = "linux", target_env = "gnu"))))]
pub fn return_freed_memory() -> bool {
    false
}
