//! The bundled font: how wide a text is, and the outlines of its glyphs.
//!
//! A part of DejaVu Sans: Latin, Greek, Cyrillic and a few signs. What it lacks is shown as a box.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FILE: &[u8] = include_bytes!("font/DejaVuSans.ttf");

static FACE: LazyLock<Face<'static>> = LazyLock::new(|| Face::parse(FILE, 0).expect("the bundled font is whole"));

/// The family that SVG viewers are asked for: the bundled one, or fonts of about the same width.
pub const FAMILY: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";

/// Height of text outside of titles, in pixels.
pub const TEXT_SIZE: f64 = 11.0;

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

/// The text if it fits into a width, else its beginning and end with an ellipsis between them.
pub fn fit_ends(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let signs: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        signs[..head].iter().chain(['…'].iter()).chain(&signs[signs.len() - tail..]).collect::<String>()
    };
    (0..signs.len()).rev().map(shortened).find(|shown| width(shown, size) <= room).unwrap_or_default()
}

/// The words of a text in lines of a width; a longer word has a line of its own, shortened.
pub fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fit_ends(word, size, room)),
        }
    }
    lines
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

/// The bytes of the font, for documents that hold it.
pub fn file() -> &'static [u8] {
    FILE
}

/// Measures of the whole font, in thousandths of its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FontMeasures {
    /// Left, lower, right and upper edge of the largest glyphs.
    pub bounds: [f64; 4],
    /// How far glyphs rise above the baseline.
    pub ascent: f64,
    /// How far they go below it, as a negative number.
    pub descent: f64,
    /// Height of capitals.
    pub capitals: f64,
}

/// The measures of the font.
pub fn measures() -> FontMeasures {
    let bounds = FACE.global_bounding_box();
    FontMeasures {
        bounds: [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|edge| f64::from(edge) * scale(1000.0)),
        ascent: f64::from(FACE.ascender()) * scale(1000.0),
        descent: f64::from(FACE.descender()) * scale(1000.0),
        capitals: f64::from(FACE.capital_height().unwrap_or_else(|| FACE.ascender())) * scale(1000.0),
    }
}

/// The number of the glyph of a sign, and its width in thousandths of the font's size.
pub fn glyph_of(sign: char) -> (u16, f64) {
    let glyph = glyph(sign);
    (glyph.0, advance(glyph) * scale(1000.0))
}

/// Whether the font has a glyph for a sign, rather than a box.
pub fn has_glyph(sign: char) -> bool {
    FACE.glyph_index(sign).is_some()
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
