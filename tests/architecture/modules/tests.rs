//! Tests of the reading of a module tree.

use std::collections::BTreeMap;

use super::{Crate, UseItem, Visibility};

fn tree(files: &[(&str, &str)]) -> Crate {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(path, text)| (format!("x/{path}"), (*text).to_string())).collect();
    Crate::read(&texts, "x/lib.rs")
}

#[test]
fn modules_are_found_beside_and_inside() {
    let tree = tree(&[
        ("lib.rs", "pub mod a;\nmod b;"),
        ("a.rs", "mod c;"),
        ("a/c.rs", ""),
        ("b/mod.rs", "mod d; #[cfg(test)] mod tests;"),
        ("b/d.rs", ""),
    ]);
    let files: Vec<&str> = tree.files().into_iter().collect();
    assert_eq!(files, ["x/a.rs", "x/a/c.rs", "x/b/d.rs", "x/b/mod.rs", "x/lib.rs"]);
}

#[test]
fn groups_are_expanded() {
    let tree = tree(&[("lib.rs", "pub(crate) use a::{self, b::{c as d, e::*}}; fn f() -> impl Fn() + use<> {}")]);
    let item = |path: &[&str], name: Option<&str>| UseItem {
        path: path.iter().map(|part| (*part).to_string()).collect(),
        name: name.map(str::to_string),
        visibility: Visibility::Public,
    };
    assert_eq!(
        tree.modules[0].uses,
        [item(&["a"], Some("a")), item(&["a", "b", "c"], Some("d")), item(&["a", "b", "e"], None)]
    );
}

#[test]
fn types_are_those_of_the_module_itself() {
    let tree = tree(&[("lib.rs", "pub struct A<T>(T); enum B {} impl X for A { type C = u8; } fn f() { struct D; }")]);
    assert_eq!(tree.modules[0].types, ["A", "B"]);
}
