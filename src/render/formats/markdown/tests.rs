//! Tests of `markdown`.

use crate::formats::testing::{awkward, nothing, text_of};
use crate::formats::{ResultFormat, TextStyle};

#[test]
fn pipes_and_line_ends_do_not_break_the_table() {
    let batch = awkward();
    let text = text_of(ResultFormat::Markdown, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch));
    assert_eq!(
        text,
        "| id | text | wide | seconds | list | state | open |\n\
             |---:|---|---|---:|---|---|---|\n\
             | 1 | a,\"b\"<br>\\| | 日本 | 0.1 | [1, NULL, 3] | run | true |\n\
             |  |  | é | 2.0 |  |  | false |\n"
    );
}

#[test]
fn an_empty_result_has_its_header() {
    let text = text_of(ResultFormat::Markdown, &TextStyle::default(), &nothing(), &[]);
    assert_eq!(text, "| n | name |\n|---:|---|\n");
}
