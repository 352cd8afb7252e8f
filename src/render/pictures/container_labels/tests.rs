use super::distinct;

#[test]
fn a_label_is_the_shortest_end_of_the_path_that_is_unique() {
    let labels = distinct("main", &["site/a/main", "site/b/main"], &["1", "2"]);
    assert_eq!(labels, ["a/main", "b/main"]);
    // The hosts have one name in both cabinets.
    let paths = ["m/c0/n0/main", "m/c0/n1/main", "m/c1/n0/main"];
    assert_eq!(distinct("main", &paths, &["1", "2", "3"]), ["c0/n0/main", "n1/main", "c1/n0/main"]);
}

#[test]
fn equal_paths_are_told_apart_by_their_aliases() {
    let labels = distinct("worker", &["job/worker", "job/worker", "other/worker"], &["one", "two", "three"]);
    assert_eq!(labels, ["job/worker (one)", "job/worker (two)", "other/worker"]);
    assert_eq!(distinct("w", &["j/w", "j/w"], &["1", "2"]), ["w (1)", "w (2)"]);
}

#[test]
fn roots_have_nothing_above_them() {
    assert_eq!(distinct("r", &["r", "a/r"], &["x", "y"]), ["r", "a/r"]);
    // A slash in a name.
    assert_eq!(distinct("a/b", &["x/a/b", "y/a/b"], &["1", "2"]), ["x/a/b", "y/a/b"]);
}
