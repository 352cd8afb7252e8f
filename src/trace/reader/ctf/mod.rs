//! CTF 1.8 and CTF 2 traces, as LTTng, barectf, perf, THAPI and others write them.
//!
//! ```text
//! metadata ─► tokens ─► tsdl, tsdl_types ─┐
//!          └► json_metadata ──────────────┴► classes ─► references, layout, pairs
//! stream files ─► stream ─► bits, decoder ─► item_pieces ─► emitter ─► containers, columns
//! ```
//! A trace is a folder with a file `metadata` and files of packets; folders in it are further traces, merged by time.
//! Memory: the metadata, one packet of each file, and a few thousand events that wait to be emitted.

mod bits;
mod classes;
mod columns;
mod containers;
mod decoder;
mod emitter;
mod item_pieces;
mod items;
mod json_metadata;
mod layout;
pub(super) mod metadata;
mod packet_file;
mod pairs;
mod plain_struct;
mod planned_events;
mod references;
mod roles;
pub(super) mod stream;
#[cfg(test)]
mod tests;
mod tokens;
mod tsdl;
mod tsdl_types;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::emitter::{CtfEmitter, StreamOrigin};
use self::item_pieces::{ItemSource, ReadContent, ReadItem};
use self::items::StreamFault;
use self::pairs::PairRules;
use self::planned_events::PlannedStreams;
use self::stream::{CtfTrace, DataStream};
use super::ahead::take_ahead;
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::Code;
use crate::error::{Error, Result};
use crate::model::NameInterner;

/// The file that describes a trace.
const METADATA: &str = "metadata";
/// A file beside it with further rules for pairs of events.
const OWN_PAIRS: &str = "ocellus-pairs.txt";
/// The largest metadata that make sense.
const LARGEST_METADATA: u64 = 256 << 20;
const NANOSECONDS: u64 = 1_000_000_000;

/// Reads CTF traces.
pub struct CtfReader {
    options: ReaderOptions,
    origin_ms: Option<i64>,
}

impl CtfReader {
    pub fn new(options: &ReaderOptions) -> CtfReader {
        CtfReader { options: *options, origin_ms: None }
    }
}

/// The files of a trace: all in the folder, or those beside the metadata.
pub(super) fn files(origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
    if origin.folder().is_some() { origin.files() } else { origin.beside() }
}

impl TraceReader for CtfReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let files = files(origin)?;
        let mut emitter = CtfEmitter::default();
        let (mut streams, mut origins, mut layouts) = (vec![], vec![], vec![]);
        for path in files.iter().filter(|path| is_named(path, METADATA)) {
            let trace = Arc::new(open(path, layouts.len() as u32, &mut writer)?);
            let first = layouts.len();
            layouts.extend(trace.layouts.values().cloned());
            layouts[first..].sort_unstable_by_key(|layout| layout.number);
            layouts[first..].iter().for_each(|layout| emitter.columns.observe(layout));
            for path in files.iter().filter(|path| is_stream(path, &trace.folder)) {
                origins.push(stream_origin(path, &trace, origin, &mut emitter.containers.names));
                streams.push(DataStream::open(path.clone(), Arc::clone(&trace))?);
            }
        }
        if streams.is_empty() {
            return Err(Error::Trace(format!(
                "{} holds no CTF trace: a folder with a file metadata and files of events beside it",
                origin.name
            )));
        }
        let base = base_of(&mut streams)?;
        self.origin_ms = (946_684_800..4_102_444_800).contains(&base).then(|| base * 1000);
        if base != 0 {
            let message = format!("times are counted from second {base} of the clock of the trace");
            writer.fault(Code::TraceProperty, message)?;
        }
        let mut discarded = 0_u64;
        take_ahead(&mut ItemSource::new(streams)?, |piece| {
            piece.each(&layouts, |ReadItem { stream, time, byte, content }| {
                if writer.is_stopped() {
                    return Ok(());
                }
                let origin = &origins[stream];
                writer.at(byte);
                match content {
                    ReadContent::Event(event) => match writer.tick(i128::from(time), NANOSECONDS) {
                        Some(tick) => emitter.event(tick, event, origin, &mut writer),
                        None => {
                            let message = format!("the time {time} ns does not fit into 64 bits of ticks");
                            writer.fault(Code::TimeOutOfRange, message)
                        }
                    },
                    ReadContent::Fault(StreamFault::Damage(code, message)) => writer.fault(*code, message.to_string()),
                    ReadContent::Fault(StreamFault::Discarded(events)) => {
                        discarded = discarded.saturating_add(*events);
                        let name = &origin.name;
                        let message = format!("{name}: {events} events were discarded when the trace was written");
                        writer.fault(Code::CountMismatch, message)
                    }
                }
            })?;
            writer.advance(piece.position);
            Ok(writer.flow())
        })?;
        if writer.is_stopped() {
            return Ok(());
        }
        if discarded > 0 {
            let message = format!("{discarded} events in all were discarded when the trace was written");
            writer.fault(Code::TraceProperty, message)?;
        }
        emitter.finish(&mut writer)?;
        writer.finish()
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}

