//! Tests of `color`.

use super::*;

#[test]
fn colors_of_traces_are_read() {
    assert_eq!(Color::parse("1.0 0 0.5"), Some(Color::new(255, 0, 128)));
    assert_eq!(Color::parse("0 1 0 1"), Some(Color::new(0, 255, 0)));
    assert_eq!(Color::parse("#0a10ff"), Some(Color::new(10, 16, 255)));
    for bad in ["", "red", "1 2 3", "0.5 0.5", "#12345", "0 0 0 0 0"] {
        assert_eq!(Color::parse(bad), None, "{bad}");
    }
}

#[test]
fn values_of_a_trace_differ_until_the_palette_ends() {
    let names: Vec<String> = (0..PALETTE.len()).map(|index| format!("MPI_{index}")).collect();
    let palette = Palette::new(names.iter().map(|name| (name.as_str(), None)));
    let mut colors: Vec<Color> = names.iter().map(|name| palette.of(name)).collect();
    colors.sort_by_key(|color| (color.red, color.green, color.blue));
    colors.dedup();
    assert_eq!(colors.len(), PALETTE.len());
}

#[test]
fn the_color_of_the_trace_wins_and_order_does_not_matter() {
    let red = Color::new(255, 0, 0);
    let one = Palette::new([("a", None), ("b", Some(red)), ("c", None)]);
    let other = Palette::new([("c", None), ("b", Some(red)), ("a", None)]);
    assert_eq!(one.of("b"), red);
    assert_eq!((one.of("a"), one.of("c")), (other.of("a"), other.of("c")));
}
