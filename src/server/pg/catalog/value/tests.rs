//! Tests of `value`.

use super::*;

#[test]
fn arrays_are_read_from_text() {
    let items = Value::of("{r, \"a, b\",\"c\\\"d\"}").items();
    assert_eq!(items, Some(vec![Value::of("r"), Value::of("a, b"), Value::of("c\"d")]));
    assert_eq!(Value::of("{}").items(), Some(vec![]));
    assert_eq!(Value::of("r").items(), None);
}

#[test]
fn columns_come_back_as_they_were() {
    let values = [Value::List(vec![Value::of("a"), Value::Null]), Value::Null];
    let array = Shape::Texts.array(values.iter());
    assert_eq!([Value::at(&array, 0), Value::at(&array, 1)], values);
}
