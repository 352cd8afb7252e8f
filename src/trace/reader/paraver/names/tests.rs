//! Tests of `names`.

use super::RowNames;

#[test]
fn levels_have_names() {
    let names = RowNames::parse("LEVEL NODE SIZE 1\nhost a\n\nLEVEL THREAD SIZE 3\r\nMain\r\n\r\nWorker: 2\r\nrest\n");
    assert_eq!(names.get("NODE", 0), Some("host a"));
    assert_eq!(names.get("NODE", 1), None);
    assert_eq!(names.get("THREAD", 0), Some("Main"));
    assert_eq!(names.get("THREAD", 1), None, "an empty name is none");
    assert_eq!(names.get("THREAD", 2), Some("Worker: 2"));
    assert_eq!(names.get("THREAD", 3), None);
    assert_eq!(names.get("TASK", 0), None);
}
