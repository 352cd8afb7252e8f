//! The treemap: the time of a window as areas, containers inside those that hold them.

use std::collections::BTreeSet;

use super::font;
use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note};
use super::labels::{LabelBackground, PlacedLabels};
use super::picture::{Picture, TextAnchor};
use super::query_rows::QueryRows;
use super::source::DrawSource;
use super::units::{quantity, seconds};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Rectangles in a picture; smaller ones are left out before that, being smaller than a pixel.
const MAX_RECTANGLES: usize = 8_000;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let (width, height) = (source.width(), source.height(700.0));
    let kind = source.type_argument();
    let own = format!(
        "SELECT container_id, value, seconds AS weight FROM state_slices(state_segments, {}{kind})",
        source.window()
    );
    let relation = source.options.query.as_deref().unwrap_or(&own);
    let depth = source.options.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default();
    let weights = weights(source, relation).await?;
    let total = amount(source, weights.iter().map(|(_, weight)| weight).sum());
    let named = weights.into_iter().filter(|(name, _)| !name.is_empty());
    let legend: Vec<(String, Color)> = named
        .map(|(name, _)| {
            let color = source.palette.of(&name);
            (name, color)
        })
        .collect();
    let page = PictureFrame {
        width,
        height,
        title: if source.options.query.is_some() { "Treemap" } else { "Time in each state" },
        note: &source.note(&format!(", areas by their part of {total} in all")),
        left: 0.0,
        axis: Axis::None,
        legend: &legend,
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
        draw_empty_note(&mut picture, &area, "nothing has a weight in this window");
        return Ok(picture);
    }
    rectangles(&mut picture, &area, &rows, source)?;
    Ok(picture)
}

/// The values with their weights, largest first; without values, one without a name.
async fn weights(source: &DrawSource<'_>, relation: &str) -> Result<Vec<(String, f64)>> {
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

/// A weight as text: time, unless the user's query defines it.
fn amount(source: &DrawSource<'_>, weight: f64) -> String {
    if source.options.query.is_some() { quantity(weight) } else { seconds(weight) }
}

fn rectangles(picture: &mut Picture, area: &PictureArea, rows: &QueryRows, source: &DrawSource<'_>) -> Result<()> {
    let (names, values, weights) = (rows.texts("container")?, rows.texts("value")?, rows.numbers("weight")?);
    let (xs, ys, ws, hs) = (rows.numbers("x")?, rows.numbers("y")?, rows.numbers("w")?, rows.numbers("h")?);
    let depths = rows.numbers("depth")?;
    for row in 0..rows.len() {
        let (x, y) = (area.x + xs[row], area.y + ys[row]);
        let item = picture.rectangle(x, y, ws[row], hs[row]);
        if values[row].is_empty() {
            // Frames of containers are the thicker the higher they stand.
            item.fill(Color::EMPTY).stroke(Color::WHITE, (3.0 - depths[row]).max(0.5));
            item.title(format!("{}: {}", names[row], amount(source, weights[row])));
        } else {
            item.fill(source.palette.of(&values[row])).stroke(Color::WHITE, 0.4);
            item.title(format!("{}, {}: {}", names[row], values[row], amount(source, weights[row])));
        }
    }
    frames_and_names(picture, area, rows)
}

/// The outlines of containers over their parts, and names where there is room for them: those of containers that hold
/// others at the bottom, the others at the top.
fn frames_and_names(picture: &mut Picture, area: &PictureArea, rows: &QueryRows) -> Result<()> {
    let (names, values, depths) = (rows.texts("container")?, rows.texts("value")?, rows.numbers("depth")?);
    let (ids, parents) = (rows.numbers("container_id")?, rows.numbers("parent_id")?);
    let (xs, ys, ws, hs) = (rows.numbers("x")?, rows.numbers("y")?, rows.numbers("w")?, rows.numbers("h")?);
    let containers: Vec<usize> = (0..rows.len()).filter(|row| values[*row].is_empty()).collect();
    let outer: BTreeSet<i64> =
        containers.iter().filter(|row| parents[**row].is_finite()).map(|row| parents[*row] as i64).collect();
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    let mut labels = PlacedLabels::default();
    for row in &containers {
        let thickness = (0.8 * (deepest - depths[*row] + 1.0)).min(4.0);
        picture.rectangle(area.x + xs[*row], area.y + ys[*row], ws[*row], hs[*row]).stroke(Color::WHITE, thickness);
    }
    for row in containers {
        let (x, y) = (area.x + xs[row] + 5.0, area.y + ys[row]);
        let Some(name) = font::fit(&names[row], TEXT_SIZE, ws[row] - 10.0).filter(|_| hs[row] > 2.0 * TEXT_SIZE) else {
            continue;
        };
        // One that holds everything needs no name.
        let is_all = ws[row] > area.width - 1.0 && hs[row] > area.height - 1.0;
        match outer.contains(&(ids[row] as i64)) {
            true if is_all => {}
            true => labels.write(picture, (x, y + hs[row] - 5.0), TextAnchor::Start, LabelBackground::Dark, &name),
            false => labels.write(picture, (x, y + TEXT_SIZE + 4.0), TextAnchor::Start, LabelBackground::Light, &name),
        }
    }
    Ok(())
}
