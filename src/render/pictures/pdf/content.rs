//! The content of a page: operators that paint the elements of a picture.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::super::font;
use super::super::picture::{ElementShape, PathStep, Picture, PictureElement, TextAnchor, TextDirection, TextLine};
use super::objects::decimal;
use crate::color::Color;

/// Distance of the control points of a quarter of a circle, over its radius.
const QUARTER: f64 = 0.552_284_75;

/// The operators, and what they refer to.
#[derive(Debug, Default)]
pub struct PageContent {
    /// The operators as text.
    pub operators: Vec<u8>,
    /// Opacities that occur, in percent.
    pub opacities: BTreeSet<u8>,
    /// Glyphs that occur, with a sign that each stands for.
    pub signs: BTreeMap<u16, char>,
}

impl PageContent {
    /// The content that paints a picture.
    pub fn of(picture: &Picture) -> PageContent {
        let mut content = PageContent::default();
        let (width, height) = (decimal(picture.width), decimal(picture.height));
        // From here on y grows downwards, as in pictures.
        let mut out = format!("1 0 0 -1 0 {height} cm\n1 1 1 rg 0 0 {width} {height} re f\n");
        for element in picture.elements.iter().filter(|element| element.opacity > 0.0) {
            content.paint(&mut out, element);
        }
        content.operators = out.into_bytes();
        content
    }

    fn paint(&mut self, out: &mut String, element: &PictureElement) {
        let operator = match (element.fill, element.stroke) {
            (None, None) => return,
            (Some(_), None) => "f",
            (None, Some(_)) => "S",
            (Some(_), Some(_)) => "B",
        };
        let percent = (element.opacity * 100.0).round() as u8;
        let is_opaque = percent >= 100;
        if !is_opaque {
            self.opacities.insert(percent);
            let _ = write!(out, "q /O{percent} gs ");
        }
        if let Some(color) = element.fill {
            let _ = write!(out, "{} rg ", channels(color));
        }
        if let Some(stroke) = element.stroke {
            let _ = write!(out, "{} RG {} w ", channels(stroke.color), decimal(stroke.width));
        }
        match &element.shape {
            ElementShape::Rectangle { x, y, width, height } => {
                let _ = write!(out, "{} re {operator}", numbers(&[*x, *y, *width, *height]));
            }
            ElementShape::Circle { x, y, radius } => {
                let _ = write!(out, "{}{operator}", path(&circle(*x, *y, *radius)));
            }
            ElementShape::Path(steps) => {
                let _ = write!(out, "{}{operator}", path(steps));
            }
            ElementShape::Text(text) => self.write(out, text),
        }
        out.push_str(if is_opaque { "\n" } else { " Q\n" });
    }

    fn write(&mut self, out: &mut String, text: &TextLine) {
        let width = font::width(&text.text, text.size);
        let back = match text.anchor {
            TextAnchor::Start => 0.0,
            TextAnchor::Middle => width / 2.0,
            TextAnchor::End => width,
        };
        // Glyphs stand upright though y grows downwards.
        let matrix = match text.direction {
            TextDirection::Across => [1.0, 0.0, 0.0, -1.0, text.x - back, text.y],
            TextDirection::Upwards => [0.0, -1.0, -1.0, 0.0, text.x, text.y + back],
        };
        let mut glyphs = String::new();
        for sign in text.text.chars() {
            let (glyph, _) = font::glyph_of(sign);
            let meaning = if font::has_glyph(sign) { sign } else { char::REPLACEMENT_CHARACTER };
            self.signs.entry(glyph).or_insert(meaning);
            let _ = write!(glyphs, "{glyph:04X}");
        }
        let _ = write!(out, "BT /F {} Tf {} Tm <{glyphs}> Tj ET", decimal(text.size), numbers(&matrix));
    }
}

fn channels(color: Color) -> String {
    numbers(&[color.red, color.green, color.blue].map(|channel| f64::from(channel) / 255.0))
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(|value| decimal(*value)).collect::<Vec<_>>().join(" ")
}

fn path(steps: &[PathStep]) -> String {
    let mut out = String::new();
    for step in steps {
        let _ = match step {
            PathStep::Move(x, y) => write!(out, "{} m ", numbers(&[*x, *y])),
            PathStep::Line(x, y) => write!(out, "{} l ", numbers(&[*x, *y])),
            PathStep::Curve(points) => write!(out, "{} c ", numbers(points)),
            PathStep::Close => write!(out, "h "),
        };
    }
    out
}

fn circle(x: f64, y: f64, radius: f64) -> Vec<PathStep> {
    let reach = radius * QUARTER;
    vec![
        PathStep::Move(x + radius, y),
        PathStep::Curve([x + radius, y + reach, x + reach, y + radius, x, y + radius]),
        PathStep::Curve([x - reach, y + radius, x - radius, y + reach, x - radius, y]),
        PathStep::Curve([x - radius, y - reach, x - reach, y - radius, x, y - radius]),
        PathStep::Curve([x + reach, y - radius, x + radius, y - reach, x + radius, y]),
        PathStep::Close,
    ]
}
