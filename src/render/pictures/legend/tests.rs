//! Tests of `legend`.

use super::*;
use crate::pictures::to_svg;

const RED: Color = Color::new(200, 0, 0);

fn legend(entries: &[(&str, Color)]) -> Vec<(String, Color)> {
    entries.iter().map(|(name, color)| (name.to_string(), *color)).collect()
}

/// The texts of a legend on a page of a width.
fn drawn(width: f64, entries: &[(String, Color)]) -> String {
    let mut picture = Picture::new(width, 300.0, String::new());
    draw_legend(&mut picture, entries);
    to_svg(&picture)
}

#[test]
fn grays_are_one_entry_before_time_in_no_state() {
    let entries = [("a", RED), ("b", Color::REST), ("no state", Color::EMPTY), ("c", Color::REST), ("d", RED)];
    let expected = [("a", RED), ("d", RED), ("2 other values", Color::REST), ("no state", Color::EMPTY)];
    assert_eq!(gathered(&legend(&entries)), legend(&expected));
    // One gray alone keeps its name; what a view has gathered itself is not counted again.
    assert_eq!(gathered(&legend(&entries[..2])), legend(&entries[..2]));
    let expected = [("other states", Color::REST)];
    assert_eq!(gathered(&legend(&[("b", Color::REST), ("other states", Color::REST)])), legend(&expected));
}

#[test]
fn names_that_would_read_the_same_are_cut_in_the_middle() {
    let long = "void split_embedding_backward_codegen_adagrad_unweighted_kernel";
    let names = shown_names(&legend(&[(&format!("{long}_one"), RED), (&format!("{long}_two"), RED), ("short ", RED)]));
    assert!(names[0].starts_with("void split") && names[0].ends_with("_one") && names[0].contains('…'), "{names:?}");
    assert!(names[1].ends_with("_two"), "{names:?}");
    assert_eq!(names[2], "short");
    // One alone is cut at its end.
    let alone = shown_names(&legend(&[(long, RED)]));
    assert!(alone[0].ends_with('…'), "{alone:?}");
}

/// A hundred values do not fit, the gray ones and time in no state still have their entries.
#[test]
fn what_stands_for_many_is_always_shown() {
    let mut entries: Vec<(String, Color)> = (0..100).map(|index| (format!("a long value {index:02}"), RED)).collect();
    entries.extend(legend(&[("x", Color::REST), ("y", Color::REST), ("no state", Color::EMPTY)]));
    let text = drawn(600.0, &entries);
    assert!(text.contains("2 other values") && text.contains(">no state<") && text.contains(" more<"), "{text}");
    assert!(text.contains("a long value 00") && !text.contains("a long value 99"), "{text}");
}
