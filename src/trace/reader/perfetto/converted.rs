//! Containers and links of traces that were converted from another format, see [`TrackRole`].
//!
//! In: roles of tracks, and the instants that are ends of links. Out: containers at their times and with their types, and
//! links.

use serde_json::Value;

use super::annotations;
use super::collector::{Collector, RecordSite, phase};
use super::containers::TrackContainer;
use super::emitter::PerfettoEmitter;
use super::sequences::PacketSequence;
use super::track_role::TrackRole;
use super::wire::BadMessage;
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::chrome::record::ChromeRecord;
use crate::reader::{EventWriter, ExtraRole, ExtraValue, LinkEnd, NameHandle};

/// Where a link ends; else it starts.
const IS_END: u8 = 1;
const NANOSECONDS: u64 = 1_000_000_000;

impl Collector {
    /// Keeps when the containers with roles are created; called before any event is kept.
    pub fn create_described(&mut self, writer: &mut EventWriter<'_>) -> Result<()> {
        for track in 0..self.tracks.tracks.len() as u32 {
            self.keep_life(track, phase::CREATE, |role| role.start, writer)?;
        }
        Ok(())
    }

    /// Keeps when they are destroyed, children first; called when all events are kept.
    pub fn destroy_described(&mut self, writer: &mut EventWriter<'_>) -> Result<()> {
        for track in (0..self.tracks.tracks.len() as u32).rev() {
            self.keep_life(track, phase::DESTROY, |role| role.end, writer)?;
        }
        Ok(())
    }

    fn keep_life(
        &mut self,
        track: u32,
        phase: u8,
        time: fn(&TrackRole) -> Option<i64>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let role = self.tracks.role(track).filter(|role| role.container_type.is_some());
        let time = role.and_then(|role| time(&role));
        match time.and_then(|time| writer.tick(i128::from(time), NANOSECONDS)) {
            Some(tick) => self.push(RecordSite { tick, track, byte: 0 }, phase, 0, 0),
            None => Ok(()),
        }
    }

    /// Whether instants on a track are ends of links.
    pub fn has_links(&self, track: u32) -> bool {
        self.tracks.role(track).is_some_and(|role| role.link_type.is_some())
    }

    /// Keeps one end of a link: its annotations are the fields of the link, and its key.
    pub fn link_end(
        &mut self,
        site: RecordSite,
        name: u32,
        is_end: bool,
        fields: &[&[u8]],
        sequence: &mut PacketSequence,
    ) -> Result<Result<(), BadMessage>> {
        let mut packed = std::mem::take(&mut self.packed);
        let read = annotations::pack_link(fields, sequence, &mut self.arguments, &mut packed);
        self.packed = packed;
        let key = match read {
            Ok(key) => key,
            Err(bad) => return Ok(Err(bad)),
        };
        self.push_with(site, phase::LINK, (name, 0), u8::from(is_end), key.as_bytes(), site.tick)?;
        Ok(Ok(()))
    }
}

impl PerfettoEmitter {
    /// Creates the container of a track that has a role.
    pub(super) fn create_container(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(role) = self.tracks.role(record.thread) else { return Ok(()) };
        let track = &self.tracks.tracks[record.thread as usize];
        let parent = match track.parent {
            Some(parent) => self.containers.of(parent),
            None => None,
        };
        let parent = parent.unwrap_or_else(|| TrackContainer::root(writer));
        let type_ = role.container_type.as_deref().unwrap_or_default();
        let type_ = self.containers.type_of(type_, parent.type_, writer)?;
        let mut fields = vec![];
        for (column, value) in &role.fields {
            let kind = match value {
                Value::Number(number) if number.is_f64() => FieldKind::Double,
                Value::Number(_) => FieldKind::Int,
                _ => FieldKind::Text,
            };
            let field = writer.field(StoredTable::Containers, column, kind, ExtraRole::Column);
            fields.extend(value_of(value).map(|value| (field, value)));
        }
        let container = writer.intern(&format!("t{}", record.thread));
        let name = track.name.as_deref().unwrap_or_default();
        writer.create_container(record.start, container, name, type_, parent.container, &fields)?;
        self.containers.set(record.thread, TrackContainer { container, type_ });
        Ok(())
    }

    /// Starts or ends a link.
    pub(super) fn link_end(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let Some(role) = self.tracks.role(record.thread) else { return Ok(()) };
        let above = role.link_container.and_then(|uuid| self.tracks.described(uuid));
        let above = above.and_then(|track| self.containers.of(track));
        let above = above.unwrap_or_else(|| TrackContainer::root(writer));
        let type_ = self.link_type(role.link_type.as_deref().unwrap_or_default(), above, home, writer)?;
        let value = self.value_of(type_, record.name, writer)?;
        self.arguments.values(StoredTable::Links, record.arguments, |field, value| writer.add_field(field, value));
        let end = LinkEnd {
            tick: record.start,
            container: above.container,
            end: home.container,
            type_,
            value,
            key: &String::from_utf8_lossy(record.id),
            fields: &[],
        };
        if record.mode == IS_END { writer.end_link(&end) } else { writer.start_link(&end) }
    }

    /// A type of links; defined at its first use, when only one of its ends is known.
    fn link_type(
        &mut self,
        name: &str,
        above: TrackContainer,
        end: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        let key = (TypeKind::Link, name.to_string(), above.type_);
        if let Some(type_) = self.types.get(&key) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}#{}", self.types.len()));
        writer.define_link_type(type_, above.type_, (end.type_, end.type_), name)?;
        self.types.insert(key, type_);
        Ok(type_)
    }
}

/// The value of a field of a container; `None` for what is no value.
fn value_of(value: &Value) -> Option<ExtraValue<'_>> {
    match value {
        Value::String(text) => Some(ExtraValue::Text(text)),
        Value::Number(number) => {
            let whole = number.as_i64().map(ExtraValue::Int).or(number.as_u64().map(ExtraValue::UInt));
            whole.or(number.as_f64().map(ExtraValue::Double))
        }
        _ => None,
    }
}
