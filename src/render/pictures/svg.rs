//! Writes a picture as SVG.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use super::font::FAMILY;
use super::picture::{ElementShape, PathStep, Picture, PictureElement, TextAnchor, TextDirection, TextLine};
use crate::color::Color;

/// Bytes that a document may have.
const MAX_BYTES: usize = 2_000_000;
/// Letters that titles keep in a document that would be larger.
const SHORT_TITLE: usize = 40;

/// The picture as an SVG document. One with very many shapes has shorter titles, or none.
pub fn to_svg(picture: &Picture) -> String {
    let lengths = [usize::MAX, SHORT_TITLE, 0];
    let mut documents = lengths.iter().map(|titles| document(picture, *titles));
    documents.find(|text| text.len() <= MAX_BYTES).unwrap_or_else(|| document(picture, 0))
}

fn document(picture: &Picture, titles: usize) -> String {
    let (width, height) = (number(picture.width), number(picture.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        escape(&picture.title)
    );
    for element in &picture.elements {
        // What is not seen is there for its title.
        if element.opacity == 0.0 && titles == 0 {
            continue;
        }
        write_element(&mut out, element, titles);
    }
    out.push_str("</svg>\n");
    out
}

/// Writes a shape, with at most that many letters of its title.
fn write_element(out: &mut String, element: &PictureElement, titles: usize) {
    let paint = paint(element);
    let name = match &element.shape {
        ElementShape::Rectangle { x, y, width, height } => {
            let (x, y, width, height) = (number(*x), number(*y), number(*width), number(*height));
            let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{paint}");
            "rect"
        }
        ElementShape::Circle { x, y, radius } => {
            let _ = write!(out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{paint}", number(*x), number(*y), number(*radius));
            "circle"
        }
        ElementShape::Path(steps) => {
            let _ = write!(out, "<path d=\"{}\"{paint}", path(steps));
            "path"
        }
        ElementShape::Text(text) => {
            write_text(out, text, &paint);
            return out.push_str("</text>\n");
        }
    };
    match &element.title {
        Some(title) if titles > 0 => {
            let title: String = title.chars().take(titles).collect();
            let _ = writeln!(out, "><title>{}</title></{name}>", escape(&title));
        }
        _ => out.push_str("/>\n"),
    }
}

fn write_text(out: &mut String, text: &TextLine, paint: &str) {
    let (x, y) = (number(text.x), number(text.y));
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"{paint}", number(text.size));
    match text.anchor {
        TextAnchor::Start => {}
        TextAnchor::Middle => out.push_str(" text-anchor=\"middle\""),
        TextAnchor::End => out.push_str(" text-anchor=\"end\""),
    }
    if text.direction == TextDirection::Upwards {
        let _ = write!(out, " transform=\"rotate(-90 {x} {y})\"");
    }
    let _ = write!(out, ">{}", escape(&text.text));
}

fn paint(element: &PictureElement) -> String {
    let mut out = String::new();
    match (element.fill, &element.shape) {
        (Some(color), _) => {
            let _ = write!(out, " fill=\"{}\"", hex(color));
        }
        (None, _) => out.push_str(" fill=\"none\""),
    }
    if let Some(stroke) = element.stroke {
        let _ = write!(out, " stroke=\"{}\"", hex(stroke.color));
        if stroke.width != 1.0 {
            let _ = write!(out, " stroke-width=\"{}\"", number(stroke.width));
        }
    }
    if element.opacity < 1.0 {
        let _ = write!(out, " opacity=\"{}\"", number(element.opacity));
    }
    out
}

fn path(steps: &[PathStep]) -> String {
    let mut out = String::new();
    // Where the pen is, as it was written.
    let mut pen = (String::new(), String::new());
    for step in steps {
        let (x, y) = match step {
            PathStep::Move(x, y) | PathStep::Line(x, y) | PathStep::Curve([.., x, y]) => (number(*x), number(*y)),
            PathStep::Close => (String::new(), String::new()),
        };
        let _ = match step {
            PathStep::Move(..) => write!(out, "M{x} {y}"),
            PathStep::Line(..) if pen == (x.clone(), y.clone()) => Ok(()),
            PathStep::Line(..) if pen.0 == x => write!(out, "V{y}"),
            PathStep::Line(..) if pen.1 == y => write!(out, "H{x}"),
            PathStep::Line(..) => write!(out, "L{x} {y}"),
            PathStep::Curve([a, b, c, d, ..]) => {
                write!(out, "C{} {} {} {} {x} {y}", number(*a), number(*b), number(*c), number(*d))
            }
            PathStep::Close => write!(out, "Z"),
        };
        pen = (x, y);
    }
    out
}

/// A hundredth of a pixel is enough.
fn number(value: f64) -> String {
    let value = if value.is_finite() { (value * 100.0).round() / 100.0 } else { 0.0 };
    format!("{}", if value == 0.0 { 0.0 } else { value })
}

fn hex(color: Color) -> String {
    format!("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue)
}

/// Text between tags. Control characters, which XML forbids, become spaces.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            sign if sign.is_control() && sign != '\n' => out.push(' '),
            sign => out.push(sign),
        }
    }
    out
}
