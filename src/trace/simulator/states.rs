//! States: a stack per container and type, and the segments of the innermost state.
//!
//! ```text
//! push a ─┬───────────────┐ pop a        states:    a [0, 6)  depth 0, cut
//!         │  push b ─┐pop │                         b [2, 4)  depth 1
//!         0    2     4    6              segments:  a [0, 2)  b [2, 4)  a [4, 6)
//! ```
//! A state that nothing was pushed onto is its own segment and is not written twice.

use super::context::EventOutput;
use super::extras::EventExtras;
use super::slots::Slots;
use crate::diagnostics::{Code, quote};
use crate::error::Result;
use crate::model::{ContainerId, OwnedExtra, RowSink, StateRow, TypeId, ValueId, World};

/// A state that has begun.
#[derive(Debug)]
struct OpenState {
    value: ValueId,
    start: i64,
    /// Where its current segment begins.
    segment_start: i64,
    is_cut: bool,
    /// Where its extra fields start among those of the stack; they end where those of the state above it start.
    extras: usize,
}

/// The stack of one container and type.
#[derive(Debug)]
struct Stack {
    container: ContainerId,
    type_: TypeId,
    /// The next stack of the same container.
    next: Option<u32>,
    /// Time of the last event.
    last: i64,
    open: Vec<OpenState>,
    /// The extra fields of all open states, from the outermost inwards.
    extras: Vec<OwnedExtra>,
}

/// What a state event does to the stack before its new state, if any, is put on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackChange {
    /// Set and Reset: everything ends.
    EndAll,
    /// Push: nothing ends.
    Keep,
}

/// Follows the states.
#[derive(Debug, Default)]
pub(super) struct StateTracker {
    slots: Slots,
    stacks: Vec<Stack>,
    /// By container: its first stack.
    first: Vec<Option<u32>>,
}

impl StateTracker {
    /// The number of the stack of a container and type.
    pub fn slot(&mut self, container: ContainerId, type_: TypeId) -> u32 {
        match self.slots.get(container.0, type_.0) {
            Some(slot) => slot,
            None => self.add_stack(container, type_),
        }
    }

    fn add_stack(&mut self, container: ContainerId, type_: TypeId) -> u32 {
        let slot = self.stacks.len() as u32;
        let index = container.0 as usize;
        if self.first.len() <= index {
            self.first.resize(index + 1, None);
        }
        let next = self.first[index].replace(slot);
        self.stacks.push(Stack { container, type_, next, last: i64::MIN, open: vec![], extras: vec![] });
        self.slots.insert(container.0, type_.0, slot);
        slot
    }

    /// Set, Push: a state begins.
    #[inline(always)]
    pub fn begin(
        &mut self,
        output: EventOutput<'_, '_, impl RowSink>,
        change: StackChange,
        slot: u32,
        value: ValueId,
        extras: EventExtras<'_>,
    ) -> Result<()> {
        let EventOutput { world, context, sink } = output;
        let stack = &mut self.stacks[slot as usize];
        let tick = context.forward(world, stack.container, stack.type_, &mut stack.last);
        match change {
            StackChange::EndAll => stack.end_all(world, sink, tick)?,
            StackChange::Keep => stack.cut_top(world, sink, tick)?,
        }
        let place = stack.extras.len();
        extras.append_to(&mut stack.extras);
        stack.open.push(OpenState { value, start: tick, segment_start: tick, is_cut: false, extras: place });
        Ok(())
    }

    /// Pop: the innermost state ends. Its own fields win over those of the pop.
    #[inline(always)]
    pub fn pop(&mut self, output: EventOutput<'_, '_, impl RowSink>, slot: u32, extras: EventExtras<'_>) -> Result<()> {
        let EventOutput { world, context, sink } = output;
        let stack = &mut self.stacks[slot as usize];
        let tick = context.forward(world, stack.container, stack.type_, &mut stack.last);
        match stack.open.last() {
            Some(top) => {
                extras.add_missing_to(&mut stack.extras, top.extras);
                stack.end_top(world, sink, tick)
            }
            None => {
                context.lose(
                    Code::EmptyStack,
                    format!(
                        "a pop of {} on {}, where nothing was pushed",
                        quote(world.type_name(stack.type_).as_bytes()),
                        quote(world.container_name(stack.container).as_bytes())
                    ),
                );
                Ok(())
            }
        }
    }

