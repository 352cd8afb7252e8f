//! Tests of `tree`.

use super::*;

fn container(parent: Option<usize>, resources: u32) -> TreeContainer {
    TreeContainer { parent, resources }
}

/// The drawing at the top of the file: a 0, b 1, c 2, x 3, y 4, z 5.
#[test]
fn chains_carriers_with_children_and_empty_branches() {
    let containers = [
        container(None, 0),
        container(Some(0), 1),
        container(Some(1), 1),
        container(Some(0), 0),
        container(Some(3), 1),
        container(Some(0), 0),
    ];
    let tree = PartitionTree::new(&containers).expect("a tree");
    let shown: Vec<_> = tree.nodes().iter().map(|n| (n.top, n.bottom, n.first_leaf, n.leaves, n.resources)).collect();
    let expected = [
        (Some(1), Some(1), 0, 1, 1),
        (Some(2), Some(2), 1, 1, 1),
        (Some(3), Some(4), 2, 1, 1),
        (Some(1), Some(1), 0, 2, 2),
        (Some(0), Some(0), 0, 3, 3),
    ];
    assert_eq!(shown, expected);
    assert_eq!(tree.children(3), [0, 1]);
    assert_eq!(tree.children(4), [3, 2]);
    assert_eq!(tree.levels(), [0..3, 3..4, 4..5]);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|c| tree.leaf_of(c)), [None, Some(0), Some(1), None, Some(2), None]);
}

#[test]
fn several_trees_hang_below_a_node_without_container() {
    let tree = PartitionTree::new(&[container(None, 1), container(None, 2), container(None, 0)]).expect("a tree");
    let root = tree.nodes()[tree.root()];
    assert_eq!((root.top, root.leaves, root.resources), (None, 2, 3));
}

#[test]
fn a_chain_to_one_leaf_is_one_node() {
    let tree = PartitionTree::new(&[container(None, 0), container(Some(0), 0), container(Some(1), 4)]).expect("a tree");
    assert_eq!(
        tree.nodes(),
        [TreeNode { top: Some(0), bottom: Some(2), parent: None, first_leaf: 0, leaves: 1, resources: 4 }]
    );
}

#[test]
fn lists_that_are_no_tree_are_refused() {
    assert_eq!(PartitionTree::new(&[]), Err(TreeError::NoLeaf));
    assert_eq!(PartitionTree::new(&[container(None, 0)]), Err(TreeError::NoLeaf));
    assert_eq!(PartitionTree::new(&[container(Some(1), 1), container(None, 0)]), Err(TreeError::Order(0)));
}
