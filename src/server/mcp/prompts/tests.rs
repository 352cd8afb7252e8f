//! Tests of `prompts`.

use serde_json::json;

use super::*;

fn text(name: &str, arguments: serde_json::Value) -> Result<String, String> {
    let serde_json::Value::Object(arguments) = arguments else { panic!("an object") };
    get(name, &arguments).map(|prompt| serde_json::to_string(&prompt).expect("JSON"))
}

#[test]
fn every_prompt_names_its_traces() {
    let one = text(WHY_SLOW, json!({ "trace": "lu" })).expect("a prompt");
    assert!(one.contains("`lu`"), "{one}");
    assert!(text(WHY_SLOW, json!({})).is_ok());
    let two = text(COMPARE, json!({ "baseline": "before", "run": "after" })).expect("a prompt");
    assert!(two.contains("`before`") && two.contains("`after`"), "{two}");
    assert_eq!(list().len(), 2);
}

#[test]
fn what_is_missing_or_unknown_is_said() {
    assert_eq!(text(COMPARE, json!({ "baseline": "before" })), Err("the prompt needs the argument run".to_string()));
    assert_eq!(text("none", json!({})), Err("there is no prompt none".to_string()));
    let long = text(WHY_SLOW, json!({ "trace": "x".repeat(1 << 20) })).expect("a prompt");
    assert!(long.len() < 4096, "{}", long.len());
}
