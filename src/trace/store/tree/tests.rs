//! Tests of `tree`.

use super::*;
use crate::model::{ContainerRow, OwnedExtras, TypeId};

fn world(parents: &[Option<u32>]) -> World {
    let mut world = World::default();
    for (id, parent) in parents.iter().enumerate() {
        let name = world.names.intern(&format!("c{id}"));
        let parent = parent.map_or(ContainerId::ROOT, ContainerId);
        let row = ContainerRow {
            name,
            alias: None,
            type_: TypeId(0),
            parent,
            start: 0,
            end: None,
            extras: OwnedExtras::NONE,
        };
        world.containers.push(row);
    }
    world
}

#[test]
fn a_small_tree() {
    //  0 ─┬─ 1 ─── 3
    //     └─ 2
    //  4
    let world = world(&[None, Some(0), Some(0), Some(1), None]);
    let found: Vec<(u32, u32, u32, u32)> =
        places(&world).iter().map(|p| (p.depth, p.leaves, p.preorder, p.last_descendant)).collect();
    assert_eq!(found, [(0, 2, 0, 3), (1, 1, 1, 2), (1, 1, 3, 3), (2, 1, 2, 2), (0, 1, 4, 4)]);
    assert_eq!(path(&world, ContainerId(3)), "c0/c1/c3");
}

#[test]
fn a_deep_tree_has_short_paths() {
    let parents: Vec<Option<u32>> = (0..5000_u32).map(|id| id.checked_sub(1)).collect();
    let world = world(&parents);
    let deepest = path(&world, ContainerId(4999));
    assert!(deepest.len() < LONGEST_PATH + 10 && deepest.starts_with("…/") && deepest.ends_with("/c4999"));
}

proptest::proptest! {
    #[test]
    fn preorder_tells_ancestors(choices in proptest::collection::vec(0_u32..1000, 1..60)) {
        let parents: Vec<Option<u32>> = choices
            .iter()
            .enumerate()
            .map(|(id, choice)| (id > 0 && choice % 5 > 0).then(|| choice % id as u32))
            .collect();
        let world = world(&parents);
        let places = places(&world);
        for a in 0..parents.len() {
            for b in 0..parents.len() {
                let mut up = Some(b as u32);
                let mut is_ancestor = false;
                while let Some(at) = up {
                    is_ancestor |= at as usize == a;
                    up = parents[at as usize];
                }
                let inside = places[a].preorder <= places[b].preorder && places[b].preorder <= places[a].last_descendant;
                proptest::prop_assert_eq!(inside, is_ancestor);
            }
            let below = (0..parents.len()).filter(|b| {
                places[a].preorder <= places[*b].preorder && places[*b].preorder <= places[a].last_descendant
            });
            let leaves = below.filter(|b| !parents.contains(&Some(*b as u32))).count();
            proptest::prop_assert_eq!(places[a].leaves as usize, leaves);
        }
    }
}