    /// Reset: everything ends.
    pub fn reset(
        &mut self,
        output: EventOutput<'_, '_, impl RowSink>,
        slot: u32,
        extras: EventExtras<'_>,
    ) -> Result<()> {
        let EventOutput { world, context, sink } = output;
        let stack = &mut self.stacks[slot as usize];
        let tick = context.forward(world, stack.container, stack.type_, &mut stack.last);
        if let Some(top) = stack.open.last() {
            extras.add_missing_to(&mut stack.extras, top.extras);
        }
        stack.end_all(world, sink, tick)
    }

    /// Ends all states of a container; gives how many there were.
    pub fn end_container(
        &mut self,
        world: &World,
        sink: &mut impl RowSink,
        container: ContainerId,
        tick: i64,
    ) -> Result<u64> {
        let mut next = self.first.get(container.0 as usize).copied().flatten();
        let mut ended = 0;
        while let Some(slot) = next {
            let stack = &mut self.stacks[slot as usize];
            ended += stack.open.len() as u64;
            let tick = tick.max(stack.last);
            stack.end_all(world, sink, tick)?;
            next = stack.next;
        }
        Ok(ended)
    }

    /// Whether something happened on a container after a time.
    pub fn is_after(&self, container: ContainerId, tick: i64) -> bool {
        let mut next = self.first.get(container.0 as usize).copied().flatten();
        while let Some(slot) = next {
            let stack = &self.stacks[slot as usize];
            if stack.last > tick {
                return true;
            }
            next = stack.next;
        }
        false
    }

    /// How many states of each type are open: what a trace that was cut leaves behind.
    pub fn open_by_type(&self) -> Vec<(TypeId, u64)> {
        let mut counts: Vec<(TypeId, u64)> = vec![];
        for stack in self.stacks.iter().filter(|stack| !stack.open.is_empty()) {
            let open = stack.open.len() as u64;
            match counts.iter_mut().find(|(type_, _)| *type_ == stack.type_) {
                Some((_, count)) => *count += open,
                None => counts.push((stack.type_, open)),
            }
        }
        counts
    }
}

impl Stack {
    fn row(&self, state: &OpenState, start: i64, end: i64, depth: usize) -> StateRow {
        StateRow {
            container: self.container,
            type_: self.type_,
            value: state.value,
            start,
            end,
            depth: depth as u32,
            is_cut: state.is_cut,
        }
    }

    /// A state is about to be pushed onto the top one.
    #[inline(always)]
    fn cut_top(&mut self, world: &World, sink: &mut impl RowSink, tick: i64) -> Result<()> {
        let depth = self.open.len().wrapping_sub(1);
        let Some(top) = self.open.last_mut() else {
            return Ok(());
        };
        top.is_cut = true;
        if top.segment_start == tick {
            return Ok(());
        }
        let start = std::mem::replace(&mut top.segment_start, tick);
        let top = &self.open[depth];
        sink.segment(world, &self.row(top, start, tick, depth), &self.extras[top.extras..])
    }

    #[inline(always)]
    fn end_top(&mut self, world: &World, sink: &mut impl RowSink, tick: i64) -> Result<()> {
        let Some(top) = self.open.last() else {
            return Ok(());
        };
        let depth = self.open.len() - 1;
        let extras = &self.extras[top.extras..];
        sink.state(world, &self.row(top, top.start, tick, depth), extras)?;
        if top.is_cut && top.segment_start < tick {
            sink.segment(world, &self.row(top, top.segment_start, tick, depth), extras)?;
        }
        self.extras.truncate(top.extras);
        self.open.pop();
        if let Some(below) = self.open.last_mut() {
            below.segment_start = tick;
        }
        Ok(())
    }

    fn end_all(&mut self, world: &World, sink: &mut impl RowSink, tick: i64) -> Result<()> {
        while !self.open.is_empty() {
            self.end_top(world, sink, tick)?;
        }
        Ok(())
    }
}
