//! The bundled font: how wide a text is, and the outlines of its glyphs.
//!
//! A part of DejaVu Sans: Latin, Greek, Cyrillic and a few signs. What it lacks is shown as a box.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(include_bytes!("font/DejaVuSans.ttf"), 0).expect("the bundled font is whole"));

/// The family that SVG viewers are asked for: the bundled one, or fonts of about the same width.
pub const FAMILY: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";

/// Width of a text of a size, in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|sign| advance(glyph(sign))).sum::<f64>() * scale(size)
}

/// The text if it fits into a width, else its beginning with an ellipsis; `None` when not even that fits.
pub fn fit(text: &str, size: f64, room: f64) -> Option<String> {
    if width(text, size) <= room {
        return Some(text.to_string());
    }
    let mut kept: Vec<char> = text.chars().collect();
    while kept.pop().is_some() {
        let shown: String = kept.iter().chain(['…'].iter()).collect();
        if kept.len() < 2 {
            return None;
        }
        if width(&shown, size) <= room {
            return Some(shown);
        }
    }
    None
}

/// Draws the outlines of a text that starts at (x, y) on the baseline.
pub fn outline(text: &str, size: f64, x: f64, y: f64, pen: &mut dyn Pen) {
    let scale = scale(size);
    let mut x = x;
    for sign in text.chars() {
        let glyph = glyph(sign);
        FACE.outline_glyph(glyph, &mut GlyphOutline { pen, x, y, scale });
        x += advance(glyph) * scale;
    }
}

/// Receives outlines, in pixels.
pub trait Pen {
    /// Begins a contour.
    fn move_to(&mut self, x: f64, y: f64);
    /// A straight line.
    fn line_to(&mut self, x: f64, y: f64);
    /// A quadratic curve with one control point.
    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64);
    /// A cubic curve with two control points.
    fn curve_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, x: f64, y: f64);
    /// Ends a contour where it began.
    fn close(&mut self);
}

fn scale(size: f64) -> f64 {
    size / f64::from(FACE.units_per_em())
}

fn glyph(sign: char) -> GlyphId {
    FACE.glyph_index(sign).or_else(|| FACE.glyph_index('\u{FFFD}')).unwrap_or(GlyphId(0))
}

fn advance(glyph: GlyphId) -> f64 {
    f64::from(FACE.glyph_hor_advance(glyph).unwrap_or(0))
}

/// Outlines come in font units, with y upwards.
struct GlyphOutline<'a> {
    pen: &'a mut dyn Pen,
    x: f64,
    y: f64,
    scale: f64,
}

impl GlyphOutline<'_> {
    fn at(&self, x: f32, y: f32) -> (f64, f64) {
        (self.x + f64::from(x) * self.scale, self.y - f64::from(y) * self.scale)
    }
}

impl OutlineBuilder for GlyphOutline<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.pen.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.pen.curve_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.pen.close();
    }
}
