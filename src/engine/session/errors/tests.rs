//! Tests of `errors`.

use super::*;

fn kind(error: DataFusionError) -> QueryErrorKind {
    explain(&error, "SELECT 1", &KnownNames::default()).kind
}

#[test]
fn the_parser_writes_its_place_into_the_message() {
    let span = span_in("expected: x, found: y at Line: 12, Column: 34").expect("a place");
    assert_eq!((span.start.line, span.start.column), (12, 34));
    assert_eq!(strip_place("found: y at Line: 12, Column: 34"), "found: y");
    assert!(span_in("no place").is_none());
}

#[test]
fn a_span_lies_in_its_text() {
    let at = |line, column| {
        let position = TextPosition { line, column };
        TextSpan { start: position, end: position }
    };
    assert!(lies_in(&at(1, 1), "SELECT"));
    assert!(lies_in(&at(1, 7), "SELECT"));
    assert!(!lies_in(&at(2, 1), "SELECT"));
    assert!(!lies_in(&at(0, 0), "SELECT"));
    assert!(!lies_in(&at(1, 1), ""));
}

#[test]
fn errors_have_kinds() {
    let plan = |text: &str| kind(DataFusionError::Plan(text.to_string()));
    assert_eq!(plan("table 'ocellus.lu.x' not found"), QueryErrorKind::UnknownTable);
    assert_eq!(plan("table function 'x' not found"), QueryErrorKind::UnknownFunction);
    assert_eq!(plan("Invalid function 'x'"), QueryErrorKind::UnknownFunction);
    assert_eq!(plan("DDL not supported: CreateView"), QueryErrorKind::ReadOnly);
    assert_eq!(plan("Cannot coerce arithmetic expression"), QueryErrorKind::TypeMismatch);
    assert_eq!(plan("anything else"), QueryErrorKind::Invalid);
    let arrow = |error| kind(DataFusionError::ArrowError(Box::new(error), None));
    assert_eq!(arrow(ArrowError::DivideByZero), QueryErrorKind::DivisionByZero);
    assert_eq!(arrow(ArrowError::CastError("x".to_string())), QueryErrorKind::InvalidValue);
    let inner = DataFusionError::ResourcesExhausted("x".to_string());
    assert_eq!(kind(DataFusionError::Context("while".to_string(), Box::new(inner))), QueryErrorKind::OutOfMemory);
}

#[test]
fn suggestions_become_hints() {
    let error = DataFusionError::Plan("f: unknown argument tiem; accepted: time; did you mean time?".to_string());
    let error = explain(&error, "", &KnownNames::default());
    assert_eq!(error.message, "f: unknown argument tiem; accepted: time");
    assert_eq!(error.hint.as_deref(), Some("did you mean time?"));
    let error = DataFusionError::ResourcesExhausted("no more\nthan this".to_string());
    let error = explain(&error, "", &KnownNames::default());
    assert_eq!(error.to_string(), "out of memory: no more; raise the limit, or ask for less at a time");
}
