//! Lists over several lines.

use std::io::Write;

use super::Brackets;
use crate::reader::{ReadFlow, ReaderOptions, TraceFormat, TraceOrigin};

fn open_after(lines: &[&str]) -> i64 {
    let mut brackets = Brackets::default();
    lines.iter().for_each(|line| brackets.add(line));
    brackets.open
}

#[test]
fn brackets_are_counted_over_lines_and_not_in_texts() {
    assert_eq!(open_after(&["int a[2][2]=[[1, 2],", "[3, 4]]"]), 0);
    assert_eq!(open_after(&["int a[2][2]=[[1, 2],"]), 1);
    assert_eq!(open_after(&["string s=[\"[[[\"", "]"]), 0);
    assert_eq!(open_after(&["string s=[\"[[", "[\"]", "["]), 1);
}

#[test]
fn a_list_that_never_ends_is_looked_at_once() {
    // Were the list counted again with every line, these would be 10^11 characters.
    let mut file = tempfile::NamedTempFile::with_suffix("-0000.txt").expect("a temporary file");
    let call = "MPI_Init entering at walltime 1.0, cputime 0.0 seconds in thread 0.\nint argc=[\n";
    file.write_all(call.as_bytes()).expect("written");
    file.write_all("1\n".repeat(450_000).as_bytes()).expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a file");
    let mut faults = vec![];
    let mut reader = TraceFormat::DumpiText.reader(&ReaderOptions::default());
    let read = reader.read(&origin, &mut |batch| {
        faults.extend(batch.faults.iter().map(|fault| fault.message.clone()));
        Ok(ReadFlow::GoOn)
    });
    read.expect("what was read is kept");
    assert!(faults.iter().any(|fault| fault.contains("the text ends within MPI_Init")), "{faults:?}");
}
