//! The event at hand: where it stands, and how to complain of it.

use crate::diagnostics::{Code, Diagnostics, SourcePosition, quote};
use crate::error::Error;
use crate::model::{ContainerId, Event, EventBatch, TypeId, World};

/// What a tracker needs to know of the event at hand.
pub(super) struct Context<'a> {
    pub diagnostics: &'a mut Diagnostics,
    pub scene: EventPosition<'a>,
    /// How many times ran backwards within one container and type.
    pub backwards: &'a mut u64,
}

/// Where a tracker finds the names of what it reports, and where its rows go.
pub(super) struct EventOutput<'a, 'c, S> {
    pub world: &'a World,
    pub context: &'a mut Context<'c>,
    pub sink: &'a mut S,
}

/// An event and where it stands. Two words, which stay in registers: copies of larger pieces through
/// memory were a fifth of the simulator's time.
#[derive(Clone, Copy)]
pub(super) struct EventPosition<'a> {
    pub event: &'a Event,
    pub from: &'a NumberedBatch<'a>,
}

/// A batch, and how many lines came before it.
pub(super) struct NumberedBatch<'a> {
    pub batch: &'a EventBatch,
    pub lines_before: u64,
}

impl EventPosition<'_> {
    /// Worked out when it is asked for: nearly never.
    #[cold]
    pub fn place(&self) -> SourcePosition {
        self.from.batch.place(self.event, self.from.lines_before)
    }
}

impl Context<'_> {
    #[cold]
    pub fn lose(&mut self, code: Code, message: String) -> LostEvent {
        self.diagnostics.report(code, self.scene.place(), || message);
        LostEvent
    }

    #[cold]
    pub fn warn(&mut self, code: Code, message: String) {
        self.diagnostics.report(code, self.scene.place(), || message);
    }

    /// One of many: reports of the same subject share a row.
    #[cold]
    pub fn note(&mut self, code: Code, subject: u64, message: impl FnOnce() -> String) {
        self.diagnostics.report_grouped(code, subject, self.scene.place(), message);
    }

    /// The time of the event, or the last one of its container and type when time runs backwards.
    #[inline(always)]
    pub fn forward(&mut self, world: &World, container: ContainerId, type_: TypeId, last: &mut i64) -> i64 {
        let tick = self.scene.event.tick;
        if tick < *last {
            *self.backwards += 1;
            self.note(Code::TimeBackwards, u64::from(type_.0), || {
                format!(
                    "time runs backwards within {} of {}; the entity gets zero length",
                    quote(world.type_name(type_).as_bytes()),
                    quote(world.container_name(container).as_bytes())
                )
            });
        } else {
            *last = tick;
        }
        *last
    }
}

/// The line is lost; its diagnostic is recorded.
#[derive(Debug)]
pub(super) struct LostEvent;

/// Why an event was not simulated.
pub(super) enum EventFailure {
    Lost,
    Failed(Error),
}

impl From<LostEvent> for EventFailure {
    fn from(_: LostEvent) -> EventFailure {
        EventFailure::Lost
    }
}

impl From<Error> for EventFailure {
    fn from(error: Error) -> EventFailure {
        EventFailure::Failed(error)
    }
}
