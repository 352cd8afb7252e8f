//! Tests of `allocator`.

use super::*;

#[test]
fn the_allocator_follows_and_works_on() {
    assert_eq!(keep_freed_memory(), cfg!(all(target_os = "linux", target_env = "gnu")));
    for _ in 0..3 {
        let blocks = [1, 31, 33, 40].map(|megabytes: u8| vec![megabytes; usize::from(megabytes) << 20]);
        assert!(blocks.iter().all(|block| block.iter().all(|byte| usize::from(*byte) << 20 == block.len())));
    }
}

#[cfg(all(feature = "server", target_os = "linux", target_env = "gnu"))]
#[test]
fn freed_memory_goes_back() {
    let pages = || {
        let text = std::fs::read_to_string("/proc/self/statm").expect("the pages of this process");
        text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("a number")
    };
    // Small blocks, of which the last stays: without help none of their pages would go.
    let mut blocks: Vec<Vec<u8>> = (0..200_000).map(|_| vec![1; 1000]).collect();
    let last = blocks.pop();
    drop(blocks);
    let before = pages();
    assert!(return_freed_memory());
    let given = before.saturating_sub(pages());
    assert!(last.is_some() && given > 20_000, "{given} pages of 4 KiB went back, of some 49,000");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn threads_share_arenas() {
    // It holds for the process: other tests may go on with one arena for all.
    assert!(share_arenas(1));
    let threads = [0_u8, 1, 2].map(|byte| std::thread::spawn(move || vec![byte; 3 << 20]));
    let blocks = threads.map(|thread| thread.join().expect("a thread that allocates"));
    assert!(blocks.iter().zip(0..).all(|(block, byte)| block.iter().all(|found| *found == byte)));
}
