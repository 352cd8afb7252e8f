//! The checkout that the tests run in: its root and its files.

#![allow(dead_code, reason = "shared by several test binaries, of which each uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout, whichever crate of the workspace is tested.
pub fn checkout() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    root.expect("a workspace has a Cargo.lock at its root")
}

/// A file below `traces/`.
pub fn sample(name: &str) -> PathBuf {
    checkout().join("traces").join(name)
}

/// All files below a folder whose path ends so, sorted; none if there is no such folder.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a readable folder").path();
        match path.is_dir() {
            true => found.extend(files(&path, ending)),
            false if path.to_string_lossy().ends_with(ending) => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// The text of a file; panics with its name.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
