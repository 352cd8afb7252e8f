//! Deep statements given to the program: an error of the statement, never a signal. All productions of the grammar are
//! in the tests of the library.

use crate::sandbox::{Sandbox, text};

#[test]
fn deep_statements_are_refused() {
    let sandbox = Sandbox::new();
    let links = 10_000;
    for (before, link, after) in [
        ("", "EXPLAIN ", "SELECT 1"),
        ("SELECT ", "INTERVAL ", "'1 day'"),
        ("SELECT * FROM states", " PIVOT (sum(duration) FOR value IN ('a'))", ""),
        ("SELECT 1", " UNION ALL SELECT 1", ""),
        ("SELECT 'a'", " LIKE 'a'", ""),
        ("SELECT ", "(", "1"),
    ] {
        let statement = format!("{before}{}{after}", link.repeat(links));
        let output = sandbox.run_with_input(&["sql", "run.trace", "--format", "csv", "-f", "-"], &statement);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{link}: {errors}");
        assert!(errors.contains("the statement"), "{link}: {errors}");
    }
}
