//! Events become entities: one small tracker per kind of entity.
//!
//! In: batches of events, in the order in which they happened. Out: finished rows into a
//! [`RowSink`], the [`World`] they refer to, and what was wrong. Bad data is counted and shown, and
//! the simulation goes on.

mod containers;
mod links;
mod memo;
mod order;
mod slots;
mod states;
mod types;
mod variables;

use std::sync::Arc;

use crate::diagnostics::{Code, Diagnostics, Place, quote};
use crate::error::{Error, Result};
use crate::model::{
    Batch, ContainerId, Event, EventKind, EventRow, ExtraData, NameId, OwnedExtras, RowSink, Symbol, TypeId,
    TypeKind, TypeRow, World,
};

pub use order::Sorter;

use containers::ContainerTracker;
use links::{Half, LinkTracker, Side};
use memo::{Memo, Target};
use states::{Before, StateTracker};
use types::{ParentType, TypeTracker};
use variables::VariableTracker;

/// The line is lost; its diagnostic is recorded.
#[derive(Debug)]
struct Lost;

/// Why an event was not simulated.
enum Halt {
    Lost,
    Failed(Error),
}

impl From<Lost> for Halt {
    fn from(_: Lost) -> Halt {
        Halt::Lost
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Failed(error)
    }
}

/// What a tracker needs to know of the event at hand.
struct Context<'a> {
    diagnostics: &'a mut Diagnostics,
    place: Place,
    tick: i64,
    /// How many times ran backwards within one container and type.
    backwards: &'a mut u64,
}

impl Context<'_> {
    #[cold]
    fn lose(&mut self, code: Code, message: String) -> Lost {
        self.diagnostics.report(code, self.place, || message);
        Lost
    }

    #[cold]
    fn warn(&mut self, code: Code, message: String) {
        self.diagnostics.report(code, self.place, || message);
    }

    /// One of many: reports of the same subject share a row.
    #[cold]
    fn note(&mut self, code: Code, subject: u64, message: impl FnOnce() -> String) {
        self.diagnostics.report_grouped(code, subject, self.place, message);
    }

    /// The time of the event, or the last one of its container and type when time runs backwards.
    #[inline(always)]
    fn forward(&mut self, world: &World, container: ContainerId, type_: TypeId, last: &mut i64) -> i64 {
        if self.tick < *last {
            *self.backwards += 1;
            self.note(Code::TimeBackwards, u64::from(type_.0), || {
                format!(
                    "time runs backwards within {} of {}; the entity gets zero length",
                    quote(world.type_name(type_).as_bytes()),
                    quote(world.container_name(container).as_bytes())
                )
            });
        } else {
            *last = self.tick;
        }
        *last
    }
}

/// Simulates a trace.
#[derive(Default)]
pub struct Simulator {
    world: World,
    diagnostics: Diagnostics,
    types: TypeTracker,
    containers: ContainerTracker,
    states: StateTracker,
    variables: VariableTracker,
    links: LinkTracker,
    memo: Memo,
    /// By symbol of the batch at hand: the name.
    names: Vec<NameId>,
    lines: u64,
    event_lines: u64,
    rounded: u64,
    backwards: u64,
    span: Option<(i64, i64)>,
    root_type: Option<TypeId>,
}

/// What is left when a trace has been simulated.
pub struct Simulated {
    pub world: World,
    pub diagnostics: Diagnostics,
    pub lines: u64,
    pub event_lines: u64,
    /// Smallest and largest time.
    pub span: Option<(i64, i64)>,
}

impl Simulator {
    /// What was wrong so far.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// Whether time ran backwards within one container and type: the trace wants to be sorted.
    pub fn is_unordered(&self) -> bool {
        self.backwards > 0
    }

    /// Simulates a batch whose lines follow those of the batch before.
    pub fn batch(&mut self, batch: &Batch, sink: &mut impl RowSink) -> Result<()> {
        self.take_faults(batch, self.lines);
        self.intern(batch);
        let first = Place { line: self.lines + 1, byte: batch.first_byte };
        for (index, event) in batch.events.iter().enumerate() {
            let place = batch.places.get(index).copied().unwrap_or(Place {
                line: first.line + u64::from(event.line),
                byte: first.byte + u64::from(event.byte),
            });
            self.event(batch, event, place, sink)?;
        }
        self.lines += u64::from(batch.lines);
        Ok(())
    }

    /// Takes the lines and faults of a batch whose events are simulated later, in another order.
    pub fn observe(&mut self, batch: &Batch) {
        self.take_faults(batch, self.lines);
        self.lines += u64::from(batch.lines);
    }

