//! Tests of `options`.

use super::*;

fn wanted(options: &[(&str, &str)]) -> Vec<u8> {
    let value = |text: &str| OptionValue { text: Some(text.to_string()) };
    let options = options.iter().map(|(name, text)| (name.to_string(), value(text)));
    SessionOptionMap { options: options.collect() }.encode_to_vec()
}

#[test]
fn the_trace_of_a_session_is_a_cookie() {
    let response = set(&wanted(&[("schema", "lu"), ("catalog", CATALOG)]), |name| name == "lu").expect("set");
    assert!(response.get_ref().is_empty(), "no option is wrong");
    let cookie = response.metadata().get("set-cookie").expect("a cookie").clone();
    let mut call = MetadataMap::new();
    assert_eq!(trace_of(&call), None);
    call.insert("cookie", format!("a=b; {}; c", cookie.to_str().expect("text")).parse().expect("a header"));
    assert_eq!(trace_of(&call).as_deref(), Some("lu"));
    call.insert(TRACE, "other".parse().expect("a header"));
    assert_eq!(trace_of(&call).as_deref(), Some("other"));
}

#[test]
fn wrong_options_are_named() {
    let response = set(&wanted(&[("schema", "x"), ("color", "red"), ("catalog", "y")]), |_| false).expect("answered");
    let errors = OptionErrors::decode(response.get_ref().as_slice()).expect("errors").errors;
    assert_eq!((errors["schema"], errors["color"], errors["catalog"]), (INVALID_VALUE, INVALID_NAME, INVALID_VALUE));
    assert!(response.metadata().get("set-cookie").is_none());
    assert!(set(b"\xff", |_| true).is_err());
}
