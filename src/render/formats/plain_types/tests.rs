//! Tests of `plain_types`.

use super::*;
use crate::formats::testing;

#[test]
fn dictionaries_are_resolved_and_values_stay() {
    let batch = testing::awkward();
    let schema = plain_schema(&batch.schema());
    let plain = plain_batch(&batch, &schema).expect("a plain batch");
    assert_eq!(plain.column(5).data_type(), &DataType::Utf8);
    assert_eq!(plain.column(4), batch.column(4));
    assert_eq!(plain.num_rows(), 2);
}
