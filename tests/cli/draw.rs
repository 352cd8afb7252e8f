//! `ocellus draw`: every view gives a picture, also of nothing.

use std::fs;
use std::path::Path;

use crate::place::{Place, assert_fails, stdout_of};

const VIEWS: [&str; 10] =
    ["timeline", "overview", "treemap", "topology", "profile", "matrix", "variables", "pie", "kiviat", "phase"];

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces").join(name);
    path.to_str().expect("a path in UTF-8").to_string()
}

#[test]
fn every_view_draws_the_quickstart() {
    let place = Place::new();
    for view in VIEWS {
        let file = format!("{view}.svg");
        stdout_of(&place.run(&["draw", &sample("quickstart.trace"), view, "-o", &file]));
        let svg = fs::read_to_string(place.path(&file)).expect("a file");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{view}");
        assert!(svg.contains("<text") && svg.contains("quickstart, from 0 s to 10 s"), "{view}: {svg}");
        assert!(!svg.contains("NaN") && svg.len() < 2 << 20, "{view}");
    }
    // The states of the trace are named in the legend, and drawn in the colour that it gives them.
    let timeline = fs::read_to_string(place.path("timeline.svg")).expect("a file");
    assert!(timeline.contains(">MPI_Allreduce</text>") && timeline.contains("rank-3"), "{timeline}");
}

#[test]
fn a_picture_of_nothing_says_so() {
    let place = Place::new();
    for view in ["matrix", "topology", "variables"] {
        let file = format!("{view}.svg");
        stdout_of(&place.run(&["draw", &sample("nested.trace"), view, "-o", &file]));
        let svg = fs::read_to_string(place.path(&file)).expect("a file");
        assert!(svg.contains(">no links in this window<") || svg.contains(">no variables in this window<"), "{view}: {svg}");
    }
}

#[test]
fn pictures_are_png_too_and_files_are_kept() {
    let place = Place::new();
    stdout_of(&place.run(&["draw", "run.trace", "pie", "-o", "pie.png"]));
    assert!(fs::read(place.path("pie.png")).expect("a file").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_fails(&place.run(&["draw", "run.trace", "pie", "-o", "pie.png"]), 2, "--force overwrites it");
    assert_fails(&place.run(&["draw", "run.trace", "pie", "-o", "pie.gif"]), 2, "end it with svg or png");
    assert_fails(&place.run(&["draw", "run.trace", "cake", "-o", "pie.svg"]), 2, "possible values");
}
