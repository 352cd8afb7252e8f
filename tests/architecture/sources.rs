//! Rules for each source file by itself, and for the names of types.

use std::collections::{BTreeMap, BTreeSet};

use crate::checkout::{checkout, files, read};
use crate::report::assert_none;
use crate::rust_text::{code_only, tokens, without_tests};
use crate::tree::{crates, shown};

const LONGEST_FILE: usize = 400;
/// Lines at the start of a file in which `// size: reason` may stand.
const HEAD: usize = 30;
/// Names of types that may be defined more than once.
const SHARED_TYPE_NAMES: &[&str] = &[];

/// Files of the crates that are not only for tests.
fn program_files() -> BTreeSet<&'static str> {
    crates().iter().flat_map(|tree| tree.files()).collect()
}

#[test]
fn files_are_short_or_say_why_not() {
    let mut faults = vec![];
    for path in ["src", "tests"].iter().flat_map(|folder| files(&checkout().join(folder), ".rs")) {
        let text = read(&path);
        let count = text.lines().count();
        let has_reason = text.lines().take(HEAD).any(|line| line.trim_start().starts_with("// size: "));
        if count > LONGEST_FILE && !has_reason {
            faults.push(format!("{} has {count} lines", shown(&path)));
        }
    }
    assert_none("a file is read in one sitting, or says `// size: reason` near its top", &faults);
}

#[test]
fn files_start_with_what_they_are_for() {
    let paths = ["src", "tests"].iter().flat_map(|folder| files(&checkout().join(folder), ".rs"));
    let faults: Vec<String> = paths.filter(|path| !read(path).starts_with("//!")).map(|path| shown(&path)).collect();
    assert_none("a file says in a //! line what it is for", &faults);
}

#[test]
fn nothing_is_unwrapped_outside_tests() {
    let mut faults = vec![];
    for file in program_files() {
        if without_tests(&code_only(&read(&checkout().join(file)))).contains(".unwrap()") {
            faults.push(file.to_string());
        }
    }
    assert_none("no unwrap() on data; expect() says the invariant", &faults);
}

#[test]
fn unit_tests_lie_in_files_of_their_own() {
    let mut faults = vec![];
    for path in files(&checkout().join("src"), ".rs") {
        let code = code_only(&read(&path));
        if tokens(&code).windows(3).any(|three| three == ["mod", "tests", "{"]) {
            faults.push(shown(&path));
        }
    }
    assert_none("the tests of a module lie in a file tests.rs beside it", &faults);
}

#[test]
fn a_name_of_a_type_means_one_thing() {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for module in crates().iter().flat_map(|tree| &tree.modules) {
        for name in &module.types {
            places.entry(name).or_default().push(&module.file);
        }
    }
    let mut faults = vec![];
    for (name, files) in places {
        if files.len() > 1 && !SHARED_TYPE_NAMES.contains(&name) {
            faults.push(format!("{name}: {}", files.join(", ")));
        }
    }
    assert_none("a type is named after what it is in its module, and no other has its name", &faults);
}
