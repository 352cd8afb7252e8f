//! The quick order is that of a plain sort.

use proptest::prelude::*;

use super::*;

/// A measure that is as apart as it says.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Border {
    is_apart: bool,
    number: usize,
}

impl BandMeasure for Border {
    type Row = ();

    fn of(_row: &(), _ticks: i64, _is_begin: bool) -> Border {
        Border::default()
    }

    fn is_apart(&self, shift: u32) -> bool {
        self.is_apart && shift < 2
    }

    fn join(&mut self, _other: Border) -> bool {
        true
    }

    fn write(&self, _bytes: &mut Vec<u8>) {}

    fn read(_bytes: &mut &[u8]) -> Option<Border> {
        None
    }
}

fn cell(band: i64, series: u32, is_apart: bool, number: usize) -> BandCell<Border> {
    BandCell { band, series, measure: Border { is_apart, number } }
}

proptest! {
    #[test]
    fn cells_are_ordered_as_by_a_plain_sort(
        numbers in prop::collection::vec((-40_i64..40, 0_u32..5, any::<bool>()), 0..200),
        (shift, offset) in (0_u32..3, prop_oneof![Just(0), Just(i64::MIN + 50), Just(i64::MAX - 50)]),
    ) {
        let numbered = (0..).zip(&numbers);
        let mut plain: Vec<_> = numbered.map(|(number, (band, series, is_apart))| cell(band + offset, *series, *is_apart, number)).collect();
        let mut quick = plain.clone();
        plain.sort_by_key(|cell| cell_place(cell, shift));
        prop_assert_eq!(packed_order(&quick, shift).is_some(), !quick.is_empty());
        sort_cells(&mut quick, shift);
        prop_assert_eq!(quick, plain);
    }
}

#[test]
fn numbers_that_do_not_fit_into_a_word_are_sorted_plainly() {
    for mut cells in [
        [cell(i64::MAX, 0, false, 0), cell(i64::MIN, 0, false, 1)],
        [cell(1 << 40, 0, false, 0), cell(0, u32::MAX, false, 1)],
    ] {
        assert!(packed_order(&cells, 0).is_none());
        sort_cells(&mut cells, 0);
        assert_eq!(cells.map(|cell| cell.measure.number), [1, 0]);
    }
    // As large as they may be.
    assert!(packed_order(&[cell(1 << 27, u32::MAX, false, 0), cell(0, 7, false, 1)], 0).is_some());
}
