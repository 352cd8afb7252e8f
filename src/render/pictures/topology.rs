//! A graph: who talks with whom, or the attached network under the load of the messages.
//!
//! Edges are as wide as what they carry; in a network the busiest are red. What a container sends to itself is a loop at
//! its side. Names stand where they hide no heads of edges.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note};
use super::labels::{PlacedLabels, area_of};
use super::picture::{PathStep, Picture, TextAnchor};
use super::query_rows::QueryRows;
use super::source::DrawSource;
use super::units::{bytes, counted, percent, seconds};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Edges in a picture: the heaviest ones.
const MAX_EDGES: usize = 4000;
/// Edges that still have a point.
const MAX_POINTS: usize = 400;
/// Room around the nodes, for names.
const MARGIN: (f64, f64) = (40.0, 20.0);
const NODE: Color = Color::new(0, 114, 178);
const EDGE: Color = Color::new(110, 110, 110);
const BUSY: Color = Color::new(213, 94, 0);

/// Whether the graph shows messages between containers or the attached network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GraphContent {
    Communication,
    Network,
}

/// An edge and what it carries.
struct WeightedEdge {
    from: i64,
    to: i64,
    weight: f64,
    /// Part of the bandwidth; of a communication, nothing.
    utilisation: f64,
    title: String,
}

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let (kind, graph) = graph(source).await?;
    let rows = source
        .query(&format!(
            "SELECT * FROM ({graph}) ORDER BY coalesce(volume, messages) DESC, source_id, target_id LIMIT {MAX_EDGES}"
        ))
        .await?;
    let edges = edges(&rows)?;
    let most = edges.iter().map(|edge| edge.weight).fold(0.0, f64::max);
    let has_volume = rows.numbers("volume")?.iter().any(|volume| *volume > 0.0);
    let what = if has_volume { "volume" } else { "messages" };
    let mut legend = vec![];
    if kind == GraphContent::Communication {
        legend.push(("container".to_string(), NODE));
    } else {
        legend.push(("machine or switch".to_string(), NODE));
    }
    let widest = if has_volume { bytes(most) } else { counted(most, "message") };
    legend.push((format!("widest edge: {widest}"), EDGE));
    if edges.iter().any(|edge| edge.utilisation > 0.0) {
        legend.push(("the whole bandwidth is used".to_string(), BUSY));
    }
    let page = PictureFrame {
        width: source.options.width.unwrap_or(900.0),
        height: source.height(720.0),
        title: if kind == GraphContent::Communication {
            "Communication graph"
        } else {
            "Network and the messages on it"
        },
        note: &source.note(&format!(", width of an edge by its {what}")),
        left: 0.0,
        axis: Axis::None,
        legend: if edges.is_empty() { &[] } else { &legend },
    };
    let (mut picture, area) = page.begin();
    if edges.is_empty() {
        draw_empty_note(&mut picture, &area, "no links in this window");
        return Ok(picture);
    }
    let inner = PictureArea {
        x: area.x + MARGIN.0,
        y: area.y + MARGIN.1,
        width: area.width - 2.0 * MARGIN.0,
        height: area.height - 2.0 * MARGIN.1,
    };
    let nodes = source
        .query(&format!(
            "SELECT node_id, node, x, y FROM graph_layout((SELECT source_id, source, target_id, target FROM ({graph})), \
             width => {:?}, height => {:?}) ORDER BY node_id",
            inner.width, inner.height
        ))
        .await?;
    let points = if kind == GraphContent::Communication && edges.len() <= MAX_POINTS {
        ArrowHeads::Drawn
    } else {
        ArrowHeads::None
    };
    draw_graph(&mut picture, &inner, &nodes, &edges, points)?;
    Ok(picture)
}

