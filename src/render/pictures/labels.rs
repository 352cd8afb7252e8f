//! Texts that do not overlap: each takes its place, and one whose place is taken is left out.

#[cfg(test)]
mod tests;

use super::font;
use super::frame::{PictureArea, TEXT_SIZE};
use super::picture::{Picture, TextAnchor};
use crate::color::Color;

/// Texts in a picture: more are no help.
const MAX_LABELS: usize = 400;
/// Room around a text.
const EDGE: f64 = 2.0;

/// The labels written so far, and the areas that they occupy.
#[derive(Debug, Default)]
pub struct PlacedLabels {
    taken: Vec<PictureArea>,
}

impl PlacedLabels {
    /// Writes a text whose anchor is at (x, y) on the baseline, unless another one stands there.
    pub fn write(&mut self, picture: &mut Picture, (x, y): (f64, f64), anchor: TextAnchor, text: &str) {
        self.try_write(picture, (x, y), anchor, text);
    }

    /// As [`PlacedLabels::write`]; says whether the text was written.
    pub fn try_write(&mut self, picture: &mut Picture, (x, y): (f64, f64), anchor: TextAnchor, text: &str) -> bool {
        let place = area_of((x, y), anchor, text);
        if self.taken.len() == MAX_LABELS || self.taken.iter().any(|other| overlap(&place, other)) {
            return false;
        }
        picture.rectangle(place.x, place.y, place.width, place.height).fill(Color::WHITE).opacity(0.75);
        picture.text(x, y, TEXT_SIZE, anchor, text);
        self.taken.push(place);
        true
    }
}

/// The area that a text with its anchor at (x, y) occupies.
pub fn area_of((x, y): (f64, f64), anchor: TextAnchor, text: &str) -> PictureArea {
    let width = font::width(text, TEXT_SIZE);
    let left = match anchor {
        TextAnchor::Start => x,
        TextAnchor::Middle => x - width / 2.0,
        TextAnchor::End => x - width,
    };
    PictureArea { x: left - EDGE, y: y - TEXT_SIZE, width: width + 2.0 * EDGE, height: TEXT_SIZE + 3.0 }
}

fn overlap(one: &PictureArea, other: &PictureArea) -> bool {
    one.x < other.right() && other.x < one.right() && one.y < other.bottom() && other.y < one.bottom()
}
