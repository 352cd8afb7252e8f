//! Who talks with whom, as a graph: containers as dots, edges as wide as what they carry.

use std::collections::BTreeMap;

use super::color::Color;
use super::font;
use super::page::{Area, Axis, Page, TEXT_SIZE, say_empty};
use super::picture::{Anchor, Picture};
use super::source::Source;
use super::units::{quantity, seconds};
use crate::error::Result;

/// Edges in a picture: the heaviest ones.
const MOST_EDGES: usize = 4000;
const NODE: Color = Color::new(0, 114, 178);
const EDGE: Color = Color::new(110, 110, 110);

pub(super) async fn draw(source: &Source<'_>) -> Result<Picture> {
    let depth = source.options.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default();
    let own = format!("SELECT * FROM comm_graph({}{depth})", source.window());
    let graph = source.options.query.as_deref().unwrap_or(&own);
    let edges = source
        .ask(&format!(
            "SELECT source_id, source, target_id, target, messages, volume, seconds FROM ({graph}) WHERE kind = 'edge' \
             ORDER BY coalesce(volume, messages) DESC, source_id, target_id LIMIT {MOST_EDGES}"
        ))
        .await?;
    let page = Page {
        width: source.options.width.unwrap_or(900.0),
        height: source.height(720.0),
        title: "Communication graph",
        note: &source.note(", width of an edge by what it carries"),
        left: 0.0,
        axis: Axis::None,
        legend: &[],
    };
    let (mut picture, area) = page.begin();
    if edges.is_empty() {
        say_empty(&mut picture, &area, "no links in this window");
        return Ok(picture);
    }
    let inner = Area { x: area.x + 30.0, y: area.y + 20.0, width: area.width - 60.0, height: area.height - 40.0 };
    let nodes = source
        .ask(&format!(
            "SELECT node_id, node, x, y FROM graph_layout((SELECT source_id, source, target_id, target FROM ({graph}) WHERE kind = 'edge'), \
             width => {:?}, height => {:?}) ORDER BY node_id",
            inner.width, inner.height
        ))
        .await?;
    let (ids, names, xs, ys) = (nodes.numbers("node_id")?, nodes.texts("node")?, nodes.numbers("x")?, nodes.numbers("y")?);
    let places: BTreeMap<i64, (f64, f64)> =
        (0..nodes.len()).map(|row| (ids[row] as i64, (inner.x + xs[row], inner.y + ys[row]))).collect();
    let (from, to) = (edges.numbers("source_id")?, edges.numbers("target_id")?);
    let (from_names, to_names) = (edges.texts("source")?, edges.texts("target")?);
    let (messages, volumes, times) = (edges.numbers("messages")?, edges.numbers("volume")?, edges.numbers("seconds")?);
    let weight = |row: usize| if volumes[row].is_nan() { messages[row] } else { volumes[row] };
    let most = (0..edges.len()).map(weight).fold(f64::MIN_POSITIVE, f64::max);
    // Heavy edges are painted over light ones.
    for row in (0..edges.len()).rev() {
        let (Some(start), Some(end)) = (places.get(&(from[row] as i64)), places.get(&(to[row] as i64))) else { continue };
        let share = (weight(row) / most).sqrt();
        let title = format!(
            "{} to {}: {} messages, volume {}, {}",
            from_names[row],
            to_names[row],
            quantity(messages[row]),
            if volumes[row].is_nan() { "unknown".to_string() } else { quantity(volumes[row]) },
            seconds(times[row])
        );
        picture.line(*start, *end).stroke(EDGE, 0.4 + 4.0 * share).opacity(0.25 + 0.6 * share).title(title);
    }
    let radius = (120.0 / (nodes.len() as f64).sqrt()).clamp(2.0, 9.0);
    for (x, y, name) in (0..nodes.len()).map(|row| (inner.x + xs[row], inner.y + ys[row], &names[row])) {
        picture.circle(x, y, radius).fill(NODE).stroke(Color::WHITE, 1.0).title(name.clone());
    }
    labels(&mut picture, nodes.len(), |row| (inner.x + xs[row], inner.y + ys[row] - radius - 3.0, names[row].as_str()));
    Ok(picture)
}

/// Names above their nodes, where none stands yet.
fn labels<'a>(picture: &mut Picture, count: usize, label: impl Fn(usize) -> (f64, f64, &'a str)) {
    let mut taken: Vec<(f64, f64, f64)> = vec![];
    for row in 0..count {
        let (x, y, name) = label(row);
        let half = font::width(name, TEXT_SIZE) / 2.0;
        let is_free = taken.iter().all(|(tx, ty, th)| (x - tx).abs() > half + th + 4.0 || (y - ty).abs() > TEXT_SIZE + 1.0);
        if is_free && taken.len() < 300 {
            picture.text(x, y, TEXT_SIZE, Anchor::Middle, name);
            taken.push((x, y, half));
        }
    }
}
