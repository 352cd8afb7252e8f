//! Tests of `views`.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;

#[test]
fn every_file_has_a_head() {
    for (name, sql) in FILES {
        if let Err(error) = view(name, sql) {
            panic!("{error}");
        }
    }
}

#[test]
fn every_file_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("sql/views"));
    let folder = folder.into_iter().find(|folder| folder.is_dir()).expect("the folder sql/views");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_string()))
        .collect();
    let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(files, listed, "sql/views (left) and the list (right)");
}

/// Looks for a column that only some traces have, and lists its own.
const TAKES_ALL: &str = "gpu_activities";

#[test]
fn views_list_their_columns() {
    for view in VIEWS.iter().filter(|view| view.definition.name != TAKES_ALL) {
        // `t.*`; in a regular expression, no name comes before the dot.
        let parts: Vec<&str> = view.sql.split(".*").collect();
        let before = &parts[..parts.len() - 1];
        let takes_table = before.iter().any(|part| part.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        let takes_all = view.sql.contains("SELECT *") || takes_table;
        assert!(!takes_all, "{} lists its columns", view.definition.name);
    }
}
