//! Which program wrote a trace, where that decides how its numbers are read.
//!
//! In: the events of the beginning of a file. Out: the program, when its definitions are known.
//!
//! Pajé has no field for the unit of its times. pj_dump takes the numbers as they are; most programs write
//! seconds, and StarPU writes milliseconds.

use crate::model::{EventBatch, EventKind, Symbol};
use crate::time::TimeUnit;

/// A program whose traces are recognized.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Producer {
    /// Its name, for messages.
    pub name: &'static str,
    /// The unit of the times in its traces.
    pub unit: TimeUnit,
    /// Alias and name of container types that it defines, all of them, in each of its traces.
    container_types: &'static [(&'static str, &'static str)],
}

static KNOWN: [Producer; 1] = [Producer {
    name: "StarPU",
    unit: TimeUnit::Milliseconds,
    container_types: &[("P", "Program"), ("Mn", "Memory Node")],
}];

impl Producer {
    /// The program that wrote a trace that begins so.
    pub fn of(beginning: &[EventBatch]) -> Option<&'static Producer> {
        let defines = |(alias, name): &(&str, &str)| {
            beginning.iter().any(|batch| {
                let is = |symbol: Symbol, text: &str| symbol.is_some() && batch.symbol(symbol) == text.as_bytes();
                batch.events.iter().any(|event| {
                    event.kind == EventKind::DefineContainerType && is(event.other, alias) && is(event.value, name)
                })
            })
        };
        KNOWN.iter().find(|producer| producer.container_types.iter().all(defines))
    }

    /// What the user is told.
    pub fn message(&self) -> String {
        format!(
            "the trace was written by {}, whose times are in {}; --time-unit takes them in another unit",
            self.name,
            self.unit.name()
        )
    }
}
