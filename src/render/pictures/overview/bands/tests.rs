//! Tests of `bands`.

use super::*;

fn level(names: &[&str], height: f64) -> Vec<Band> {
    let band = |(place, name): (usize, &&str)| Band { top: place as f64 * height, height, name: name.to_string() };
    names.iter().enumerate().map(band).collect()
}

fn directions(levels: &[TreeLevel]) -> Vec<NameDirection> {
    levels.iter().map(|level| level.direction).collect()
}

/// Names of workers fit into low rows only along them; the name of all fits upwards.
#[test]
fn names_that_are_cut_upwards_are_written_along_the_rows() {
    let levels = vec![level(&["machine"], 60.0), level(&["worker 0", "worker 1", "worker 10"], 20.0)];
    let sized = sized_levels(levels, 1.0, 300.0);
    assert_eq!(directions(&sized), [NameDirection::Upwards, NameDirection::AlongRows]);
    let mut picture = Picture::new(400.0, 100.0, String::new());
    draw_level(&mut picture, (0.0, 0.0), 1.0, &sized[1]);
    let text = crate::pictures::to_svg(&picture);
    assert!(text.contains(">worker 10<") && !text.contains('…'), "{text}");
    assert!(sized[1].width >= font::width("worker 10", TEXT_SIZE), "{}", sized[1].width);
}

/// Where rows are lower than text, or the page is too narrow, names stay upwards.
#[test]
fn names_stay_upwards_without_room() {
    let low = sized_levels(vec![level(&["worker 0", "worker 1"], 5.0)], 1.0, 300.0);
    assert_eq!((directions(&low), low[0].width), (vec![NameDirection::Upwards], UPWARDS));
    let narrow = sized_levels(vec![level(&["worker 0", "worker 1"], 20.0)], 1.0, 30.0);
    assert_eq!(directions(&narrow), [NameDirection::Upwards]);
    // Half as high on the page: what fitted along the rows no longer does.
    let half = sized_levels(vec![level(&["worker 0", "worker 1"], 20.0)], 0.5, 300.0);
    assert_eq!(directions(&half), [NameDirection::Upwards]);
}
