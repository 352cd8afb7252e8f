//! Emits a trace of any format as Pajé events, without text in between.
//!
//! In: definitions, then events in time order (where they are not, the import sorts them). Out:
//! batches of bounded size, handed to the consumer as they are full.
//!
//! Types, values and containers are [`NameHandle`]s, which live as long as the writer; keys of links and the
//! text of extra fields are not, so memory does not grow with the trace.

// size: one method per kind of event.

#[cfg(test)]
mod tests;

use super::declared_columns::DeclaredColumns;
use super::event_fields::{ExtraFieldId, ExtraRole, ExtraValue, ExtraValues, LinkEnd, NameHandle};
use super::{Consumer, ReadFlow};
use crate::diagnostics::{Code, SourcePosition};
use crate::error::Result;
use crate::model::{
    BatchSpan, Event, EventBatch, EventKind, Fault, FieldKind, NameId, NameInterner, Payload, StoredTable, Symbol,
    TypeKind,
};
use crate::time::Resolution;

/// Events of a batch.
const BATCH_EVENTS: usize = 8192;
/// Bytes of text of a batch.
const BATCH_TEXT: usize = 1 << 20;

/// Collects events into batches and hands them to a consumer.
pub struct EventWriter<'a> {
    consume: &'a mut Consumer<'a>,
    resolution: Resolution,
    names: NameInterner,
    extra_columns: DeclaredColumns,
    batch: EventBatch,
    /// By name: the symbol in the batch.
    symbols: Vec<Symbol>,
    /// Names that have a symbol in the batch.
    used: Vec<NameId>,
    /// Records emitted in earlier batches.
    emitted: u64,
    /// Offset of the record at hand in its file.
    byte: u64,
    /// Bytes read of all files.
    done: u64,
    is_stopped: bool,
    /// Extra values of the event that is emitted next.
    added: usize,
}

