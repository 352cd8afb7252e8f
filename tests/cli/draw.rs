//! `ocellus draw`: every view gives a picture, also of nothing.

use std::fs;
use std::path::Path;

use crate::place::{Place, assert_fails, stdout_of};

const VIEWS: [&str; 11] = [
    "timeline", "overview", "treemap", "topology", "profile", "matrix", "variables", "pie", "kiviat", "phase", "commgram",
];

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
    for view in ["matrix", "topology", "variables", "commgram"] {
        let file = format!("{view}.svg");
        stdout_of(&place.run(&["draw", &sample("nested.trace"), view, "-o", &file]));
        let svg = fs::read_to_string(place.path(&file)).expect("a file");
        assert!(svg.contains(">no links in this window<") || svg.contains(">no variables in this window<"), "{view}: {svg}");
    }
}

/// Three stages of binary swap are three phases by themselves: the curve, and below it four pairs that exchange.
#[test]
fn a_commgram_has_a_column_per_phase() {
    let place = Place::new();
    let draw = |arguments: &[&str], file: &str| {
        let trace = sample("binary_swap.trace");
        stdout_of(&place.run(&[&["draw", &trace, "commgram", "-o", file], arguments].concat()));
        fs::read_to_string(place.path(file)).expect("a file")
    };
    let svg = draw(&["--flows"], "flows.svg");
    assert!(svg.contains(">t2</text>") && !svg.contains(">t3</text>"), "{svg}");
    assert!(svg.contains("<title>t0: swap\nsenders: p0\nreceivers: p1\n1 messages, volume 400</title>"), "{svg}");
    assert_eq!(svg.matches("senders: ").count(), 24);
    let pairs = draw(&["--flows", "--communities", "4"], "pairs.svg");
    assert!(pairs.contains("<title>t0: swap\nsenders: 2 with p0\nreceivers: 2 with p0\n2 messages, volume 800</title>"), "{pairs}");
    assert_eq!(pairs.matches("senders: ").count(), 12);
    let curve = draw(&["--phases", "2", "--communities", "1"], "curve.svg");
    assert!(curve.contains(">t1</text>") && !curve.contains("senders: "), "{curve}");
    assert!(curve.contains("16 messages, volume 4.8 k, 1 communities, height 0<"), "{curve}");
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
