//! Writes a trace of any format as one that other programs read.
//!
//! ```text
//! trace ─► reader ─► simulator ─► rows, sorted by time ─► paje | chrome | perfetto
//! ```
//! In: a trace. Out: text or packets; nothing is stored. What a target cannot say is counted.

mod chrome;
mod conversion;
mod decimal;
mod flow_numbers;
mod lives;
mod one_time;
mod packed_row;
mod paje;
mod paje_lines;
mod perfetto;
mod perfetto_tracks;
mod references;
mod sink;
#[cfg(test)]
mod tests;
mod wire_message;
mod zero_length;

pub use self::conversion::{Conversion, ConvertTarget};

use std::io::Write;

use self::sink::ConvertSink;
use crate::error::Result;
use crate::import::{ImportOptions, TraceSource, run};
use crate::simulator::Precision;

/// Reads a trace and writes it.
pub fn convert(
    source: &TraceSource,
    options: &ImportOptions,
    target: ConvertTarget,
    out: &mut dyn Write,
) -> Result<Conversion> {
    let run = run(&source.open()?, options, Precision::Double, || Ok(ConvertSink::new()))?;
    crate::import::refuse_useless(&run.format.to_string(), &run.simulated)?;
    let lost_lines = run.simulated.diagnostics.lost_lines();
    let sorted = run.sink.sorted()?;
    let conversion = match target {
        ConvertTarget::Paje => {
            let unit = run.time_unit.unwrap_or_default();
            paje::write(&run.simulated, sorted, unit, options.resolution, out)?
        }
        ConvertTarget::Chrome => {
            let origin_ms = options.origin_ms.or(run.origin_ms);
            chrome::write(&run.simulated, sorted, origin_ms, options.resolution, out)?
        }
        ConvertTarget::Perfetto => {
            let origin_ms = options.origin_ms.or(run.origin_ms);
            perfetto::write(&run.simulated, sorted, origin_ms, options.resolution, out)?
        }
    };
    Ok(Conversion { lost_lines, ..conversion })
}
