//! What a trace says about its tracks, processes and threads.
//!
//! In: the bytes of descriptors. Out: their fields.

use super::old_counts::OldSums;
use super::track_role::TrackRole;
use super::wire::{BadMessage, WireFields};

/// What a counter of the time that a thread ran is called; it counts nanoseconds.
pub(super) const THREAD_TIME: &str = "thread time";
/// What a counter of the instructions of a thread is called.
pub(super) const THREAD_INSTRUCTIONS: &str = "thread instructions";

/// A process as a packet describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProcessDescription {
    pub pid: i64,
    pub name: Option<String>,
}

/// A thread as a packet describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ThreadDescription {
    pub pid: i64,
    pub tid: i64,
    pub name: Option<String>,
    /// What old differences count from.
    pub old_sums: OldSums,
}

/// How the values of a counter are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CounterDescription {
    pub is_incremental: bool,
    pub multiplier: f64,
    pub unit: Option<String>,
    /// The name of a counter that has none of its own.
    pub usual_name: Option<&'static str>,
}

/// A track as a packet describes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TrackDescription {
    pub uuid: u64,
    pub parent: u64,
    pub name: Option<String>,
    pub process: Option<ProcessDescription>,
    pub thread: Option<ThreadDescription>,
    pub counter: Option<CounterDescription>,
    pub role: Option<TrackRole>,
}

impl TrackDescription {
    pub fn read(bytes: &[u8]) -> Result<TrackDescription, BadMessage> {
        let mut track = TrackDescription::default();
        WireFields::each(bytes, |number, value| {
            match number {
                1 => track.uuid = value.number(),
                2 | 10 | 13 => track.name = Some(value.text()).filter(|name| !name.is_empty()),
                3 => track.process = Some(ProcessDescription::read(value.bytes())?),
                4 => track.thread = Some(ThreadDescription::read(value.bytes())?),
                5 => track.parent = value.number(),
                8 => track.counter = Some(CounterDescription::read(value.bytes())?),
                14 => track.role = TrackRole::read(&value.text()),
                _ => (),
            }
            Ok(())
        })?;
        Ok(track)
    }
}

impl ProcessDescription {
    pub fn read(bytes: &[u8]) -> Result<ProcessDescription, BadMessage> {
        let mut process = ProcessDescription::default();
        let mut command = None;
        WireFields::each(bytes, |number, value| {
            match number {
                1 => process.pid = value.signed(),
                2 if command.is_none() => command = Some(value.text()),
                6 => process.name = Some(value.text()).filter(|name| !name.is_empty()),
                _ => (),
            }
            Ok(())
        })?;
        process.name = process.name.or(command).filter(|name| !name.is_empty());
        Ok(process)
    }
}

impl ThreadDescription {
    pub fn read(bytes: &[u8]) -> Result<ThreadDescription, BadMessage> {
        let mut thread = ThreadDescription::default();
        WireFields::each(bytes, |number, value| {
            match number {
                1 => thread.pid = value.signed(),
                2 => thread.tid = value.signed(),
                5 => thread.name = Some(value.text()).filter(|name| !name.is_empty()),
                6 => thread.old_sums.timestamp_us = value.signed(),
                7 => thread.old_sums.thread_time_us = value.signed(),
                8 => thread.old_sums.thread_instructions = value.signed(),
                _ => (),
            }
            Ok(())
        })?;
        Ok(thread)
    }
}

impl CounterDescription {
    fn read(bytes: &[u8]) -> Result<CounterDescription, BadMessage> {
        let mut counter = CounterDescription { multiplier: 1.0, ..CounterDescription::default() };
        WireFields::each(bytes, |number, value| {
            match number {
                1 => {
                    counter.usual_name = match value.number() {
                        1 => Some(THREAD_TIME),
                        2 => Some(THREAD_INSTRUCTIONS),
                        _ => None,
                    }
                }
                3 => {
                    let unit = match value.number() {
                        1 => Some("ns"),
                        2 => Some("count"),
                        3 => Some("bytes"),
                        _ => None,
                    };
                    counter.unit = unit.map(str::to_string).or(counter.unit.take());
                }
                4 => counter.multiplier = value.signed() as f64,
                5 => counter.is_incremental = value.number() != 0,
                6 => counter.unit = Some(value.text()).filter(|unit| !unit.is_empty()),
                _ => (),
            }
            Ok(())
        })?;
        Ok(counter)
    }
}

/// The processes and threads of a machine: pid and command of processes; tid, name and pid of threads.
#[derive(Debug, Default)]
pub(super) struct ProcessTree {
    pub processes: Vec<ProcessDescription>,
    pub threads: Vec<ThreadDescription>,
}

impl ProcessTree {
    pub fn read(bytes: &[u8]) -> Result<ProcessTree, BadMessage> {
        let mut tree = ProcessTree::default();
        WireFields::each(bytes, |number, value| {
            match number {
                1 => {
                    let mut process = ProcessDescription::default();
                    WireFields::each(value.bytes(), |number, value| {
                        match number {
                            1 => process.pid = value.signed(),
                            3 if process.name.is_none() => process.name = Some(value.text()),
                            _ => (),
                        }
                        Ok(())
                    })?;
                    tree.processes.push(process);
                }
                2 => {
                    let mut thread = ThreadDescription::default();
                    WireFields::each(value.bytes(), |number, value| {
                        match number {
                            1 => thread.tid = value.signed(),
                            2 => thread.name = Some(value.text()).filter(|name| !name.is_empty()),
                            3 => thread.pid = value.signed(),
                            _ => (),
                        }
                        Ok(())
                    })?;
                    tree.threads.push(thread);
                }
                _ => (),
            }
            Ok(())
        })?;
        Ok(tree)
    }
}
