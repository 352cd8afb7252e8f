//! Tests of `parameters`.

use super::*;
use crate::pg::script::split_script;

#[test]
fn casts_tell_types() {
    let parameter_types = |text: &str| parameter_types(&split_script(text).expect("a statement")[0]);
    let types = parameter_types(
        "SELECT $1::int[], CAST($2 AS double precision), $3, $4::regclass WHERE a = ANY($5::pg_catalog.oid[])",
    );
    assert_eq!(types, BTreeMap::from([(1, 1007), (2, 701), (5, 1028)]));
    assert!(parameter_types("SELECT $1 AS text, '$2::int'").is_empty());
}
