//! Tests of `complexity`.

use super::*;
use sqlparser::dialect::GenericDialect;

fn is_fine(text: &str) -> bool {
    check(text, &GenericDialect {}).is_ok()
}

#[test]
fn long_chains_are_refused() {
    for link in
        ["+1", " AND 1=1", " OR a", "::int", "[1]", " UNION ALL SELECT 1", " UNION SELECT 1, 2", " JOIN t USING (a)"]
    {
        assert!(!is_fine(&format!("SELECT 1{}", link.repeat(20_000))), "{link}");
        assert!(is_fine(&format!("SELECT 1{}", link.repeat(1_000))), "{link}");
    }
    assert!(!is_fine(&format!("SELECT {} 1", "NOT ".repeat(20_000))));
    assert!(!is_fine(&format!("SELECT (SELECT 1{})", "+1".repeat(20_000))));
}

#[test]
fn long_lists_are_fine() {
    let numbers = vec!["-1"; 50_000].join(",");
    assert!(is_fine(&format!("SELECT 1 IN ({numbers})")));
    assert!(is_fine(&format!("SELECT {numbers}")));
    assert!(is_fine(&format!("VALUES {}", vec!["(1 + 1)"; 20_000].join(", "))));
    assert!(is_fine(&"SELECT 1 + 1;".repeat(5_000)));
}
