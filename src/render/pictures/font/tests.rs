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

thread_local! {
    /// Glyphs that were measured.
    pub(super) static MEASURED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The longest beginning of at least two signs that fits, found by trying all of them.
fn slow_fit(text: &str, size: f64, room: f64) -> Option<String> {
    let signs: Vec<char> = text.chars().collect();
    if width(text, size) <= room {
        return Some(text.to_string());
    }
    let mut shortened = (2..signs.len()).map(|kept| signs[..kept].iter().collect::<String>() + "…");
    shortened.rfind(|shown| width(shown, size) <= room)
}

/// The most signs of both ends that fit, one more of the beginning, found by trying all numbers.
fn slow_fit_ends(text: &str, size: f64, room: f64) -> String {
    let signs: Vec<char> = text.chars().collect();
    if width(text, size) <= room {
        return text.to_string();
    }
    let mut shortened = (0..signs.len()).map(|kept| {
        let (head, tail) = (&signs[..kept.div_ceil(2)], &signs[signs.len() - kept / 2..]);
        head.iter().chain(&['…']).chain(tail).collect::<String>()
    });
    shortened.rfind(|shown| width(shown, size) <= room).unwrap_or_default()
}

proptest::proptest! {
    #[test]
    fn texts_are_cut_where_trying_all_lengths_cuts_them(text in "[iMß→ a]{0,20}", room in -5.0..150.0_f64) {
        proptest::prop_assert_eq!(fit(&text, 11.0, room), slow_fit(&text, 11.0, room));
        proptest::prop_assert_eq!(fit_ends(&text, 11.0, room), slow_fit_ends(&text, 11.0, room));
    }
}

/// Glyphs that are measured to cut a text of `signs` signs.
fn measured(signs: usize, cut: impl Fn(&str)) -> u64 {
    let text = "name ".repeat(signs / 5);
    MEASURED.set(0);
    cut(&text);
    MEASURED.get()
}

#[test]
fn the_cost_of_cutting_does_not_grow_with_the_text() {
    let cut = |text: &str| {
        fit(text, TEXT_SIZE, 200.0).expect("some of it fits");
        fit_ends(text, TEXT_SIZE, 200.0);
    };
    assert_eq!(measured(40_000, cut), measured(80_000, cut));
    let wrapped = |text: &str| drop(wrap(text, TEXT_SIZE, 200.0));
    assert!(measured(80_000, wrapped) <= 2 * measured(40_000, wrapped) + 100);
}
