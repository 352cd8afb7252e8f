//! Tests of `summary`.

use super::*;
use ocellus_trace::diagnostics::{Code, SourcePosition};

#[test]
fn diagnostics_are_grouped_with_the_worst_first() {
    let row = |code, line, occurrences| Diagnostic {
        code,
        place: SourcePosition { line, byte: 0 },
        message: format!("message {line}"),
        occurrences,
    };
    let rows = [
        row(Code::OpenState, 0, 2),
        row(Code::BadTime, 9, 1),
        row(Code::BadTime, 4, 1000),
        row(Code::ExtraFields, 5, 1),
    ];
    let mut out = vec![];
    write_diagnostics(&mut out, &rows).expect("written");
    let text = String::from_utf8(out).expect("text");
    let lines: Vec<&str> = text.lines().skip(1).map(str::trim_start).collect();
    assert!(lines[0].starts_with("error    bad-time"), "{text}");
    assert!(lines[0].ends_with("1,001  line 4: message 4"), "{text}");
    assert!(lines[1].starts_with("warning  extra-fields"), "{text}");
    assert!(lines[2].ends_with("2  message 0"), "{text}");
}
