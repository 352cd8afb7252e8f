//! The colors of cells, and the bar that explains them.

use super::super::font;
use super::super::frame::{PictureArea, TEXT_SIZE};
use super::super::picture::{Picture, TextAnchor};
use super::super::units::{bytes, quantity};
use crate::color::Color;

const LIGHTEST: Color = Color::new(222, 235, 247);
const DARKEST: Color = Color::new(8, 48, 107);
/// Pieces of the bar.
const PIECES: usize = 64;
const BAR_WIDTH: f64 = 200.0;
const BAR_HEIGHT: f64 = 10.0;
/// Parts of the bar that have a number.
const MARKS: [f64; 3] = [0.0, 0.5, 1.0];

/// The color of an amount: darker with its root, so that small ones show.
pub fn color_of(amount: f64, most: f64) -> Color {
    LIGHTEST.toward(DARKEST, (amount / most.max(f64::MIN_POSITIVE)).sqrt())
}

/// Draws the bar below a matrix: which color is how much, and what an empty cell is.
pub fn draw_scale(picture: &mut Picture, panel: &PictureArea, y: f64, right: f64, what: &str, most: f64) {
    let width = BAR_WIDTH.min((right - panel.x) * 0.4);
    let piece = width / PIECES as f64;
    for at in 0..PIECES {
        let color = LIGHTEST.toward(DARKEST, (at as f64 + 0.5) / PIECES as f64);
        picture.rectangle(panel.x + at as f64 * piece, y, piece + 0.3, BAR_HEIGHT).fill(color);
    }
    for part in MARKS {
        let x = panel.x + part * width;
        picture.line((x, y + BAR_HEIGHT), (x, y + BAR_HEIGHT + 3.0)).stroke(Color::QUIET, 1.0);
        // The color is the root of the amount.
        let amount = part * part * most;
        let text = if what == "volume" { bytes(amount) } else { quantity(amount) };
        let anchor = if part == 0.0 { TextAnchor::Start } else { TextAnchor::Middle };
        picture.text(x, y + BAR_HEIGHT + 14.0, TEXT_SIZE, anchor, text);
    }
    let x = panel.x + width + 34.0;
    picture.rectangle(x, y, BAR_HEIGHT, BAR_HEIGHT).fill(Color::EMPTY).stroke(Color::GRID, 1.0);
    picture.text(x + BAR_HEIGHT + 5.0, y + BAR_HEIGHT - 1.0, TEXT_SIZE, TextAnchor::Start, "no message");
    let texts = ["per cell; the color is its square root", "per cell, square root", "(square root)"];
    let texts = texts.map(|text| format!("{what} {text}"));
    let room = right - x;
    if let Some(text) = texts.into_iter().find(|text| font::width(text, TEXT_SIZE) <= room) {
        picture.text(x, y + BAR_HEIGHT + 14.0, TEXT_SIZE, TextAnchor::Start, text).fill(Color::QUIET);
    }
}
