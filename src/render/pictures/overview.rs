//! The overview: the best partition of space and time, each area in the color of its main state.
//!
//! The tree of containers stands at the side. The paler an area, the more its states are mixed, or the more of its time is
//! in no state. A diagonal says that an area hides parts which share their borders in time, a cross that they do not. Where
//! there are more rows than names have room, those that stand out are named first.

pub(super) mod bands;
mod outliers;

use std::collections::BTreeMap;

use self::bands::{bands, draw_level, levels, sized_levels};
use self::outliers::{AreaMix, standing_out};
use super::frame::{Axis, PictureArea, PictureFrame, draw_empty_note, label_room, ranked_row_labels, time_axis};
use super::picture::Picture;
use super::query_rows::QueryRows;
use super::source::DrawSource;
use super::units::{percent, quantity};
use super::value_colors::NO_STATE;
use crate::color::Color;
use ocellus_trace::error::Result;

/// Pixels that an area must have to be seen.
const MIN_HEIGHT: f64 = 4.0;
const MAX_AREAS: usize = 9000;
/// The part of the width that names may take.
const MAX_LEFT: f64 = 0.45;
/// Areas that are paler look like time in no state.
const LEAST_ALPHA: f64 = 0.02;
/// States that a title names.
const MAX_NAMES: usize = 5;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let mut slices = source.options.slices.unwrap_or(60);
    let p = source.options.p.unwrap_or(0.4);
    let kind = source.type_argument();
    let depth = source.options.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default();
    let height = source.height(560.0);
    let areas = |slices: u32, least_height: f64| {
        let model = source.options.query.as_ref().map(|query| format!("({query}), ")).unwrap_or_default();
        format!(
            "SELECT * FROM partition_visual({model}slices => {slices}, {}, p => {p:?}{kind}{depth}, height => {height:?}, \
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
    let mixes = rows.proportions("proportions")?;
    let legend = source.legend(legend(source, &rows, &mixes)?);
    let bands = bands(&rows)?;
    let levels = levels(source, &bands).await?;
    let room = label_room(bands.rows.iter().map(|band| band.name.as_str()), source.width());
    let title = format!("Overview: the best partition at p = {p}");
    let note = source.note(&format!(", {slices} slices, {} areas{}", rows.len(), explained(&rows)?));
    let page = |left: f64| {
        let (width, axis) = (source.width(), Axis::Below);
        PictureFrame { width, height, title: &title, note: &note, left, axis, legend: &legend }.begin()
    };
    // The height of the data does not depend on the room at its left.
    let scale = page(room).1.height / height;
    let levels = sized_levels(levels, scale, MAX_LEFT * source.width() - room);
    let (mut picture, area) = page(room + levels.iter().map(|level| level.width).sum::<f64>());
    if rows.is_empty() {
        draw_empty_note(&mut picture, &area, "no states in this window");
        return Ok(picture);
    }
    draw_areas(&mut picture, &area, scale, &rows, &mixes, source)?;
    let labels: Vec<(f64, f64, &str)> =
        bands.rows.iter().map(|band| (area.y + band.top * scale, band.height * scale, band.name.as_str())).collect();
    ranked_row_labels(&mut picture, &area, room, &labels, &standing_out(&bands.rows, &area_mixes(&rows, &mixes)?));
    let mut x = area.x - room - levels.iter().map(|level| level.width).sum::<f64>();
    for level in &levels {
        draw_level(&mut picture, (x, area.y), scale, level);
        x += level.width;
    }
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

/// What paleness and marks mean, as far as they occur.
fn explained(rows: &QueryRows) -> Result<String> {
    let (alphas, marks) = (rows.numbers("alpha")?, rows.texts("mark")?);
    let mut text = String::new();
    if alphas.iter().any(|alpha| *alpha < 0.99) {
        text.push_str(", pale where states are mixed or there is none");
    }
    if marks.iter().any(|mark| mark == "diagonal") {
        text.push_str(", / hides parts cut alike");
    }
    if marks.iter().any(|mark| mark == "cross") {
        text.push_str(", × hides parts cut differently");
    }
    Ok(text)
}

fn draw_areas(
    picture: &mut Picture,
    area: &PictureArea,
    scale: f64,
    rows: &QueryRows,
    mixes: &[Vec<(String, f64)>],
    source: &DrawSource<'_>,
) -> Result<()> {
    let (names, modes, marks) = (rows.names("container")?, rows.texts("mode")?, rows.texts("mark")?);
    let (starts, ends) = (rows.numbers("start_time")?, rows.numbers("end_time")?);
    let (tops, heights) = (rows.numbers("y")?, rows.numbers("height")?);
    let (alphas, resources) = (rows.numbers("alpha")?, rows.numbers("resources")?);
    let x =
        |time: f64| area.x + (time - source.start) / (source.stop - source.start).max(f64::MIN_POSITIVE) * area.width;
    for row in 0..rows.len() {
        let (left, right) = (x(starts[row]), x(ends[row]));
        let (top, height) = (area.y + tops[row] * scale, heights[row] * scale);
        let title = format!(
            "{}, {} resources, {} to {}: {}",
            names[row],
            quantity(resources[row]),
            source.moment(starts[row]),
            source.moment(ends[row]),
            mix_text(&mixes[row])
        );
        let color = if modes[row].is_empty() { Color::EMPTY } else { source.palette.of(&modes[row]) };
        let paint = Color::EMPTY.toward(color, if alphas[row].is_nan() { 1.0 } else { alphas[row] });
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

/// The states of an area with their proportions, and the time in no state.
fn mix_text(mix: &[(String, f64)]) -> String {
    let mut parts: Vec<String> =
        mix.iter().take(MAX_NAMES).map(|(name, share)| format!("{name} {}", percent(*share))).collect();
    if mix.len() > MAX_NAMES {
        let rest: f64 = mix[MAX_NAMES..].iter().map(|(_, share)| share).sum();
        parts.push(format!("{} others {}", mix.len() - MAX_NAMES, percent(rest)));
    }
    let empty = 1.0 - mix.iter().map(|(_, share)| share).sum::<f64>();
    if empty > 5e-4 {
        parts.push(format!("no state {}", percent(empty)));
    }
    parts.join(", ")
}

fn area_mixes<'a>(rows: &QueryRows, mixes: &'a [Vec<(String, f64)>]) -> Result<Vec<AreaMix<'a>>> {
    let (tops, heights, resources) = (rows.numbers("y")?, rows.numbers("height")?, rows.numbers("resources")?);
    let (first, last) = (rows.numbers("first_slice")?, rows.numbers("last_slice")?);
    let area = |row: usize| AreaMix {
        top: tops[row],
        bottom: tops[row] + heights[row],
        first: first[row] as usize,
        last: last[row] as usize,
        resources: resources[row],
        mix: &mixes[row],
    };
    Ok((0..rows.len()).map(area).collect())
}

/// The states that can be seen as the mode of an area, the one with the largest areas first, and what time in no state looks like.
fn legend(source: &DrawSource<'_>, rows: &QueryRows, mixes: &[Vec<(String, f64)>]) -> Result<Vec<(String, Color)>> {
    let (modes, shares, resources) = (rows.texts("mode")?, rows.numbers("proportion")?, rows.numbers("resources")?);
    let (starts, ends) = (rows.numbers("start_time")?, rows.numbers("end_time")?);
    let mut sizes: BTreeMap<&str, f64> = BTreeMap::new();
    let alphas = rows.numbers("alpha")?;
    // What is too pale to be seen needs no explanation.
    let is_seen = |row: &usize| !modes[*row].is_empty() && (alphas[*row].is_nan() || alphas[*row] >= LEAST_ALPHA);
    for row in (0..rows.len()).filter(is_seen) {
        *sizes.entry(&modes[row]).or_default() += shares[row] * resources[row] * (ends[row] - starts[row]);
    }
    let mut order: Vec<(&str, f64)> = sizes.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let mut legend: Vec<_> = order.into_iter().map(|(name, _)| (name.to_string(), source.palette.of(name))).collect();
    if mixes.iter().any(|mix| mix.iter().map(|(_, share)| share).sum::<f64>() < 0.999) {
        legend.push((NO_STATE.to_string(), Color::EMPTY));
    }
    Ok(legend)
}
