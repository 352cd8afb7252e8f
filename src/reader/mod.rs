//! Trace files become batches of events. One folder per format; nothing above knows the format.

mod input;
pub mod paje;
pub mod resources;

use crate::error::{Error, Result};
use crate::model::Batch;
use crate::time::Clock;

pub use input::{Input, Origin};

/// A trace format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Paje,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::Paje => "paje",
        }
    }

    /// Finds the format by the first bytes of the content.
    pub fn detect(head: &[u8], source: &str) -> Result<Format> {
        if let Some(what) = known_binary(head) {
            return Err(Error::Trace(format!(
                "{source} is {what}, not a trace; ocellus reads Pajé traces: text with %EventDef lines, plain, gzip or zstd"
            )));
        }
        let has_header = head
            .split(|byte| *byte == b'\n')
            .any(|line| line.trim_ascii_start().starts_with(b"%"));
        if !has_header && head.contains(&0) {
            return Err(Error::Trace(format!(
                "{source} is binary and no format that ocellus knows; it reads Pajé traces: text with %EventDef lines, plain, gzip or zstd"
            )));
        }
        Ok(Format::Paje)
    }

    /// The reader of the format.
    pub fn reader(self, clock: Clock) -> Box<dyn Reader> {
        match self {
            Format::Paje => Box::new(paje::PajeReader::new(clock)),
        }
    }
}

/// What a file is that is certainly no trace.
fn known_binary(head: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 10] = [
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"%PDF-", "a PDF document"),
        (b"\x7fELF", "a program"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"PAR1", "a Parquet file"),
        (b"ARROW1", "an Arrow file"),
        (b"BZh", "a bzip2 file"),
        (b"\xfd7zXZ\0", "an xz file"),
    ];
    SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)).map(|(_, what)| *what)
}

/// What the consumer of batches wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    GoOn,
    Stop,
}

/// Reads a trace of one format.
pub trait Reader {
    /// Hands over the batches of a trace in order, until the end or until the consumer stops. The
    /// consumer may run while the next batches are read.
    fn read(&mut self, input: Input, consume: &mut (dyn FnMut(&Batch) -> Result<Flow> + Send)) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_content() {
        assert_eq!(Format::detect(b"# x\n%EventDef A 1\n", "x").ok(), Some(Format::Paje));
        assert_eq!(Format::detect(b"1 2 3\n", "x").ok(), Some(Format::Paje));
        let png = Format::detect(b"\x89PNG\r\n\x1a\n...", "a.trace").expect_err("a picture").to_string();
        assert!(png.contains("a PNG picture"), "{png}");
        assert!(Format::detect(b"\0\0\0\0", "x").is_err());
    }
}
