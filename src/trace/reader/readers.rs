//! The reader of each format, and the files that it reads.

use std::path::PathBuf;

use super::kernel_text::{KernelSyntax, KernelTextReader};
use super::{
    ReaderOptions, TraceFormat, TraceOrigin, TraceReader, chrome, ctf, dumpi, gpu, otf2, paje, paraver, perfetto,
    pj_dump,
};
use crate::error::Result;

impl TraceFormat {
    /// The files that a trace consists of.
    pub fn files(self, origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
        match self {
            TraceFormat::Dumpi => dumpi::files(origin),
            TraceFormat::Otf2 => origin.set(),
            TraceFormat::Paraver => paraver::files(origin),
            TraceFormat::Ctf => ctf::files(origin),
            TraceFormat::Nsight | TraceFormat::Rocpd => gpu::files(origin),
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
            TraceFormat::Ftrace => Box::new(KernelTextReader::new(KernelSyntax::Ftrace, options)),
            TraceFormat::PerfScript => Box::new(KernelTextReader::new(KernelSyntax::Perf, options)),
            TraceFormat::PjDump => Box::new(pj_dump::PjDumpReader::new(options)),
            TraceFormat::Paraver => Box::new(paraver::ParaverReader::new(options)),
            TraceFormat::Ctf => Box::new(ctf::CtfReader::new(options)),
            TraceFormat::Nsight | TraceFormat::Rocpd => Box::new(gpu::GpuReader::new(options)),
            TraceFormat::Perfetto => Box::new(perfetto::PerfettoReader::new(options)),
        }
    }
}
