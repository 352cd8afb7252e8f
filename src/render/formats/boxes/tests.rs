//! Boxes as a user would draw them.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use unicode_width::UnicodeWidthStr;

use crate::formats::testing::{awkward, nothing, null_as, numbers, text_of};
use crate::formats::{ResultFormat, TextStyle};

fn boxed(style: &TextStyle, batch: &RecordBatch) -> String {
    text_of(ResultFormat::Box, style, &batch.schema(), std::slice::from_ref(batch))
}

fn limited(width: usize) -> TextStyle {
    TextStyle { width: Some(width), ..TextStyle::default() }
}

#[test]
fn names_types_and_numbers_line_up() {
    let batch = awkward().project(&[0, 2, 3]).expect("three columns");
    assert_eq!(
        boxed(&TextStyle::default(), &batch),
        "┌─────────┬──────┬─────────┐\n\
         │   id    │ wide │ seconds │\n\
         │ integer │ text │ double  │\n\
         ├─────────┼──────┼─────────┤\n\
         │       1 │ 日本 │     0.1 │\n\
         │    NULL │ é    │     2.0 │\n\
         └─────────┴──────┴─────────┘\n"
    );
    assert!(boxed(&null_as("∅"), &batch).contains("│       ∅ │ é "));
}

#[test]
fn a_cell_with_lines_makes_a_high_row() {
    let array: ArrayRef = Arc::new(StringArray::from(vec!["a\nbc\td"]));
    let batch = RecordBatch::try_from_iter([("plan", array)]).expect("one column");
    assert_eq!(
        boxed(&TextStyle::default(), &batch),
        "┌───────┐\n│ plan  │\n│ text  │\n├───────┤\n│ a     │\n│ bc\\td │\n└───────┘\n"
    );
}

#[test]
fn an_empty_result_says_so() {
    assert_eq!(
        text_of(ResultFormat::Box, &TextStyle::default(), &nothing(), &[]),
        "┌─────────┬──────┐\n│    n    │ name │\n│ integer │ text │\n├─────────┼──────┤\n\
         ├─────────┴──────┤\n│ 0 rows         │\n└────────────────┘\n"
    );
}

#[test]
fn many_rows_are_shown_as_head_and_tail() {
    let style = TextStyle { max_rows: Some(4), ..TextStyle::default() };
    let batch = numbers(7);
    let expected = "┌──────────────────┐\n\
                    │        n         │\n\
                    │     integer      │\n\
                    ├──────────────────┤\n\
                    │                0 │\n\
                    │                1 │\n\
                    │                … │\n\
                    │                5 │\n\
                    │                6 │\n\
                    ├──────────────────┤\n\
                    │ 7 rows (4 shown) │\n\
                    └──────────────────┘\n";
    assert_eq!(boxed(&style, &batch), expected);
    for cut in 1..7 {
        let parts = [batch.slice(0, cut), batch.slice(cut, 7 - cut)];
        assert_eq!(text_of(ResultFormat::Box, &style, &batch.schema(), &parts), expected, "cut at {cut}");
    }
    assert!(!boxed(&style, &numbers(4)).contains('…'), "four of four rows are all rows");
}

#[test]
fn without_a_limit_every_row_is_written() {
    let text = boxed(&TextStyle::default(), &numbers(25_000));
    // Four lines of top, one of bottom, and the count below, since it is wider than the column.
    assert_eq!(text.lines().count(), 25_000 + 4 + 1 + 1);
    assert!(text.ends_with("┘\n  25,000 rows\n"));
}

#[test]
fn a_narrow_terminal_cuts_values_first() {
    let long: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(50)]));
    let short: ArrayRef = Arc::new(Int32Array::from(vec![7]));
    let batch = RecordBatch::try_from_iter([("long", long), ("n", short)]).expect("two columns");
    let text = boxed(&limited(30), &batch);
    assert!(text.lines().all(|line| line.width() == 30), "{text}");
    assert!(text.contains(&format!("│ {}… │       7 │", "x".repeat(15))), "{text}");
}

#[test]
fn a_narrow_terminal_leaves_columns_out_when_cutting_is_not_enough() {
    let columns = (0..20).map(|index| {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["0123456789"]));
        (format!("column_{index}"), array)
    });
    let batch = RecordBatch::try_from_iter(columns).expect("twenty columns");
    let text = boxed(&limited(60), &batch);
    assert!(text.lines().all(|line| line.width() <= 60), "{text}");
    assert!(
        text.contains("column_0") && text.contains("20 columns (4 shown; \\x or --format line shows all)"),
        "{text}"
    );
    assert!(text.contains('…') && !text.contains("column_9"), "{text}");
}

#[test]
fn a_narrow_terminal_leaves_ticks_out_first() {
    let names = ["container", "start_time", "start_tick", "end_time", "end_tick", "duration"];
    let columns = names.map(|name| {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["0123456789ab"]));
        (name, array)
    });
    let batch = RecordBatch::try_from_iter(columns).expect("six columns");
    // Each column takes 15, and the box one more.
    let text = boxed(&limited(91), &batch);
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
    let text = boxed(&limited(76), &batch);
    assert!(text.contains("start_tick") && !text.contains("end_tick") && text.contains("duration"), "{text}");
    assert!(text.contains("6 columns (5 shown; "), "{text}");
    let text = boxed(&limited(61), &batch);
    assert!(!text.contains("tick") && !text.contains('…') && text.contains("6 columns (4 shown; "), "{text}");
    let text = boxed(&limited(40), &batch);
    assert!(!text.contains("tick") && text.contains("container") && text.contains("duration"), "{text}");
}

#[test]
fn a_narrow_terminal_leaves_ids_out_after_ticks() {
    let columns = ["container_id", "container", "type_id", "start_tick"].map(|name| {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["0123456789ab"]));
        (name, array)
    });
    let batch = RecordBatch::try_from_iter(columns).expect("four columns");
    let text = boxed(&limited(46), &batch);
    assert!(text.contains("container_id") && !text.contains("tick"), "{text}");
    // The name of the type is not there, so its id stays.
    let text = boxed(&limited(31), &batch);
    assert!(!text.contains("container_id") && text.contains("container") && text.contains("type_id"), "{text}");
}

#[test]
fn cutting_never_splits_a_wide_character() {
    let array: ArrayRef = Arc::new(StringArray::from(vec!["日本語日本語日本語"]));
    let batch = RecordBatch::try_from_iter([("x", array)]).expect("one column");
    for width in 5..22 {
        let text = boxed(&limited(width), &batch);
        assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
    }
}