/// The query that gives the edges: the user's, the attached network, or who sends to whom.
async fn graph(source: &DrawSource<'_>) -> Result<(GraphContent, String)> {
    let depth = source.options.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default();
    let columns = "source_id, source, target_id, target, messages, volume";
    if let Some(query) = &source.options.query {
        return Ok((
            GraphContent::Communication,
            format!("SELECT {columns}, seconds, 0.0 AS utilisation FROM ({query}) WHERE kind = 'edge'"),
        ));
    }
    let connections = source.query("SELECT count(*) AS count FROM topology_edges").await?.numbers("count")?;
    if connections.first().is_some_and(|count| *count > 0.0) && source.options.depth.is_none() {
        return Ok((
            GraphContent::Network,
            format!(
                "SELECT e.source_id, e.source, e.target_id, e.target, coalesce(l.messages, 0) AS messages, l.volume, \
                        CAST(NULL AS DOUBLE) AS seconds, coalesce(l.utilisation, 0.0) AS utilisation \
                 FROM topology_edges AS e LEFT JOIN \
                      (SELECT edge_id, sum(messages) AS messages, sum(volume) AS volume, max(utilisation) AS utilisation \
                       FROM route_load({}) WHERE edge_id IS NOT NULL GROUP BY edge_id) AS l ON l.edge_id = e.edge_id",
                source.window()
            ),
        ));
    }
    let own = format!(
        "SELECT {columns}, seconds, 0.0 AS utilisation FROM comm_graph({}{depth}) WHERE kind = 'edge'",
        source.window()
    );
    Ok((GraphContent::Communication, own))
}

fn edges(rows: &QueryRows) -> Result<Vec<WeightedEdge>> {
    let (from, to) = (rows.numbers("source_id")?, rows.numbers("target_id")?);
    let (from_names, to_names) = (rows.names("source")?, rows.names("target")?);
    let (messages, volumes, times) = (rows.numbers("messages")?, rows.numbers("volume")?, rows.numbers("seconds")?);
    let utilisations = rows.numbers("utilisation")?;
    let has_volume = volumes.iter().any(|volume| *volume > 0.0);
    let edge = |row: usize| {
        let target = if from[row] == to[row] { "itself" } else { to_names[row].as_str() };
        let mut title = format!("{} to {target}: {}", from_names[row], counted(messages[row], "message"));
        if !volumes[row].is_nan() {
            title.push_str(&format!(", {}", bytes(volumes[row])));
        }
        if !times[row].is_nan() {
            title.push_str(&format!(", {}", seconds(times[row])));
        }
        if utilisations[row] > 0.0 {
            title.push_str(&format!(", {} of its bandwidth", percent(utilisations[row])));
        }
        let weight = if has_volume { volumes[row] } else { messages[row] };
        let weight = if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        WeightedEdge { from: from[row] as i64, to: to[row] as i64, weight, utilisation: utilisations[row], title }
    };
    Ok((0..rows.len()).map(edge).collect())
}

/// Whether edges point to where they lead.
#[derive(PartialEq, Eq)]
enum ArrowHeads {
    Drawn,
    None,
}

fn draw_graph(
    picture: &mut Picture,
    area: &PictureArea,
    nodes: &QueryRows,
    edges: &[WeightedEdge],
    points: ArrowHeads,
) -> Result<()> {
    let (ids, names, xs, ys) =
        (nodes.numbers("node_id")?, nodes.names("node")?, nodes.numbers("x")?, nodes.numbers("y")?);
    let places: BTreeMap<i64, (f64, f64)> =
        (0..nodes.len()).map(|row| (ids[row] as i64, (area.x + xs[row], area.y + ys[row]))).collect();
    let most = edges.iter().map(|edge| edge.weight).fold(f64::MIN_POSITIVE, f64::max);
    let radius = (120.0 / (nodes.len() as f64).sqrt()).clamp(2.0, 9.0);
    let mut heads: Vec<ArrowHead> = vec![];
    // Heavy edges are painted over light ones.
    for edge in edges.iter().rev() {
        let (Some(start), Some(end)) = (places.get(&edge.from), places.get(&edge.to)) else { continue };
        let share = (edge.weight / most).sqrt();
        let (color, opacity) = (EDGE.toward(BUSY, edge.utilisation), 0.3 + 0.6 * share);
        let (line, tail) = match edge.from == edge.to {
            true => loop_at(*start, radius, side_of(start.0, area)),
            false => (vec![PathStep::Move(start.0, start.1), PathStep::Line(end.0, end.1)], *start),
        };
        picture.path(line).stroke(color, 0.4 + 4.0 * share).opacity(opacity).title(edge.title.clone());
        if points == ArrowHeads::Drawn {
            heads.push(ArrowHead::new(tail, *end, radius + 1.0, 4.0 + 6.0 * share, opacity));
        }
    }
    // Of very many nodes, those at the ends of the edges that are drawn.
    let ends: BTreeSet<i64> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    let places: BTreeMap<i64, (f64, f64)> = places.into_iter().filter(|(id, _)| ends.contains(id)).collect();
    for (place, name) in ids.iter().zip(&names).filter_map(|(id, name)| Some((places.get(&(*id as i64))?, name))) {
        picture.circle(place.0, place.1, radius).fill(NODE).stroke(Color::WHITE, 1.0).title(name.clone());
    }
    let mut labels = PlacedLabels::default();
    for (id, name) in ids.iter().zip(&names) {
        if let Some((x, y)) = places.get(&(*id as i64)) {
            for (at, anchor) in label_places((*x, *y), radius, name, &heads, area) {
                if labels.try_write(picture, at, anchor, name) {
                    break;
                }
            }
        }
    }
    heads.iter().for_each(|head| head.draw(picture));
    Ok(())
}

