//! The treemap: the time of a window, or variables, as areas, containers inside those that hold them.
//!
//! A container that holds several others has its name in a strip at its top, which they leave free. The name of any other
//! stands inside one rectangle of its own. So no name covers what is not its container's. Time in no state has an area where
//! it is computation; elsewhere it would leave no room for the states.

mod nodes;
#[cfg(test)]
mod tests;

use self::nodes::{TreemapNode, nodes, strip_of};
use super::font;
use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note};
use super::labels::PlacedLabels;
use super::picture::{Picture, TextAnchor};
use super::source::{DrawSource, quoted};
use super::units::{quantity, seconds};
use super::value_colors::{NO_STATE_COMPUTATION, ValueColors};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Rectangles in a picture; smaller ones are left out before that, being smaller than a pixel.
const MAX_RECTANGLES: usize = 8_000;

/// What the areas are.
struct TreemapWeights {
    /// A query that gives container_id, weight and, mostly, value.
    relation: String,
    title: &'static str,
    unit: WeightUnit,
}

/// What a weight is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WeightUnit {
    Seconds,
    Unknown,
}

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let (width, height) = (source.width(), source.height(700.0));
    let weights = weights(source).await?;
    let relation = &weights.relation;
    let depth = source.options.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default();
    let totals = totals(source, relation).await?;
    let amount = |weight: f64| if weights.unit == WeightUnit::Seconds { seconds(weight) } else { quantity(weight) };
    let total = amount(totals.iter().map(|(_, weight)| weight).sum());
    let colors = ValueColors::new(&source.palette, &totals);
    let page = PictureFrame {
        width,
        height,
        title: weights.title,
        note: &source.note(&format!(", areas by their part of {total} in total")),
        left: 0.0,
        axis: Axis::None,
        legend: &colors.legend(),
    };
    let (mut picture, area) = page.begin();
    let rows = source
        .query(&format!(
            "SELECT * FROM treemap(({relation}), weight => 'weight', width => {:?}, height => {:?}{depth}, min_area => {:?}) \
             ORDER BY depth, container_id, value NULLS FIRST LIMIT {MAX_RECTANGLES}",
            area.width,
            area.height,
            // What cannot be seen need not be drawn.
            area.width * area.height / MAX_RECTANGLES as f64 / 4.0
        ))
        .await?;
    if rows.is_empty() {
        draw_empty_note(&mut picture, &area, &hint(source).await?);
        return Ok(picture);
    }
    let nodes = nodes(&rows, &area)?;
    draw_rectangles(&mut picture, &nodes, &colors, amount);
    draw_names(&mut picture, &nodes);
    Ok(picture)
}

/// The weights to draw: the user's query, variables if the type is one, or the time in states.
async fn weights(source: &DrawSource<'_>) -> Result<TreemapWeights> {
    if let Some(query) = &source.options.query {
        return Ok(TreemapWeights { relation: query.clone(), title: "Treemap", unit: WeightUnit::Unknown });
    }
    let asked: Vec<&str> = source.options.type_name.iter().flat_map(|names| names.split(',')).map(str::trim).collect();
    let known = variables(source).await?;
    if !asked.is_empty() && asked.iter().all(|name| known.iter().any(|known| known == name)) {
        let names: Vec<String> = asked.into_iter().map(quoted).collect();
        let relation = format!(
            "SELECT container_id, type AS value, mean AS weight FROM variable_slices((SELECT * FROM variables WHERE type IN ({})), \
             slices => 1, {}) WHERE mean > 0",
            names.join(", "),
            source.window()
        );
        return Ok(TreemapWeights { relation, title: "Means of variables", unit: WeightUnit::Unknown });
    }
    let kind = source.type_argument();
    let relation = format!(
        "SELECT container_id, value, seconds AS weight FROM state_slices({}, {}{kind})",
        source.states_and_some_gaps(NO_STATE_COMPUTATION, "activity = 'computation'"),
        source.window()
    );
    Ok(TreemapWeights { relation, title: "Time in each state", unit: WeightUnit::Seconds })
}

