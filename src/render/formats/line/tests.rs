//! Tests of `line`.

use crate::formats::testing::{awkward, nothing, null_as, text_of};
use crate::formats::{ResultFormat, TextStyle};

#[test]
fn names_line_up_and_rows_are_apart() {
    let batch = awkward().project(&[0, 3, 4]).expect("three columns");
    let text = text_of(ResultFormat::Line, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch));
    assert_eq!(
        text,
        "     id = 1\nseconds = 0.1\n   list = [1, NULL, 3]\n\n     id = NULL\nseconds = 2.0\n   list = NULL\n"
    );
    let text = text_of(ResultFormat::Line, &null_as("-"), &batch.schema(), std::slice::from_ref(&batch));
    assert!(text.contains("id = -\n"), "{text}");
}

#[test]
fn a_value_of_several_lines_starts_on_its_own() {
    let batch = awkward().project(&[1]).expect("one column");
    let text = text_of(ResultFormat::Line, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch));
    assert_eq!(text, "text =\na,\"b\"\n|\n\ntext = \n");
}

#[test]
fn an_empty_result_is_empty() {
    assert_eq!(text_of(ResultFormat::Line, &TextStyle::default(), &nothing(), &[]), "");
}
