//! Tests of `slice_window`.

use super::*;

#[test]
fn what_is_encoded_is_decoded() {
    let slicing = Slicing::new(-5, 9_000_000_000, 3, 1_000_000_000).expect("a window");
    for slicing in [slicing, slicing.only(1, 2), slicing.only(2, 1)] {
        for fill in [false, true] {
            for last_instant in [LastInstant::Within, LastInstant::Outside] {
                for boundary in [Boundary::Inside, Boundary::Clip] {
                    let rows =
                        [SlicedRows::All, SlicedRows::InCutBands { shift: 0 }, SlicedRows::BandSums { coarsest: 9 }];
                    for rows in rows {
                        let window = SliceWindow { slicing, fill, last_instant, boundary, rows };
                        assert_eq!(SliceWindow::from_scalar(&window.to_scalar()), Some(window));
                    }
                }
            }
        }
    }
}

#[test]
fn other_constants_are_no_window() {
    let flags = [false; 3];
    assert!(SliceWindow::from_scalar(&encode([0, 9, 3, 1, 0, 2, -1, -1], flags)).is_some());
    // No slices, no time, no rate, slices that are no numbers of slices, and bands without a width.
    for numbers in [
        [0, 9, 0, 1, 0, 2, -1, -1],
        [9, 9, 3, 1, 0, 2, -1, -1],
        [0, 9, 3, 0, 0, 2, -1, -1],
        [0, 9, 3, 1, -1, 2, -1, -1],
        [0, 9, 3, 1, 0, 2, 99, -1],
        [0, 9, 3, 1, 0, 2, 3, 3],
    ] {
        assert_eq!(SliceWindow::from_scalar(&encode(numbers, flags)), None, "{numbers:?}");
    }
    let text = ScalarValue::Utf8(Some("0..9".to_string()));
    assert_eq!(SliceWindow::from_scalar(&text), None);
    assert_eq!(SliceWindow::from_scalar(&ScalarValue::Null), None);
}

#[test]
fn a_batch_has_one_run_of_it() {
    let window = SliceWindow::new(Slicing::new(0, 9, 3, 1).expect("a window"));
    let column = window.to_scalar().to_array_of_size(8192).expect("a column");
    assert_eq!(column.len(), 8192);
    assert_eq!(column.as_run::<arrow::datatypes::Int32Type>().values().len(), 1);
    let shown = window.to_scalar().to_string();
    assert!(shown.contains("slices:3") && shown.contains("last_slice:2"), "{shown}");
}
