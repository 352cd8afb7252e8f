//! The frame of every picture: title, note, axes, legend, and the area that is left for the data.
//!
//! ```text
//!  title
//!  note
//!  labels | area of the data
//!         +-------------------
//!           time axis
//!  legend
//! ```

#[cfg(test)]
mod tests;

pub use super::font::TEXT_SIZE;

use super::font;
use super::legend::{MARGIN, draw_legend};
use super::picture::{Picture, TextAnchor};
use super::units::{TimeScale, label, quantity, steps};
use crate::color::Color;

const TITLE_SIZE: f64 = 15.0;
const AXIS_HEIGHT: f64 = 38.0;

/// A part of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureArea {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
}

impl PictureArea {
    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// Title, note, axis and legend around the data.
#[derive(Debug, Clone)]
pub struct PictureFrame<'a> {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// Large text at the top.
    pub title: &'a str,
    /// Small text below the title: which trace, when, what is left out.
    pub note: &'a str,
    /// Room for labels at the left.
    pub left: f64,
    /// Room for an axis at the bottom.
    pub axis: Axis,
    /// Names and their colors, at the bottom.
    pub legend: &'a [(String, Color)],
}

/// What is drawn below the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Nothing.
    None,
    /// Marks and a name.
    Below,
}

impl PictureFrame<'_> {
    /// A picture with everything but the data, and the area for it.
    pub fn begin(&self) -> (Picture, PictureArea) {
        let mut picture = Picture::new(self.width, self.height, format!("{}: {}", self.title, self.note));
        let room = self.width - 2.0 * MARGIN;
        let fitted = |text: &str, size: f64| font::fit(text, size, room).unwrap_or_default();
        picture.text(MARGIN, MARGIN + TITLE_SIZE - 2.0, TITLE_SIZE, TextAnchor::Start, fitted(self.title, TITLE_SIZE));
        let note_at = MARGIN + TITLE_SIZE + TEXT_SIZE + 4.0;
        picture.text(MARGIN, note_at, TEXT_SIZE, TextAnchor::Start, fitted(self.note, TEXT_SIZE)).fill(Color::QUIET);
        let legend_height = draw_legend(&mut picture, self.legend);
        let y = note_at + 12.0;
        let axis = if self.axis == Axis::Below { AXIS_HEIGHT } else { 6.0 };
        let x = MARGIN + self.left;
        let width = (self.width - x - MARGIN).max(1.0);
        let height = (self.height - y - axis - legend_height - MARGIN).max(1.0);
        (picture, PictureArea { x, y, width, height })
    }
}

/// Draws a time axis below an area.
pub fn time_axis(picture: &mut Picture, area: &PictureArea, start: f64, stop: f64) {
    let scale = TimeScale::of(start.abs().max(stop.abs()));
    let name = format!("time ({})", scale.name);
    x_axis(picture, area, start * scale.per_second, stop * scale.per_second, &name);
}

/// Draws a numeric axis below an area.
pub fn x_axis(picture: &mut Picture, area: &PictureArea, low: f64, high: f64, name: &str) {
    let marks = marks(low, high, (area.width / 90.0).max(2.0) as usize);
    picture.line((area.x, area.bottom()), (area.right(), area.bottom())).stroke(Color::QUIET, 1.0);
    for mark in &marks {
        let x = area.x + (mark - low) / (high - low).max(f64::MIN_POSITIVE) * area.width;
        picture.line((x, area.bottom()), (x, area.bottom() + 4.0)).stroke(Color::QUIET, 1.0);
        let text = mark_text(*mark, &marks);
        // The last one stays on the page.
        let x = x.min(picture.width - 2.0 - font::width(&text, TEXT_SIZE) / 2.0);
        picture.text(x, area.bottom() + 16.0, TEXT_SIZE, TextAnchor::Middle, text);
    }
    picture
        .text(area.x + area.width / 2.0, area.bottom() + 31.0, TEXT_SIZE, TextAnchor::Middle, name)
        .fill(Color::QUIET);
}

/// About as many marks as asked for, but two at least where there is a range: one alone says nothing of the scale.
fn marks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let mut marks = steps(low, high, about);
    for about in about + 1..=4 * about {
        if marks.len() > 1 {
            break;
        }
        marks = steps(low, high, about);
    }
    marks
}

