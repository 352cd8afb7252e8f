//! Values of annotations.

use super::*;

fn value(bytes: &[u8]) -> AnnotationValue {
    read(bytes, &PacketSequence::default(), 0).expect("an annotation").1
}

#[test]
fn values_are_json() {
    assert_eq!(value(&[0x20, 5]), AnnotationValue::Whole(5));
    assert_eq!(value(&[0x10, 1]), AnnotationValue::Json("true".into()));
    assert_eq!(value(&[0x32, 2, b'a', b'"']), AnnotationValue::Json(r#""a\"""#.into()));
    assert_eq!(value(&[0x38, 0x1f]), AnnotationValue::Json("\"0x1f\"".into()));
    // A list of 1 and 2, and a dictionary with x: 3.
    assert_eq!(value(&[0x62, 2, 0x20, 1, 0x62, 2, 0x20, 2]), AnnotationValue::Json("[1,2]".into()));
    assert_eq!(value(&[0x5a, 5, 0x20, 3, 0x52, 1, b'x']), AnnotationValue::Json(r#"{"x":3}"#.into()));
    assert_eq!(value(&[0x4a, 3, b'{', b'x', b'}']), AnnotationValue::Json("\"{x}\"".into()), "no JSON");
}

#[test]
fn values_that_lie_too_deep_are_left_out() {
    let mut bytes = vec![0x20, 1];
    for _ in 0..20 {
        bytes = [vec![0x62, bytes.len() as u8], bytes].concat();
    }
    assert!(matches!(value(&bytes), AnnotationValue::Json(json) if json.contains('1')));
}
