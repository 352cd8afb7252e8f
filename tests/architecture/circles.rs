//! Files that import each other, directly or through others: none of them can be read or changed alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{Imports, imports};
use crate::report::assert_none;
use crate::tree::crates;

#[cfg(test)]
mod tests;

/// Files of modules whose children may import what they define, although they import from those children.
const PARENTS_IN_CIRCLES: &[&str] = &[];

/// The largest sets of files in which each reaches each other.
fn circles(imports: &Imports) -> Vec<BTreeSet<&str>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in imports.keys() {
        next.entry(from).or_default().insert(to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> = next.keys().map(|file| (*file, reached_from(file, &next))).collect();
    let mut found: Vec<BTreeSet<&str>> = vec![];
    for (file, ahead) in &reached {
        let is_known = found.iter().any(|circle| circle.contains(file));
        if ahead.contains(file) && !is_known {
            let returns = |other: &&str| reached.get(other).is_some_and(|ahead| ahead.contains(file));
            found.push(ahead.iter().copied().filter(returns).collect());
        }
    }
    found
}

/// All files that one reaches by imports; itself only through a circle.
fn reached_from<'a>(file: &str, next: &BTreeMap<&str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![file];
    while let Some(file) = open.pop() {
        for other in next.get(file).into_iter().flatten() {
            if reached.insert(*other) {
                open.push(other);
            }
        }
    }
    reached
}

/// A circle as text: each of its imports, with the names that are taken.
fn described(circle: &BTreeSet<&str>, imports: &Imports) -> String {
    let mut lines = vec![format!("circle of {} files", circle.len())];
    for ((from, to), names) in imports {
        if circle.contains(from.as_str()) && circle.contains(to.as_str()) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines.push(format!("    {from} -> {to}: {}", names.join(", ")));
        }
    }
    lines.join("\n")
}

/// Whether a file belongs to a child of the module of another.
fn is_below(file: &str, parent: &str) -> bool {
    let folder = parent.strip_suffix("mod.rs").or(parent.strip_suffix("lib.rs")).map(str::to_string);
    let folder = folder.unwrap_or_else(|| format!("{}/", parent.trim_end_matches(".rs")));
    file.starts_with(&folder)
}

#[test]
fn no_files_import_each_other() {
    let mut faults = vec![];
    for tree in crates() {
        let mut imports = imports(tree);
        imports.retain(|(from, to), _| !(PARENTS_IN_CIRCLES.contains(&to.as_str()) && is_below(from, to)));
        faults.extend(circles(&imports).iter().map(|circle| described(circle, &imports)));
    }
    assert_none("a file is understood without those that import it; move what both need into a file below", &faults);
}
