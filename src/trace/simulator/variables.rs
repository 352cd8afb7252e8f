//! Variables: intervals of constant value per container and type.

use super::context::EventOutput;
use super::slots::Slots;
use crate::diagnostics::{Code, quote};
use crate::error::Result;
use crate::model::{ContainerId, EventKind, OwnedExtras, RowSink, TypeId, VariableRow, World};

#[derive(Debug)]
struct Variable {
    container: ContainerId,
    type_: TypeId,
    next: Option<u32>,
    last: i64,
    /// Value and start of the current interval; `None` before it is set and after a reset.
    current: Option<(f64, i64)>,
    extras: OwnedExtras,
}

/// Follows the variables.
#[derive(Debug, Default)]
pub(super) struct VariableTracker {
    slots: Slots,
    variables: Vec<Variable>,
    first: Vec<Option<u32>>,
}

impl VariableTracker {
    /// The number of the variable of a container and type.
    pub fn slot(&mut self, container: ContainerId, type_: TypeId) -> u32 {
        match self.slots.get(container.0, type_.0) {
            Some(slot) => slot,
            None => self.add_variable(container, type_),
        }
    }

    fn add_variable(&mut self, container: ContainerId, type_: TypeId) -> u32 {
        let slot = self.variables.len() as u32;
        let index = container.0 as usize;
        if self.first.len() <= index {
            self.first.resize(index + 1, None);
        }
        let next = self.first[index].replace(slot);
        self.variables.push(Variable {
            container,
            type_,
            next,
            last: i64::MIN,
            current: None,
            extras: OwnedExtras::NONE,
        });
        self.slots.insert(container.0, type_.0, slot);
        slot
    }

    /// Set, Add, Sub, Reset or Measure.
    #[inline(always)]
    pub fn change(
        &mut self,
        output: EventOutput<'_, '_, impl RowSink>,
        kind: EventKind,
        slot: u32,
        number: f64,
        extras: OwnedExtras,
    ) -> Result<()> {
        let EventOutput { world, context, sink } = output;
        let variable = &mut self.variables[slot as usize];
        let type_ = variable.type_;
        if kind == EventKind::MeasureVariable && variable.last == i64::MIN {
            let start = world.containers.get(variable.container.0 as usize).map_or(i64::MIN, |row| row.start);
            variable.last = start.min(context.scene.event.tick);
        }
        let start = variable.last;
        let tick = context.forward(world, variable.container, type_, &mut variable.last);
        if kind == EventKind::MeasureVariable {
            let row = VariableRow { container: variable.container, type_, value: number, start, end: tick };
            return sink.variable(world, &row, &extras);
        }
        let before = variable.current.map(|(value, _)| value);
        let value = match kind {
            EventKind::SetVariable => Some(number),
            EventKind::ResetVariable => None,
            _ => {
                let base = before.unwrap_or_else(|| {
                    context.note(Code::UnsetVariable, u64::from(type_.0), || {
                        format!(
                            "{} was added to or subtracted from before it was set; it counts from 0",
                            quote(world.type_name(type_).as_bytes())
                        )
                    });
                    0.0
                });
                Some(if kind == EventKind::AddVariable { base + number } else { base - number })
            }
        };
        variable.end(world, sink, tick)?;
        // Two changes at one time leave the last value and no interval of zero length.
        variable.current = value.map(|value| (value, tick));
        variable.extras = extras;
        Ok(())
    }

    /// Ends all variables of a container.
    pub fn end_container(
        &mut self,
        world: &World,
        sink: &mut impl RowSink,
        container: ContainerId,
        tick: i64,
    ) -> Result<()> {
        let mut next = self.first.get(container.0 as usize).copied().flatten();
        while let Some(slot) = next {
            let variable = &mut self.variables[slot as usize];
            let tick = tick.max(variable.last);
            variable.close(world, sink, tick)?;
            next = variable.next;
        }
        Ok(())
    }

    /// Whether something happened on a container after a time.
    pub fn is_after(&self, container: ContainerId, tick: i64) -> bool {
        let mut next = self.first.get(container.0 as usize).copied().flatten();
        while let Some(slot) = next {
            let variable = &self.variables[slot as usize];
            if variable.last > tick {
                return true;
            }
            next = variable.next;
        }
        false
    }
}

impl Variable {
    #[inline(always)]
    fn end(&mut self, world: &World, sink: &mut impl RowSink, tick: i64) -> Result<()> {
        match self.current {
            Some((_, start)) if start < tick => self.close(world, sink, tick),
            _ => Ok(()),
        }
    }

    /// Ends the variable for good: a value that was set at the last instant keeps its row.
    #[inline(always)]
    fn close(&mut self, world: &World, sink: &mut impl RowSink, tick: i64) -> Result<()> {
        let Some((value, start)) = self.current.take() else {
            return Ok(());
        };
        let row = VariableRow { container: self.container, type_: self.type_, value, start, end: tick };
        sink.variable(world, &row, &self.extras)
    }
}
