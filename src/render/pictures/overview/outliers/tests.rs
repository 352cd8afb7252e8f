//! Tests of `outliers`.

use super::*;

fn row(place: usize) -> Band {
    Band { top: 10.0 * place as f64, height: 10.0, name: format!("rank-{place}") }
}

fn area(rows: std::ops::Range<usize>, slices: std::ops::RangeInclusive<usize>, mix: &[(String, f64)]) -> AreaMix<'_> {
    AreaMix {
        top: 10.0 * rows.start as f64,
        bottom: 10.0 * rows.end as f64,
        first: *slices.start(),
        last: *slices.end(),
        resources: rows.len() as f64,
        mix,
    }
}

/// Ten rows run for ten slices; row 6 waits in one of them, and row 2 does nothing in two.
#[test]
fn rows_that_do_something_else_stand_out() {
    let (run, wait) = ([("run".to_string(), 1.0)], [("wait".to_string(), 1.0)]);
    let rows: Vec<Band> = (0..10).map(row).collect();
    let mut areas = vec![area(0..2, 0..=9, &run), area(3..6, 0..=9, &run), area(7..10, 0..=9, &run)];
    areas.extend([area(6..7, 0..=4, &run), area(6..7, 5..=5, &wait), area(6..7, 6..=9, &run)]);
    areas.extend([area(2..3, 0..=7, &run), area(2..3, 8..=9, &[])]);
    assert_eq!(standing_out(&rows, &areas), [2, 6]);
    // In slice 5 nine of ten run: row 6 is 0.9 away, the others 0.1. In slices 8 and 9 it is so with row 2.
    let distances = distances(&rows, &areas);
    let is_near = |row: usize, sum: f64| (distances[row] - sum / 10.0).abs() < 1e-9;
    assert!(is_near(0, 0.3) && is_near(6, 0.9 + 0.2) && is_near(2, 0.1 + 1.8), "{distances:?}");
}

#[test]
fn of_equal_rows_none_stands_out() {
    let run = [("run".to_string(), 0.5)];
    let rows: Vec<Band> = (0..4).map(row).collect();
    assert_eq!(standing_out(&rows, &[area(0..4, 0..=3, &run)]), Vec::<usize>::new());
    assert_eq!(standing_out(&[], &[]), Vec::<usize>::new());
}
