//! Tests of `commgram`.

use super::columns::PhaseColumns;
use super::names::{BarName, shown_names};
use super::{CurvePhase, moments, natural_phases};
use crate::pictures::frame::PictureArea;

#[test]
fn phases_are_cut_at_the_largest_gap() {
    // Three stages: 2.5 and 1 s apart, 0.04 within.
    assert_eq!(natural_phases(&[2.5, 1.0, 0.04, 0.04, 0.02]), 3);
    assert_eq!(natural_phases(&[1.0, 0.0, 0.0]), 2);
    assert_eq!(natural_phases(&[0.0, 0.0]), 1);
    assert_eq!(natural_phases(&[]), 1);
}

/// Names with the number at their end as the container.
fn names(text: &str) -> Vec<BarName> {
    let number = |text: &str| text.trim_start_matches(|sign: char| !sign.is_ascii_digit()).parse().expect("a number");
    text.split(' ').map(|text| BarName { container: number(text), text: text.to_string() }).collect()
}

#[test]
fn names_are_written_where_bars_change_places() {
    let bars = [names("rank-0 rank-1 rank-12"), names("rank-0 rank-1 rank-12"), names("rank-1 rank-0 rank-12")];
    let wide = shown_names(&bars, 1000.0);
    assert_eq!(wide, [Some(bars[0].clone()), Some(vec![]), Some(bars[2].clone())]);
    // Without room for more, what all begin with is left out, but no part of a number; else nothing is written.
    let narrow = shown_names(&bars, 60.0);
    assert_eq!(narrow, [Some(bars[0].clone()), Some(vec![]), Some(names("1 0 12"))]);
    assert_eq!(shown_names(&bars, 20.0), [Some(bars[0].clone()), Some(vec![]), None]);
    let alike = [names("p1 p10"), names("p10 p1")];
    assert_eq!(shown_names(&alike, 60.0)[1], Some(names("10 1")));
    // Of one name, and yet in other places.
    let mut same = [names("p1 p2"), names("p2 p1")];
    same.iter_mut().flatten().for_each(|name| name.text = "thread".to_string());
    assert_eq!(shown_names(&same, 1000.0)[1], Some(same[1].clone()));
}

#[test]
fn columns_are_as_wide_and_leave_room_for_names() {
    let area = PictureArea { x: 10.0, y: 0.0, width: 100.0, height: 50.0 };
    let columns = PhaseColumns::new(&area, &[0.0, 0.0, 40.0]);
    assert_eq!(columns, PhaseColumns { lefts: vec![10.0, 30.0, 90.0], width: 20.0 });
    assert_eq!((columns.border(0), columns.border(1), columns.border(2)), (10.0, 30.0, 70.0));
}

#[test]
fn starts_of_phases_are_told_apart() {
    let phase = |start: f64, end: f64| CurvePhase {
        start,
        end,
        messages: 1.0,
        volume: 1.0,
        communities: 1.0,
        difference: 0.0,
        height: 0.0,
    };
    let phases = [phase(1.150_1, 1.152), phase(1.152_6, 1.153), phase(1.154, 1.16)];
    let texts: Vec<String> = phases.iter().map(|phase| moments(&phases).text(phase.start)).collect();
    assert_eq!(texts, ["1.1501 s", "1.1526 s", "1.154 s"]);
}
