//! Tests of `json`.

use crate::formats::testing::{awkward, nothing, numbers, text_of};
use crate::formats::{ResultFormat, TextStyle};

#[test]
fn json_is_one_array_over_all_batches() {
    let batch = numbers(2);
    let text = text_of(ResultFormat::Json, &TextStyle::default(), &batch.schema(), &[batch.clone(), batch.clone()]);
    assert_eq!(text, "[{\"n\":0},\n{\"n\":1},\n{\"n\":0},\n{\"n\":1}]\n");
}

#[test]
fn json_keeps_null_text_and_lists() {
    let batch = awkward();
    let text = text_of(ResultFormat::Json, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch));
    let parsed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let expected = serde_json::json!([
        {"id": 1, "text": "a,\"b\"\n|", "wide": "日本", "seconds": 0.1, "list": [1, null, 3], "state": "run", "open": true},
        {"id": null, "text": "", "wide": "é", "seconds": 2.0, "list": null, "state": null, "open": false},
    ]);
    assert_eq!(parsed, expected);
}

#[test]
fn ndjson_is_one_object_per_line() {
    let batch = numbers(2);
    let text = text_of(ResultFormat::Ndjson, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch));
    assert_eq!(text, "{\"n\":0}\n{\"n\":1}\n");
}

#[test]
fn an_empty_result_is_an_empty_array_or_nothing() {
    assert_eq!(text_of(ResultFormat::Json, &TextStyle::default(), &nothing(), &[]), "[]\n");
    assert_eq!(text_of(ResultFormat::Ndjson, &TextStyle::default(), &nothing(), &[]), "");
}
