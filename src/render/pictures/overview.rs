//! The overview: the best partition of space and time, each area in the color of its main state.
//!
//! The tree of containers stands at the side. The paler an area, the more its states are mixed. A diagonal says that an area hides parts which
//! share their borders in time, a cross that they do not.

use std::collections::BTreeMap;

use super::font;
use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note, label_room, row_labels, time_axis};
use super::picture::{Picture, TextAnchor};
use super::query_rows::QueryRows;
use super::source::DrawSource;
use super::units::{percent, quantity, seconds};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Pixels that an area must have to be seen.
const MIN_HEIGHT: f64 = 4.0;
const MAX_AREAS: usize = 9000;
/// Depths of the tree at the side.
const MAX_LEVELS: usize = 3;
const LEVEL_WIDTH: f64 = 18.0;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let mut slices = source.options.slices.unwrap_or(60);
    let p = source.options.p.unwrap_or(0.4);
    let kind = source.type_argument();
    let height = source.height(560.0);
    let areas = |slices: u32, least_height: f64| {
        let model = source.options.query.as_ref().map(|query| format!("({query}), ")).unwrap_or_default();
        format!(
            "SELECT * FROM partition_visual({model}slices => {slices}, {}, p => {p:?}{kind}, height => {height:?}, \
             min_height => {least_height:?}) ORDER BY area",
            source.window()
        )
    };
    // The legend decides how much room is left, and the areas decide the legend: ask for them once, and
    // scale them to the room.
    let mut rows = source.query(&areas(slices, MIN_HEIGHT)).await?;
    // Of too many areas, thinner ones are drawn as their parents, and then slices are longer.
    let mut least_height = MIN_HEIGHT;
    while rows.len() > MAX_AREAS && slices > 1 {
        (least_height, slices) =
            if least_height < 32.0 { (2.0 * least_height, slices) } else { (least_height, slices / 2) };
        rows = source.query(&areas(slices, least_height)).await?;
    }
    let legend = legend(source, &rows)?;
    let bands = bands(&rows)?;
    let levels = levels(source, &bands).await?;
    let room = label_room(bands.rows.iter().map(|band| band.name.as_str()), source.width());
    let page = PictureFrame {
        width: source.width(),
        height,
        title: &format!("Overview: the best partition at p = {p}"),
        note: &source.note(&format!(", {slices} slices, {} areas{}", rows.len(), explained(&rows)?)),
        left: room + LEVEL_WIDTH * levels.len() as f64,
        axis: Axis::Below,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    if rows.is_empty() {
        draw_empty_note(&mut picture, &area, "no states in this window");
        return Ok(picture);
    }
    let scale = area.height / height;
    draw_areas(&mut picture, &area, scale, &rows, source)?;
    let labels: Vec<(f64, f64, &str)> =
        bands.rows.iter().map(|band| (area.y + band.top * scale, band.height * scale, band.name.as_str())).collect();
    row_labels(&mut picture, &area, room, &labels);
    for (number, level) in levels.iter().enumerate() {
        let x = area.x - room - LEVEL_WIDTH * (levels.len() - number) as f64;
        draw_level(&mut picture, x, area.y, scale, level);
    }
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

/// What paleness and marks mean, as far as they occur.
fn explained(rows: &QueryRows) -> Result<String> {
    let (alphas, marks) = (rows.numbers("alpha")?, rows.texts("mark")?);
    let mut text = String::new();
    if alphas.iter().any(|alpha| *alpha < 0.99) {
        text.push_str(", pale where states are mixed");
    }
    if marks.iter().any(|mark| mark == "diagonal") {
        text.push_str(", / hides parts cut alike");
    }
    if marks.iter().any(|mark| mark == "cross") {
        text.push_str(", × hides parts cut differently");
    }
    Ok(text)
}

/// The containers of one depth, each a bar beside what it holds.
fn draw_level(picture: &mut Picture, x: f64, top: f64, scale: f64, level: &[Band]) {
    for band in level {
        let (y, height) = (top + band.top * scale, band.height * scale);
        picture
            .rectangle(x, y + 0.5, LEVEL_WIDTH - 3.0, (height - 1.0).max(0.5))
            .fill(Color::GRID)
            .title(band.name.clone());
        if let Some(name) = font::fit(&band.name, TEXT_SIZE, height - 4.0) {
            picture.text_upwards(x + TEXT_SIZE, y + height / 2.0, TEXT_SIZE, TextAnchor::Middle, name);
        }
    }
}

fn draw_areas(
    picture: &mut Picture,
    area: &PictureArea,
    scale: f64,
    rows: &QueryRows,
    source: &DrawSource<'_>,
) -> Result<()> {
    let (names, modes, marks) = (rows.texts("container")?, rows.texts("mode")?, rows.texts("mark")?);
    let (starts, ends) = (rows.numbers("start_time")?, rows.numbers("end_time")?);
    let (tops, heights) = (rows.numbers("y")?, rows.numbers("height")?);
    let (alphas, shares, resources) = (rows.numbers("alpha")?, rows.numbers("proportion")?, rows.numbers("resources")?);
    let x =
        |time: f64| area.x + (time - source.start) / (source.stop - source.start).max(f64::MIN_POSITIVE) * area.width;
    for row in 0..rows.len() {
        let (left, right) = (x(starts[row]), x(ends[row]));
        let (top, height) = (area.y + tops[row] * scale, heights[row] * scale);
        let title = format!(
            "{}, {} resources, {} to {}: {} {} of the time",
            names[row],
            quantity(resources[row]),
            seconds(starts[row]),
            seconds(ends[row]),
            if modes[row].is_empty() { "no state" } else { &modes[row] },
            percent(if shares[row].is_nan() { 0.0 } else { shares[row] })
        );
        let (color, opacity) = match modes[row].as_str() {
            "" => (Color::EMPTY, 1.0),
            mode => (source.palette.of(mode), if alphas[row].is_nan() { 1.0 } else { alphas[row] }),
        };
        let paint = Color::WHITE.toward(color, opacity);
        picture.rectangle(left, top, right - left, height).fill(paint).stroke(Color::WHITE, 0.6).title(title);
        let line = if paint.is_light() { Color::TEXT } else { Color::WHITE };
        if marks[row] == "diagonal" || marks[row] == "cross" {
            picture.line((left, top + height), (right, top)).stroke(line, 0.7).opacity(0.6);
        }
        if marks[row] == "cross" {
            picture.line((left, top), (right, top + height)).stroke(line, 0.7).opacity(0.6);
        }
    }
    Ok(())
}

/// Where a container lies in the picture.
#[derive(Debug, Clone)]
struct Band {
    top: f64,
    height: f64,
    name: String,
}

/// The containers of the areas.
struct Bands {
    by_id: BTreeMap<i64, Band>,
    /// From top to bottom, without those that hold another one of them.
    rows: Vec<Band>,
}

fn bands(rows: &QueryRows) -> Result<Bands> {
    let (names, ids) = (rows.texts("container")?, rows.numbers("container_id")?);
    let (tops, heights) = (rows.numbers("y")?, rows.numbers("height")?);
    let mut by_id: BTreeMap<i64, Band> = BTreeMap::new();
    // What holds several trees together has no number and no name.
    for row in (0..rows.len()).filter(|row| ids[*row].is_finite()) {
        let band = || Band { top: tops[row], height: heights[row], name: names[row].clone() };
        by_id.entry(ids[row] as i64).or_insert_with(band);
    }
    let mut bands: Vec<Band> = by_id.values().cloned().collect();
    bands.sort_by(|a, b| a.top.total_cmp(&b.top).then(b.height.total_cmp(&a.height)));
    // What a band holds comes right after it.
    let holds = |outer: &Band, inner: &Band| inner.top < outer.top + outer.height - 1e-6;
    let is_outer: Vec<bool> = bands.windows(2).map(|pair| holds(&pair[0], &pair[1])).chain([false]).collect();
    let rows = bands.into_iter().zip(is_outer).filter(|(_, is_outer)| !is_outer).map(|(band, _)| band).collect();
    Ok(Bands { by_id, rows })
}

/// The containers above the bands, by depth, the highest first: as many depths as there is room for.
async fn levels(source: &DrawSource<'_>, bands: &Bands) -> Result<Vec<Vec<Band>>> {
    if bands.by_id.is_empty() {
        return Ok(vec![]);
    }
    let ids: Vec<String> = bands.by_id.keys().map(i64::to_string).collect();
    let pairs = source
        .query(&format!(
            "SELECT container_id, ancestor_id, ancestor, ancestor_depth FROM container_ancestors \
             WHERE distance > 0 AND container_id IN ({})",
            ids.join(", ")
        ))
        .await?;
    let (below, above) = (pairs.numbers("container_id")?, pairs.numbers("ancestor_id")?);
    let (names, depths) = (pairs.texts("ancestor")?, pairs.numbers("ancestor_depth")?);
    let mut levels: BTreeMap<i64, BTreeMap<i64, Band>> = BTreeMap::new();
    for row in 0..pairs.len() {
        let Some(inner) = bands.by_id.get(&(below[row] as i64)) else { continue };
        let level = levels.entry(depths[row] as i64).or_default();
        let outer =
            level.entry(above[row] as i64).or_insert_with(|| Band { name: names[row].clone(), ..inner.clone() });
        let bottom = (outer.top + outer.height).max(inner.top + inner.height);
        outer.top = outer.top.min(inner.top);
        outer.height = bottom - outer.top;
    }
    let skipped = levels.len().saturating_sub(MAX_LEVELS);
    Ok(levels.into_values().skip(skipped).map(|level| level.into_values().collect()).collect())
}

fn legend(source: &DrawSource<'_>, rows: &QueryRows) -> Result<Vec<(String, Color)>> {
    let (modes, resources) = (rows.texts("mode")?, rows.numbers("resources")?);
    let (starts, ends) = (rows.numbers("start_time")?, rows.numbers("end_time")?);
    let mut sizes: BTreeMap<&str, f64> = BTreeMap::new();
    for row in (0..rows.len()).filter(|row| !modes[*row].is_empty()) {
        *sizes.entry(&modes[row]).or_default() += resources[row] * (ends[row] - starts[row]);
    }
    let mut order: Vec<(&str, f64)> = sizes.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    Ok(order.into_iter().map(|(name, _)| (name.to_string(), source.palette.of(name))).collect())
}
