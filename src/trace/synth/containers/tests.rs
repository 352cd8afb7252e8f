//! Tests of `containers`.

use super::*;

fn text(count: u64, seed: u64) -> String {
    let mut bytes = Vec::new();
    containers(count, seed, &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("text")
}

fn lines_of<'a>(text: &'a str, id: &str) -> Vec<Vec<&'a str>> {
    text.lines()
        .filter(|line| !line.starts_with('%'))
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|fields| fields[0] == id)
        .collect()
}

#[test]
fn every_container_has_a_living_parent_and_a_destruction() {
    for count in [1, 2, 3, 17, 1000, 2500] {
        let text = text(count, 1);
        let mut alive = std::collections::BTreeSet::from(["0"]);
        for fields in lines_of(&text, "6") {
            assert!(alive.contains(fields[4]), "{fields:?}");
            assert!(alive.insert(fields[2]), "{fields:?}");
        }
        assert_eq!(alive.len() as u64, count + 1);
        for fields in lines_of(&text, "7") {
            assert!(alive.remove(fields[3]), "{fields:?}");
        }
        assert_eq!(alive.len(), 1);
    }
}

#[test]
fn the_tree_has_the_shape_it_says() {
    // A whole cluster is 1 + 62 * 16 = 993 containers; the grid is one more.
    let text = text(994, 1);
    let of_type = |kind: &str| lines_of(&text, "6").iter().filter(|f| f[3] == kind).count();
    assert_eq!([of_type("G"), of_type("C"), of_type("M"), of_type("P")], [1, 1, 62, 930]);
    assert_eq!(lines_of(&text, "12").len(), 930);
    assert_eq!(lines_of(&text, "8").len(), 62);
}

#[test]
fn a_seed_decides_the_bytes() {
    assert_eq!(text(500, 3), text(500, 3));
    assert_ne!(text(500, 3), text(500, 4));
    assert!(containers(0, 1, &mut Vec::new()).is_err());
}
