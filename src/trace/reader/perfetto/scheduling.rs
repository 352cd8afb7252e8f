//! Who runs where: states of CPUs and of threads, from the switches of the scheduler.
//!
//! ```text
//! cpu 0     | a ######## | b ##### | a ###     state `thread`: who runs
//! thread a  | Running    | Sleeping            state `cpu`: Running, Runnable, Sleeping …
//! ```
//! In: switches and wakings by time. Out: states.

use super::bundle_site::NO_TRACK;
use super::containers::TrackContainer;
use super::emitter::PerfettoEmitter;
use super::open_entities::ThreadActivity;
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::chrome::record::ChromeRecord;
use crate::reader::{EventWriter, ExtraRole, ExtraValue};

/// The state of a thread that leaves its CPU, by the lowest bit that is set.
pub(in crate::reader) fn state_name(state: i64) -> &'static str {
    const NAMES: [&str; 9] = [
        "Sleeping",
        "Uninterruptible",
        "Stopped",
        "Traced",
        "Dead",
        "Zombie",
        "Parked",
        "Idle",
        "Runnable (preempted)",
    ];
    match state {
        0 => "Runnable",
        state => NAMES.get(state.trailing_zeros() as usize).copied().unwrap_or("Unknown"),
    }
}

impl PerfettoEmitter {
    /// A CPU goes from one thread to another.
    pub(super) fn switch(
        &mut self,
        record: &ChromeRecord<'_>,
        cpu: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let short = |at: usize| record.id.get(at..).and_then(|id| id.first_chunk()).map(|id| u32::from_le_bytes(*id));
        let (prev, next) = (short(0).unwrap_or(NO_TRACK), short(4).unwrap_or(NO_TRACK));
        let state = record.id.get(8..).and_then(|id| id.first_chunk()).map_or(0, |id| i64::from_le_bytes(*id));
        let number = i64::from(short(16).unwrap_or(0));
        if let Some(home) = self.containers.of(prev) {
            let name = state_name(state);
            // A waking while a thread is preempted starts a state of its own, as in the trace processor of Perfetto.
            let activity = if name == "Runnable" { ThreadActivity::Runnable } else { ThreadActivity::Other };
            self.thread_state(record.start, prev, home, (name, activity), None, writer)?;
        }
        let name = match self.containers.of(next) {
            Some(_) => self.containers.names[next as usize].clone(),
            None => "idle".to_string(),
        };
        let type_ = self.type_of(TypeKind::State, "thread", cpu, writer)?;
        let value = self.value(type_, &name, writer)?;
        writer.set_state(record.start, cpu.container, type_, value, &[])?;
        if let Some(home) = self.containers.of(next) {
            let running = ("Running", ThreadActivity::Running);
            self.thread_state(record.start, next, home, running, Some(number), writer)?;
        }
        Ok(())
    }

    /// A thread can run: it is runnable, unless it is already or runs.
    pub(super) fn waking(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        match self.scheduling.threads.get(&record.thread) {
            Some(ThreadActivity::Running | ThreadActivity::Runnable) => Ok(()),
            _ => {
                let runnable = ("Runnable", ThreadActivity::Runnable);
                self.thread_state(record.start, record.thread, home, runnable, None, writer)
            }
        }
    }

    fn thread_state(
        &mut self,
        tick: i64,
        thread: u32,
        home: TrackContainer,
        (name, activity): (&str, ThreadActivity),
        cpu: Option<i64>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        self.scheduling.threads.insert(thread, activity);
        let type_ = self.type_of(TypeKind::State, "cpu", home, writer)?;
        let value = self.value(type_, name, writer)?;
        let field = writer.field(StoredTable::States, "cpu", FieldKind::Int, ExtraRole::Column);
        let fields = cpu.map(|cpu| (field, ExtraValue::Int(cpu)));
        writer.set_state(tick, home.container, type_, value, fields.as_slice())
    }
}