/// The whole second before the first event.
fn base_of(streams: &mut [DataStream]) -> Result<i64> {
    let mut first: Option<i128> = None;
    for stream in streams.iter_mut() {
        if let Some(time) = stream.first_time()? {
            first = Some(first.map_or(time, |first| first.min(time)));
        }
    }
    let seconds = first.unwrap_or(0).div_euclid(i128::from(NANOSECONDS));
    let base = i64::try_from(seconds).unwrap_or(0);
    streams.iter_mut().for_each(|stream| stream.set_base(base));
    Ok(base)
}

/// Reads the metadata of a trace, and the rules beside them; its layouts are numbered from `first_layout` on.
fn open(path: &Path, first_layout: u32, writer: &mut EventWriter<'_>) -> Result<CtfTrace> {
    let read = |path: &Path| std::fs::read(path).map_err(|e| Error::io("read", path, e));
    let len = std::fs::metadata(path).map_err(|e| Error::io("open", path, e))?.len();
    if len > LARGEST_METADATA {
        return Err(Error::Trace(format!("{} has {len} bytes, more than metadata have", path.display())));
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf();
    let mut class = metadata::read(&read(path)?);
    for fault in &class.faults {
        writer.fault(Code::BadDefinition, format!("{}: {fault}", path.display()))?;
    }
    let own = folder.join(OWN_PAIRS);
    let own = if own.is_file() { String::from_utf8_lossy(&read(&own)?).into_owned() } else { String::new() };
    let (rules, faults) = PairRules::new(&own);
    for line in faults {
        let message = format!("{OWN_PAIRS}: {} is no rule", crate::diagnostics::quote(line.as_bytes()));
        writer.fault(Code::BadDefinition, message)?;
    }
    let layouts = layout::layouts(&class, &rules, first_layout);
    let streams = PlannedStreams::take(&mut class, &layouts);
    Ok(CtfTrace { folder, class, layouts, streams })
}

fn is_named(path: &Path, name: &str) -> bool {
    path.file_name().is_some_and(|found| found == name)
}

/// Whether a file holds the packets of the trace in a folder.
fn is_stream(path: &Path, folder: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_other = name.starts_with('.') || [METADATA, OWN_PAIRS].contains(&name.as_ref());
    parent == folder && !is_other && std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}

fn stream_origin(path: &Path, trace: &CtfTrace, origin: &TraceOrigin, names: &mut NameInterner) -> StreamOrigin {
    let environment = &trace.class.environment;
    let text = |name: &str| environment.get(name).filter(|text| !text.is_empty()).cloned();
    let is_kernel =
        text("domain").as_deref() == Some("kernel") || trace.layouts.values().any(|layout| layout.switch.is_some());
    let folder = origin.path().ok().map(|path| if path.is_dir() { path } else { path.parent().unwrap_or(path) });
    let folder_name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let host = text("hostname").or_else(|| text("host")).or(folder_name).unwrap_or_else(|| "trace".to_string());
    let pid = text("vpid").and_then(|pid| pid.parse().ok());
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    StreamOrigin {
        host: names.intern(&host),
        file: names.intern(&name),
        name,
        is_kernel,
        process: pid.map(|pid| (pid, text("procname"))),
    }
}
