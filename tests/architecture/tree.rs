//! The crates of this checkout and their files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use crate::checkout::{checkout, files, read};
use crate::modules::Crate;

/// A path as it is shown: from the root of the checkout on.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(checkout()).unwrap_or(path).display().to_string()
}

/// The folders of the crates below `src/`.
pub fn crate_folders() -> Vec<String> {
    let manifests = files(&checkout().join("src"), "Cargo.toml");
    let folders: Vec<String> = manifests.iter().filter_map(|path| Some(shown(path.parent()?))).collect();
    assert!(!folders.is_empty(), "no crate was found");
    folders
}

/// The module trees of all crates, the program's among them; code of tests is left out.
pub fn crates() -> &'static [Crate] {
    static CRATES: OnceLock<Vec<Crate>> = OnceLock::new();
    CRATES.get_or_init(|| {
        let paths = files(&checkout().join("src"), ".rs");
        let texts: BTreeMap<String, String> = paths.iter().map(|path| (shown(path), read(path))).collect();
        let mut roots: Vec<String> = crate_folders().iter().map(|folder| format!("{folder}/lib.rs")).collect();
        roots.extend(["src/lib.rs", "src/main.rs"].map(String::from));
        roots.iter().map(|root| Crate::read(&texts, root)).collect()
    })
}
