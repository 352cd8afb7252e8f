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
