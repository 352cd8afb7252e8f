//! Texts that do not overlap: each takes its place, and one whose place is taken is left out.

#[cfg(test)]
mod tests;

use super::font;
use super::page::{Area, TEXT_SIZE};
use super::picture::{Anchor, Picture};
use crate::color::Color;

/// Texts in a picture: more are no help.
const MOST_LABELS: usize = 400;
/// Room around a text.
const EDGE: f64 = 2.0;

/// The ground that a text stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    Pale,
    Dark,
}

/// The places that are taken.
#[derive(Debug, Default)]
pub struct Labels {
    taken: Vec<Area>,
}

impl Labels {
    /// Writes a text whose anchor is at (x, y) on the baseline, unless another one stands there.
    pub fn write(&mut self, picture: &mut Picture, (x, y): (f64, f64), anchor: Anchor, ground: Ground, text: &str) {
        let width = font::width(text, TEXT_SIZE);
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let place = Area { x: left - EDGE, y: y - TEXT_SIZE, width: width + 2.0 * EDGE, height: TEXT_SIZE + 3.0 };
        if self.taken.len() == MOST_LABELS || self.taken.iter().any(|other| overlap(&place, other)) {
            return;
        }
        let (color, opacity) = if ground == Ground::Pale { (Color::WHITE, 0.75) } else { (Color::TEXT, 0.8) };
        picture.rectangle(place.x, place.y, place.width, place.height).fill(color).opacity(opacity);
        let ink = if ground == Ground::Pale { Color::TEXT } else { Color::WHITE };
        picture.text(x, y, TEXT_SIZE, anchor, text).fill(ink);
        self.taken.push(place);
    }
}

fn overlap(one: &Area, other: &Area) -> bool {
    one.x < other.right() && other.x < one.right() && one.y < other.bottom() && other.y < one.bottom()
}
