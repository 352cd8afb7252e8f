//! Tests of `value_colors`.

use super::*;

fn weights(count: usize) -> Vec<(String, f64)> {
    (0..count).map(|index| (format!("state {index}"), (count - index) as f64)).collect()
}

#[test]
fn few_values_keep_the_colors_of_the_trace() {
    let (red, green) = (Color::new(200, 0, 0), Color::new(0, 150, 0));
    let palette = Palette::new([("a", Some(red)), ("b", Some(green))]);
    let colors = ValueColors::new(&palette, &[("b".to_string(), 1.0), ("a".to_string(), 2.0), (String::new(), 9.0)]);
    assert_eq!(colors.legend(), [("a".to_string(), red), ("b".to_string(), green)]);
}

#[test]
fn of_many_values_the_smallest_are_gray() {
    let weights = weights(400);
    let palette = Palette::new(weights.iter().map(|(name, _)| (name.as_str(), None)));
    let colors = ValueColors::new(&palette, &weights);
    let legend = colors.legend();
    assert_eq!(legend.len(), 13);
    assert_eq!(legend[0].0, "state 0");
    assert_eq!(legend[12], ("388 other values".to_string(), REST));
    assert_eq!((colors.of("state 12"), colors.of("state 399")), (REST, REST));
}

#[test]
fn a_value_that_is_grey_elsewhere_has_a_color_where_it_is_large() {
    let red = Color::new(200, 0, 0);
    let palette = Palette::new([("a", Some(red)), ("b", Some(REST))]);
    let colors = ValueColors::new(&palette, &[("a".to_string(), 1.0), ("b".to_string(), 2.0)]);
    assert_eq!(colors.of("a"), red);
    assert!(colors.of("b") != REST && colors.of("b") != red);
    assert_eq!((colors.place("b"), colors.place("a"), colors.place("c")), (0, 1, 2));
}

#[test]
fn time_in_no_state_is_pale_and_comes_last() {
    let red = Color::new(200, 0, 0);
    let palette = Palette::new([("a", Some(red))]);
    let colors = ValueColors::new(&palette, &[(NO_STATE.to_string(), 5.0), ("a".to_string(), 2.0)]);
    assert_eq!(colors.legend(), [("a".to_string(), red), (NO_STATE.to_string(), Color::EMPTY)]);
    assert_eq!((colors.place("a"), colors.place("another"), colors.place(NO_STATE)), (0, 1, 2));
    assert!(!colors.is_rest(NO_STATE) && colors.is_rest("another"));
    assert_eq!(ValueColors::new(&palette, &[("a".to_string(), 2.0)]).legend().len(), 1);
}
