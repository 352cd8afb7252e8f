//! Tests of the search for circles, on small made-up trees.

use std::collections::BTreeMap;

use super::{circles, described, is_below};
use crate::imports::imports;
use crate::modules::Crate;

/// The circles of a crate made of these files, as text without the first line.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(path, text)| (format!("x/{path}"), (*text).to_string())).collect();
    let imports = imports(&Crate::read(&texts, "x/lib.rs"));
    let lines =
        |text: String| text.lines().skip(1).map(|line| line.trim().replace("x/", "")).collect::<Vec<_>>().join("; ");
    circles(&imports).iter().map(|circle| lines(described(circle, &imports))).collect()
}

#[test]
fn two_files_that_import_each_other_are_a_circle() {
    let circle = ["a.rs -> b.rs: B; b.rs -> a.rs: a"];
    assert_eq!(
        found(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub fn a() {}"),
            ("b.rs", "use super::a; pub struct B; fn b() { a::a() }"),
        ]),
        circle
    );
    assert_eq!(
        found(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn a(b: crate::b::B) {}"),
            ("b.rs", "use super::{a::{self, a}}; pub struct B;"),
        ]),
        circle
    );
}

#[test]
fn a_circle_may_lead_through_other_files() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod user;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "use crate::a::A as Other; pub struct C;"),
        ("user.rs", "use crate::a::A;"),
    ];
    assert_eq!(found(&files), ["a.rs -> b.rs: B; b.rs -> c.rs: C; c.rs -> a.rs: A"]);
}

#[test]
fn a_name_comes_from_the_file_that_defines_it() {
    // child takes a sibling's name through its parent: no import of the parent.
    let glue = [
        ("lib.rs", "mod room;"),
        ("room/mod.rs", "mod child; mod sibling; pub use child::Child; pub(crate) use self::sibling::Sibling;"),
        ("room/child.rs", "use super::Sibling; pub struct Child;"),
        ("room/sibling.rs", "pub struct Sibling;"),
    ];
    assert_eq!(found(&glue), Vec::<String>::new());
    // Through a parent that uses a name itself, and defines what its child needs.
    let mixed = [
        ("lib.rs", "mod room;"),
        ("room/mod.rs", "mod child; pub use child::Child; pub struct Room; fn f() -> Child {}"),
        ("room/child.rs", "use super::Room; pub struct Child;"),
    ];
    assert_eq!(found(&mixed), ["room/child.rs -> room/mod.rs: Room; room/mod.rs -> room/child.rs: Child"]);
    // Two siblings that take from each other through their parent.
    let siblings = [
        ("lib.rs", "mod room;"),
        ("room/mod.rs", "mod a; mod b; pub use a::*; pub use b::{B};"),
        ("room/a.rs", "use super::B; pub struct A;"),
        ("room/b.rs", "use crate::room::A; pub struct B;"),
    ];
    assert_eq!(found(&siblings), ["room/a.rs -> room/b.rs: B; room/b.rs -> room/a.rs: A"]);
}

#[test]
fn tests_and_other_crates_do_not_count() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B; pub struct A; // crate::b"),
        ("b.rs", "use a::A; pub struct B; #[cfg(test)] mod tests; #[cfg(test)] mod more { use crate::a::A; }"),
        ("b/tests.rs", "use crate::a::A;"),
    ];
    assert_eq!(found(&files), Vec::<String>::new());
}

#[test]
fn paths_in_braces_and_inline_modules_count() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub mod inner { use super::super::b::B; pub struct A; }"),
        ("b.rs", "pub struct B; fn f() { let _ = crate::a::inner::A; }"),
    ];
    assert_eq!(found(&files), ["a.rs -> b.rs: B; b.rs -> a.rs: A"]);
}

#[test]
fn children_lie_in_the_folder_of_their_module() {
    assert!(is_below("src/a/b/c.rs", "src/a/b.rs") && is_below("src/a/b/c.rs", "src/a/b/mod.rs"));
    assert!(is_below("src/a/b.rs", "src/a/lib.rs") && !is_below("src/a/bc.rs", "src/a/b.rs"));
}
