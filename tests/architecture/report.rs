//! How a broken rule is reported.

/// Fails with the rule and everything that breaks it.
pub fn assert_none(rule: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{rule}:\n  {}", faults.join("\n  "));
}
