//! OTF2 archives, as Score-P, EZTrace and others write them.
//!
//! ```text
//! a.otf2        the anchor: sizes, who wrote it        anchor
//! a.def         what the numbers mean                  definitions
//! a/N.def       ids and clock of location N            local
//! a/N.evt       events of location N                   stream ─► events ─► location ─┐
//!                                                                                   merge ─► emitter
//! ```
//! Memory: the definitions, and a small window of each location's file.

mod anchor;
mod bytes;
mod clock;
mod collectives;
mod columns;
mod container_names;
mod definitions;
mod emitter;
mod events;
mod hierarchy;
mod layout;
mod local;
mod location;
mod messages;
mod names;
mod ranks;
mod stream;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::path::{Path, PathBuf};

use self::anchor::AnchorFile;
use self::bytes::{Malformed, RecordBytes};
use self::clock::Timer;
use self::definitions::ArchiveDefinitions;
use self::emitter::OtfEmitter;
use self::hierarchy::ContainerTree;
use self::local::LocationDefinitions;
use self::location::{FileAt, LocationEvents};
use self::stream::{ChunkStream, FileContent, StreamStep};

use super::{Consumer, EventWriter, ReaderOptions, StreamMerge, TraceOrigin, TraceReader};
use crate::diagnostics::Code;
use crate::error::{Error, Result};

/// Memory for the windows of all files together, and the bounds of one.
const WINDOWS: usize = 64 << 20;
const WINDOW: std::ops::RangeInclusive<usize> = 4 << 10..=256 << 10;
/// The largest anchor file that makes sense.
const LARGEST_ANCHOR: u64 = 1 << 20;
/// Events between two reports of progress.
const PROGRESS: u64 = 1 << 14;

/// Reads OTF2 archives.
pub struct Otf2Reader {
    options: ReaderOptions,
    origin_ms: Option<i64>,
}

impl Otf2Reader {
    pub fn new(options: &ReaderOptions) -> Otf2Reader {
        Otf2Reader { options: *options, origin_ms: None }
    }
}

impl TraceReader for Otf2Reader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let archive = Archive::open(origin)?;
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let definitions = archive.definitions(&mut writer)?;
        let timer = definitions.timer.unwrap_or(Timer { resolution: 1_000_000_000, start: 0, date: None });
        self.origin_ms = timer.date.and_then(|date| i64::try_from(date / 1_000_000).ok());
        let mut locations = vec![];
        let mut streams = vec![];
        for id in definitions.locations.keys() {
            if let Some(stream) = archive.location(*id, timer, &definitions, &mut writer)? {
                locations.push(*id);
                streams.push(stream);
            }
        }
        let mut merge = StreamMerge::new(streams, |record: &location::LocationRecord| record.time)?;
        let mut next = merge.next()?;
        let first = next.as_ref().map_or(0, |(_, record)| record.time);
        let first = writer.tick(i128::from(first), timer.resolution).unwrap_or(0);
        let hierarchy = ContainerTree::emit(&definitions, first, &mut writer)?;
        let mut emitter = OtfEmitter::new(&definitions, hierarchy, self.options.collectives);
        let mut count = 0;
        while let Some((index, record)) = next {
            emitter.record(locations[index], &record, &mut writer)?;
            if writer.is_stopped() {
                return Ok(());
            }
            count += 1;
            if count % PROGRESS == 0 {
                writer.advance(merge.streams().iter().map(LocationEvents::position).sum());
            }
            next = merge.next()?;
        }
        check_counts(&definitions, &locations, &merge.into_streams(), &mut writer)?;
        writer.finish()
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}

/// Compares how many events a location has with what its definition says.
fn check_counts(
    definitions: &ArchiveDefinitions,
    ids: &[u64],
    streams: &[LocationEvents],
    writer: &mut EventWriter<'_>,
) -> Result<()> {
    for (id, stream) in ids.iter().zip(streams) {
        let declared = definitions.locations.get(id).map_or(0, |location| location.events);
        if declared != u64::MAX && declared != stream.count {
            let message = format!("location {id} has {} events, and {declared} by its definition", stream.count);
            writer.fault(Code::CountMismatch, message)?;
        }
    }
    Ok(())
}

/// An archive on disk.
struct Archive {
    path: PathBuf,
    anchor: AnchorFile,
}

impl Archive {
    fn open(origin: &TraceOrigin) -> Result<Archive> {
        let path = anchor_path(origin)?;
        let mut bytes = vec![];
        let file = std::fs::File::open(&path).map_err(|e| Error::io("open", &path, e))?;
        file.take(LARGEST_ANCHOR).read_to_end(&mut bytes).map_err(|e| Error::io("read", &path, e))?;
        let anchor = anchor::parse(&bytes).map_err(|what| Error::Trace(format!("{} {what}", path.display())))?;
        Ok(Archive { path, anchor })
    }