    /// How many lines were seen.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Records what the reader found, and counts the event lines.
    fn take_faults(&mut self, batch: &Batch, lines_before: u64) {
        for fault in &batch.faults {
            let place = Place {
                line: lines_before + u64::from(fault.line) + 1,
                byte: batch.first_byte + u64::from(fault.byte),
            };
            self.diagnostics.report(fault.code, place, || fault.message.clone());
        }
        self.event_lines += u64::from(batch.event_lines);
        self.rounded += u64::from(batch.rounded);
    }

    /// Gives the words of a batch their names.
    fn intern(&mut self, batch: &Batch) {
        self.names.clear();
        for index in 0..batch.symbols.len() as u32 {
            let text = String::from_utf8_lossy(batch.symbol(Symbol(index)));
            self.names.push(self.world.names.intern(&text));
        }
        if !batch.events.is_empty() && !Arc::ptr_eq(&self.world.extra_fields, &batch.extra_fields) {
            self.world.extra_fields = batch.extra_fields.clone();
        }
    }

    #[inline(always)]
    fn name(&self, symbol: Symbol) -> NameId {
        self.names[symbol.0 as usize]
    }

    fn optional_name(&self, symbol: Symbol) -> Option<NameId> {
        symbol.is_some().then(|| self.name(symbol))
    }

