//! Pajé text: definitions of types and values, then containers and rows in time order.
//!
//! In: the rows, sorted by the times at which they begin and end. Out: lines, see [`PajeLines`].

use std::io::Write;

use hashbrown::HashMap;

use super::conversion::Conversion;
use super::decimal::number;
use super::lives::ContainerLives;
use super::one_time::OneTime;
use super::packed_row::{RowBody, RowExtra, body, extras, phase};
use super::paje_lines::{PajeLines, failed};
use super::zero_length::{StackRow, StackStep, steps};
use crate::error::Result;
use crate::model::{TypeId, TypeKind, ValueId};
use crate::reader::{ChromeRecord, ReadFlow, RecordGroup, Sorted};
use crate::simulator::Simulated;
use crate::time::{Resolution, TimeUnit};

/// Rows of one time that are put in order together.
const LARGEST_GROUP: usize = 1 << 22;

/// Writes a trace.
pub(super) fn write(
    simulated: &Simulated,
    sorted: Sorted,
    unit: TimeUnit,
    resolution: Resolution,
    out: &mut dyn Write,
) -> Result<Conversion> {
    let digits = i32::from(resolution.digits()) - unit.shift();
    let mut text = PajeText::new(PajeLines::new(&simulated.world, digits, out));
    text.lines.comment("written by ocellus convert")?;
    text.types()?;
    text.values()?;
    let mut lives = ContainerLives::of(simulated);
    sorted.each_group(LARGEST_GROUP, |group| {
        text.containers(&mut lives, group.start())?;
        text.group(group.start(), group, &lives)?;
        Ok(ReadFlow::GoOn)
    })?;
    text.containers(&mut lives, i64::MAX)?;
    text.finish()
}

struct PajeText<'a> {
    lines: PajeLines<'a>,
    /// By container and type: open states.
    heights: HashMap<(u32, u32), u32>,
    short_variables: u64,
}

