//! Writes a picture as PDF: one page with the same shapes, and text in the bundled font that can be selected.
//!
//! ```text
//!  catalog ─► pages ─► page ─┬─► content       the shapes, in the order of painting
//!                            └─► font ─► its glyphs, widths and letters
//! ```
//! A pixel of the picture is a point of the page. The same picture gives the same bytes.

mod content;
mod font_objects;
mod objects;
#[cfg(test)]
mod tests;

use self::content::PageContent;
use self::font_objects::add_font;
use self::objects::{PdfObjects, decimal, hex_text};
use super::picture::Picture;
use ocellus_trace::error::Result;

/// The picture as a PDF file.
pub fn to_pdf(picture: &Picture) -> Result<Vec<u8>> {
    let content = PageContent::of(picture);
    let mut objects = PdfObjects::default();
    let (catalog, pages, page) = (objects.reserve(), objects.reserve(), objects.reserve());
    let shapes = objects.add_stream("", &content.operators)?;
    let font = add_font(&mut objects, &content.signs)?;
    let opacities: String = content
        .opacities
        .iter()
        .map(|percent| {
            let part = decimal(f64::from(*percent) / 100.0);
            format!("/O{percent} <</ca {part} /CA {part}>> ")
        })
        .collect();
    let (width, height) = (decimal(picture.width), decimal(picture.height));
    objects.fill(catalog, format!("<</Type /Catalog /Pages {pages} 0 R>>"));
    objects.fill(pages, format!("<</Type /Pages /Kids [{page} 0 R] /Count 1>>"));
    objects.fill(
        page,
        format!(
            "<</Type /Page /Parent {pages} 0 R /MediaBox [0 0 {width} {height}] /Contents {shapes} 0 R \
             /Resources <</Font <</F {font} 0 R>> /ExtGState <<{opacities}>>>>>>"
        ),
    );
    let title = hex_text(&picture.title);
    let info = objects.add(format!("<</Title {title} /Producer (ocellus {})>>", env!("CARGO_PKG_VERSION")));
    Ok(objects.finish(catalog, info))
}
