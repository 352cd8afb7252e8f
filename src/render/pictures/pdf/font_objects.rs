//! The bundled font as objects of a file: glyphs, widths, and which letters they are.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::font;
use super::objects::{PdfObjects, decimal};
use ocellus_trace::error::Result;

const NAME: &str = "DejaVuSans";
/// Entries that a block of a table of letters may have.
const MAX_BLOCK: usize = 100;

/// Adds the font with the widths and letters of the glyphs that occur; returns its number.
pub fn add_font(objects: &mut PdfObjects, signs: &BTreeMap<u16, char>) -> Result<usize> {
    let data = font::file();
    let file = objects.add_stream(&format!(" /Length1 {}", data.len()), data)?;
    let measures = font::measures();
    let bounds = measures.bounds.map(|edge| decimal(edge.round())).join(" ");
    // Flag 32: signs of the usual alphabets. The weight of stems is only a hint.
    let descriptor = objects.add(format!(
        "<</Type /FontDescriptor /FontName /{NAME} /Flags 32 /FontBBox [{bounds}] /ItalicAngle 0 /Ascent {} \
         /Descent {} /CapHeight {} /StemV 80 /FontFile2 {file} 0 R>>",
        decimal(measures.ascent.round()),
        decimal(measures.descent.round()),
        decimal(measures.capitals.round())
    ));
    let mut widths = String::new();
    for (glyph, sign) in signs {
        let _ = write!(widths, "{glyph} [{}] ", decimal(font::glyph_of(*sign).1));
    }
    let glyphs = objects.add(format!(
        "<</Type /Font /Subtype /CIDFontType2 /BaseFont /{NAME} /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) \
         /Supplement 0>> /FontDescriptor {descriptor} 0 R /CIDToGIDMap /Identity /W [{widths}]>>"
    ));
    let letters = objects.add_stream("", letters(signs).as_bytes())?;
    Ok(objects.add(format!(
        "<</Type /Font /Subtype /Type0 /BaseFont /{NAME} /Encoding /Identity-H /DescendantFonts [{glyphs} 0 R] \
         /ToUnicode {letters} 0 R>>"
    )))
}

/// The table that says which letter a glyph is, so that text can be searched and copied.
fn letters(signs: &BTreeMap<u16, char>) -> String {
    let mut out = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Letters def\n/CMapType 2 def\n\
         1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    let entries: Vec<(&u16, &char)> = signs.iter().collect();
    for block in entries.chunks(MAX_BLOCK) {
        let _ = writeln!(out, "{} beginbfchar", block.len());
        for (glyph, sign) in block {
            let units: String = sign.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("{unit:04X}")).collect();
            let _ = writeln!(out, "<{glyph:04X}> <{units}>");
        }
        out.push_str("endbfchar\n");
    }
    out.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    out
}
