//! The visual aggregation: what a picture of some height can show of a partition.
//!
//! Where a cut in space gives a part that is thinner than the threshold, the node above it is drawn instead, between
//! the instants at which all of its leaves are cut:
//!
//! ```text
//!  leaf 1  ██|███|██████        /  the leaves share one temporal partition: diagonal
//!  leaf 2  ██|███|███|██        x  they do not: cross
//!  node    / |/  |x
//! ```

use super::interrupt::Interrupted;
use super::search::{AreaCut, AreaEntry, PartitionArea, PartitionSearch};

/// What an area of the picture hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VisualMark {
    /// Parts that are cut at the same instants.
    Diagonal,
    /// Parts that are cut at different instants.
    Cross,
}

/// An area of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VisualArea {
    /// The area that is drawn.
    pub area: PartitionArea,
    /// `None` for an area of the partition itself.
    pub mark: Option<VisualMark>,
}

/// The areas that a picture of `height` shows of the best partition for p, none of them thinner than `least` unless the
/// whole is. By first leaf and first slice.
pub fn visual(search: &mut PartitionSearch, p: f64, height: f64, least: f64) -> Result<Vec<VisualArea>, Interrupted> {
    search.prepare(p)?;
    let search = &*search;
    let tree = search.measures().tree();
    let unit = height / tree.nodes()[tree.root()].resources as f64;
    let is_thin = |node: &usize| (tree.nodes()[*node].resources as f64) * unit < least;
    let mut shown = vec![];
    let mut waiting = vec![(tree.root(), 0, search.measures().slices() - 1, AreaEntry::FromAbove)];
    while let Some((node, first, last, entry)) = waiting.pop() {
        match search.cut(node, first, last) {
            AreaCut::Whole => shown.push(VisualArea { area: search.area(node, first, last, entry), mark: None }),
            AreaCut::Space if tree.children(node).iter().any(is_thin) => {
                hide(search, (node, first, last, entry), &mut shown)
            }
            AreaCut::Space => {
                waiting.extend(tree.children(node).iter().map(|child| (*child, first, last, AreaEntry::FromAbove)))
            }
            AreaCut::Time(cut) => {
                waiting.extend([(node, first, cut, AreaEntry::FromCut), (node, cut + 1, last, AreaEntry::FromCut)])
            }
        }
    }
    shown.sort_by_key(|shown| search.order(&shown.area));
    Ok(shown)
}

/// Draws a node in place of its parts.
fn hide(
    search: &PartitionSearch,
    (node, first, last, entry): (usize, usize, usize, AreaEntry),
    shown: &mut Vec<VisualArea>,
) {
    let nodes = search.measures().tree().nodes();
    let mut parts = vec![];
    search.collect(node, (first, last), entry, &mut parts);
    // How many leaves have a part that begins at each slice.
    let mut begins = vec![0; last - first + 2];
    for part in &parts {
        begins[part.first - first] += nodes[part.node].leaves;
    }
    begins[last - first + 1] = nodes[node].leaves;
    let (mut start, mut mark) = (first, VisualMark::Diagonal);
    for slice in first + 1..=last + 1 {
        let leaves = begins[slice - first];
        if leaves == nodes[node].leaves {
            let entry = if (start, slice) == (first, last + 1) { entry } else { AreaEntry::FromCut };
            shown.push(VisualArea { area: search.area(node, start, slice - 1, entry), mark: Some(mark) });
            (start, mark) = (slice, VisualMark::Diagonal);
        } else if leaves > 0 {
            mark = VisualMark::Cross;
        }
    }
}
