//! Tests of `cookbook`.

use std::path::Path;

use super::*;

#[test]
fn the_cookbook_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sql/queries");
    let entries = std::fs::read_dir(folder).expect("the folder of queries");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".sql")?.to_string())).collect();
    names.sort_unstable();
    let known: Vec<&str> = COOKBOOK.iter().map(|(name, _)| *name).collect();
    assert_eq!(known, names);
}

#[test]
fn every_query_says_what_it_answers() {
    for (name, text) in COOKBOOK {
        assert!(text.starts_with("-- ") && title(text).len() > 10, "{name}");
        assert_eq!(query(name), Some(*text));
    }
    assert_eq!(query("none"), None);
}
