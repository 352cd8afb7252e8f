//! Columns of statements.

use super::*;

#[test]
fn names_and_the_number_of_the_row() {
    let found = columns(
        "CREATE TABLE t ( -- a comment, with (marks)
            id INTEGER PRIMARY KEY AUTOINCREMENT, \"end\" BIGINT, [odd name] TEXT CHECK (x IN ('a', 'b,c')),
            size /* , */ INTEGER NOT NULL, -- REFERENCES u(id)
            FOREIGN KEY (size) REFERENCES u (id))",
    );
    let names = ["id", "end", "odd name", "size"].map(str::to_string).to_vec();
    assert_eq!(found, TableColumns { names, row_number: Some(0) });
    assert_eq!(columns("CREATE TABLE t(a INT PRIMARY KEY)").row_number, None, "only INTEGER is the row's number");
    assert_eq!(columns("no statement"), TableColumns::default());
}
