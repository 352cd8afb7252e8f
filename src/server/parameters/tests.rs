//! Tests of `parameters`.

use super::*;

fn text(value: &str) -> ScalarValue {
    ScalarValue::Utf8(Some(value.to_string()))
}

#[test]
fn marks_become_literals() {
    let values = [ScalarValue::Int64(Some(30)), text("it's")];
    assert_eq!(
        bind("SELECT 'é ?', \"?\" -- ?\n FROM f(slices => ?) /* ? */ WHERE v =? AND w = 1", &values).expect("bound"),
        "SELECT 'é ?', \"?\" -- ?\n FROM f(slices =>  30 ) /* ? */ WHERE v = 'it''s'  AND w = 1"
    );
    assert_eq!(bind("SELECT $2, $1, $2", &values).expect("bound"), "SELECT  'it''s' ,  30 ,  'it''s' ");
    assert_eq!(bind("SELECT 1", &[]).expect("bound"), "SELECT 1");
    let template = Template::read("SELECT ?, '?', ?").expect("a template");
    assert_eq!(template.with(|number| format!("${number}")), "SELECT  $1 , '?',  $2 ");
    assert_eq!(Template::read("SELECT ?-?").expect("a template").count(), 2);
}

#[test]
fn text_cannot_leave_its_quotes() {
    for evil in ["' OR 1=1 --", "\\' OR 1=1 --", "''", "?", "$1", "\u{2019}\n'"] {
        let bound = bind("SELECT ?", &[text(evil)]).expect("bound");
        let tokens = Tokenizer::new(&GenericDialect, &bound).tokenize().expect("tokens");
        let last = tokens.iter().rfind(|token| !matches!(token, Token::Whitespace(_)));
        assert_eq!(last, Some(&Token::SingleQuotedString(evil.to_string())), "{bound}");
    }
}

#[test]
fn numbers_and_times_keep_their_values() {
    let literal = |value: ScalarValue| literal(&value).expect("a literal");
    assert_eq!(literal(ScalarValue::Int64(Some(i64::MIN))), "CAST('-9223372036854775808' AS BIGINT)");
    assert_eq!(literal(ScalarValue::UInt64(Some(u64::MAX))), "18446744073709551615");
    assert_eq!(literal(ScalarValue::Float64(Some(0.1))), "CAST('0.1' AS DOUBLE)");
    assert_eq!(literal(ScalarValue::Float64(Some(f64::NAN))), "CAST('NaN' AS DOUBLE)");
    assert_eq!(literal(ScalarValue::Null), "NULL");
    assert_eq!(literal(ScalarValue::Utf8(None)), "NULL");
    assert_eq!(literal(ScalarValue::Int32(None)), "arrow_cast(NULL, 'Int32')");
    let list = |values: &[ScalarValue]| ScalarValue::List(ScalarValue::new_list(values, &DataType::Int32, true));
    let some = [ScalarValue::Int32(Some(1)), ScalarValue::Int32(None)];
    assert_eq!(literal(list(&some)), "ARRAY[1, arrow_cast(NULL, 'Int32')]");
    assert_eq!(literal(list(&[])), "array_resize(ARRAY[arrow_cast(NULL, 'Int32')], 0)");
    assert_eq!(literal(ScalarValue::Boolean(Some(true))), "true");
    assert_eq!(literal(ScalarValue::Binary(Some(vec![0, 255]))), "X'00FF'");
    assert!(literal(ScalarValue::Date32(Some(0))).starts_with("arrow_cast('1970-01-01', 'Date32')"));
}

#[test]
fn wrong_numbers_of_values_are_refused() {
    for (statement, given) in
        [("SELECT ?", 0), ("SELECT 1", 1), ("SELECT $2", 1), ("SELECT ?, $1", 1), ("SELECT $x", 1), ("SELECT $0", 1)]
    {
        let values = vec![ScalarValue::Int64(Some(1)); given];
        assert!(bind(statement, &values).is_err(), "{statement}");
    }
}