    /// Reads the global definitions.
    fn definitions(&self, writer: &mut EventWriter<'_>) -> Result<ArchiveDefinitions> {
        let path = self.path.with_extension("def");
        if !path.is_file() {
            return Err(Error::Trace(format!(
                "{} belongs to an OTF2 archive without its definitions: there is no {}",
                self.path.display(),
                path.display()
            )));
        }
        let mut definitions = ArchiveDefinitions::default();
        let chunk = self.anchor.definition_chunk;
        read_records(&path, chunk, writer, &mut |code, bytes| definitions.add(code, bytes))?;
        if definitions.count != self.anchor.definitions {
            let message = format!(
                "the archive has {} definitions, and {} by its anchor file",
                definitions.count, self.anchor.definitions
            );
            writer.fault(Code::CountMismatch, message)?;
        }
        if definitions.timer.is_none_or(|timer| timer.resolution == 0) {
            definitions.timer = None;
            let message = "the archive does not define its clock; one count is taken as a nanosecond".to_string();
            writer.fault(Code::UndefinedReference, message)?;
        }
        Ok(definitions)
    }

    /// The events of a location; `None` when it has no file.
    fn location(
        &self,
        id: u64,
        timer: Timer,
        definitions: &ArchiveDefinitions,
        writer: &mut EventWriter<'_>,
    ) -> Result<Option<LocationEvents>> {
        let folder = self.path.with_extension("");
        let path = folder.join(format!("{id}.evt"));
        if !path.is_file() {
            let events = definitions.locations.get(&id).map_or(0, |location| location.events);
            if events > 0 {
                let message =
                    format!("location {id} has {events} events by its definition, and no file {}", path.display());
                writer.fault(Code::DamagedFile, message)?;
            }
            return Ok(None);
        }
        let mut local = LocationDefinitions::default();
        let local_path = folder.join(format!("{id}.def"));
        if local_path.is_file() {
            read_records(&local_path, self.anchor.definition_chunk, writer, &mut |code, bytes| local.add(code, bytes))?;
        }
        if local.bad_offsets > 0 {
            let message =
                format!("location {id} has {} clock offsets that are not later than those before", local.bad_offsets);
            writer.fault(Code::BadRecord, message)?;
        }
        let reach = (WINDOWS / definitions.locations.len().max(1)).clamp(*WINDOW.start(), *WINDOW.end());
        let stream = ChunkStream::new(FileAt(path.clone()), FileContent::Events, self.anchor.event_chunk, reach);
        Ok(Some(LocationEvents::new(path, stream, local, timer)))
    }
}

/// The anchor file of a trace: the file itself, or the only one in the folder.
fn anchor_path(origin: &TraceOrigin) -> Result<PathBuf> {
    if origin.folder().is_none() {
        return origin.path().map(Path::to_path_buf);
    }
    let is_anchor = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "otf2");
    let anchors: Vec<PathBuf> = origin.files()?.into_iter().filter(is_anchor).collect();
    match anchors.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Error::Trace(format!("{} holds no anchor file of an OTF2 archive, a file NAME.otf2", origin.name))),
        [one, ..] => Err(Error::Trace(format!(
            "{} holds {} OTF2 archives; give the anchor file of one, for example {}",
            origin.name,
            anchors.len(),
            one.display()
        ))),
    }
}

/// Hands the records of a definition file to `add`; reports what cannot be read.
fn read_records(
    path: &Path,
    chunk: u64,
    writer: &mut EventWriter<'_>,
    add: &mut dyn FnMut(u8, &mut RecordBytes<'_>) -> bytes::ReadResult<()>,
) -> Result<()> {
    let mut stream = ChunkStream::new(FileAt(path.to_path_buf()), FileContent::Definitions, chunk, *WINDOW.end());
    loop {
        let byte = stream.position();
        let message = match stream.step().map_err(|e| Error::io("read", path, e))? {
            StreamStep::End => return Ok(()),
            StreamStep::Damage(what) => Some((Code::DamagedFile, format!("{}: {what}", path.display()))),
            StreamStep::Record { code, body, order } => match add(code, &mut RecordBytes::new(body, order)) {
                Ok(()) => None,
                Err(Malformed) => {
                    let what =
                        format!("{}: the fields of a definition of kind {code} do not fit into it", path.display());
                    Some((Code::BadRecord, what))
                }
            },
        };
        if let Some((code, message)) = message {
            writer.at(byte);
            writer.fault(code, message)?;
        }
    }
}
