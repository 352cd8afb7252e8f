//! The rectangles of a treemap on the page, with room for the names of containers that hold several others.

use std::collections::BTreeMap;

use super::super::frame::{PictureArea, TEXT_SIZE};
use super::super::query_rows::QueryRows;
use ocellus_trace::error::Result;

/// Height of the strip with the name of a container.
const STRIP: f64 = TEXT_SIZE + 4.0;
/// A container has a strip when it is as many times as high.
const LEAST_STRIPS: f64 = 3.0;
const LEAST_WIDTH: f64 = 40.0;

/// A rectangle: a container, or a value inside of one.
#[derive(Debug, Clone, PartialEq)]
pub struct TreemapNode {
    /// Name of the container.
    pub name: String,
    /// The value, or nothing for the container itself.
    pub value: String,
    /// Its weight, with all that is in it.
    pub weight: f64,
    /// Distance of the container from the root.
    pub depth: f64,
    /// Where it is on the page.
    pub area: PictureArea,
    /// Where the name of a container without a strip is written.
    pub label: Option<LabelPlace>,
    has_strip: bool,
}

/// Room for a name.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPlace {
    /// A rectangle that is the container's alone.
    pub area: PictureArea,
    /// The name, after those of containers that hold nothing else.
    pub names: Vec<String>,
}

/// The strip at the top of a container that has one.
pub fn strip_of(node: &TreemapNode) -> Option<PictureArea> {
    node.has_strip.then_some(PictureArea { height: STRIP, ..node.area })
}

/// How y changes below a container: y becomes factor times y plus offset.
#[derive(Debug, Clone, Copy)]
struct VerticalMap {
    factor: f64,
    offset: f64,
}

/// The nodes of the rows of `treemap`, containers before what is in them.
pub fn nodes(rows: &QueryRows, page: &PictureArea) -> Result<Vec<TreemapNode>> {
    let (names, values, weights) = (rows.names("container")?, rows.texts("value")?, rows.numbers("weight")?);
    let (ids, parents, depths) = (rows.numbers("container_id")?, rows.numbers("parent_id")?, rows.numbers("depth")?);
    let (xs, ys, ws, hs) = (rows.numbers("x")?, rows.numbers("y")?, rows.numbers("w")?, rows.numbers("h")?);
    let flat = (0..rows.len()).map(|row| FlatNode {
        id: ids[row] as i64,
        parent: parents[row].is_finite().then_some(parents[row] as i64),
        name: names[row].clone(),
        value: values[row].clone(),
        weight: weights[row],
        depth: depths[row],
        area: PictureArea { x: page.x + xs[row], y: page.y + ys[row], width: ws[row], height: hs[row] },
    });
    Ok(place(&flat.collect::<Vec<_>>(), page))
}

/// A row of `treemap`.
#[derive(Debug, Clone)]
pub struct FlatNode {
    /// The container.
    pub id: i64,
    /// What holds it.
    pub parent: Option<i64>,
    /// Its name.
    pub name: String,
    /// The value, or nothing.
    pub value: String,
    /// Its weight.
    pub weight: f64,
    /// Its depth.
    pub depth: f64,
    /// Where it would be without strips.
    pub area: PictureArea,
}

/// Moves what is in containers below their strips, and finds room for the names of the others.
pub fn place(flat: &[FlatNode], page: &PictureArea) -> Vec<TreemapNode> {
    let is_container = |node: &&FlatNode| node.value.is_empty();
    let mut children: BTreeMap<i64, Vec<&FlatNode>> = BTreeMap::new();
    let mut own: BTreeMap<i64, usize> = BTreeMap::new();
    for node in flat.iter().filter(is_container) {
        if let Some(parent) = node.parent {
            children.entry(parent).or_default().push(node);
        }
    }
    for node in flat.iter().filter(|node| !node.value.is_empty()) {
        *own.entry(node.id).or_default() += 1;
    }
    let mut maps: BTreeMap<i64, VerticalMap> = BTreeMap::new();
    let mut outer: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    let mut nodes: Vec<TreemapNode> = vec![];
    let mut containers: BTreeMap<i64, usize> = BTreeMap::new();
    for node in flat {
        let is_container = node.value.is_empty();
        let above = if is_container { node.parent } else { Some(node.id) };
        let map = above.and_then(|id| maps.get(&id)).copied().unwrap_or(VerticalMap { factor: 1.0, offset: 0.0 });
        let area = PictureArea {
            y: map.factor * node.area.y + map.offset,
            height: map.factor * node.area.height,
            ..node.area
        };
        let inner = children.get(&node.id).map_or(0, Vec::len);
        let parts = inner + own.get(&node.id).copied().unwrap_or(0);
        // One that holds everything needs no name.
        let is_all = area.width > page.width - 1.0 && node.area.height > page.height - 1.0;
        let is_large = area.height >= LEAST_STRIPS * STRIP && area.width >= LEAST_WIDTH;
        let has_strip = is_container && inner > 0 && parts > 1 && is_large && !is_all;
        if is_container {
            let below = match has_strip {
                true => {
                    let factor = (area.height - STRIP) / area.height;
                    VerticalMap {
                        factor: map.factor * factor,
                        offset: map.offset * factor + (area.y + STRIP) - area.y * factor,
                    }
                }
                false => map,
            };
            maps.insert(node.id, below);
            // A container that holds just one other has its name beside that of the other.
            let mut names = node.parent.and_then(|id| outer.get(&id)).cloned().unwrap_or_default();
            names.push(node.name.clone());
            outer.insert(node.id, if inner == 1 && parts == 1 { names } else { vec![] });
            containers.insert(node.id, nodes.len());
        }
        nodes.push(TreemapNode {
            name: node.name.clone(),
            value: node.value.clone(),
            weight: node.weight,
            depth: node.depth,
            area,
            label: None,
            has_strip,
        });
    }
    let mut largest: BTreeMap<i64, (f64, PictureArea)> = BTreeMap::new();
    for (part, placed) in flat.iter().zip(&nodes).filter(|(part, _)| !part.value.is_empty()) {
        let entry = largest.entry(part.id).or_insert((part.weight, placed.area));
        if part.weight > entry.0 {
            *entry = (part.weight, placed.area);
        }
    }
    for node in flat.iter().filter(is_container).filter(|node| !children.contains_key(&node.id)) {
        let index = containers[&node.id];
        let mut names = node.parent.and_then(|id| outer.get(&id)).cloned().unwrap_or_default();
        names.push(node.name.clone());
        // The largest of its values, else all of it.
        let area = largest.get(&node.id).map_or(nodes[index].area, |(_, area)| *area);
        nodes[index].label = Some(LabelPlace { area, names });
    }
    nodes
}
