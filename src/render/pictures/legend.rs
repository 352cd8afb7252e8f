//! The legend of a picture: names and their colors, at the bottom.
//!
//! Values without a color of their own are one entry: nobody tells one gray from another. They and time in no state come last
//! and are always shown; of the others, as many as a few lines have room for. Names that are too long are cut at the end, or
//! in the middle where they would read the same.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::font::{self, TEXT_SIZE};
use super::picture::{Picture, TextAnchor};
use crate::color::{Color, OTHER_STATES};

/// Room around everything on a page.
pub const MARGIN: f64 = 14.0;
const SWATCH: f64 = 11.0;
const LINE: f64 = 18.0;
/// Lines that a legend may take; what is left is counted in words.
const MAX_LINES: usize = 4;
/// Pixels that a name may take.
const NAME_ROOM: f64 = 220.0;
/// Pixels at the right that the count of the others takes.
const COUNT_ROOM: f64 = 90.0;

/// Draws a legend at the bottom of a picture; returns its height.
pub fn draw_legend(picture: &mut Picture, legend: &[(String, Color)]) -> f64 {
    let entries = gathered(legend);
    let names = shown_names(&entries);
    let is_kept = |index: usize| entries[index].1 == Color::REST || entries[index].1 == Color::EMPTY;
    // What is always shown comes last: entries before it make room.
    let mut shown: Vec<usize> = (0..entries.len()).collect();
    let mut places = place(picture.width, &names, &shown);
    while places.iter().any(|(line, _)| *line >= MAX_LINES) {
        let Some(last) = shown.iter().rposition(|index| !is_kept(*index)) else { break };
        shown.remove(last);
        places = place(picture.width, &names, &shown);
    }
    let lines = places.last().map_or(0, |(line, _)| line + 1);
    let height = lines as f64 * LINE;
    let top = picture.height - MARGIN - height;
    for (index, (line, x)) in shown.iter().zip(&places) {
        let (y, color) = (top + *line as f64 * LINE + 4.0, entries[*index].1);
        let swatch = picture.rectangle(*x, y, SWATCH, SWATCH).fill(color);
        if color.contrast_with_white() < 1.3 {
            swatch.stroke(Color::QUIET, 0.5);
        }
        picture.text(x + SWATCH + 5.0, y + SWATCH - 1.5, TEXT_SIZE, TextAnchor::Start, names[*index].clone());
    }
    if shown.len() < entries.len() {
        let rest = format!("… {} more", entries.len() - shown.len());
        let y = top + height - LINE + 4.0 + SWATCH - 1.5;
        picture.text(picture.width - MARGIN, y, TEXT_SIZE, TextAnchor::End, rest).fill(Color::QUIET);
    }
    height
}

/// The entries, with those that have no color of their own as one, and time in no state at the end.
fn gathered(legend: &[(String, Color)]) -> Vec<(String, Color)> {
    let (gray, others): (Vec<_>, Vec<_>) = legend.iter().cloned().partition(|(_, color)| *color == Color::REST);
    let (empty, mut entries): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, color)| *color == Color::EMPTY);
    let is_counted = !gray.iter().any(|(name, _)| name == OTHER_STATES);
    match gray.len() {
        0 | 1 => entries.extend(gray),
        count if is_counted => entries.push((format!("{count} other values"), Color::REST)),
        _ => entries.push((OTHER_STATES.to_string(), Color::REST)),
    }
    entries.extend(empty);
    entries
}

/// The names as they are written.
fn shown_names(entries: &[(String, Color)]) -> Vec<String> {
    let cut = |name: &str| font::fit(name, TEXT_SIZE, NAME_ROOM).unwrap_or_default();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for (name, _) in entries {
        *uses.entry(cut(name.trim())).or_default() += 1;
    }
    let shown = |name: &str| Some(cut(name)).filter(|text| uses[text] == 1);
    let ends = |name: &str| font::fit_ends(name, TEXT_SIZE, NAME_ROOM);
    entries.iter().map(|(name, _)| shown(name.trim()).unwrap_or_else(|| ends(name.trim()))).collect()
}

/// The line and the left edge of each of the shown entries.
fn place(width: f64, names: &[String], shown: &[usize]) -> Vec<(usize, f64)> {
    let mut places: Vec<(usize, f64)> = vec![];
    let (mut line, mut x) = (0, MARGIN);
    for index in shown {
        let room = SWATCH + 5.0 + font::width(&names[*index], TEXT_SIZE) + 16.0;
        if x + room > width - MARGIN - COUNT_ROOM && x > MARGIN {
            (line, x) = (line + 1, MARGIN);
        }
        places.push((line, x));
        x += room;
    }
    places
}
