//! Emits the events of an archive as Pajé events.
//!
//! | record | becomes |
//! |---|---|
//! | Enter, Leave, CallingContextEnter and -Leave | states of type `region` on the location |
//! | MpiSend, MpiIsend with MpiRecv, MpiIrecv | links between locations |
//! | MpiCollectiveBegin and -End | links or events |
//! | Metric | variables named by the members, on the location or the scope of the metric |
//! | all others | events typed by the record, fields and attributes as columns |

use hashbrown::{Equivalent, HashMap};

use super::collectives::OpenCollectives;
use super::columns::{ExtraColumns, OwnedField};
use super::definitions::{ArchiveDefinitions, MetricScope};
use super::events::{Attribute, EventRecord};
use super::hierarchy::{ContainerTree, TypedContainer};
use super::layout::{RecordFieldKind, RecordLayout};
use super::location::{LocationRecord, RecordOutcome};
use super::names::DefinitionNames;
use super::ranks::Ranks;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{StoredTable, TypeKind};
use crate::reader::Collectives;
use crate::reader::{EventWriter, NameHandle};

/// A region as a state.
struct RegionState {
    value: NameHandle,
    fields: Vec<OwnedField>,
}

/// Emits the events of all locations.
pub(super) struct OtfEmitter<'d> {
    pub(super) definitions: &'d ArchiveDefinitions,
    pub(super) names: DefinitionNames<'d>,
    pub(super) hierarchy: ContainerTree,
    pub(super) ranks: Ranks,
    pub(super) collectives: Collectives,
    pub(super) columns: ExtraColumns,
    /// Counts of the timer per second.
    resolution: u64,
    /// By kind, name and type of container.
    types: HashMap<(TypeKind, String, NameHandle), NameHandle>,
    pub(super) link_types: HashMap<(NameHandle, NameHandle), NameHandle>,
    pub(super) open_collectives: OpenCollectives,
    values: HashMap<(NameHandle, String), NameHandle>,
    states: HashMap<(NameHandle, u32), RegionState>,
    /// Regions that are open, by location.
    open: HashMap<u64, Vec<u32>>,
}

