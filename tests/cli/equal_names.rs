//! Pictures of traces in which several containers have one name.

use std::fs;

use super::sandbox::{Sandbox, stdout_of};

fn drawn(trace: &str, view: &str) -> String {
    let sandbox = Sandbox::new();
    let trace = super::checkout::sample(trace);
    let trace = trace.to_str().expect("a path in UTF-8");
    stdout_of(&sandbox.run(&["draw", trace, view, "-o", "x.svg"]));
    fs::read_to_string(sandbox.path("x.svg")).expect("a file")
}

/// Two workers below one job, with the aliases one and two.
#[test]
fn containers_of_one_path_are_shown_with_their_aliases() {
    for view in ["timeline", "kiviat", "treemap"] {
        let svg = drawn("equal_names.trace", view);
        assert!(svg.contains("worker (one)") && svg.contains("worker (two)"), "{view}: {svg}");
    }
}

/// A worker below node a, which sends and receives, and one below node b.
#[test]
fn containers_of_one_name_are_shown_with_what_is_above_them() {
    let svg = drawn("spellings.trace", "timeline");
    assert!(svg.contains(">node a/worker</text>") && svg.contains(">node b/worker</text>"), "{svg}");
    let svg = drawn("spellings.trace", "matrix");
    assert!(svg.contains("<title>node a/worker to boss: 1 message</title>"), "{svg}");
    // A unique name stays as it is.
    assert!(svg.contains(">boss</text>") && !svg.contains("/boss"), "{svg}");
    let svg = drawn("spellings.trace", "topology");
    assert!(svg.contains("boss to node a/worker"), "{svg}");
}
