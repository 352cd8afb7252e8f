//! Tests of `writeback`.

use std::io::{Read, Seek, Write};

use super::*;

#[test]
fn files_stay_as_they_are() {
    let mut file = tempfile::tempfile().expect("a file");
    begin(&file);
    for part in [vec![1_u8; 100_000], vec![2; 3]] {
        file.write_all(&part).expect("written");
        begin(&file);
    }
    file.rewind().expect("rewound");
    let mut all = vec![];
    file.read_to_end(&mut all).expect("read");
    assert_eq!(all, [vec![1; 100_000], vec![2; 3]].concat());
}
