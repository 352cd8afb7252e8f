//! Tests of `stacks`.

use super::*;

/// Kibibytes in memory of the mapping that an address is in.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn resident(address: usize) -> usize {
    let text = std::fs::read_to_string("/proc/self/smaps").expect("the mappings of this process");
    let mut is_it = false;
    for line in text.lines() {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let hexadecimal = |digits: &str| usize::from_str_radix(digits, 16).ok();
        if let Some((start, end)) = range.and_then(|(start, end)| hexadecimal(start).zip(hexadecimal(end))) {
            is_it = (start..end).contains(&address);
        } else if let Some(size) = line.strip_prefix("Rss:").filter(|_| is_it) {
            return size.trim().trim_end_matches(" kB").parse().expect("a number");
        }
    }
    panic!("no mapping has this address");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_deep_stack_goes_back_and_can_be_used_again() {
    fn depth(levels: u64) -> u64 {
        let frame = std::hint::black_box([levels; 512]);
        match levels {
            0 => 0,
            _ => depth(levels - 1) + frame[0] / levels,
        }
    }
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(|| {
        let here = 0_u8;
        let address = (&raw const here).addr();
        for _ in 0..2 {
            assert_eq!(depth(5_000), 5_000);
            assert!(resident(address) > 20_000, "{} kB after 5,000 frames of 4 KiB", resident(address));
            assert!(return_stack());
            assert!(resident(address) < 4_000, "{} kB are still there", resident(address));
        }
    });
    thread.expect("a thread").join().expect("its end");
}

#[test]
fn another_stack_is_left_alone() {
    // There, what is below the frame is no stack of this thread's own.
    assert!(!stacker::grow(4 << 20, return_stack));
}
