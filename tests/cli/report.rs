//! `ocellus report`: the page, the tables beside it, and what is not overwritten.

use std::fs;

use crate::sandbox::{Sandbox, assert_fails, stdout_of};

#[test]
fn a_report_is_a_page_with_tables_beside_it() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["report", "run.trace", "-o", "out/report"]));
    let page = fs::read_to_string(sandbox.path("out/report/index.html")).expect("a page");
    // What the trace does not have is not drawn, and said.
    assert_eq!(page.matches("<svg ").count(), 4);
    assert!(
        page.contains("Not drawn: no links in this window.")
            && page.contains("Not drawn: no variables in this window.")
    );
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

/// Rank 0 computes for two seconds and waits for one, rank 1 the other way round: half of the time is useful.
#[test]
fn a_report_opens_with_a_verdict_and_its_contents() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["report", "run.trace", "-o", "report"]));
    let page = fs::read_to_string(sandbox.path("report/index.html")).expect("a page");
    let verdict = page.split("<h2 id=\"verdict\">").nth(1).expect("a verdict").split("</dl>").next().expect("its end");
    for text in [
        "50 % of the time of 2 containers (State) is useful: parallel efficiency 0.5 over 3 s, where 1 is best",
        "3 s of 6 s, 50 %, are spent waiting, in wait. The other time: computation 50 %.",
        "<dt>Critical path</dt><dd>The 3 s from start to end are determined by ",
        "At 1 s, waiting rises from 0 % to 50 % and computation falls from 100 % to 50 %.",
        "At 2 s, waiting rises from 50 % to 100 % and computation falls from 50 % to 0 %.",
    ] {
        assert!(verdict.contains(text), "{text}: {verdict}");
    }
    // Every entry of the contents leads somewhere, and the verdict comes before them.
    let contents = page.split("<nav>").nth(1).expect("contents").split("</nav>").next().expect("their end");
    let links: Vec<&str> = contents.split("href=\"#").skip(1).filter_map(|text| text.split('"').next()).collect();
    assert_eq!(links.len(), 15);
    assert_eq!(links.first(), Some(&"table-findings"));
    assert!(links.iter().all(|link| page.contains(&format!("<h2 id=\"{link}\">"))), "{links:?}");
    assert!(page.find("id=\"verdict\"") < page.find("<nav>"));
}

/// Of 40 µs of four threads, 12 are Running and 11 in no state; what lies between a few calls of MPI is not taken for more.
#[test]
fn a_verdict_is_about_the_states_that_record_the_work() {
    let sandbox = Sandbox::new();
    let trace = crate::checkout::sample("paraver/solver.prv");
    stdout_of(&sandbox.run(&["report", trace.to_str().expect("a path in UTF-8"), "-o", "report"]));
    let page = fs::read_to_string(sandbox.path("report/index.html")).expect("a page");
    for text in ["30 % of the time of 4 containers (State) is useful", "is between 0.3 and 0.575"] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

/// A trace with variables alone has no efficiency, no waits and no path.
#[test]
fn a_verdict_says_what_the_trace_does_not_record() {
    let sandbox = Sandbox::new();
    let trace = crate::checkout::sample("variables.trace");
    stdout_of(&sandbox.run(&["report", trace.to_str().expect("a path in UTF-8"), "-o", "report"]));
    let page = fs::read_to_string(sandbox.path("report/index.html")).expect("a page");
    assert_eq!(page.matches("<dd>not recorded in the trace.</dd>").count(), 4, "{page}");
}

/// The kernels of a GPU do not wait; calls of MPI in the same trace do.
#[test]
fn a_verdict_names_the_states_that_record_no_waiting() {
    let sandbox = Sandbox::new();
    let trace = crate::checkout::sample("nsight.sqlite");
    stdout_of(&sandbox.run(&["report", trace.to_str().expect("a path in UTF-8"), "-o", "report"]));
    let page = fs::read_to_string(sandbox.path("report/index.html")).expect("a page");
    let text =
        "<dd>not recorded in states of type kernel. States of other types are not counted: nvtx, cpu, mpi, api.</dd>";
    assert!(page.contains(text), "{page}");
}

#[test]
fn only_a_report_is_replaced() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["report", "run.trace", "-o", "report"]));
    assert_fails(&sandbox.run(&["report", "run.trace", "-o", "report"]), 2, "--force replaces it");
    stdout_of(&sandbox.run(&["report", "run.trace", "-o", "report", "--force"]));
    fs::create_dir(sandbox.path("work")).expect("a folder");
    fs::write(sandbox.path("work/notes.txt"), "mine").expect("a file");
    assert_fails(&sandbox.run(&["report", "run.trace", "-o", "work", "--force"]), 2, "is not a report");
    assert_eq!(fs::read_to_string(sandbox.path("work/notes.txt")).expect("a file"), "mine");
    // A report that fails leaves nothing behind.
    assert_fails(&sandbox.run(&["report", "no.trace", "-o", "other"]), 1, "no.trace");
    let left: Vec<_> =
        fs::read_dir(sandbox.folder.path()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial") || name == "other"), "{left:?}");
}
