//! The rows of an overview, and the tree of containers at its side.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::super::font;
use super::super::frame::TEXT_SIZE;
use super::super::picture::{Picture, TextAnchor};
use super::super::query_rows::QueryRows;
use super::super::source::DrawSource;
use crate::color::Color;
use ocellus_trace::error::Result;

/// Depths of the tree at the side.
const MAX_LEVELS: usize = 3;
/// Width of a depth whose names are written upwards.
const UPWARDS: f64 = 18.0;
/// Width of a depth whose names are written along the rows, at most.
const MAX_WIDTH: f64 = 160.0;

/// Where a container lies in the picture.
#[derive(Debug, Clone)]
pub(in super::super) struct Band {
    pub(in super::super) top: f64,
    pub(in super::super) height: f64,
    pub(in super::super) name: String,
}

/// The containers of the areas.
pub(in super::super) struct Bands {
    by_id: BTreeMap<i64, Band>,
    /// From top to bottom, without those that hold another one of them.
    pub(in super::super) rows: Vec<Band>,
}

pub(in super::super) fn bands(rows: &QueryRows) -> Result<Bands> {
    let (names, ids) = (rows.names("container")?, rows.numbers("container_id")?);
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
pub(in super::super) async fn levels(source: &DrawSource<'_>, bands: &Bands) -> Result<Vec<Vec<Band>>> {
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
    let (names, depths) = (pairs.names("ancestor")?, pairs.numbers("ancestor_depth")?);
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

/// How the names of a depth are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum NameDirection {
    Upwards,
    AlongRows,
}

/// The containers of one depth on the page.
#[derive(Debug, Clone)]
pub(in super::super) struct TreeLevel {
    pub(in super::super) bands: Vec<Band>,
    pub(in super::super) direction: NameDirection,
    pub(in super::super) width: f64,
}

/// Decides how names are written: upwards, or along the rows where more of them are whole that way and there is room.
pub(in super::super) fn sized_levels(levels: Vec<Vec<Band>>, scale: f64, room: f64) -> Vec<TreeLevel> {
    let mut left = room - UPWARDS * levels.len() as f64;
    let mut sized: Vec<TreeLevel> = vec![];
    // The innermost first: its names say most.
    for bands in levels.into_iter().rev() {
        let needed = |band: &Band| font::width(&band.name, TEXT_SIZE) + 8.0;
        let has_line = |band: &&Band| band.height * scale >= TEXT_SIZE + 3.0;
        let upwards = bands.iter().filter(|band| needed(band) - 4.0 <= band.height * scale).count();
        let along = bands.iter().filter(has_line).filter(|band| needed(band) <= MAX_WIDTH).count();
        let widest = bands.iter().filter(has_line).map(needed).fold(UPWARDS, f64::max).min(MAX_WIDTH);
        let is_along = along > upwards && widest - UPWARDS <= left;
        let (direction, width) =
            if is_along { (NameDirection::AlongRows, widest) } else { (NameDirection::Upwards, UPWARDS) };
        left -= width - UPWARDS;
        sized.push(TreeLevel { bands, direction, width });
    }
    sized.reverse();
    sized
}

/// Draws the containers of one depth, each a bar beside what it holds.
pub(in super::super) fn draw_level(picture: &mut Picture, (x, top): (f64, f64), scale: f64, level: &TreeLevel) {
    for band in &level.bands {
        let (y, height) = (top + band.top * scale, band.height * scale);
        let width = level.width - 3.0;
        picture.rectangle(x, y + 0.5, width, (height - 1.0).max(0.5)).fill(Color::GRID).title(band.name.clone());
        let middle = y + height / 2.0;
        match level.direction {
            NameDirection::Upwards => {
                if let Some(name) = font::fit(&band.name, TEXT_SIZE, height - 4.0) {
                    picture.text_upwards(x + TEXT_SIZE, middle, TEXT_SIZE, TextAnchor::Middle, name);
                }
            }
            NameDirection::AlongRows if height >= TEXT_SIZE + 3.0 => {
                let name = font::fit_ends(&band.name, TEXT_SIZE, width - 4.0);
                picture.text(x + width / 2.0, middle + 4.0, TEXT_SIZE, TextAnchor::Middle, name);
            }
            NameDirection::AlongRows => {}
        }
    }
}