/// The side of a node on which its loop has most room: 1 for the right, -1 for the left.
fn side_of(x: f64, area: &PictureArea) -> f64 {
    if x >= area.x + area.width / 2.0 { 1.0 } else { -1.0 }
}

/// An edge from a node to itself: a loop at its side that leaves above and comes back below, and where its end comes from.
fn loop_at((x, y): (f64, f64), radius: f64, side: f64) -> (Vec<PathStep>, (f64, f64)) {
    let reach = 3.2 * radius + 8.0;
    let height = 1.6 * radius + 5.0;
    let line =
        vec![PathStep::Move(x, y), PathStep::Curve([x + side * reach, y - height, x + side * reach, y + height, x, y])];
    // A point of the curve near its end: three quarters of the way.
    let (at, rest): (f64, f64) = (0.75, 0.25);
    let (out, back) = (3.0 * rest * rest * at, 3.0 * rest * at * at);
    (line, (x + (out + back) * side * reach, y + (back - out) * height))
}

/// Where the name of a node may stand, the best place first: above, below, right or left of it, whichever lies within the
/// picture and hides the fewest heads of edges.
fn label_places(
    (x, y): (f64, f64),
    radius: f64,
    name: &str,
    heads: &[ArrowHead],
    area: &PictureArea,
) -> [((f64, f64), TextAnchor); 4] {
    let mut places = [
        ((x, y - radius - 5.0), TextAnchor::Middle),
        ((x, y + radius + TEXT_SIZE + 1.0), TextAnchor::Middle),
        ((x + radius + 5.0, y + 4.0), TextAnchor::Start),
        ((x - radius - 5.0, y + 4.0), TextAnchor::End),
    ];
    places.sort_by_cached_key(|(at, anchor)| {
        let place = area_of(*at, *anchor, name);
        let is_outside = place.x < area.x - MARGIN.0
            || place.right() > area.right() + MARGIN.0
            || place.bottom() > area.bottom() + MARGIN.1;
        (is_outside, heads.iter().filter(|head| head.touches(&place)).count())
    });
    places
}

/// The head of an edge: a triangle.
struct ArrowHead {
    corners: [(f64, f64); 3],
    opacity: f64,
}

impl ArrowHead {
    /// A head whose tip has a distance from the middle of the node that the edge leads to.
    fn new(from: (f64, f64), to: (f64, f64), distance: f64, size: f64, opacity: f64) -> ArrowHead {
        let angle = (to.1 - from.1).atan2(to.0 - from.0);
        let tip = (to.0 - distance * angle.cos(), to.1 - distance * angle.sin());
        let corner = |turn: f64| (tip.0 - size * (angle + turn).cos(), tip.1 - size * (angle + turn).sin());
        ArrowHead { corners: [tip, corner(0.4), corner(-0.4)], opacity }
    }

    /// Whether one of its corners lies in an area.
    fn touches(&self, area: &PictureArea) -> bool {
        let is_inside = |(x, y): &(f64, f64)| *x > area.x && *x < area.right() && *y > area.y && *y < area.bottom();
        self.corners.iter().any(is_inside)
    }

    fn draw(&self, picture: &mut Picture) {
        let [tip, left, right] = self.corners;
        let path = vec![
            PathStep::Move(tip.0, tip.1),
            PathStep::Line(left.0, left.1),
            PathStep::Line(right.0, right.1),
            PathStep::Close,
        ];
        picture.path(path).fill(EDGE).opacity(self.opacity);
    }
}