/// A mark of an axis as text: large ones in thousands, millions and so on, where these differ.
fn mark_text(mark: f64, marks: &[f64]) -> String {
    let is_large = marks.iter().any(|mark| mark.abs() >= 1e4);
    let differ = marks.windows(2).all(|pair| quantity(pair[0]) != quantity(pair[1]));
    if is_large && differ { quantity(mark) } else { label(mark, marks) }
}

/// Draws a numeric axis at the left of an area, with lines across it.
pub fn y_axis(picture: &mut Picture, area: &PictureArea, low: f64, high: f64, name: &str) {
    let marks = marks(low, high, (area.height / 40.0).clamp(2.0, 10.0) as usize);
    for mark in &marks {
        let y = area.bottom() - (mark - low) / (high - low).max(f64::MIN_POSITIVE) * area.height;
        picture.line((area.x, y), (area.right(), y)).stroke(Color::GRID, 1.0);
        let text = mark_text(*mark, &marks);
        picture.text(area.x - 6.0, y + 4.0, TEXT_SIZE, TextAnchor::End, text);
    }
    let middle = area.y + area.height / 2.0;
    picture.text_upwards(MARGIN + TEXT_SIZE, middle, TEXT_SIZE, TextAnchor::Middle, name).fill(Color::QUIET);
}

/// Says in the middle of the area, and as the remark, that there is nothing to draw.
pub fn draw_empty_note(picture: &mut Picture, area: &PictureArea, text: &str) {
    picture.rectangle(area.x, area.y, area.width, area.height).fill(Color::EMPTY);
    let (x, mut y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
    for line in font::wrap(text, 14.0, area.width - 20.0) {
        picture.text(x, y, 14.0, TextAnchor::Middle, line).fill(Color::QUIET);
        y += 20.0;
    }
    picture.remark = text.to_string();
}

/// Width that labels of rows need, between a least and a part of the page.
pub fn label_room<'a>(labels: impl Iterator<Item = &'a str>, page_width: f64) -> f64 {
    let widest = labels.map(|label| font::width(label, TEXT_SIZE)).fold(0.0, f64::max);
    (widest + 10.0).clamp(30.0, page_width / 4.0)
}

/// Draws the labels of rows in the room at the left of an area, leaving out those that would overlap.
pub fn row_labels(picture: &mut Picture, area: &PictureArea, room: f64, rows: &[(f64, f64, &str)]) {
    let mut free_from = f64::NEG_INFINITY;
    for (y, height, name) in rows {
        let middle = y + height / 2.0;
        if middle - TEXT_SIZE / 2.0 < free_from {
            continue;
        }
        let name = font::fit_ends(name, TEXT_SIZE, room - 6.0);
        picture.text(area.x - 6.0, middle + 4.0, TEXT_SIZE, TextAnchor::End, name);
        free_from = middle + TEXT_SIZE / 2.0 + 1.0;
    }
}

/// Draws the labels of rows in the room at the left of an area. Where not all fit, those of the places in `first` come
/// before others, in that order, and the others are paler.
pub fn ranked_row_labels(
    picture: &mut Picture,
    area: &PictureArea,
    room: f64,
    rows: &[(f64, f64, &str)],
    first: &[usize],
) {
    let middle = |row: usize| rows[row].0 + rows[row].1 / 2.0;
    let fit_all = (1..rows.len()).all(|row| middle(row) - middle(row - 1) >= TEXT_SIZE + 1.0);
    if fit_all || first.is_empty() {
        return row_labels(picture, area, room, rows);
    }
    let others = (0..rows.len()).filter(|row| !first.contains(row));
    let mut taken: Vec<f64> = vec![];
    for (rank, row) in first.iter().copied().chain(others).enumerate() {
        let at = middle(row);
        if taken.iter().any(|other| (other - at).abs() < TEXT_SIZE + 1.0) {
            continue;
        }
        let name = font::fit_ends(rows[row].2, TEXT_SIZE, room - 6.0);
        let color = if rank < first.len() { Color::TEXT } else { Color::QUIET };
        picture.text(area.x - 6.0, at + 4.0, TEXT_SIZE, TextAnchor::End, name).fill(color);
        taken.push(at);
    }
}
