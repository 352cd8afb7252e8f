//! Tests of `font`.

use super::*;

#[test]
fn texts_have_widths_and_are_cut_to_fit() {
    assert!(width("iiii", 10.0) < width("MMMM", 10.0));
    assert!((width("abc", 20.0) - 2.0 * width("abc", 10.0)).abs() < 1e-9);
    assert_eq!(fit("short", 10.0, 100.0).as_deref(), Some("short"));
    let cut = fit("a long name of a container", 10.0, 60.0).expect("some of it fits");
    assert!(cut.ends_with('…') && width(&cut, 10.0) <= 60.0, "{cut}");
    assert_eq!(fit("wide", 10.0, 3.0), None);
}

#[test]
fn long_texts_are_wrapped_or_keep_their_ends() {
    assert_eq!(wrap("one two three", 10.0, width("one two", 10.0)), ["one two", "three"]);
    assert_eq!(wrap("one", 10.0, 100.0), ["one"]);
    let name = "griffon-12.nancy.grid5000.fr";
    assert_eq!(fit_ends(name, 10.0, 1000.0), name);
    let short = fit_ends(name, 10.0, 60.0);
    assert!(width(&short, 10.0) <= 60.0 && short.starts_with("gri") && short.ends_with(".fr"), "{short}");
    assert_eq!(fit_ends(name, 10.0, 1.0), "");
}
