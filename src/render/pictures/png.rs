//! Writes a picture as PNG: the same shapes, painted by tiny-skia with the bundled font.

#[cfg(test)]
mod tests;

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Rect, Stroke, Transform};

use super::font::{self, Pen};
use super::picture::{ElementShape, PathStep, Picture, PictureElement, TextAnchor, TextDirection, TextLine};
use crate::color::Color;
use ocellus_trace::error::{Error, Result};

/// Pixels of the file per pixel of the picture: screens are finer than they were.
const SCALE: f32 = 2.0;
/// Pictures beyond this are refused: a side of 16,384 at double scale is a gigabyte.
pub const MAX_PIXELS: f64 = 8192.0;

/// Bytes that it takes to paint a picture.
pub fn image_bytes(picture: &Picture) -> f64 {
    let scale = f64::from(SCALE);
    4.0 * (picture.width * scale).round() * (picture.height * scale).round()
}

/// The picture as a PNG file.
pub fn to_png(picture: &Picture) -> Result<Vec<u8>> {
    let pixels = |length: f64| (length * f64::from(SCALE)).round() as u32;
    let (width, height) = (pixels(picture.width), pixels(picture.height));
    let canvas = if picture.width.max(picture.height) <= MAX_PIXELS { Pixmap::new(width, height) } else { None };
    let mut canvas = canvas.ok_or_else(|| {
        let (width, height) = (picture.width, picture.height);
        Error::Usage(format!(
            "a picture of {width} by {height} pixels cannot be made; the most is {MAX_PIXELS} by {MAX_PIXELS}"
        ))
    })?;
    canvas.fill(tiny_skia::Color::WHITE);
    for element in picture.elements.iter().filter(|element| element.opacity > 0.0) {
        draw(&mut canvas, element);
    }
    encode(&canvas)
}

fn draw(canvas: &mut Pixmap, element: &PictureElement) {
    let path = match &element.shape {
        ElementShape::Rectangle { x, y, width, height } => {
            Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32).map(PathBuilder::from_rect)
        }
        ElementShape::Circle { x, y, radius } => PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32),
        ElementShape::Path(steps) => path_of(steps),
        ElementShape::Text(text) => outline(text),
    };
    let Some(path) = path else {
        return;
    };
    let transform = match &element.shape {
        ElementShape::Text(TextLine { direction: TextDirection::Upwards, x, y, .. }) => {
            Transform::from_scale(SCALE, SCALE).pre_concat(Transform::from_rotate_at(-90.0, *x as f32, *y as f32))
        }
        _ => Transform::from_scale(SCALE, SCALE),
    };
    if let Some(color) = element.fill {
        canvas.fill_path(&path, &paint(color, element.opacity), FillRule::Winding, transform, None);
    }
    if let Some(stroke) = element.stroke {
        let line = Stroke { width: stroke.width as f32, ..Stroke::default() };
        canvas.stroke_path(&path, &paint(stroke.color, element.opacity), &line, transform, None);
    }
}

fn paint(color: Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(color.red, color.green, color.blue, (opacity * 255.0).round() as u8);
    paint
}

fn path_of(steps: &[PathStep]) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    for step in steps {
        match *step {
            PathStep::Move(x, y) => builder.move_to(x as f32, y as f32),
            PathStep::Line(x, y) => builder.line_to(x as f32, y as f32),
            PathStep::Curve(points) => {
                let [a, b, c, d, x, y] = points.map(|value| value as f32);
                builder.cubic_to(a, b, c, d, x, y);
            }
            PathStep::Close => builder.close(),
        }
    }
    builder.finish()
}

fn outline(text: &TextLine) -> Option<tiny_skia::Path> {
    let width = font::width(&text.text, text.size);
    let start = match text.anchor {
        TextAnchor::Start => text.x,
        TextAnchor::Middle => text.x - width / 2.0,
        TextAnchor::End => text.x - width,
    };
    let mut pen = PathPen(PathBuilder::new());
    font::outline(&text.text, text.size, start, text.y, &mut pen);
    pen.0.finish()
}

struct PathPen(PathBuilder);

impl Pen for PathPen {
    fn move_to(&mut self, x: f64, y: f64) {
        self.0.move_to(x as f32, y as f32);
    }

    fn line_to(&mut self, x: f64, y: f64) {
        self.0.line_to(x as f32, y as f32);
    }

    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64) {
        self.0.quad_to(x1 as f32, y1 as f32, x as f32, y as f32);
    }

    fn curve_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, x: f64, y: f64) {
        self.0.cubic_to(x1 as f32, y1 as f32, x2 as f32, y2 as f32, x as f32, y as f32);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

/// An RGB file without interlacing. Every row is filtered by the one above, which suits flat colors.
fn encode(canvas: &Pixmap) -> Result<Vec<u8>> {
    let failed = |source| Error::Io { context: "cannot compress a picture".to_string(), source };
    let row = canvas.width() as usize * 3;
    let mut above = vec![0_u8; row];
    let mut packed = ZlibEncoder::new(vec![], Compression::default());
    for pixels in canvas.pixels().chunks(canvas.width() as usize) {
        // The canvas is opaque, so its premultiplied colors are the colors.
        let line: Vec<u8> = pixels.iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
        let filtered: Vec<u8> = line.iter().zip(&above).map(|(now, before)| now.wrapping_sub(*before)).collect();
        packed.write_all(&[2]).and_then(|()| packed.write_all(&filtered)).map_err(failed)?;
        above = line;
    }
    let data = packed.finish().map_err(failed)?;
    let mut header = vec![];
    header.extend(canvas.width().to_be_bytes());
    header.extend(canvas.height().to_be_bytes());
    // Eight bits, RGB, the usual compression and filters, no interlacing.
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [(b"IHDR", header.as_slice()), (b"IDAT", &data), (b"IEND", &[])] {
        chunk(&mut file, name, data);
    }
    Ok(file)
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    file.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    let mut sum = flate2::Crc::new();
    sum.update(name);
    sum.update(data);
    file.extend(name);
    file.extend(data);
    file.extend(sum.sum().to_be_bytes());
}