    #[inline(always)]
    fn event(&mut self, batch: &Batch, event: &Event, place: Place, sink: &mut impl RowSink) -> Result<()> {
        if event.kind.has_time() {
            let (first, last) = self.span.unwrap_or((event.tick, event.tick));
            self.span = Some((first.min(event.tick), last.max(event.tick)));
        }
        match self.simulate(batch, event, place, sink) {
            Ok(()) | Err(Halt::Lost) => Ok(()),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    #[inline(always)]
    fn simulate(&mut self, batch: &Batch, event: &Event, place: Place, sink: &mut impl RowSink) -> Result<(), Halt> {
        use EventKind::*;
        let extras = match event.extras {
            0 => OwnedExtras::NONE,
            _ => OwnedExtras::copy_from(batch, batch.extras(event)),
        };
        let type_kind = match event.kind {
            SetState | PushState | PopState | ResetState => TypeKind::State,
            NewEvent => TypeKind::Event,
            SetVariable | AddVariable | SubVariable | ResetVariable => TypeKind::Variable,
            StartLink | EndLink => TypeKind::Link,
            _ => {
                self.memo.forget();
                return self.structure(event, place, extras, sink);
            }
        };
        let (container_name, type_name) = (self.name(event.container), self.name(event.type_));
        let target = match self.memo.get(container_name, type_name, type_kind) {
            Some(target) => target,
            None => self.resolve(container_name, type_name, type_kind, event.tick, place)?,
        };
        let value_name = if event.value.is_some() { Some(self.name(event.value)) } else { None };
        let other_name = if event.other.is_some() { Some(self.name(event.other)) } else { None };
        let mut context = Context {
            diagnostics: &mut self.diagnostics,
            place,
            tick: event.tick,
            backwards: &mut self.backwards,
        };
        let world = &mut self.world;
        let Target { container, type_, slot, .. } = target;
        let value = value_name.map(|name| self.types.value(world, &mut context, type_, name));
        match event.kind {
            SetState | PushState => {
                let value = value.ok_or(Lost)?;
                let before = if event.kind == SetState { Before::EndAll } else { Before::Keep };
                self.states.begin(world, &mut context, sink, before, slot, value, extras)?;
            }
            PopState => self.states.pop(world, &mut context, sink, slot, extras)?,
            ResetState => self.states.reset(world, &mut context, sink, slot, extras)?,
            NewEvent => {
                let row = EventRow { container, type_, value: value.ok_or(Lost)?, tick: event.tick };
                sink.event(world, &row, &extras)?;
            }
            StartLink | EndLink => {
                let mut at = self.containers.require(world, &mut context, other_name.ok_or(Lost)?)?;
                if at.is_root() {
                    at = self.containers.stand_in(world, event.tick, |world| root_type_of(&mut self.root_type, world));
                }
                let volume = volume(batch, event);
                let half = Half { tick: event.tick, value: value.ok_or(Lost)?, at, volume, extras, place };
                let side = if event.kind == StartLink { Side::Start } else { Side::End };
                let key = batch.text(event.key());
                self.links.end(world, &mut context, sink, side, container, type_, key, half)?;
            }
            kind => self.variables.change(world, &mut context, sink, kind, slot, event.number(), extras)?,
        }
        Ok(())
    }

    /// What a container word and a type word mean; remembered when there was nothing to complain of.
    fn resolve(
        &mut self,
        container_name: NameId,
        type_name: NameId,
        kind: TypeKind,
        tick: i64,
        place: Place,
    ) -> Result<Target, Lost> {
        let complaints_before = self.diagnostics.total();
        let mut context =
            Context { diagnostics: &mut self.diagnostics, place, tick, backwards: &mut self.backwards };
        let world = &mut self.world;
        let mut container = self.containers.require(world, &mut context, container_name)?;
        if container.is_root() && kind != TypeKind::Link {
            let root_type = &mut self.root_type;
            container = self.containers.stand_in(world, tick, |world| root_type_of(root_type, world));
        }
        let holder = world.containers.get(container.0 as usize).map(|row| row.type_);
        let type_ = self.types.require(world, &mut context, type_name, kind, holder)?;
        if world.types[type_.0 as usize].parent != holder && (holder.is_none() || holder != self.root_type) {
            mismatch(world, &mut context, type_, holder);
        }
        let slot = match kind {
            TypeKind::State => self.states.slot(container, type_),
            TypeKind::Variable => self.variables.slot(container, type_),
            _ => 0,
        };
        let target = Target { container, type_, kind, slot };
        if self.diagnostics.total() == complaints_before {
            self.memo.set(container_name, type_name, target);
        }
        Ok(target)
    }

    /// Events that change the two trees.
    #[cold]
    fn structure(&mut self, event: &Event, place: Place, extras: OwnedExtras, sink: &mut impl RowSink) -> Result<(), Halt> {
        let mut context = Context {
            diagnostics: &mut self.diagnostics,
            place,
            tick: event.tick,
            backwards: &mut self.backwards,
        };
        let name_of = |symbol: Symbol| self.names[symbol.0 as usize];
        let optional = |symbol: Symbol| symbol.is_some().then(|| name_of(symbol));
        let world = &mut self.world;
        match event.kind {
            EventKind::CreateContainer => {
                let parent = self.containers.require(world, &mut context, name_of(event.container))?;
                let type_ = self.types.require(world, &mut context, name_of(event.type_), TypeKind::Container, None)?;
                let (name, alias) = (name_of(event.value), optional(event.other));
                let holder = world.containers.get(parent.0 as usize).map(|row| row.type_);
                if world.types[type_.0 as usize].parent != holder {
                    mismatch(world, &mut context, type_, holder);
                }
                self.containers.create(world, &mut context, name, alias, type_, parent, extras)?;
            }
            EventKind::DestroyContainer => {
                self.types.require(world, &mut context, name_of(event.type_), TypeKind::Container, None)?;
                let container = self.containers.require(world, &mut context, name_of(event.container))?;
                if container.is_root() {
                    let message = "the root of the tree cannot be destroyed".to_string();
                    return Err(context.lose(Code::UnknownContainer, message).into());
                }
                world.containers[container.0 as usize].extras.add_missing(extras);
                for doomed in self.containers.destroy(world, container, event.tick) {
                    if self.states.is_after(doomed, event.tick) || self.variables.is_after(doomed, event.tick) {
                        self.backwards += 1;
                    }
                    self.states.end_container(world, sink, doomed, event.tick)?;
                    self.variables.end_container(world, sink, doomed, event.tick)?;
                }
            }
            EventKind::DefineEntityValue => {
                let type_name = name_of(event.type_);
                let kinds = [TypeKind::State, TypeKind::Event, TypeKind::Link, TypeKind::Variable];
                let found = kinds.iter().find_map(|kind| self.types.resolve(world, type_name, *kind, None));
                let type_ = match found {
                    Some(type_) => type_,
                    None => self.types.require(world, &mut context, type_name, TypeKind::State, None)?,
                };
                let (name, alias, color) = (name_of(event.value), optional(event.other), optional(event.container));
                self.types.define_value(world, type_, name, alias, color, extras);
            }
            kind => {
                let row = self.type_row(kind, event, place, extras)?;
                let mut context = Context {
                    diagnostics: &mut self.diagnostics,
                    place,
                    tick: event.tick,
                    backwards: &mut self.backwards,
                };
                self.types.define(&mut self.world, &mut context, row);
            }
        }
        Ok(())
    }

    fn type_row(&mut self, kind: EventKind, event: &Event, place: Place, extras: OwnedExtras) -> Result<TypeRow, Lost> {
        let (name, alias, color) =
            (self.name(event.value), self.optional_name(event.other), self.optional_name(event.container));
        let parent_name = self.name(event.type_);
        let ends = match kind {
            EventKind::DefineLinkType => {
                let (source, target) = event.end_types();
                Some((self.name(source), self.name(target)))
            }
            _ => None,
        };
        let mut context = Context {
            diagnostics: &mut self.diagnostics,
            place,
            tick: event.tick,
            backwards: &mut self.backwards,
        };
        let mut parent_of = |name| match self.types.require_parent(&self.world, &mut context, name)? {
            ParentType::Root => Ok(None),
            ParentType::Type(id) => Ok(Some(id)),
        };
        let parent = parent_of(parent_name)?;
        let (source, target) = match ends {
            Some((source, target)) => (parent_of(source)?, parent_of(target)?),
            None => (None, None),
        };
        let kind = match kind {
            EventKind::DefineStateType => TypeKind::State,
            EventKind::DefineEventType => TypeKind::Event,
            EventKind::DefineVariableType => TypeKind::Variable,
            EventKind::DefineLinkType => TypeKind::Link,
            _ => TypeKind::Container,
        };
        Ok(TypeRow { kind, name, alias, parent, source, target, color, extras })
    }

    /// Ends everything that is open at the end of the trace.
    pub fn finish(mut self, sink: &mut impl RowSink) -> Result<Simulated> {
        let end = self.span.map_or(0, |(_, last)| last);
        for (type_, count) in self.states.open_by_type() {
            let name = quote(self.world.type_name(type_).as_bytes());
            self.diagnostics.report_many(Code::OpenState, Place::default(), count, || {
                format!("{count} states of {name} were open at the end of the trace; they end with it")
            });
        }
        for index in 0..self.world.containers.len() as u32 {
            let container = ContainerId(index);
            if self.world.containers[index as usize].end.is_none() {
                self.states.end_container(&self.world, sink, container, end)?;
                self.variables.end_container(&self.world, sink, container, end)?;
                self.world.containers[index as usize].end = Some(end);
            }
        }
        self.links.report_unmatched(&self.world, &mut self.diagnostics);
        self.diagnostics.report_many(Code::RoundedTime, Place::default(), self.rounded, || {
            "timestamps finer than the resolution were rounded; import with a finer --resolution to keep them".to_string()
        });
        if self.event_lines == 0 {
            self.diagnostics.report(Code::EmptyTrace, Place::default(), || {
                "the trace holds no event; is it the right file?".to_string()
            });
        }
        Ok(Simulated {
            world: self.world,
            diagnostics: self.diagnostics,
            lines: self.lines,
            event_lines: self.event_lines,
            span: self.span,
        })
    }
}

/// The type of the container that stands for the root.
fn root_type_of(known: &mut Option<TypeId>, world: &mut World) -> TypeId {
    *known.get_or_insert_with(|| {
        let name = world.names.intern("0");
        let id = TypeId(world.types.len() as u32);
        world.types.push(TypeRow {
            kind: TypeKind::Container,
            name,
            alias: None,
            parent: None,
            source: None,
            target: None,
            color: None,
            extras: OwnedExtras::NONE,
        });
        id
    })
}

#[cold]
fn mismatch(world: &World, context: &mut Context<'_>, type_: TypeId, holder: Option<TypeId>) {
    let name_of = |id: Option<TypeId>| id.map_or("0", |id| world.type_name(id)).to_string();
    context.note(Code::TypeMismatch, u64::from(type_.0), || {
        format!(
            "{} belongs to containers of type {}, and is used on one of type {}; it was accepted",
            quote(world.type_name(type_).as_bytes()),
            quote(name_of(world.types[type_.0 as usize].parent).as_bytes()),
            quote(name_of(holder).as_bytes())
        )
    });
}

/// The size that a link event carries in a field of its own.
fn volume(batch: &Batch, event: &Event) -> Option<f64> {
    batch
        .extras(event)
        .iter()
        .find(|extra| batch.extra_fields[extra.field as usize].is_volume)
        .and_then(|extra| match extra.data {
            ExtraData::Int(value) => Some(value as f64),
            ExtraData::UInt(value) => Some(value as f64),
            ExtraData::Double(value) => Some(value),
            ExtraData::Text(span) => batch.text(span).parse().ok(),
        })
}

#[cfg(test)]
mod tests;