impl<'a> PajeText<'a> {
    fn new(lines: PajeLines<'a>) -> PajeText<'a> {
        PajeText { lines, heights: HashMap::new(), short_variables: 0 }
    }

    fn types(&mut self) -> Result<()> {
        let is_container = |kind| kind == TypeKind::Container;
        // Containers first: links name the types of their ends.
        for containers in [true, false] {
            for index in 0..self.lines.world.types.len() {
                let row = &self.lines.world.types[index];
                let reference = self.lines.types[index].clone();
                if is_container(row.kind) != containers || reference.text == "0" {
                    continue;
                }
                let type_ref = |id: Option<TypeId>| match id {
                    Some(id) => self.lines.types[id.0 as usize].text.clone(),
                    None => "0".to_string(),
                };
                let [parent, source, target] = [row.parent, row.source, row.target].map(type_ref);
                let name = self.lines.world.names.text(row.name).to_string();
                let color = row.color.map(|color| self.lines.world.names.text(color).to_string());
                let event = match row.kind {
                    TypeKind::Container => "PajeDefineContainerType",
                    TypeKind::State => "PajeDefineStateType",
                    TypeKind::Event => "PajeDefineEventType",
                    TypeKind::Variable => "PajeDefineVariableType",
                    TypeKind::Link => "PajeDefineLinkType",
                };
                let mut fields = vec![("Name", "string", name.as_str()), ("Type", "string", parent.as_str())];
                if row.kind == TypeKind::Link {
                    fields.push(("StartContainerType", "string", &source));
                    fields.push(("EndContainerType", "string", &target));
                }
                self.lines.define(event, fields, &reference, color.as_deref(), &row.extras)?;
            }
        }
        Ok(())
    }

    fn values(&mut self) -> Result<()> {
        for index in 0..self.lines.world.values.len() {
            let row = &self.lines.world.values[index];
            let reference = self.lines.values[index].clone();
            let name = self.lines.world.names.text(row.name).to_string();
            let type_ = self.lines.types[row.type_.0 as usize].text.clone();
            let color = row.color.map(|color| self.lines.world.names.text(color).to_string());
            let fields = vec![("Name", "string", name.as_str()), ("Type", "string", type_.as_str())];
            self.lines.define("PajeDefineEntityValue", fields, &reference, color.as_deref(), &row.extras)?;
        }
        Ok(())
    }

    /// Writes the containers that begin up to a time, and the ends of those that end before it.
    fn containers(&mut self, lives: &mut ContainerLives, tick: i64) -> Result<()> {
        loop {
            let creation = lives.creations.get(lives.created).copied().filter(|(turn, _)| *turn <= tick);
            let end = lives.ends.get(lives.ended).copied();
            let end = end.filter(|(end, _)| *end < tick || tick == i64::MAX);
            match (creation, end) {
                (Some((turn, container)), end) if end.is_none_or(|(end, _)| turn <= end) => {
                    lives.created += 1;
                    self.create(container)?;
                }
                (_, Some((end, container))) => {
                    lives.ended += 1;
                    self.destroy(container, end)?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn create(&mut self, container: u32) -> Result<()> {
        let row = &self.lines.world.containers[container as usize];
        let reference = self.lines.containers[container as usize].clone();
        if reference.text == "0" {
            return Ok(());
        }
        let (time, parent) = (self.lines.time(row.start), self.lines.container_text(row.parent.0));
        let (name, type_) =
            (self.lines.world.names.text(row.name), self.lines.types[row.type_.0 as usize].text.clone());
        let fields = vec![
            ("Time", "date", time.as_str()),
            ("Name", "string", name),
            ("Type", "string", &type_),
            ("Container", "string", &parent),
        ];
        self.lines.define("PajeCreateContainer", fields, &reference, None, &row.extras)
    }

    fn destroy(&mut self, container: u32, end: i64) -> Result<()> {
        let reference = self.lines.containers[container as usize].text.clone();
        if reference == "0" {
            return Ok(());
        }
        let type_ = self.lines.world.containers[container as usize].type_;
        let (time, type_) = (self.lines.time(end), self.lines.types[type_.0 as usize].text.clone());
        let fields = [("Time", "date", time.as_str()), ("Type", "string", &type_), ("Name", "string", &reference)];
        self.lines.event("PajeDestroyContainer", &fields, std::iter::empty(), None)
    }

    /// Writes the rows of one time.
    fn group(&mut self, tick: i64, group: &RecordGroup<'_>, lives: &ContainerLives) -> Result<()> {
        let together = OneTime::of(tick, group);
        for stack in together.stacks() {
            self.stack(tick, group, stack)?;
        }
        for place in 0..group.len() {
            let record = group.record(place);
            let body = body(record.arguments);
            match record.phase {
                phase::VARIABLE => self.variable(tick, &record, &body, lives)?,
                phase::VARIABLE_END
                    if together.leaves_nothing(record.thread, record.name, lives.end(record.thread)) =>
                {
                    self.lines.row("PajeResetVariable", tick, &record, &[], std::iter::empty(), None)?;
                }
                phase::EVENT => {
                    let value = self.lines.values[record.category as usize].text.clone();
                    let fields = [("Value", "string", value.as_str())];
                    self.lines.row("PajeNewEvent", tick, &record, &fields, extras(record.arguments), None)?;
                }
                phase::LINK => self.link("PajeStartLink", ("StartContainer", body.source), tick, &record, &body)?,
                phase::LINK_END => self.link("PajeEndLink", ("EndContainer", body.target), tick, &record, &body)?,
                _ => (),
            }
        }
        Ok(())
    }

    /// Writes what happens to one stack of states at one time.
    fn stack(&mut self, tick: i64, group: &RecordGroup<'_>, places: &[(u32, u32, usize)]) -> Result<()> {
        let key = (places[0].0, places[0].1);
        let row = |(_, _, place): &(u32, u32, usize)| {
            let record = group.record(*place);
            let depth = body(record.arguments).number as u32;
            match record.phase {
                phase::STATE_END => StackRow::Ends,
                phase::INSTANT_STATE => StackRow::Instant { depth },
                _ => StackRow::Begins { depth },
            }
        };
        let rows: Vec<StackRow> = places.iter().map(row).collect();
        let mut height = self.heights.get(&key).copied().unwrap_or(0);
        for step in steps(&rows, height) {
            match step {
                StackStep::Push(row) => {
                    height += 1;
                    let record = group.record(places[row].2);
                    let value = self.lines.values[record.category as usize].text.clone();
                    let fields = [("Value", "string", value.as_str())];
                    self.lines.row("PajePushState", tick, &record, &fields, extras(record.arguments), None)?;
                }
                StackStep::Pop => {
                    height = height.saturating_sub(1);
                    let record = group.record(places[0].2);
                    self.lines.row("PajePopState", tick, &record, &[], std::iter::empty(), None)?;
                }
            }
        }
        self.heights.insert(key, height);
        Ok(())
    }

    fn variable(&mut self, tick: i64, record: &ChromeRecord<'_>, body: &RowBody, lives: &ContainerLives) -> Result<()> {
        // Two values at one time leave the last; only one that is set where everything ends has no length.
        if record.end == tick && tick != lives.end(record.thread) {
            self.short_variables += 1;
            return Ok(());
        }
        let value = number(body.number);
        let fields = [("Value", "double", value.as_str())];
        self.lines.row("PajeSetVariable", tick, record, &fields, extras(record.arguments), None)
    }

    fn link(
        &mut self,
        event: &'static str,
        end: (&'static str, u32),
        tick: i64,
        record: &ChromeRecord<'_>,
        body: &RowBody,
    ) -> Result<()> {
        let value = self.lines.values[record.category as usize].text.clone();
        let (container, key) = (self.lines.container_text(end.1), String::from_utf8_lossy(record.id).into_owned());
        let fields =
            [("Value", "string", value.as_str()), ("Key", "string", &key), (end.0, "string", container.as_str())];
        let columns = &self.lines.world.extra_fields;
        let is_size = |extra: RowExtra<'_>| {
            columns
                .get(extra.field as usize)
                .is_some_and(|field| matches!(field.column.as_str(), "size" | "field_volume"))
        };
        // The size of a link is a field of that name, or its value.
        let has_size = extras(record.arguments).any(is_size);
        let name = self.lines.world.value_name(ValueId(record.category));
        let is_told = has_size || body.number.is_nan() || name.parse() == Ok(body.number);
        let volume = (!is_told && record.phase == phase::LINK).then_some(body.number);
        self.lines.row(event, tick, record, &fields, extras(record.arguments), volume)
    }

    fn finish(self) -> Result<Conversion> {
        self.lines.out.flush().map_err(failed)?;
        let unsaid = [
            (self.short_variables, "values of variables that last no time"),
            (self.lines.replaced, "texts with quotes or ends of lines, which were replaced"),
        ];
        let unsaid = unsaid.into_iter().filter(|(count, _)| *count > 0).collect();
        Ok(Conversion { events: self.lines.events, lost_lines: 0, unsaid })
    }
}
