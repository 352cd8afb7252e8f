//! Folded rows against a twin that walks up from every leaf.

use proptest::prelude::*;

use super::*;

/// Containers with random parents before them, in preorder, and the parent of each.
fn forest() -> impl Strategy<Value = (Vec<FoldedContainer>, Vec<Option<usize>>)> {
    prop::collection::vec((any::<prop::sample::Index>(), prop::bool::ANY), 0..30).prop_map(|choices| {
        let (mut parents, mut open): (Vec<Option<usize>>, Vec<usize>) = (vec![], vec![]);
        for (place, (depth, _)) in choices.iter().enumerate() {
            open.truncate(depth.index(open.len() + 1));
            parents.push(open.last().copied());
            open.push(place);
        }
        let is_below = |mut place: usize, above: usize| loop {
            match parents[place] {
                _ if place == above => return true,
                Some(parent) => place = parent,
                None => return false,
            }
        };
        let container = |(place, (_, is_row)): (usize, &(prop::sample::Index, bool))| {
            let last = (place..parents.len()).filter(|below| is_below(*below, place)).max().unwrap_or(place);
            // Numbers need not be dense.
            let number = |place: usize| 3 * place as i32 + 5;
            FoldedContainer {
                preorder: number(place),
                last_descendant: number(last),
                is_leaf: last == place,
                is_row: *is_row,
            }
        };
        (choices.iter().enumerate().map(container).collect(), parents)
    })
}

/// From a container up to its row, both included; `None` when it has no row.
fn way_to_row(containers: &[FoldedContainer], parents: &[Option<usize>], mut place: usize) -> Option<Vec<usize>> {
    let mut way = vec![place];
    while !containers[place].is_row {
        place = parents[place]?;
        way.push(place);
    }
    Some(way)
}

proptest! {
    #[test]
    fn leaves_are_found_by_walking_up((containers, parents) in forest()) {
        let mut leaves = vec![0; containers.len()];
        for place in (0..containers.len()).filter(|place| containers[*place].is_leaf) {
            for above in way_to_row(&containers, &parents, place).unwrap_or_default() {
                leaves[above] += 1;
            }
        }
        let expected: Vec<Option<RowMember>> = (0..containers.len())
            .map(|place| {
                let row = *way_to_row(&containers, &parents, place)?.last()?;
                let least = i64::from(row == place);
                Some(RowMember { row, leaves: least.max(leaves[place]) })
            })
            .collect();
        prop_assert_eq!(folded_rows(&containers), expected);
    }
}

/// The tree of the drawing.
#[test]
fn rows_within_rows() {
    let container = |preorder: i32, last_descendant: i32, is_row: bool| FoldedContainer {
        preorder,
        last_descendant,
        is_leaf: preorder == last_descendant,
        is_row,
    };
    let containers = [
        container(0, 6, true),
        container(1, 1, false),
        container(2, 2, false),
        container(3, 6, true),
        container(4, 6, true),
        container(5, 5, false),
        container(6, 6, false),
    ];
    let found: Vec<_> =
        folded_rows(&containers).into_iter().flatten().map(|member| (member.row, member.leaves)).collect();
    assert_eq!(found, [(0, 2), (0, 1), (0, 1), (3, 1), (4, 2), (4, 1), (4, 1)]);
}
