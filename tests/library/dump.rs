//! `ocellus dump` against the rows of pj_dump, which lie in `tests/oracles/` as that program printed
//! them: `pj_dump -n -e 1e300 TRACE | LC_ALL=C sort`.

use std::path::Path;

use ocellus::dump::{DumpOptions, dump};
use ocellus::import::{ImportOptions, TraceSource};

use crate::support::{checkout, sample};

fn rows_of(trace: &Path, options: &DumpOptions) -> Vec<String> {
    let mut out = vec![];
    dump(&TraceSource::Path(trace.to_path_buf()), &ImportOptions::default(), options, &mut out).expect("a dump");
    let mut rows: Vec<String> = String::from_utf8(out).expect("text").lines().map(str::to_string).collect();
    rows.sort();
    rows
}

#[test]
fn the_rows_are_those_of_pj_dump() {
    for name in ["paper", "quickstart", "nested", "extra_fields"] {
        let expected =
            std::fs::read_to_string(checkout().join(format!("tests/oracles/{name}.pj_dump"))).expect("an oracle");
        let expected: Vec<&str> = expected.lines().collect();
        assert!(expected.len() > 5, "{name}");
        assert_eq!(rows_of(&sample(&format!("{name}.trace")), &DumpOptions::default()), expected, "{name}");
    }
}

#[test]
fn options_change_what_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("x.trace");
    let header = "%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
        %EventDef PajeDefineVariableType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
        %EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n\
        %EventDef PajeSetVariable 4\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n";
    let body = "1 P 0 P\n2 V P v\n3 0 p P 0 \"a, b\"\n4 1 V p 123456789\n4 2 V p 0.1\n";
    std::fs::write(&trace, format!("{header}{body}")).expect("a trace");
    let plain = rows_of(&trace, &DumpOptions::default());
    assert!(
        plain.contains(&"Variable, a, b, v, 1.000000, 2.000000, 1.000000, 123456792.000000".to_string()),
        "{plain:?}"
    );
    let exact = rows_of(&trace, &DumpOptions { decimals: 2, csv: true, exact: true });
    assert!(exact.contains(&"Variable, \"a, b\", v, 1.00, 2.00, 1.00, 123456789.00".to_string()), "{exact:?}");
}
