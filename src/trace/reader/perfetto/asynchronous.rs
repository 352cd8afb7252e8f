//! Asynchronous events: they have an id instead of a thread.
//!
//! Events of one id nest on one container below their process, which is named after the first of them; when all have
//! ended, the next id takes it over.

use std::collections::BTreeMap;

use super::atrace::MARK_KEY;
use super::containers::TrackContainer;
use super::emitter::PerfettoEmitter;
use super::open_entities::AsyncTrack;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::reader::EventWriter;
use crate::reader::chrome::record::ChromeRecord;

impl PerfettoEmitter {
    pub(super) fn begin_asynchronous(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        if let Some(open) = self.asynchronous.open.get_mut(record.id) {
            if record.id.first() == Some(&MARK_KEY) {
                return writer
                    .fault(Code::IgnoredEvent, "an asynchronous mark begins that is open already".to_string());
            }
            open.depth += 1;
            let container = open.container;
            return self.push(record, container, "slice", writer);
        }
        let family = (record.thread, record.name);
        let free = self.asynchronous.free.get_mut(&family).and_then(BTreeMap::pop_first);
        let (number, container) = match free {
            Some(free) => free,
            None => {
                let count = self.asynchronous.counts.entry(family).or_default();
                *count += 1;
                let number = *count;
                let plain = self.name(record.name).unwrap_or_else(|| "unnamed".to_string());
                // Several processes may have such events.
                let bearers = self.asynchronous.names.entry(plain.clone()).or_default();
                *bearers += 1;
                let name = if *bearers == 1 { plain.clone() } else { format!("{plain} #{bearers}") };
                (number, self.containers.below(record.start, home, "async", (&name, &plain), writer)?)
            }
        };
        self.asynchronous.open.insert(record.id.to_vec(), AsyncTrack { container, number, family, depth: 1 });
        self.push(record, container, "slice", writer)
    }

    pub(super) fn end_asynchronous(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(open) = self.asynchronous.open.get_mut(record.id) else {
            let message = "an asynchronous event ends that did not begin".to_string();
            return writer.fault(Code::EmptyStack, message);
        };
        open.depth -= 1;
        let open = *open;
        if open.depth == 0 {
            self.asynchronous.open.remove(record.id);
            self.asynchronous.free.entry(open.family).or_default().insert(open.number, open.container);
        }
        self.pop(record, open.container, "slice", writer)
    }

    /// Something inside an asynchronous event: on its container, or on the process when none is open.
    pub(super) fn step_asynchronous(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let open = self.asynchronous.open.get(record.id);
        let container = open.map_or(home, |open| open.container);
        self.instant(record, container, "step", writer)
    }
}
