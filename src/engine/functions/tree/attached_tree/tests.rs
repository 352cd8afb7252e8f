//! Tests of `attached_tree`.

use super::*;

/// A root 0 over 1 and 3, and 1 over 2; rows in no order.
#[test]
fn lines_lead_to_the_root() {
    let numbers = |values: [i32; 4]| Arc::new(Int32Array::from_iter_values(values)) as ArrayRef;
    let texts = || Arc::new(StringViewArray::from_iter_values(["c", "root", "b", "a"])) as ArrayRef;
    let ids = [2, 0, 3, 1];
    let columns = [
        numbers(ids),
        numbers([1, 0, 0, 0]),
        numbers(ids),
        numbers([2, 3, 3, 2]),
        numbers([2, 0, 1, 1]),
        texts(),
        texts(),
    ];
    let constants = ["treemap", "racks"].map(ScalarValue::from);
    let found = lines(&columns, &constants).expect("lines");
    let (names, above) = (found[0].as_string_view(), found[1].as_primitive::<Int32Type>());
    let pairs: Vec<(&str, i32)> = (0..names.len()).map(|row| (names.value(row), above.value(row))).collect();
    assert_eq!(pairs, [("root", 0), ("a", 0), ("a", 1), ("c", 0), ("c", 1), ("c", 2), ("b", 0), ("b", 3)]);
    let nothing = columns.map(|column| column.slice(0, 0));
    let error = lines(&nothing, &constants).expect_err("no nodes").to_string();
    assert!(error.contains("treemap: no hierarchy racks is attached"), "{error}");
}
