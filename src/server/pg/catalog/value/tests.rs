//! Tests of `value`.

use super::*;

#[test]
fn arrays_are_read_from_text() {
    let items = CatalogValue::of("{r, \"a, b\",\"c\\\"d\"}").items();
    assert_eq!(items, Some(vec![CatalogValue::of("r"), CatalogValue::of("a, b"), CatalogValue::of("c\"d")]));
    assert_eq!(CatalogValue::of("{}").items(), Some(vec![]));
    assert_eq!(CatalogValue::of("r").items(), None);
}

#[test]
fn columns_come_back_as_they_were() {
    let values = [CatalogValue::List(vec![CatalogValue::of("a"), CatalogValue::Null]), CatalogValue::Null];
    let array = CatalogType::Texts.array(values.iter());
    assert_eq!([CatalogValue::at(&array, 0), CatalogValue::at(&array, 1)], values);
}
