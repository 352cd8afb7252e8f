//! Tests of `mix`.

use super::*;

#[test]
fn neighbors_are_one_shape_and_equal_ones_one_step() {
    let mut path = StepPath::default();
    path.add(0.0, 10.0, 5.0, 20.0);
    path.add(10.0, 20.0, 5.0, 20.0);
    path.add(20.0, 30.0, 8.0, 20.0);
    path.add(40.0, 50.0, 8.0, 20.0);
    let (to, line) = (PathStep::Move, PathStep::Line);
    let expected = vec![
        to(0.0, 20.0),
        line(0.0, 5.0),
        line(20.0, 5.0),
        line(20.0, 8.0),
        line(30.0 + HAIR, 8.0),
        line(30.0 + HAIR, 20.0),
        PathStep::Close,
        to(40.0, 20.0),
        line(40.0, 8.0),
        line(50.0 + HAIR, 8.0),
        line(50.0 + HAIR, 20.0),
        PathStep::Close,
    ];
    assert_eq!(path.finish(20.0), expected);
}

#[test]
fn neighbors_with_one_title_have_the_mean_of_their_shares() {
    let one = MixedSpan { start: 0.0, end: 1.0, states: 2.0, shares: vec![(0, 1.0)] };
    let other = MixedSpan { start: 1.0, end: 4.0, states: 1.0, shares: vec![(0, 0.2), (2, 0.4)] };
    let both = one.joined(&other);
    assert_eq!((both.start, both.end, both.states), (0.0, 4.0, 3.0));
    let share = |at: usize| both.shares[at].1;
    // 1 s and 0.6 s of the first, 1.2 s of the other, in 4 s.
    assert!((share(0) - 0.4).abs() < 1e-12 && (share(1) - 0.3).abs() < 1e-12, "{both:?}");
}
