//! Nothing without its counterpart: schemas, functions, views, samples, crates, and what is tested and told of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ocellus::functions::registry;

use crate::checkout::{checkout, files, read};
use crate::report::assert_none;
use crate::tree::{crate_folders, shown};

const LARGEST_SAMPLE: u64 = 8 * 1024;
/// The family of the views: they are written in SQL.
const VIEWS: &str = "views";
/// Folders of `tests/sql` whose files test something else than one function or view.
const TOPICS: [&str; 4] = ["duckdb", "formats", "statements", "tables"];

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The names of the files in a folder, without their ending.
fn stems(folder: &str, ending: &str) -> BTreeSet<String> {
    files(&checkout().join(folder), ending).iter().map(|path| stem(path)).collect()
}

#[test]
fn schemas_and_code_know_the_same_tables() {
    let in_code: BTreeSet<String> = ocellus::schema::tables().iter().map(|table| table.name.clone()).collect();
    assert_eq!(stems("schemas", ".toml"), in_code, "schemas/*.toml (left) and src/trace/schema (right) must agree");
}

#[test]
fn every_function_has_its_file_and_its_test() {
    let mut faults = vec![];
    for definition in registry::definitions().filter(|definition| definition.family != VIEWS) {
        let name = format!("{}/{}", definition.family, definition.name);
        let code = [format!("src/engine/functions/{name}.rs"), format!("src/engine/functions/{name}/mod.rs")];
        if !code.iter().any(|path| checkout().join(path).is_file()) {
            faults.push(format!("{} is missing", code.join(" or ")));
        }
        let test = format!("tests/sql/{name}.slt");
        if !checkout().join(&test).is_file() {
            faults.push(format!("{test} is missing"));
        }
    }
    assert_none("the code and the test of a function have its name, in the folder of its family", &faults);
}

#[test]
fn every_test_of_sql_tests_what_is_registered() {
    let known: BTreeSet<String> = registry::definitions()
        .map(|definition| format!("tests/sql/{}/{}.slt", definition.family, definition.name))
        .collect();
    let mut faults = vec![];
    for path in files(&checkout().join("tests/sql"), ".slt") {
        let folder = path.parent().map(stem).unwrap_or_default();
        if !TOPICS.contains(&folder.as_str()) && !known.contains(&shown(&path)) {
            faults.push(shown(&path));
        }
    }
    assert_none("a test of SQL is named after a function or view of the registry", &faults);
}

#[test]
fn every_view_has_its_test_and_the_reverse() {
    let in_sql = stems("sql/views", ".sql");
    assert_eq!(in_sql, stems("tests/sql/views", ".slt"), "sql/views (left) and tests/sql/views (right) must agree");
    let views = registry::definitions().filter(|definition| definition.family == VIEWS);
    let registered: BTreeSet<String> = views.map(|definition| definition.name.to_string()).collect();
    assert_eq!(in_sql, registered, "sql/views (left) and the registry (right) must agree");
}

#[test]
fn samples_are_small_and_listed() {
    let list = read(&checkout().join("traces/README.md"));
    let mut faults = vec![];
    let endings = [".trace", ".json", ".otf2", ".prv", ".pj_dump", ".ftrace", ".perf", ".pftrace", ".sqlite", ".db"];
    let samples: Vec<PathBuf> = endings.iter().flat_map(|ending| files(&checkout().join("traces"), ending)).collect();
    assert!(!samples.is_empty(), "no sample was found");
    for path in samples {
        let bytes = fs::metadata(&path).expect("a file").len();
        if bytes > LARGEST_SAMPLE {
            faults.push(format!("{} has {bytes} bytes", shown(&path)));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !list.contains(&format!("`{name}`")) {
            faults.push(format!("{} is not in traces/README.md", shown(&path)));
        }
        let is_good = path.parent() == Some(&checkout().join("traces")) && name.ends_with(".trace");
        if is_good && !read(&path).starts_with("# ") {
            faults.push(format!("{} does not say its idea in its first line", shown(&path)));
        }
    }
    assert_none("a sample is at most 8 kB, with one idea that its first line says", &faults);
}

/// What may lie at the root, beside hidden files and what git ignores.
const ROOT: [&str; 17] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "benches",
    "clippy.toml",
    "docs",
    "examples",
    "mkdocs.yml",
    "rustfmt.toml",
    "schemas",
    "sql",
    "src",
    "tests",
    "traces",
];

#[test]
fn nothing_stray_lies_at_the_root() {
    let ignored = read(&checkout().join(".gitignore"));
    let is_known = |name: &str| {
        name.starts_with('.') || ROOT.contains(&name) || ignored.lines().any(|line| line.trim_matches('/') == name)
    };
    let entries = fs::read_dir(checkout()).expect("the checkout").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let faults: Vec<String> = names.filter(|name| !is_known(name)).collect();
    assert_none("the root holds what the list in this test names", &faults);
}

/// The folder of a row of a table, and the other words in backticks of its second cell.
fn folder_and_rooms(row: &str) -> Option<(String, BTreeSet<String>)> {
    let mut cells = row.strip_prefix('|')?.split('|');
    let words = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>();
    let folder = words(cells.next()?).into_iter().next().filter(|folder| folder.starts_with("src/"))?;
    Some((folder, words(cells.next()?).into_iter().collect()))
}

/// The folders of a folder that are modules with files of their own.
fn rooms_of(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(checkout().join(folder)).map(|entries| entries.flatten().collect::<Vec<_>>());
    let rooms = entries.unwrap_or_default().into_iter().filter(|entry| entry.path().join("mod.rs").is_file());
    rooms.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn contributing_names_every_crate_and_its_rooms() {
    let text = read(&checkout().join("CONTRIBUTING.md"));
    let rows: BTreeMap<String, BTreeSet<String>> = text.lines().filter_map(folder_and_rooms).collect();
    let mut faults: Vec<String> = crate_folders().into_iter().filter(|folder| !rows.contains_key(folder)).collect();
    for (folder, rooms) in &rows {
        let there = rooms_of(folder);
        faults.extend(rooms.symmetric_difference(&there).map(|room| format!("{folder}/{room}")));
    }
    assert_none("the table of CONTRIBUTING.md names each crate with its rooms, and no other", &faults);
}

#[test]
fn the_list_of_features_has_every_dependency() {
    let workspace = read(&checkout().join("Cargo.toml"));
    let listed = read(&checkout().join("src/features/Cargo.toml"));
    let section = workspace.split("[workspace.dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
    let names = section.expect("a list of dependencies").lines().filter_map(|line| line.split_once(" = "));
    let names: Vec<&str> = names.map(|(name, _)| name).filter(|name| !name.starts_with([' ', '#'])).collect();
    assert!(names.contains(&"datafusion"), "the list of dependencies is not read");
    // Only the Python package uses pyo3, and maturin gives its build other variables: whatever depended on it would be
    // built again by every run of the tests.
    let is_own = |name: &str| name.starts_with("ocellus-") || name == "pyo3";
    let is_missing = |name: &&&str| !is_own(name) && !listed.contains(&format!("\n{name}.workspace"));
    let faults: Vec<String> = names.iter().filter(is_missing).map(ToString::to_string).collect();
    assert_none("a dependency that src/features does not name is built twice for `cargo test -p`", &faults);
}
