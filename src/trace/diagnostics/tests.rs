//! Tests of `diagnostics`.

use super::*;

fn at(line: u64) -> SourcePosition {
    SourcePosition { line, byte: line * 10 }
}

#[test]
fn memory_is_bounded_and_every_report_is_counted() {
    let mut diagnostics = Diagnostics::default();
    for line in 1..=5000 {
        diagnostics.report(Code::BadTime, at(line), || format!("line {line}"));
    }
    let rows = diagnostics.rows();
    assert_eq!(rows.len(), KEPT_PER_CODE + 1);
    assert_eq!(rows.iter().map(|row| row.occurrences).sum::<u64>(), 5000);
    assert_eq!(diagnostics.count(Code::BadTime), 5000);
    assert_eq!(diagnostics.lost_lines(), 5000);
}

#[test]
fn grouped_reports_share_a_row() {
    let mut diagnostics = Diagnostics::default();
    for line in 1..=3 {
        diagnostics.report_grouped(Code::TypeMismatch, 7, at(line), || "seven".to_string());
        diagnostics.report_grouped(Code::TypeMismatch, 8, at(line), || "eight".to_string());
    }
    let rows = diagnostics.rows();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.occurrences == 3 && row.place.line == 1));
    assert_eq!(diagnostics.lost_lines(), 0);
}

#[test]
fn quotes_are_short_and_printable() {
    assert_eq!(quote(b"a\x00\xff\n"), "'a\\u{0}\u{fffd}\\n'");
    assert!(quote(&[b'x'; 100_000]).chars().count() < 100);
}