impl<'a> EventWriter<'a> {
    /// A writer without events.
    pub fn new(resolution: Resolution, consume: &'a mut Consumer<'a>) -> EventWriter<'a> {
        EventWriter {
            consume,
            resolution,
            names: NameInterner::default(),
            extra_columns: DeclaredColumns::default(),
            batch: EventBatch::default(),
            symbols: vec![],
            used: vec![],
            emitted: 0,
            byte: 0,
            done: 0,
            is_stopped: false,
            added: 0,
        }
    }

    /// Length of a tick.
    pub fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// The top of the trees of types and containers.
    pub fn root(&mut self) -> NameHandle {
        self.intern("0")
    }

    /// A type, value or container by its alias or name.
    pub fn intern(&mut self, text: &str) -> NameHandle {
        let name = self.names.intern(text);
        self.symbols.resize(self.names.len(), Symbol::NONE);
        NameHandle(name)
    }

    /// An extra field: a column of a table, named in snake_case. Where the table has no room for another column, the
    /// values of the field are not kept, and a warning says so.
    pub fn field(&mut self, table: StoredTable, column: &str, kind: FieldKind, role: ExtraRole) -> ExtraFieldId {
        self.extra_columns.field(table, column, kind, role)
    }

    /// An extra field of text on containers.
    pub fn container_text(&mut self, column: &str) -> ExtraFieldId {
        self.field(StoredTable::Containers, column, FieldKind::Text, ExtraRole::Column)
    }

    /// Adds an extra field to the event that is emitted next, before those that it is given. Nothing else may be
    /// emitted or reported in between.
    #[inline]
    pub fn add_field(&mut self, field: ExtraFieldId, value: ExtraValue<'_>) {
        self.added += value.add_to(&mut self.batch, field);
    }

    /// Sets the offset in its file of the record that is emitted next.
    pub fn at(&mut self, byte: u64) {
        self.byte = byte;
    }

    /// Sets how many bytes of all files were read.
    pub fn advance(&mut self, done: u64) {
        self.done = done;
    }

    /// Hands over a batch early, so that the consumer can cancel while few events are emitted.
    pub fn pause(&mut self) -> Result<()> {
        self.flush()
    }

    /// Whether the consumer wants no more.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// What the consumer wants.
    pub fn flow(&self) -> ReadFlow {
        if self.is_stopped { ReadFlow::Stop } else { ReadFlow::GoOn }
    }

    /// The tick of a count of which `per_second` make a second; halves are rounded away
    /// from zero, and counted.
    #[inline]
    pub fn tick(&mut self, count: i128, per_second: u64) -> Option<i64> {
        // Most clocks count what a tick is: no division of 128 bits for each event.
        match self.resolution.ticks_per_second().unsigned_abs() == per_second {
            true => i64::try_from(count).ok(),
            false => self.rounded_tick(count, per_second),
        }
    }

    #[inline(never)]
    fn rounded_tick(&mut self, count: i128, per_second: u64) -> Option<i64> {
        let per_second = i128::from(per_second.max(1));
        let scaled = count.checked_mul(i128::from(self.resolution.ticks_per_second()))?;
        let (whole, rest) = (scaled / per_second, scaled % per_second);
        if rest != 0 {
            self.batch.rounded += 1;
        }
        let is_half = rest.abs() * 2 >= per_second;
        i64::try_from(if is_half { whole + scaled.signum() } else { whole }).ok()
    }

    /// Counts a time that was finer than a tick.
    pub fn note_rounded(&mut self) {
        self.batch.rounded += 1;
    }

    /// Defines a type of containers, states, events or variables below a type of containers.
    pub fn define_type(
        &mut self,
        kind: TypeKind,
        type_: NameHandle,
        parent: NameHandle,
        name: &str,
        color: Option<&str>,
    ) -> Result<()> {
        let kind = match kind {
            TypeKind::Container => EventKind::DefineContainerType,
            TypeKind::State => EventKind::DefineStateType,
            TypeKind::Event => EventKind::DefineEventType,
            TypeKind::Variable => EventKind::DefineVariableType,
            TypeKind::Link => EventKind::DefineLinkType,
        };
        let mut event = Event::new(kind);
        event.type_ = self.symbol(parent);
        self.define(event, type_, name, color)
    }

    /// Defines a type of links between containers of two types.
    pub fn define_link_type(
        &mut self,
        type_: NameHandle,
        parent: NameHandle,
        ends: (NameHandle, NameHandle),
        name: &str,
    ) -> Result<()> {
        let mut event = Event::new(EventKind::DefineLinkType);
        event.type_ = self.symbol(parent);
        event.payload = Payload::end_types(self.symbol(ends.0), self.symbol(ends.1));
        self.define(event, type_, name, None)
    }

    /// Defines a value of a type.
    pub fn define_value(
        &mut self,
        value: NameHandle,
        type_: NameHandle,
        name: &str,
        color: Option<&str>,
    ) -> Result<()> {
        let mut event = Event::new(EventKind::DefineEntityValue);
        event.type_ = self.symbol(type_);
        self.define(event, value, name, color)
    }

    fn define(&mut self, mut event: Event, alias: NameHandle, name: &str, color: Option<&str>) -> Result<()> {
        let name = self.intern(name);
        event.value = self.symbol(name);
        event.other = if alias == name { Symbol::NONE } else { self.symbol(alias) };
        if let Some(color) = color {
            let color = self.intern(color);
            event.container = self.symbol(color);
        }
        self.emit(event, &[])
    }

    /// Creates a container; its handle must be its own, its name need not.
    pub fn create_container(
        &mut self,
        tick: i64,
        container: NameHandle,
        name: &str,
        type_: NameHandle,
        parent: NameHandle,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        let name = self.intern(name);
        let mut event = self.event(EventKind::CreateContainer, tick, parent, type_);
        event.value = self.symbol(name);
        event.other = self.symbol(container);
        self.emit(event, fields)
    }

    /// Destroys a container and all below it.
    pub fn destroy_container(&mut self, tick: i64, container: NameHandle, type_: NameHandle) -> Result<()> {
        let event = self.event(EventKind::DestroyContainer, tick, container, type_);
        self.emit(event, &[])
    }

    /// Ends all states of a container and type, and starts one.
    pub fn set_state(
        &mut self,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        value: NameHandle,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        self.valued(EventKind::SetState, tick, container, type_, value, fields)
    }

    /// Starts a state inside those that are open.
    pub fn push_state(
        &mut self,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        value: NameHandle,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        self.valued(EventKind::PushState, tick, container, type_, value, fields)
    }

    /// Ends the innermost state; its own fields win over those given here.
    pub fn pop_state(
        &mut self,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        let event = self.event(EventKind::PopState, tick, container, type_);
        self.emit(event, fields)
    }

    /// Emits an event without duration.
    pub fn new_event(
        &mut self,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        value: NameHandle,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        self.valued(EventKind::NewEvent, tick, container, type_, value, fields)
    }

    /// Sets the value of a variable.
    pub fn set_variable(
        &mut self,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        number: f64,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        self.numbered(EventKind::SetVariable, tick, container, type_, number, fields)
    }

    /// Adds to the value of a variable.
    pub fn add_variable(
        &mut self,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        number: f64,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        self.numbered(EventKind::AddVariable, tick, container, type_, number, fields)
    }

    /// Ends the value of a variable.
    pub fn reset_variable(&mut self, tick: i64, container: NameHandle, type_: NameHandle) -> Result<()> {
        let event = self.event(EventKind::ResetVariable, tick, container, type_);
        self.emit(event, &[])
    }

    /// Gives a variable a value since its last event, or since its container exists.
    pub fn measure_variable(
        &mut self,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        number: f64,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        self.numbered(EventKind::MeasureVariable, tick, container, type_, number, fields)
    }

    /// Starts a link. Starts and ends of one container, type and key are matched first in first out, in
    /// either order.
    pub fn start_link(&mut self, link: &LinkEnd<'_>) -> Result<()> {
        self.link(EventKind::StartLink, link)
    }

    /// Ends a link.
    pub fn end_link(&mut self, link: &LinkEnd<'_>) -> Result<()> {
        self.link(EventKind::EndLink, link)
    }

    /// Reports what is wrong with the record at hand.
    pub fn fault(&mut self, code: Code, message: String) -> Result<()> {
        self.fault_many(code, 1, message)
    }

    /// Reports what was found several times as one row of the diagnostics.
    pub fn fault_many(&mut self, code: Code, occurrences: u64, message: String) -> Result<()> {
        let line = self.emitted + self.batch.places.len() as u64 + 1;
        let place = Some(SourcePosition { line, byte: self.byte });
        self.batch.faults.push(Fault { code, line: 0, byte: 0, message, place, occurrences });
        if self.batch.faults.len() >= BATCH_EVENTS { self.flush() } else { Ok(()) }
    }

    /// Hands over what is left.
    pub fn finish(mut self) -> Result<()> {
        for message in self.extra_columns.take_warnings() {
            self.fault(Code::TooManyFields, message)?;
        }
        self.flush()
    }

    fn event(&mut self, kind: EventKind, tick: i64, container: NameHandle, type_: NameHandle) -> Event {
        let mut event = Event::new(kind);
        event.tick = tick;
        event.container = self.symbol(container);
        event.type_ = self.symbol(type_);
        event
    }

    fn valued(
        &mut self,
        kind: EventKind,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        value: NameHandle,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        let mut event = self.event(kind, tick, container, type_);
        event.value = self.symbol(value);
        self.emit(event, fields)
    }

    fn numbered(
        &mut self,
        kind: EventKind,
        tick: i64,
        container: NameHandle,
        type_: NameHandle,
        number: f64,
        fields: ExtraValues<'_>,
    ) -> Result<()> {
        let mut event = self.event(kind, tick, container, type_);
        event.payload = Payload::number(number);
        self.emit(event, fields)
    }

    fn link(&mut self, kind: EventKind, link: &LinkEnd<'_>) -> Result<()> {
        let mut event = self.event(kind, link.tick, link.container, link.type_);
        event.value = self.symbol(link.value);
        event.other = self.symbol(link.end);
        event.payload = Payload::key(self.batch.push_text(link.key.as_bytes()));
        self.emit(event, link.fields)
    }

    #[inline(always)]
    fn symbol(&mut self, name: NameHandle) -> Symbol {
        let symbol = self.symbols[name.number()];
        if symbol.is_some() { symbol } else { self.new_symbol(name) }
    }

    /// Adds a name that the batch does not have yet.
    #[inline(never)]
    fn new_symbol(&mut self, name: NameHandle) -> Symbol {
        let symbol = self.batch.push_symbol(self.names.text(name.0).as_bytes());
        self.symbols[name.number()] = symbol;
        self.used.push(name.0);
        symbol
    }

    fn emit(&mut self, mut event: Event, fields: ExtraValues<'_>) -> Result<()> {
        let start = self.batch.extra_values.len() - std::mem::take(&mut self.added);
        for (field, data) in fields {
            data.add_to(&mut self.batch, *field);
        }
        let len = self.batch.extra_values.len() - start;
        if len > 0 {
            self.batch.extra_rows.push(BatchSpan { start: start as u32, len: len as u32 });
            event.extras = self.batch.extra_rows.len() as u32;
        }
        event.line = self.batch.places.len() as u32;
        self.batch.places.push(SourcePosition { line: self.emitted + u64::from(event.line) + 1, byte: self.byte });
        self.batch.events.push(event);
        let is_full = self.batch.events.len() >= BATCH_EVENTS || self.batch.text.len() >= BATCH_TEXT;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let count = self.batch.events.len() as u32;
        (self.batch.lines, self.batch.event_lines) = (count, count);
        self.batch.first_byte = self.done;
        self.batch.extra_fields = self.extra_columns.fields();
        if !self.is_stopped {
            self.is_stopped = (self.consume)(&mut self.batch)? == ReadFlow::Stop;
        }
        self.emitted += u64::from(count);
        for name in self.used.drain(..) {
            self.symbols[name.0 as usize] = Symbol::NONE;
        }
        self.batch.clear();
        self.added = 0;
        Ok(())
    }
}
