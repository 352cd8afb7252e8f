//! Tests of `local`.

use super::*;
use crate::reader::otf2::bytes::{ByteOrder, Malformed};

fn add(local: &mut LocationDefinitions, code: u8, body: &[u8]) -> ReadResult<()> {
    local.add(code, &mut RecordBytes::new(body, ByteOrder::Little))
}

#[test]
fn ids_are_mapped_densely_and_sparsely() {
    let mut local = LocationDefinitions::default();
    // Strings, dense: 0 to 9, 1 to 8. Regions, sparse and unsorted: 7 to 70, 3 to 30.
    assert_eq!(add(&mut local, 5, &[0, 1, 2, 0, 1, 9, 1, 8]), Ok(()));
    assert_eq!(add(&mut local, 5, &[3, 1, 2, 1, 1, 7, 1, 70, 1, 3, 1, 30]), Ok(()));
    let strings: Vec<u64> = (0..3).map(|id| local.global(Mapping::String, id)).collect();
    assert_eq!(strings, [9, 8, 2]);
    let regions: Vec<u64> = [3, 4, 7].into_iter().map(|id| local.global(Mapping::Region, id)).collect();
    assert_eq!(regions, [30, 4, 70]);
    assert_eq!(local.global(Mapping::Comm, 5), 5);
    // A map of more entries than bytes, and one of a kind to come.
    assert_eq!(add(&mut local, 5, &[0, 8, 255, 255, 255, 255, 255, 255, 255, 127, 1]), Err(Malformed));
    assert_eq!(add(&mut local, 5, &[99, 0, 0]), Ok(()));
}

#[test]
fn clock_offsets_must_move_on() {
    let mut local = LocationDefinitions::default();
    for (time, offset) in [(10_u64, 1_u8), (20, 2), (20, 3)] {
        let mut body = time.to_le_bytes().to_vec();
        body.extend([1, offset]);
        body.extend([0; 8]);
        assert_eq!(add(&mut local, 6, &body), Ok(()));
    }
    assert_eq!(local.bad_offsets, 1);
    assert_eq!(local.clock.apply(30), 33);
}
