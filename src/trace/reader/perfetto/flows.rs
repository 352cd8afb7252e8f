//! Flows: events of one id, in the order of time, are linked one to the next.
//!
//! ```text
//! a ──► b ──► c            each event goes on to the next
//! out ─┬─► in              of the older kind, one event may have several targets
//!      └─► in
//! ```
//!
//! In: the records of flows by time, and how many each flow has. Out: links.

use super::containers::TrackContainer;
use super::emitter::PerfettoEmitter;
use super::open_entities::{FlowEvents, FlowLinks};
use crate::error::Result;
use crate::model::{FieldKind, StoredTable};
use crate::reader::chrome::record::ChromeRecord;
use crate::reader::{EventWriter, ExtraRole, ExtraValue, LinkEnd};

/// A flow ends with this event.
const TERMINATES: u8 = 1;
impl PerfettoEmitter {
    pub(super) fn flow(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let id = u64::from_le_bytes(record.id.first_chunk().copied().unwrap_or_default());
        let events = match self.flows.events.get_mut(&id) {
            Some(events) => {
                events.left = events.left.saturating_sub(1);
                *events
            }
            None => FlowEvents::default(),
        };
        if events.left == 0 {
            self.flows.events.remove(&id);
        }
        let links = self.flow_links(home, writer)?;
        let slice = match record.name {
            0 => self.lanes.innermost(record.thread).and_then(|name| self.name(name)),
            name => self.name(name),
        };
        let root = writer.root();
        let mut link = |key: u64, field, is_start: bool| {
            if let Some(slice) = &slice {
                writer.add_field(field, ExtraValue::Text(slice));
            }
            let end = LinkEnd {
                tick: record.start,
                container: root,
                end: home.container,
                type_: links.type_,
                value: links.value,
                key: &key.to_string(),
                fields: &[],
            };
            if is_start { writer.start_link(&end) } else { writer.end_link(&end) }
        };
        if let Some(open) = self.flows.open.get_mut(&id) {
            if let Some(number) = open.next() {
                link(number, links.target_slice, false)?;
            }
            if open.is_empty() {
                self.flows.open.remove(&id);
            }
        }
        if record.mode == TERMINATES || events.left == 0 {
            return Ok(());
        }
        // All that come after the only source are its targets; of several, nobody knows how many each has.
        let targets = if events.sources == 1 { u64::from(events.left) } else { 1 };
        let numbers = self.flows.count + 1..self.flows.count + 1 + targets;
        self.flows.count += targets;
        self.flows.open.insert(id, numbers.clone());
        numbers.into_iter().try_for_each(|number| link(number, links.source_slice, true))
    }

    fn flow_links(&mut self, home: TrackContainer, writer: &mut EventWriter<'_>) -> Result<FlowLinks> {
        if let Some(links) = self.flows.links {
            return Ok(links);
        }
        let (type_, root) = (writer.intern("flow"), writer.root());
        writer.define_link_type(type_, root, (home.type_, home.type_), "flow")?;
        let value = self.value(type_, "flow", writer)?;
        let mut text = |column| writer.field(StoredTable::Links, column, FieldKind::Text, ExtraRole::Column);
        let links = FlowLinks { type_, value, source_slice: text("source_slice"), target_slice: text("target_slice") };
        self.flows.links = Some(links);
        Ok(links)
    }
}
