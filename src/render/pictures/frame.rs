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

use super::font;
use super::picture::{Picture, TextAnchor};
use super::units::{TimeScale, label, quantity, steps};
use crate::color::Color;

const MARGIN: f64 = 14.0;
const TITLE_SIZE: f64 = 15.0;
/// Height of text outside of titles, in pixels.
pub const TEXT_SIZE: f64 = 11.0;
const SWATCH: f64 = 11.0;
const LEGEND_LINE: f64 = 18.0;
const AXIS_HEIGHT: f64 = 38.0;
/// Lines that a legend may take; what is left is counted in words.
const LEGEND_LINES: usize = 4;

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
        let legend_height = self.draw_legend(&mut picture);
        let y = note_at + 12.0;
        let axis = if self.axis == Axis::Below { AXIS_HEIGHT } else { 6.0 };
        let x = MARGIN + self.left;
        let width = (self.width - x - MARGIN).max(1.0);
        let height = (self.height - y - axis - legend_height - MARGIN).max(1.0);
        (picture, PictureArea { x, y, width, height })
    }

    /// Draws the legend at the bottom; returns its height.
    fn draw_legend(&self, picture: &mut Picture) -> f64 {
        let mut lines: Vec<Vec<(f64, &(String, Color))>> = vec![];
        let mut x = f64::INFINITY;
        let mut shown = 0;
        for entry in self.legend {
            let width = SWATCH + 5.0 + font::width(&entry.0, TEXT_SIZE).min(220.0) + 16.0;
            if x + width > self.width - MARGIN - 90.0 {
                if lines.len() == LEGEND_LINES {
                    break;
                }
                lines.push(vec![]);
                x = MARGIN;
            }
            if let Some(line) = lines.last_mut() {
                line.push((x, entry));
            }
            x += width;
            shown += 1;
        }
        let height = lines.len() as f64 * LEGEND_LINE;
        let top = self.height - MARGIN - height;
        for (index, line) in lines.iter().enumerate() {
            let y = top + index as f64 * LEGEND_LINE + 4.0;
            for (x, (name, color)) in line {
                let swatch = picture.rectangle(*x, y, SWATCH, SWATCH).fill(*color);
                if color.contrast_with_white() < 1.3 {
                    swatch.stroke(Color::QUIET, 0.5);
                }
                let name = font::fit(name, TEXT_SIZE, 220.0).unwrap_or_default();
                picture.text(x + SWATCH + 5.0, y + SWATCH - 1.5, TEXT_SIZE, TextAnchor::Start, name);
            }
        }
        if shown < self.legend.len() {
            let rest = format!("… {} more", self.legend.len() - shown);
            let y = top + height - LEGEND_LINE + 4.0 + SWATCH - 1.5;
            picture.text(self.width - MARGIN, y, TEXT_SIZE, TextAnchor::End, rest).fill(Color::QUIET);
        }
        height
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
    let marks = steps(low, high, (area.width / 90.0).max(2.0) as usize);
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

/// A mark of an axis as text: large ones in thousands, millions and so on, where these differ.
fn mark_text(mark: f64, marks: &[f64]) -> String {
    let is_large = marks.iter().any(|mark| mark.abs() >= 1e4);
    let differ = marks.windows(2).all(|pair| quantity(pair[0]) != quantity(pair[1]));
    if is_large && differ { quantity(mark) } else { label(mark, marks) }
}

/// Draws a numeric axis at the left of an area, with lines across it.
pub fn y_axis(picture: &mut Picture, area: &PictureArea, low: f64, high: f64, name: &str) {
    let marks = steps(low, high, (area.height / 40.0).clamp(2.0, 10.0) as usize);
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
        if let Some(name) = font::fit(name, TEXT_SIZE, room - 6.0) {
            picture.text(area.x - 6.0, middle + 4.0, TEXT_SIZE, TextAnchor::End, name);
            free_from = middle + TEXT_SIZE / 2.0 + 1.0;
        }
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
        if let Some(name) = font::fit(rows[row].2, TEXT_SIZE, room - 6.0) {
            let color = if rank < first.len() { Color::TEXT } else { Color::QUIET };
            picture.text(area.x - 6.0, at + 4.0, TEXT_SIZE, TextAnchor::End, name).fill(color);
            taken.push(at);
        }
    }
}
