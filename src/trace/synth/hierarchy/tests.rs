//! Tests of `hierarchy`.

use super::super::checking::{check, checksum, event_lines};
use super::*;

fn text(options: &HierarchyOptions) -> String {
    let mut bytes = Vec::new();
    hierarchy(options, &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("text")
}

fn shaped(shape: &[u64]) -> HierarchyOptions {
    HierarchyOptions { shape: shape.to_vec(), ..HierarchyOptions::default() }
}

/// The container 4000 of 6000 processors: cos(5) = 0.28, so 64 % of 20 s, which is 12.8 s, and 7.2 s.
#[test]
fn the_example_of_the_thesis() {
    let text = text(&shaped(&[5, 3, 100, 4]));
    let of_leaf: Vec<Vec<&str>> =
        event_lines(&text).into_iter().filter(|fields| fields.get(3) == Some(&"d4000")).collect();
    let change: f64 = of_leaf[1][1].parse().expect("a time");
    assert_eq!(of_leaf.iter().map(|fields| fields[0]).collect::<Vec<_>>(), ["12", "13", "12", "13", "7"]);
    assert_eq!((format!("{change:.1}"), format!("{:.1}", 20.0 - change)), ("12.8".into(), "7.2".into()));
    assert!((change - 10.0 * (1.0 + 5.0_f64.cos())).abs() < 1e-8);
}

#[test]
fn every_state_is_closed_and_times_never_go_back() {
    for shape in [&[1][..], &[3], &[2, 3, 5], &[2, 2, 2, 2, 2, 2]] {
        for (rounds, noise) in [(1, 0), (7, 0), (3, 100)] {
            let options = HierarchyOptions { rounds, noise, ..shaped(shape) };
            check(&text(&options));
        }
    }
}

#[test]
fn the_tree_has_the_shape_it_says() {
    let text = text(&shaped(&[2, 3, 5]));
    let created: Vec<Vec<&str>> = event_lines(&text).into_iter().filter(|fields| fields[0] == "6").collect();
    let of_type = |kind: &str| created.iter().filter(|fields| fields[3] == kind).count();
    assert_eq!([of_type("Grid"), of_type("Cluster"), of_type("Machine"), of_type("Processor")], [1, 2, 6, 30]);
    let parent = |name: &str| created.iter().find(|fields| fields[5] == name).map(|fields| fields[4]);
    assert_eq!(parent("processor-29"), Some("b5"));
    assert_eq!(parent("machine-3"), Some("a1"));
    assert_eq!(parent("cluster-1"), Some("grid"));
}

#[test]
fn impossible_shapes_are_refused() {
    for options in [
        shaped(&[]),
        shaped(&[3, 0]),
        shaped(&[100_000, 100_000]),
        HierarchyOptions { rounds: 0, ..shaped(&[2]) },
        HierarchyOptions { noise: 101, ..shaped(&[2]) },
    ] {
        assert!(hierarchy(&options, &mut Vec::new()).is_err(), "{options:?}");
    }
}

/// The checksum that `tests/oracles/synth_thesis.py hierarchy 3x4x5 20000000000 7500000 3 30 7` prints.
#[test]
fn another_program_writes_the_same_bytes() {
    let options = HierarchyOptions { rounds: 3, noise: 30, seed: 7, ..shaped(&[3, 4, 5]) };
    assert_eq!(checksum(&text(&options)), "5421ee74868c253e");
}