/// The types of variables that the trace has, by name.
async fn variables(source: &DrawSource<'_>) -> Result<Vec<String>> {
    source.query("SELECT DISTINCT type FROM variables ORDER BY type").await?.texts("type")
}

/// What to say when nothing has a weight.
async fn hint(source: &DrawSource<'_>) -> Result<String> {
    let states = source.query("SELECT count(*) AS count FROM states").await?.numbers("count")?;
    let variables = variables(source).await?;
    let is_default = source.options.query.is_none() && source.options.type_name.is_none();
    if is_default && states == [0.0] && !variables.is_empty() {
        let names = variables.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if variables.len() > 6 { ", …" } else { "" };
        return Ok(format!("the trace has no states; --type NAME draws a variable: {names}{more}"));
    }
    Ok("nothing has a weight in this window".to_string())
}

/// The values with their weights; without values, one without a name.
async fn totals(source: &DrawSource<'_>, relation: &str) -> Result<Vec<(String, f64)>> {
    let has_value = source.query(&format!("SELECT * FROM ({relation}) LIMIT 0")).await?.has_column("value");
    let value = if has_value { "value" } else { "NULL" };
    let rows = source
        .query(&format!(
            "SELECT value, coalesce(sum(weight), 0) AS weight FROM (SELECT {value} AS value, weight FROM ({relation})) \
             GROUP BY value ORDER BY weight DESC, value"
        ))
        .await?;
    Ok(rows.texts("value")?.into_iter().zip(rows.numbers("weight")?).collect())
}

fn draw_rectangles(picture: &mut Picture, nodes: &[TreemapNode], colors: &ValueColors, amount: impl Fn(f64) -> String) {
    for node in nodes {
        let PictureArea { x, y, width, height } = node.area;
        let item = picture.rectangle(x, y, width, height);
        if node.value.is_empty() {
            item.fill(Color::EMPTY).title(format!("{}: {}", node.name, amount(node.weight)));
        } else {
            item.fill(colors.of(&node.value)).stroke(Color::WHITE, 0.4);
            item.title(format!("{}, {}: {}", node.name, node.value, amount(node.weight)));
        }
    }
    // The outlines of containers over their parts, the thicker the higher they stand.
    let deepest = nodes.iter().map(|node| node.depth).fold(0.0, f64::max);
    for node in nodes.iter().filter(|node| node.value.is_empty()) {
        let PictureArea { x, y, width, height } = node.area;
        picture.rectangle(x, y, width, height).stroke(Color::WHITE, (0.8 * (deepest - node.depth + 1.0)).min(4.0));
    }
}

/// Names where there is room for them.
fn draw_names(picture: &mut Picture, nodes: &[TreemapNode]) {
    let mut labels = PlacedLabels::default();
    for node in nodes.iter().filter(|node| node.value.is_empty()) {
        if let Some(strip) = strip_of(node) {
            picture.rectangle(strip.x, strip.y, strip.width, strip.height).fill(Color::TEXT).opacity(0.8);
            if let Some(name) = font::fit(&node.name, TEXT_SIZE, strip.width - 8.0) {
                let at = (strip.x + 4.0, strip.y + strip.height - 4.0);
                picture.text(at.0, at.1, TEXT_SIZE, TextAnchor::Start, name).fill(Color::WHITE);
            }
            continue;
        }
        let Some(place) = &node.label else { continue };
        let room = (place.area.width - 8.0).max(0.0);
        // The own name is the last one; the containers around it come first, if there is room for all.
        let whole = place.names.join(" / ");
        let text = match font::width(&whole, TEXT_SIZE) <= room {
            true => Some(whole),
            // Streams and ranks differ at the end of their names.
            false => font::fit(&node.name, TEXT_SIZE, room).map(|_| font::fit_ends(&node.name, TEXT_SIZE, room)),
        };
        if let Some(text) = text.filter(|_| place.area.height > TEXT_SIZE + 8.0) {
            let at = (place.area.x + 5.0, place.area.y + TEXT_SIZE + 4.0);
            labels.write(picture, at, TextAnchor::Start, &text);
        }
    }
}
