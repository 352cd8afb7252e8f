//! Asynchronous events: they have an id instead of a thread.
//!
//! Events of one id nest on one track. A track is named after its outermost event and stands below the
//! process; when all events of an id have ended, the next id takes it over.

use std::collections::BTreeMap;

use super::emitter::ChromeEmitter;
use super::open_tracks::OpenTrack;
use super::record::ChromeRecord;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::reader::EventWriter;

impl ChromeEmitter {
    pub(super) fn begin_asynchronous(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let key = self.key(record);
        if let Some(open) = self.asynchronous.open.get_mut(&key) {
            open.depth += 1;
            let track = open.track;
            return self.push(record, track, writer);
        }
        let family = (self.tracks.process_of(record.thread), record.name);
        let free = self.asynchronous.free.get_mut(&family).and_then(BTreeMap::pop_first);
        let (number, track) = match free {
            Some(free) => free,
            None => {
                let count = self.asynchronous.counts.entry(family).or_default();
                *count += 1;
                let number = *count;
                let name = &self.names.texts[record.name as usize];
                let name = if number == 1 { name.clone() } else { format!("{name} #{number}") };
                (number, self.tracks.asynchronous(record.start, record.thread, (record.name, &name), writer)?)
            }
        };
        self.asynchronous.open.insert(key, OpenTrack { track, number, family, depth: 1 });
        self.push(record, track, writer)
    }

    pub(super) fn end_asynchronous(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let key = self.key(record);
        let Some(open) = self.asynchronous.open.get_mut(&key) else {
            let message = "an asynchronous event ends that did not begin".to_string();
            return writer.fault(Code::EmptyStack, message);
        };
        open.depth -= 1;
        let open = *open;
        if open.depth == 0 {
            self.asynchronous.open.remove(&key);
            self.asynchronous.free.entry(open.family).or_default().insert(open.number, open.track);
        }
        self.pop(record, open.track, writer)
    }

    /// Something inside an asynchronous event: on its track, or on the process when none is open.
    pub(super) fn step_asynchronous(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let open = self.asynchronous.open.get(&self.key(record));
        let track = open.map_or_else(|| self.tracks.process_track(record.thread), |open| open.track);
        self.instant(record, track, "step", writer)
    }

    /// What belongs together: category and id; for the older kind also the name; for an id that is
    /// local, also the process.
    fn key(&self, record: &ChromeRecord<'_>) -> Vec<u8> {
        let mut key = record.category.to_le_bytes().to_vec();
        if matches!(record.phase, b'S' | b'T' | b'p' | b'F') {
            key.push(b'S');
            key.extend_from_slice(&record.name.to_le_bytes());
        }
        if memchr::memmem::find(record.id, b"\"local\"").is_some() {
            key.extend_from_slice(&self.tracks.process_of(record.thread).to_le_bytes());
        }
        key.extend_from_slice(record.id);
        key
    }
}
