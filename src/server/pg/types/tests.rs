//! Tests of `types`.

use super::*;
use std::sync::Arc;

fn kind(data_type: DataType) -> Type {
    type_of(&Arc::new(Field::new("c", data_type, true)))
}

#[test]
fn every_type_has_one_of_postgresql() {
    let list = |element: DataType| DataType::List(Arc::new(Field::new("item", element, true)));
    assert_eq!(kind(DataType::UInt64), Type::NUMERIC);
    assert_eq!(kind(DataType::Decimal256(60, 2)), Type::NUMERIC);
    let names = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    assert_eq!(kind(names.clone()), Type::TEXT);
    assert_eq!(kind(list(names)), Type::TEXT_ARRAY);
    assert_eq!(kind(list(DataType::Float64)), Type::FLOAT8_ARRAY);
    assert_eq!(kind(list(DataType::Int16)), Type::INT2_ARRAY);
    assert_eq!(kind(list(DataType::Date32)), Type::DATE_ARRAY);
    assert_eq!(kind(list(list(DataType::Int64))), Type::TEXT);
    let record = DataType::Struct(vec![Field::new("a", DataType::Int64, true)].into());
    assert_eq!(kind(record.clone()), Type::RECORD);
    assert_eq!(kind(list(record.clone())), Type::JSON);
    assert_eq!(kind(list(list(record))), Type::JSON);
    assert_eq!(kind(DataType::Null), Type::TEXT);
}
