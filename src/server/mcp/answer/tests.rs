//! Tests of `answer`: sizes are compared with what a message really takes.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use serde_json::Value;

use super::*;
use crate::error::ServerErrorKind;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .expect("a batch")
}

fn numbers(count: i64) -> RecordBatch {
    batch(vec![("n", Arc::new(Int64Array::from_iter_values(0..count)))])
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> RecordBatch {
    batch(vec![("text", Arc::new(StringArray::from_iter_values(texts)))])
}

fn answer(batches: &[RecordBatch], rows: usize) -> (String, Value) {
    let mut answer = RowsAnswer::new(&batches[0].schema(), AnswerSize::of_rows(rows)).expect("few columns");
    batches.iter().for_each(|batch| answer.add(batch).expect("values that JSON has"));
    let text = answer.finish();
    let value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (text, value)
}

/// What a message holds for a text, by the library that writes messages.
fn really_sent(text: &str) -> usize {
    json!(text).to_string().len() - 2
}

#[test]
fn all_rows_are_exact_and_nothing_is_said_to_be_missing() {
    let rows = batch(vec![
        ("tick", Arc::new(Int64Array::from(vec![Some(9_007_199_254_740_993), None]))),
        ("seconds", Arc::new(Float64Array::from(vec![0.1, f64::NAN]))),
        ("name", Arc::new(StringArray::from(vec!["é \"quoted\"\n", ""]))),
    ]);
    let (text, value) = answer(&[rows], 10);
    let expected = "{\"truncated\":false,\"columns\":[\"tick\",\"seconds\",\"name\"],\"row_count\":2,\"rows\":[\n\
        [9007199254740993,0.1,\"é \\\"quoted\\\"\\n\"],\n[null,null,\"\"]]}";
    assert_eq!(text, expected);
    assert_eq!(value["note"], Value::Null);
}

#[test]
fn the_limit_of_rows_holds_across_batches_and_is_said() {
    let (_, whole) = answer(&[numbers(3), numbers(2)], 5);
    assert_eq!((&whole["truncated"], &whole["row_count"]), (&json!(false), &json!(5)));
    let (_, cut) = answer(&[numbers(3), numbers(3)], 5);
    assert_eq!((&cut["truncated"], &cut["row_count"]), (&json!(true), &json!(5)));
    assert_eq!(cut["rows"], json!([[0], [1], [2], [0], [1]]));
    assert!(cut["note"].as_str().is_some_and(|note| note.contains("the first 5 rows and there are more")), "{cut}");
}

#[test]
fn the_limit_of_bytes_counts_what_is_sent() {
    // Each quote takes four bytes in a message: it is escaped in the answer, and again around it.
    for unit in ["a", "\"", "\\", "\n", "\u{1}", "é", "🚀"] {
        let long = unit.repeat(300);
        let (text, value) = answer(&[texts(vec![long.as_str(); 5000])], MOST_ROWS);
        assert!(really_sent(&text) <= LONGEST_ANSWER, "{unit:?}: {}", really_sent(&text));
        assert_eq!(value["truncated"], json!(true), "{unit:?}");
        assert!(value["row_count"].as_u64().is_some_and(|count| count > 10 && count < 1000), "{unit:?}");
        assert_eq!(value["rows"][0][0], json!(long), "{unit:?}");
    }
}

#[test]
fn long_values_are_shortened_and_said_to_be() {
    let long = "x".repeat(3_000_000);
    let (_, value) = answer(&[texts([long.as_str(), "short"])], 10);
    assert_eq!(value["truncated"], json!(true));
    assert_eq!(value["rows"][0][0].as_str().map(|text| text.chars().count()), Some(LONGEST_VALUE + 1));
    assert_eq!(value["rows"][1][0], json!("short"));
    assert!(value["note"].as_str().is_some_and(|note| note.contains("of 1 values only the beginning")), "{value}");
}

#[test]
fn a_row_that_is_too_large_and_too_many_columns_are_said() {
    let long = "x".repeat(1900);
    let names: Vec<String> = (0..100).map(|number| format!("c{number}")).collect();
    let column = |_| Arc::new(StringArray::from(vec![long.as_str()])) as ArrayRef;
    let wide = batch(names.iter().enumerate().map(|(number, name)| (name.as_str(), column(number))).collect());
    let (_, value) = answer(&[wide], 10);
    assert_eq!((&value["truncated"], &value["row_count"], &value["rows"]), (&json!(true), &json!(0), &json!([])));
    assert!(value["note"].as_str().is_some_and(|note| note.contains("select fewer columns")), "{value}");
    let name = "n".repeat(LONGEST_ANSWER);
    let named = batch(vec![(&name, Arc::new(Int64Array::from(vec![1])))]);
    let refused = RowsAnswer::new(&named.schema(), AnswerSize::of_rows(1)).err().expect("refused");
    assert!(refused.message.contains("select fewer"), "{refused}");
}

#[test]
fn texts_and_errors_are_bounded() {
    assert_eq!(text_answer("short"), "short");
    for unit in ["a", "\"", "\u{1}", "🚀"] {
        let long = unit.repeat(200_000);
        let text = text_answer(&long);
        assert!(really_sent(&text) <= LONGEST_ANSWER, "{unit:?}");
        assert!(text.ends_with("than an answer may be)"), "{unit:?}");
        let error = ServerError { hint: Some(long.clone()), ..ServerError::new(ServerErrorKind::Busy, long) };
        assert!(really_sent(&error_answer(&error)) <= LONGEST_ERROR, "{unit:?}");
    }
    let short = ServerError { hint: Some("did you mean value?".to_string()), ..ServerError::syntax("no column valeu") };
    assert_eq!(error_answer(&short), "syntax: no column valeu; did you mean value?");
}

#[test]
fn bytes_are_counted_as_they_are_written() {
    for text in ["", "plain", "\"\\\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}", "é 数 🚀"] {
        assert_eq!(sent_bytes(text), really_sent(text), "{text:?}");
    }
    assert_eq!(clipped("a\"b", 2), "a");
    assert_eq!(clipped("a\"b", 3), "a\"");
    assert_eq!(clipped("éé", 3), "é");
}
