//! The file around the objects: numbers, streams, the table of places and the trailer.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use ocellus_trace::error::{Error, Result};

/// The objects of a file, each with its number from 1 on.
#[derive(Debug, Default)]
pub struct PdfObjects {
    bodies: Vec<Vec<u8>>,
}

impl PdfObjects {
    /// Takes a number for an object that is written later.
    pub fn reserve(&mut self) -> usize {
        self.bodies.push(vec![]);
        self.bodies.len()
    }

    /// Writes the object of a reserved number.
    pub fn fill(&mut self, number: usize, body: String) {
        self.bodies[number - 1] = body.into_bytes();
    }

    /// Adds an object; returns its number.
    pub fn add(&mut self, body: String) -> usize {
        self.bodies.push(body.into_bytes());
        self.bodies.len()
    }

    /// Adds compressed data with further entries of its dictionary; returns its number.
    pub fn add_stream(&mut self, entries: &str, data: &[u8]) -> Result<usize> {
        let failed = |source| Error::Io { context: "cannot compress a page".to_string(), source };
        let mut packed = ZlibEncoder::new(vec![], Compression::default());
        packed.write_all(data).map_err(failed)?;
        let packed = packed.finish().map_err(failed)?;
        let mut body = format!("<</Length {} /Filter /FlateDecode{entries}>>\nstream\n", packed.len()).into_bytes();
        body.extend(packed);
        body.extend(b"\nendstream");
        self.bodies.push(body);
        Ok(self.bodies.len())
    }

    /// The whole file.
    pub fn finish(self, catalog: usize, info: usize) -> Vec<u8> {
        // Four bytes above 127 in the second line mark the file as binary.
        let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.bodies.len() + 1);
        for (index, body) in self.bodies.iter().enumerate() {
            let _ = writeln!(table, "{:010} 00000 n ", file.len());
            file.extend(format!("{} 0 obj\n", index + 1).bytes());
            file.extend(body);
            file.extend(b"\nendobj\n");
        }
        let place = file.len();
        let size = self.bodies.len() + 1;
        file.extend(table.bytes());
        file.extend(
            format!("trailer\n<</Size {size} /Root {catalog} 0 R /Info {info} 0 R>>\nstartxref\n{place}\n%%EOF\n")
                .bytes(),
        );
        file
    }
}

/// A number without an exponent; a thousandth of a point is enough.
pub fn decimal(value: f64) -> String {
    let value = if value.is_finite() { (value * 1000.0).round() / 1000.0 } else { 0.0 };
    format!("{}", if value == 0.0 { 0.0 } else { value })
}

/// A text for the properties of a document.
pub fn hex_text(text: &str) -> String {
    let digits: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
    format!("<FEFF{digits}>")
}
