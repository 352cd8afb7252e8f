//! The reader of each format, and the files that it reads.

use std::path::PathBuf;

use super::{ReaderOptions, TraceFormat, TraceOrigin, TraceReader, chrome, dumpi, otf2, paje};
use crate::error::Result;

impl TraceFormat {
    /// The files that a trace consists of.
    pub fn files(self, origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
        match self {
            TraceFormat::Dumpi => dumpi::files(origin),
            TraceFormat::Otf2 => origin.set(),
            _ => origin.files(),
        }
    }

    /// The reader of the format.
    pub fn reader(self, options: &ReaderOptions) -> Box<dyn TraceReader> {
        match self {
            TraceFormat::Paje => Box::new(paje::PajeReader::new(options.time_unit, options.resolution)),
            TraceFormat::Dumpi | TraceFormat::DumpiText => Box::new(dumpi::DumpiReader::new(self, *options)),
            TraceFormat::Otf2 => Box::new(otf2::Otf2Reader::new(options)),
            TraceFormat::Chrome => Box::new(chrome::ChromeReader::new(options)),
        }
    }
}