impl<'d> OtfEmitter<'d> {
    pub fn new(
        definitions: &'d ArchiveDefinitions,
        hierarchy: ContainerTree,
        collectives: Collectives,
    ) -> OtfEmitter<'d> {
        OtfEmitter {
            definitions,
            names: DefinitionNames(definitions),
            hierarchy,
            ranks: Ranks::new(definitions),
            collectives,
            columns: ExtraColumns::default(),
            resolution: definitions.timer.map_or(1, |timer| timer.resolution),
            types: HashMap::new(),
            link_types: HashMap::new(),
            open_collectives: OpenCollectives::default(),
            values: HashMap::new(),
            states: HashMap::new(),
            open: HashMap::new(),
        }
    }

    /// Emits the next record of a location.
    pub fn record(&mut self, location: u64, record: &LocationRecord, writer: &mut EventWriter<'_>) -> Result<()> {
        writer.at(record.byte);
        let Some(place) = self.hierarchy.location(location) else { return Ok(()) };
        let Some(tick) = writer.tick(i128::from(record.time), self.resolution) else {
            let message = format!("location {location}: the time does not fit into 64 bits of ticks");
            return writer.fault(Code::TimeOutOfRange, message);
        };
        let at = EventSite { tick, location, place };
        match &record.outcome {
            RecordOutcome::Event(event) => self.event(at, event, &record.attributes, writer),
            RecordOutcome::Begin(Some(collective)) => self.begin_collective(at, collective, writer),
            RecordOutcome::Begin(None) => Ok(()),
            RecordOutcome::Unknown(code) => writer
                .fault(Code::UnknownRecord, format!("location {location}: no record of the format has number {code}")),
            RecordOutcome::Malformed(code) => {
                let name = super::layout::of(*code).map_or("AttributeList", |layout| layout.name);
                writer.fault(
                    Code::BadRecord,
                    format!("location {location}: the fields of a record {name} do not fit into it"),
                )
            }
            RecordOutcome::Damage(what, lost) => {
                let message = format!("location {location}: {what}; {lost} events of this chunk are lost");
                writer.fault(Code::DamagedFile, message)
            }
        }
    }

    fn event(
        &mut self,
        at: EventSite,
        event: &EventRecord,
        attributes: &[Attribute],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        match event {
            EventRecord::Enter(region) => self.enter(at, *region, attributes, writer),
            EventRecord::Leave(region) => self.leave(at, *region, attributes, writer),
            EventRecord::ContextEnter(context) => self.enter(at, self.region_of(*context), attributes, writer),
            EventRecord::ContextLeave(context) => self.leave(at, self.region_of(*context), attributes, writer),
            EventRecord::Send(message) => self.send(at, message, attributes, writer),
            EventRecord::Receive(message) => self.receive(at, message, attributes, writer),
            EventRecord::CollectiveBegin => Ok(()),
            EventRecord::CollectiveEnd(collective) => self.end_collective(at, collective, writer),
            EventRecord::CollectiveComplete(collective) => {
                self.begin_collective(at, collective, writer)?;
                self.end_collective(at, collective, writer)
            }
            EventRecord::Metric { metric, values } => self.metric(at, *metric, values, writer),
            EventRecord::Program { name, arguments } => {
                let arguments: Vec<&str> = arguments.iter().filter_map(|id| self.definitions.string(*id)).collect();
                let value = self.definitions.name_of(*name, "program", u64::from(*name));
                let fields = [self.columns.text(StoredTable::Events, "program_arguments", arguments.join(" "), writer)];
                self.instant(at, "ProgramBegin", &value, &fields, attributes, writer)
            }
            EventRecord::Other(layout, values) => {
                let (value, fields) = self.other(layout, values, writer);
                self.instant(at, layout.name, &value, &fields, attributes, writer)
            }
        }
    }

    fn region_of(&self, context: u32) -> u32 {
        self.definitions.contexts.get(&context).copied().unwrap_or(context)
    }

    /// The innermost region that a location is in.
    pub(super) fn innermost(&self, location: u64) -> Option<u32> {
        self.open.get(&location)?.last().copied()
    }

    fn enter(
        &mut self,
        at: EventSite,
        region: u32,
        attributes: &[Attribute],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, "region", at.place.type_, writer)?;
        if !self.states.contains_key(&(type_, region)) {
            let state = self.state(type_, region, writer)?;
            self.states.insert((type_, region), state);
        }
        self.open.entry(at.location).or_default().push(region);
        let state = &self.states[&(type_, region)];
        let extra = self.columns.attributes(StoredTable::States, attributes, &self.names, writer);
        let fields: Vec<_> = state.fields.iter().chain(&extra).map(OwnedField::data).collect();
        writer.push_state(at.tick, at.place.container, type_, state.value, &fields)
    }

    fn state(&mut self, type_: NameHandle, region: u32, writer: &mut EventWriter<'_>) -> Result<RegionState> {
        let Some(known) = self.definitions.regions.get(&region) else {
            writer.fault(Code::UndefinedReference, format!("events name region {region}, which is not defined"))?;
            let value = self.value_of(type_, &format!("region {region}"), writer)?;
            return Ok(RegionState { value, fields: vec![] });
        };
        let value = self.value_of(type_, &self.names.region(region), writer)?;
        let mut fields = vec![];
        if let Some(file) = self.definitions.string(known.file).filter(|file| !file.is_empty()) {
            fields.push(self.columns.text(StoredTable::States, "file_name", file.to_string(), writer));
            if !matches!(known.line, 0 | u32::MAX) {
                fields.push(self.columns.int(StoredTable::States, "line_number", i64::from(known.line), writer));
            }
        }
        Ok(RegionState { value, fields })
    }

    /// Ends a region; what is still open inside it ends with it.
    fn leave(
        &mut self,
        at: EventSite,
        region: u32,
        attributes: &[Attribute],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let open = self.open.entry(at.location).or_default();
        let Some(place) = open.iter().rposition(|open| *open == region) else {
            let message = format!("location {} leaves region {region}, which it did not enter", at.location);
            return writer.fault(Code::EmptyStack, message);
        };
        let inner = open.len() - 1 - place;
        open.truncate(place);
        if inner > 0 {
            let message =
                format!("location {} leaves region {region} with {inner} regions open inside it", at.location);
            writer.fault(Code::UnbalancedEnd, message)?;
        }
        let type_ = self.type_of(TypeKind::State, "region", at.place.type_, writer)?;
        for _ in 0..inner {
            writer.pop_state(at.tick, at.place.container, type_, &[])?;
        }
        let extra = self.columns.attributes(StoredTable::States, attributes, &self.names, writer);
        let fields: Vec<_> = extra.iter().map(OwnedField::data).collect();
        writer.pop_state(at.tick, at.place.container, type_, &fields)
    }

    fn metric(&mut self, at: EventSite, metric: u32, values: &[f64], writer: &mut EventWriter<'_>) -> Result<()> {
        let known = self.definitions.metric(metric).filter(|(members, _)| members.len() == values.len());
        let Some((members, scope)) = known else {
            let message = format!(
                "location {}: {} values of metric {metric}, which is not defined so",
                at.location,
                values.len()
            );
            return writer.fault(Code::BadRecord, message);
        };
        let place = match scope {
            MetricScope::Recorder => Some(at.place),
            MetricScope::Location(id) => self.hierarchy.location(id),
            MetricScope::LocationGroup(id) => self.hierarchy.group(id),
            MetricScope::Node(id) => self.hierarchy.node_of(id),
        };
        let place = place.unwrap_or(at.place);
        for (member, value) in members.iter().zip(values) {
            let scale = self.definitions.members.get(member).map_or(1.0, |member| member.scale);
            let type_ = self.type_of(TypeKind::Variable, &self.names.member(*member), place.type_, writer)?;
            writer.set_variable(at.tick, place.container, type_, value * scale, &[])?;
        }
        Ok(())
    }

    /// The value that stands for a record, and its fields.
    fn other(
        &mut self,
        layout: &RecordLayout,
        values: &[u64],
        writer: &mut EventWriter<'_>,
    ) -> (String, Vec<OwnedField>) {
        let mut word = None;
        let mut fields = vec![];
        for ((column, kind), value) in layout.fields.iter().zip(values) {
            fields.push(match kind {
                RecordFieldKind::Id(mapping) => {
                    let name = self.names.of(*mapping, *value);
                    word.get_or_insert_with(|| name.clone());
                    self.columns.text(StoredTable::Events, column, name, writer)
                }
                _ => self.columns.int(StoredTable::Events, column, *value as i64, writer),
            });
        }
        (word.unwrap_or_else(|| layout.name.to_string()), fields)
    }

    pub(super) fn instant(
        &mut self,
        at: EventSite,
        type_: &str,
        value: &str,
        fields: &[OwnedField],
        attributes: &[Attribute],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::Event, type_, at.place.type_, writer)?;
        let value = self.value_of(type_, value, writer)?;
        let extra = self.columns.attributes(StoredTable::Events, attributes, &self.names, writer);
        let fields: Vec<_> = fields.iter().chain(&extra).map(OwnedField::data).collect();
        writer.new_event(at.tick, at.place.container, type_, value, &fields)
    }

    /// A type of states, events or variables below a type of containers; defined at its first use.
    fn type_of(
        &mut self,
        kind: TypeKind,
        name: &str,
        holder: NameHandle,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(type_) = self.types.get(&OtfTypeKey(kind, name, holder)) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}#{}", self.types.len()));
        writer.define_type(kind, type_, holder, name, None)?;
        self.types.insert((kind, name.to_string(), holder), type_);
        Ok(type_)
    }

    /// A value of a type; defined at its first use.
    pub(super) fn value_of(
        &mut self,
        type_: NameHandle,
        name: &str,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(value) = self.values.get(&ValueKey(type_, name)) {
            return Ok(*value);
        }
        let value = writer.intern(name);
        writer.define_value(value, type_, name, None)?;
        self.values.insert((type_, name.to_string()), value);
        Ok(value)
    }
}

/// Looks a type up without a copy of its name.
#[derive(Hash)]
struct OtfTypeKey<'a>(TypeKind, &'a str, NameHandle);

impl Equivalent<(TypeKind, String, NameHandle)> for OtfTypeKey<'_> {
    fn equivalent(&self, key: &(TypeKind, String, NameHandle)) -> bool {
        (self.0, self.1, self.2) == (key.0, key.1.as_str(), key.2)
    }
}

/// Looks a value up without a copy of its name.
#[derive(Hash)]
struct ValueKey<'a>(NameHandle, &'a str);

impl Equivalent<(NameHandle, String)> for ValueKey<'_> {
    fn equivalent(&self, key: &(NameHandle, String)) -> bool {
        (self.0, self.1) == (key.0, key.1.as_str())
    }
}

/// When and where something happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventSite {
    pub tick: i64,
    pub location: u64,
    pub place: TypedContainer,
}
