//! `ocellus report`: the page, the tables beside it, and what is not overwritten.

use std::fs;

use crate::sandbox::{Sandbox, assert_fails, stdout_of};

#[test]
fn a_report_is_a_page_with_tables_beside_it() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["report", "run.trace", "-o", "out/report"]));
    let page = fs::read_to_string(sandbox.path("out/report/index.html")).expect("a page");
    assert_eq!(page.matches("<svg ").count(), 6);
    // Nothing is loaded from elsewhere: the only addresses are the name space of SVG and the tables.
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    assert!(!page.contains("<script") && page.ends_with("</html>\n"));
    // Three seconds of each state: the profile has them, in the page and in the file.
    let profile = fs::read_to_string(sandbox.path("out/report/tables/profile.csv")).expect("a table");
    assert_eq!(
        profile,
        "type,value,states,inclusive_seconds,exclusive_seconds\nState,compute,2,3.0,3.0\nState,wait,2,3.0,3.0\n"
    );
    assert!(page.contains("<td>compute</td><td class=\"n\">2</td><td class=\"n\">3.0</td>"), "{page}");
    let parquet = fs::read(sandbox.path("out/report/tables/slices.parquet")).expect("a table");
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    // Thirty slices of two containers, of which one in each changes its state inside a slice: none here.
    let slices = fs::read_to_string(sandbox.path("out/report/tables/slices.csv")).expect("a table");
    assert_eq!(slices.lines().count(), 1 + 30 * 2);
    assert!(page.contains("The first 25 of 60 rows."), "{page}");
}

#[test]
fn only_a_report_is_replaced() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["report", "run.trace", "-o", "report"]));
    assert_fails(&sandbox.run(&["report", "run.trace", "-o", "report"]), 2, "--force replaces it");
    stdout_of(&sandbox.run(&["report", "run.trace", "-o", "report", "--force"]));
    fs::create_dir(sandbox.path("work")).expect("a folder");
    fs::write(sandbox.path("work/notes.txt"), "mine").expect("a file");
    assert_fails(&sandbox.run(&["report", "run.trace", "-o", "work", "--force"]), 2, "is no report");
    assert_eq!(fs::read_to_string(sandbox.path("work/notes.txt")).expect("a file"), "mine");
    // A report that fails leaves nothing behind.
    assert_fails(&sandbox.run(&["report", "no.trace", "-o", "other"]), 1, "no.trace");
    let left: Vec<_> =
        fs::read_dir(sandbox.folder.path()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial") || name == "other"), "{left:?}");
}
