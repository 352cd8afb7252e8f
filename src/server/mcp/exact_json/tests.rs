//! Values of texts, beside those of serde_json and of Rust's own numbers.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Values without doubles, which serde_json reads exactly.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".*", inner), 0..6).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn values_are_those_of_serde_json(value in values()) {
        prop_assert_eq!(exact_json(&value.to_string()), Some(value.clone()));
        let spaced = serde_json::to_string_pretty(&value).expect("JSON");
        prop_assert_eq!(exact_json(&spaced), Some(value));
    }

    #[test]
    fn doubles_are_exact(bits in any::<u64>()) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let read = exact_json(&format!("[{}]", json!(number))).expect("JSON");
        prop_assert_eq!(read[0].as_f64().map(f64::to_bits), Some(bits));
    }

    #[test]
    fn no_text_is_too_strange(text in "[\\[\\]{}\",:0-9a-e\\\\ .é+-]{0,40}") {
        let ours = exact_json(&text);
        if let Ok(theirs) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(ours.map(|value| value.to_string().len()).is_some(), true, "{}", theirs);
        }
    }
}

#[test]
fn a_double_that_serde_json_reads_a_bit_off() {
    assert_eq!(exact_json("0.36363636363636365").and_then(|value| value.as_f64()), Some(4.0 / 11.0));
}

#[test]
fn what_is_too_deep_is_a_text() {
    let depth = 10_000;
    assert_eq!(exact_json("[1"), None);
    let deep = format!("{}1{}", "[".repeat(150), "]".repeat(150));
    let mut value = exact_json(&deep).expect("JSON");
    for _ in 0..DEEPEST {
        value = value[0].take();
    }
    assert_eq!(value, Value::String(format!("{}1{}", "[".repeat(50), "]".repeat(50))));
    assert_eq!(exact_json(&"[".repeat(depth)), None);
}
