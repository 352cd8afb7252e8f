//! The treemap: the time of a window as areas, containers inside those that hold them.

use super::color::Color;
use super::font;
use super::page::{Area, Axis, Page, TEXT_SIZE, say_empty};
use super::picture::{Anchor, Picture};
use super::source::{Source, quoted};
use super::table::Rows;
use super::units::{quantity, seconds};
use crate::error::Result;

/// Rectangles in a picture; smaller ones are left out before that, being smaller than a pixel.
const MOST_RECTANGLES: usize = 12_000;

pub(super) async fn draw(source: &Source<'_>) -> Result<Picture> {
    let (width, height) = (source.width(), source.height(700.0));
    let kind = source.options.type_name.as_ref().map(|name| format!(", type => {}", quoted(name))).unwrap_or_default();
    let own = format!(
        "SELECT container_id, value, seconds AS weight FROM state_slices(state_segments, {}{kind})",
        source.window()
    );
    let relation = source.options.query.as_deref().unwrap_or(&own);
    let depth = source.options.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default();
    let legend = legend(source, relation).await?;
    let page = Page {
        width,
        height,
        title: if source.options.query.is_some() { "Treemap" } else { "Time in each state" },
        note: &source.note(""),
        left: 0.0,
        axis: Axis::None,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    let rows = source
        .ask(&format!(
            "SELECT * FROM treemap(({relation}), weight => 'weight', width => {:?}, height => {:?}{depth}, min_area => {:?}) \
             ORDER BY depth, container_id, value NULLS FIRST LIMIT {MOST_RECTANGLES}",
            area.width,
            area.height,
            // What cannot be seen need not be drawn.
            area.width * area.height / MOST_RECTANGLES as f64 / 4.0
        ))
        .await?;
    if rows.is_empty() {
        say_empty(&mut picture, &area, "nothing has a weight in this window");
        return Ok(picture);
    }
    rectangles(&mut picture, &area, &rows, source)?;
    Ok(picture)
}

/// The values by their weight, largest first.
async fn legend(source: &Source<'_>, relation: &str) -> Result<Vec<(String, Color)>> {
    let has_value = source.ask(&format!("SELECT * FROM ({relation}) LIMIT 0")).await?.has("value");
    if !has_value {
        return Ok(vec![]);
    }
    let rows = source
        .ask(&format!("SELECT value, sum(weight) AS weight FROM ({relation}) WHERE value IS NOT NULL GROUP BY value ORDER BY weight DESC, value"))
        .await?;
    Ok(rows.texts("value")?.into_iter().map(|name| { let color = source.palette.of(&name); (name, color) }).collect())
}

fn rectangles(picture: &mut Picture, area: &Area, rows: &Rows, source: &Source<'_>) -> Result<()> {
    let (names, values, weights) = (rows.texts("container")?, rows.texts("value")?, rows.numbers("weight")?);
    let (xs, ys, ws, hs) = (rows.numbers("x")?, rows.numbers("y")?, rows.numbers("w")?, rows.numbers("h")?);
    let depths = rows.numbers("depth")?;
    let amount = |weight: f64| if source.options.query.is_some() { quantity(weight) } else { seconds(weight) };
    for row in 0..rows.len() {
        let (x, y) = (area.x + xs[row], area.y + ys[row]);
        let item = picture.rectangle(x, y, ws[row], hs[row]);
        if values[row].is_empty() {
            // Frames of containers are the thicker the higher they stand.
            item.fill(Color::EMPTY).stroke(Color::WHITE, (3.0 - depths[row]).max(0.5));
            item.title(format!("{}: {}", names[row], amount(weights[row])));
        } else {
            item.fill(source.palette.of(&values[row])).stroke(Color::WHITE, 0.4);
            item.title(format!("{}, {}: {}", names[row], values[row], amount(weights[row])));
        }
    }
    frames_and_names(picture, area, rows)
}

/// The outlines of containers over their parts, and names where there is room for them.
fn frames_and_names(picture: &mut Picture, area: &Area, rows: &Rows) -> Result<()> {
    let (names, values, depths) = (rows.texts("container")?, rows.texts("value")?, rows.numbers("depth")?);
    let (xs, ys, ws, hs) = (rows.numbers("x")?, rows.numbers("y")?, rows.numbers("w")?, rows.numbers("h")?);
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    for row in (0..rows.len()).filter(|row| values[*row].is_empty()) {
        let (x, y) = (area.x + xs[row], area.y + ys[row]);
        let thickness = (0.6 * (deepest - depths[row] + 1.0)).min(3.0);
        picture.rectangle(x, y, ws[row], hs[row]).stroke(Color::WHITE, thickness);
        let is_deepest = depths[row] == deepest;
        if is_deepest && hs[row] > 2.0 * TEXT_SIZE && let Some(name) = font::fit(&names[row], TEXT_SIZE, ws[row] - 6.0) {
            let width = font::width(&name, TEXT_SIZE) + 4.0;
            picture.rectangle(x + 2.0, y + 2.0, width, TEXT_SIZE + 3.0).fill(Color::WHITE).opacity(0.75);
            picture.text(x + 4.0, y + TEXT_SIZE + 2.0, TEXT_SIZE, Anchor::Start, name);
        }
    }
    Ok(())
}
