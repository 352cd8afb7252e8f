//! Events become entities: one small tracker per kind of entity.
//!
//! In: batches of events, in the order in which they happened. Out: finished rows into a
//! [`RowSink`], the [`World`] they refer to, and what was wrong. Bad data is counted and shown, and
//! the simulation goes on.

mod checks;
mod containers;
mod context;
mod extras;
mod links;
mod memo;
mod order;
mod slots;
mod states;
mod structure;
mod types;
mod variables;

use std::sync::Arc;

use crate::diagnostics::{Code, Diagnostics, SourcePosition, quote};
use crate::error::Result;
use crate::model::{
    ContainerId, EventBatch, EventKind, EventRow, NameId, OwnedExtra, RecentTexts, RowSink, Symbol, TypeId, TypeKind,
    World,
};

pub use order::EventSorter;

use checks::{check_end, mismatch, root_type_of};
use containers::ContainerTracker;
use context::{Context, EventFailure, EventOutput, EventPosition, LostEvent, NumberedBatch};
use extras::EventExtras;
use links::{LinkHalf, LinkSide, LinkTracker, volume};
use memo::{EventTarget, Memo};
use states::{StackChange, StateTracker};
use types::TypeTracker;
use variables::VariableTracker;

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
    texts: RecentTexts,
    /// Those of an event without length.
    extras: Vec<OwnedExtra>,
    /// By symbol of the batch at hand: the name.
    names: Vec<NameId>,
    lines: u64,
    event_lines: u64,
    rounded: u64,
    backwards: u64,
    /// Events that came, and those of them that were lost.
    events: u64,
    lost_events: u64,
    /// How many lines came after one of a later time, and the first of them.
    out_of_order: u64,
    first_out_of_order: SourcePosition,
    /// Time of the first event, or the smallest one after it.
    first: Option<i64>,
    /// The largest time.
    last: i64,
    root_type: Option<TypeId>,
    precision: Precision,
}

/// How exactly the numbers of variables are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 64 bits.
    #[default]
    Double,
    /// As pj_dump reads them, for those who compare with it.
    Single,
}

/// What is left when a trace has been simulated.
pub struct Simulated {
    /// What the rows refer to.
    pub world: World,
    /// What was wrong with the trace.
    pub diagnostics: Diagnostics,
    /// Lines of the trace.
    pub lines: u64,
    /// Lines that carry an event.
    pub event_lines: u64,
    /// Events and definitions that were of use.
    pub used_events: u64,
    /// Smallest and largest time.
    pub span: Option<(i64, i64)>,
}

impl Simulator {
    /// A simulator before the first event.
    pub fn new(precision: Precision) -> Simulator {
        Simulator { precision, ..Simulator::default() }
    }

    /// How many lines came after one of a later time, and the first of them.
    pub fn out_of_order(&self) -> (u64, SourcePosition) {
        (self.out_of_order, self.first_out_of_order)
    }

    /// What was wrong so far.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// Whether time ran backwards within one container and type: the trace wants to be sorted.
    pub fn is_unordered(&self) -> bool {
        self.backwards > 0
    }

    /// Simulates a batch whose lines follow those of the batch before.
    pub fn batch(&mut self, batch: &EventBatch, sink: &mut impl RowSink) -> Result<()> {
        self.take_faults(batch, self.lines);
        self.intern(batch);
        let from = &NumberedBatch { batch, lines_before: self.lines };
        if self.first.is_none() {
            self.first = batch.events.iter().find(|event| event.kind.has_time()).map(|event| event.tick);
            self.last = self.first.unwrap_or_default();
        }
        self.events += batch.events.len() as u64;
        for event in &batch.events {
            self.event(EventPosition { event, from }, sink)?;
        }
        self.lines += u64::from(batch.lines);
        Ok(())
    }

    /// Takes the lines and faults of a batch whose events are simulated later, in another order.
    pub fn observe(&mut self, batch: &EventBatch) {
        self.take_faults(batch, self.lines);
        self.lines += u64::from(batch.lines);
    }

    /// How many lines were seen.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Records what the reader found, and counts the event lines.
    fn take_faults(&mut self, batch: &EventBatch, lines_before: u64) {
        for fault in &batch.faults {
            let place = batch.fault_place(fault, lines_before);
            self.diagnostics.report_many(fault.code, place, fault.occurrences, || fault.message.clone());
        }
        self.event_lines += u64::from(batch.event_lines);
        self.rounded += u64::from(batch.rounded);
    }

