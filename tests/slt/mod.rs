//! Reads `.slt` files: statements with what they must give.
//!
//! ```text
//! file   = { record | comment | empty line }        a comment starts with #
//! record = "statement ok" sql | "statement error" regex sql | "query error" regex sql
//!        | "query" types [ "rowsort" ] sql "----" { row }        ends at an empty line
//! ```
//! The crate sqllogictest reads more; it also switches on features of crates below DataFusion, so that
//! building the tests would compile the engine a second time.

use std::path::Path;

use regex::Regex;

/// A statement and what it must give.
#[derive(Debug, Clone)]
pub struct Record {
    /// Where it stands.
    pub line: usize,
    pub sql: String,
    pub expected: Expected,
}

#[derive(Debug, Clone)]
pub enum Expected {
    /// Anything but an error.
    Done,
    /// An error that the pattern is found in.
    Error(Regex),
    /// Rows, a letter for the type of each column.
    Rows { types: String, order: Order, rows: Vec<String> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    AsGiven,
    /// Both sides are sorted before they are compared.
    Any,
}

/// What a statement gave: a letter for each column, and cells.
pub struct Answer {
    pub types: String,
    pub rows: Vec<Vec<String>>,
}

impl Record {
    /// Whether this is what was expected; else, what is wrong.
    pub fn check(&self, given: &Result<Answer, String>) -> Result<(), String> {
        match (&self.expected, given) {
            (Expected::Done, Ok(_)) => Ok(()),
            (Expected::Error(pattern), Err(error)) if pattern.is_match(error) => Ok(()),
            (Expected::Error(pattern), Err(error)) => Err(format!("the error is not {pattern}: {error}")),
            (Expected::Error(pattern), Ok(_)) => Err(format!("no error, where one was expected: {pattern}")),
            (_, Err(error)) => Err(error.clone()),
            (Expected::Rows { types, order, rows }, Ok(answer)) => {
                let mut expected = rows.clone();
                let mut given: Vec<String> = answer.rows.iter().map(|row| plain(&row.join(" "))).collect();
                if *order == Order::Any {
                    expected.sort();
                    given.sort();
                }
                match (&answer.types == types, given == expected) {
                    (true, true) => Ok(()),
                    (false, _) => Err(format!("the types are {}, not {types}", answer.types)),
                    _ => Err(format!("expected:\n{}\ngiven:\n{}", expected.join("\n"), given.join("\n"))),
                }
            }
        }
    }
}

/// Reads a file; panics, with the place, when it is wrong.
pub fn parse(path: &Path, text: &str) -> Vec<Record> {
    let mut lines = text.lines().enumerate().peekable();
    let mut records = vec![];
    while let Some((index, head)) = lines.next() {
        if head.trim().is_empty() || head.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| -> ! { panic!("{}:{}: {what}: {head}", path.display(), index + 1) };
        let mut block = vec![];
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.trim().is_empty()) {
            block.push(line);
        }
        let mark = block.iter().position(|line| *line == "----");
        let sql = block[..mark.unwrap_or(block.len())].join("\n");
        let rows: Vec<String> = mark.map_or(vec![], |mark| block[mark + 1..].iter().map(|row| plain(row)).collect());
        let pattern = |text: &str| Regex::new(text).unwrap_or_else(|_| wrong("no pattern"));
        let expected = match head.split_once(' ') {
            Some(("statement", "ok")) if mark.is_none() => Expected::Done,
            Some(("statement" | "query", rest)) if rest.starts_with("error ") && mark.is_none() => {
                Expected::Error(pattern(rest["error ".len()..].trim()))
            }
            Some(("query", rest)) if mark.is_some() => {
                let (types, order) = match rest.trim().split_once(' ') {
                    None => (rest.trim(), Order::AsGiven),
                    Some((types, "rowsort")) => (types, Order::Any),
                    Some(_) => wrong("an unknown order"),
                };
                Expected::Rows { types: types.to_string(), order, rows }
            }
            _ => wrong("an unknown record"),
        };
        if sql.trim().is_empty() {
            wrong("a record without a statement");
        }
        records.push(Record { line: index + 1, sql, expected });
    }
    records
}

/// A text with single blanks.
pub fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