    /// Gives the words of a batch their names.
    fn intern(&mut self, batch: &EventBatch) {
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
    fn event(&mut self, scene: EventPosition<'_>, sink: &mut impl RowSink) -> Result<()> {
        let event = scene.event;
        if event.kind.has_time() {
            if event.tick < self.last {
                self.note_disorder(scene);
            } else {
                self.last = event.tick;
            }
        }
        match self.simulate(scene, sink) {
            Ok(()) => Ok(()),
            Err(EventFailure::Lost) => {
                self.lost_events += 1;
                Ok(())
            }
            Err(EventFailure::Failed(error)) => Err(error),
        }
    }

    #[cold]
    fn note_disorder(&mut self, scene: EventPosition<'_>) {
        if self.out_of_order == 0 {
            self.first_out_of_order = scene.place();
        }
        self.out_of_order += 1;
        self.first = self.first.min(Some(scene.event.tick));
    }

    #[inline(always)]
    fn simulate(&mut self, scene: EventPosition<'_>, sink: &mut impl RowSink) -> Result<(), EventFailure> {
        use EventKind::*;
        let (event, batch) = (scene.event, scene.from.batch);
        let Some(type_kind) = event.kind.type_kind() else {
            self.memo.forget();
            let extras = EventExtras { batch, values: batch.extras(event), recent: &mut self.texts }.owned();
            return self.structure(scene, extras, sink);
        };
        let (container_name, type_name) = (self.name(event.container), self.name(event.type_));
        let target = match self.memo.get(container_name, type_name, type_kind) {
            Some(target) => target,
            None => self.resolve(container_name, type_name, type_kind, scene)?,
        };
        let mut context = Context { diagnostics: &mut self.diagnostics, scene, backwards: &mut self.backwards };
        let (world, names) = (&mut self.world, &self.names);
        let name_of = |symbol: Symbol| names.get(symbol.0 as usize).copied().ok_or(LostEvent);
        let EventTarget { container, type_, slot, .. } = target;
        let extras = EventExtras { batch, values: batch.extras(event), recent: &mut self.texts };
        match event.kind {
            SetState | PushState => {
                let value = self.types.value(world, &mut context, type_, name_of(event.value)?);
                let change = if event.kind == SetState { StackChange::EndAll } else { StackChange::Keep };
                self.states.begin(EventOutput { world, context: &mut context, sink }, change, slot, value, extras)?;
            }
            PopState => self.states.pop(EventOutput { world, context: &mut context, sink }, slot, extras)?,
            ResetState => self.states.reset(EventOutput { world, context: &mut context, sink }, slot, extras)?,
            NewEvent => {
                let value = self.types.value(world, &mut context, type_, name_of(event.value)?);
                self.extras.clear();
                extras.append_to(&mut self.extras);
                sink.event(world, &EventRow { container, type_, value, tick: event.tick }, &self.extras)?;
            }
            StartLink | EndLink => {
                let value = self.types.value(world, &mut context, type_, name_of(event.value)?);
                let mut at = self.containers.require(world, &mut context, name_of(event.other)?)?;
                if at.is_root() {
                    at = self.containers.stand_in(world, event.tick, |world| root_type_of(&mut self.root_type, world));
                }
                let side = if event.kind == StartLink { LinkSide::Start } else { LinkSide::End };
                check_end(world, &mut context, type_, side, at);
                let (volume, place) = (volume(batch, event), scene.place());
                let half = LinkHalf { tick: event.tick, value, at, volume, extras: extras.owned(), place };
                let key = batch.bytes(event.key());
                let output = EventOutput { world, context: &mut context, sink };
                self.links.end(output, side, container, type_, key, half)?;
            }
            kind => {
                let number = match self.precision {
                    Precision::Double => event.number(),
                    Precision::Single => f64::from(event.number() as f32),
                };
                let output = EventOutput { world, context: &mut context, sink };
                self.variables.change(output, kind, slot, number, extras.owned())?;
            }
        }
        Ok(())
    }

    /// What a container word and a type word mean; remembered when there was nothing to complain of.
    fn resolve(
        &mut self,
        container_name: NameId,
        type_name: NameId,
        kind: TypeKind,
        scene: EventPosition<'_>,
    ) -> Result<EventTarget, LostEvent> {
        let complaints_before = self.diagnostics.total();
        let tick = scene.event.tick;
        let mut context = Context { diagnostics: &mut self.diagnostics, scene, backwards: &mut self.backwards };
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
        let target = EventTarget { container, type_, kind, slot };
        if self.diagnostics.total() == complaints_before {
            self.memo.set(container_name, type_name, target);
        }
        Ok(target)
    }

    /// Ends everything that is open at the end of the trace.
    pub fn finish(mut self, sink: &mut impl RowSink) -> Result<Simulated> {
        let span = self.first.map(|first| (first, self.last));
        let end = span.map_or(0, |(_, last)| last);
        for (type_, count) in self.states.open_by_type() {
            let name = quote(self.world.type_name(type_).as_bytes());
            self.diagnostics.report_many(Code::OpenState, SourcePosition::default(), count, || {
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
        self.diagnostics.report_many(Code::RoundedTime, SourcePosition::default(), self.rounded, || {
            "timestamps finer than the resolution were rounded; import with a finer --resolution to keep them"
                .to_string()
        });
        if self.event_lines == 0 {
            self.diagnostics.report(Code::EmptyTrace, SourcePosition::default(), || {
                "the trace holds no event; is it the right file?".to_string()
            });
        }
        Ok(Simulated {
            world: self.world,
            diagnostics: self.diagnostics,
            lines: self.lines,
            event_lines: self.event_lines,
            used_events: self.events - self.lost_events,
            span,
        })
    }
}
