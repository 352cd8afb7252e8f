//! Events of the Linux kernel: bundles of one CPU each.
//!
//! In: the bytes of a bundle. Out: records of the collector.

use super::atrace;
use super::bundle_site::{BundleSite, NO_TRACK};
use super::clocks::TraceClocks;
use super::collector::{Collector, RecordSite, phase};
use super::compact_sched;
use super::tracks::{NameRank, TrackSubject};
use super::wire::{BadMessage, WireFields, WireValue};
use crate::error::Result;
use crate::model::StoredTable;
use crate::reader::EventWriter;

/// A new task is a thread of the process of its creator.
const CLONE_THREAD: u64 = 0x1_0000;

/// What the vectors of soft interrupts are called.
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// Number of a field and its name.
type FieldName = (u32, &'static str);

/// Events that stay events: their number, name and fields.
const PLAIN: [(u32, &str, &[FieldName]); 4] = [
    (235, "task_newtask", &[(1, "new_tid"), (2, "comm"), (3, "clone_flags"), (4, "oom_score_adj")]),
    (237, "sched_process_exec", &[(1, "filename"), (2, "new_tid"), (3, "old_tid")]),
    (238, "sched_process_exit", &[(1, "comm"), (2, "exit_tid"), (4, "prio")]),
    (239, "sched_process_fork", &[(1, "parent_comm"), (2, "parent_tid"), (3, "child_comm"), (4, "child_tid")]),
];

/// A kernel event before it is understood.
#[derive(Debug, Clone, Copy, Default)]
struct KernelEvent<'a> {
    timestamp: u64,
    tid: i64,
    content: Option<(u32, &'a [u8])>,
}

impl Collector {
    /// Keeps the events of a bundle; returns how many could not be read, and how many the kernel itself lost.
    pub fn ftrace(
        &mut self,
        (machine, byte): (u32, u64),
        bytes: &[u8],
        clocks: &TraceClocks,
        writer: &mut EventWriter<'_>,
    ) -> Result<(u64, bool)> {
        let mut site = BundleSite { machine, cpu: 0, byte, shift: 0, clock: None };
        let (mut has_lost, mut global, mut boot, mut kernel_clock) = (false, None, None, 0);
        let head = WireFields::each(bytes, |number, value| {
            match number {
                1 => site.cpu = value.number() as u32,
                3 => has_lost = value.number() != 0,
                5 => kernel_clock = value.number(),
                6 => global = Some(value.signed()),
                7 => boot = Some(value.signed()),
                _ => (),
            }
            Ok(())
        });
        if let (2, Some(global), Some(boot)) = (kernel_clock, global, boot) {
            site.shift = boot.saturating_sub(global);
        }
        // 5 is CLOCK_MONOTONIC_RAW of snapshots, 4 the same clock of the kernel's list.
        site.clock = (kernel_clock == 4).then_some(5);
        let mut bad = u64::from(head.is_err());
        for field in WireFields::new(bytes) {
            let read = match field {
                Ok((2, value)) => self.kernel_event(site, value.bytes(), clocks, writer)?,
                Ok((4, value)) => compact_sched::collect(self, site, value.bytes(), clocks, writer)?,
                Ok(_) => Ok(()),
                Err(_) => break,
            };
            bad += u64::from(read.is_err());
        }
        Ok((bad, has_lost))
    }

    fn kernel_event(
        &mut self,
        site: BundleSite,
        bytes: &[u8],
        clocks: &TraceClocks,
        writer: &mut EventWriter<'_>,
    ) -> Result<Result<(), BadMessage>> {
        let mut event = KernelEvent::default();
        let read = WireFields::each(bytes, |number, value| {
            match number {
                1 => event.timestamp = value.number(),
                2 => event.tid = value.number() as i32 as i64,
                3.. if matches!(value, WireValue::Bytes(_)) => event.content = Some((number, value.bytes())),
                _ => (),
            }
            Ok(())
        });
        let (Ok(()), Some((number, content))) = (read, event.content) else { return Ok(Err(BadMessage)) };
        let Some(tick) = site.tick(event.timestamp, clocks, writer) else { return Ok(Err(BadMessage)) };
        self.known_event(site, tick, event.tid, number, content)
    }

    fn known_event(
        &mut self,
        site: BundleSite,
        tick: i64,
        tid: i64,
        number: u32,
        content: &[u8],
    ) -> Result<Result<(), BadMessage>> {
        let machine = site.machine;
        let fields = match numbers_of(content) {
            Ok(fields) => fields,
            Err(bad) => return Ok(Err(bad)),
        };
        let number_at =
            |place: u32| fields.iter().find(|(number, _)| *number == place).map(|(_, value)| value.number());
        let text_at = |place: u32| fields.iter().find(|(number, _)| *number == place).map(|(_, value)| value.text());
        let tid_at = |place: u32| i64::from(number_at(place).unwrap_or(0) as i32);
        match number {
            3 => {
                let message = text_at(2).unwrap_or_default();
                atrace::collect(self, site, tick, tid, &message)?;
            }
            4 => {
                let (prev, next) = (tid_at(2), tid_at(6));
                let state = number_at(4).unwrap_or(0) as i64;
                let prev = self.scheduled(machine, prev, text_at(1));
                let next = self.scheduled(machine, next, text_at(5));
                self.running.insert((machine, site.cpu), next);
                self.first_switch_ticks.entry((machine, site.cpu)).or_insert(tick);
                self.switch(site, tick, (prev, state), next)?;
            }
            17 | 18 | 20 => {
                let woken = tid_at(2);
                if let Some(track) = self.scheduled(machine, woken, text_at(1)) {
                    self.push(RecordSite { tick, track, byte: site.byte }, phase::WAKING, 0, 0)?;
                }
            }
            11 | 13 => {
                let track = self.tracks.cpu(machine, number_at(2).unwrap_or(u64::from(site.cpu)) as u32);
                let name = self.names.number(if number == 11 { b"frequency" } else { b"idle state" });
                let value = number_at(1).unwrap_or(0) as f64;
                self.push_counter(RecordSite { tick, track, byte: site.byte }, name, value)?;
            }
            24 | 25 | 36 | 37 => {
                let track = self.tracks.cpu(machine, site.cpu);
                let at = RecordSite { tick, track, byte: site.byte };
                let is_soft = number < 30;
                let type_ = self.names.number(if is_soft { b"softirq" } else { b"irq" });
                let vector = number_at(1).unwrap_or(0);
                let name = match text_at(2).filter(|name| !is_soft && !name.is_empty()) {
                    Some(name) => name,
                    None if is_soft => SOFTIRQS.get(vector as usize).map_or(vector.to_string(), ToString::to_string),
                    None => format!("irq {vector}"),
                };
                let name = self.names.number(name.as_bytes());
                let phase = if matches!(number, 24 | 36) { phase::PUSH } else { phase::POP };
                self.push(at, phase, name, type_)?;
            }
            329 | 330 => {
                let track = self.tracks.thread_by_id(machine, tid);
                let type_ = self.names.number(b"syscall");
                let name = self.names.number(format!("syscall {}", number_at(1).unwrap_or(0) as i64).as_bytes());
                let phase = if number == 329 { phase::PUSH } else { phase::POP };
                self.push(RecordSite { tick, track, byte: site.byte }, phase, name, type_)?;
            }
            236 => {
                let renamed = self.tracks.thread_by_id(machine, tid_at(1));
                self.tracks.rename(renamed, text_at(3), NameRank::Command);
                self.plain_event(
                    site,
                    tick,
                    tid,
                    "task_rename",
                    &[(1, "new_tid"), (2, "old_comm"), (3, "comm")],
                    &fields,
                )?;
            }
            327 => return self.generic_event(site, tick, tid, content),
            _ => match PLAIN.iter().find(|(known, ..)| *known == number) {
                Some((_, name, names)) => {
                    if number == 235 {
                        self.new_task(machine, tid, tid_at(1), text_at(2), number_at(3).unwrap_or(0));
                        if let Some(track) = self.scheduled(machine, tid_at(1), None) {
                            self.push(RecordSite { tick, track, byte: site.byte }, phase::WAKING, 0, 0)?;
                        }
                    }
                    self.plain_event(site, tick, tid, name, names, &fields)?;
                }
                None => self.ignore(&format!("kernel events of field {number}")),
            },
        }
        Ok(Ok(()))
    }

    /// A thread that the scheduler names; `None` for the idle one.
    pub fn scheduled(&mut self, machine: u32, tid: i64, command: Option<String>) -> Option<u32> {
        if tid == 0 {
            return None;
        }
        let track = self.tracks.thread_by_id(machine, tid);
        if command.is_some() {
            self.tracks.rename(track, command, NameRank::Command);
        }
        Some(track)
    }

    /// Keeps that a CPU goes from one thread to another.
    pub fn switch(&mut self, site: BundleSite, tick: i64, prev: (Option<u32>, i64), next: Option<u32>) -> Result<()> {
        let track = self.tracks.cpu(site.machine, site.cpu);
        let mut id = vec![];
        for thread in [prev.0, next] {
            if let Some(thread) = thread {
                self.tracks.observe(thread);
            }
            id.extend_from_slice(&thread.unwrap_or(NO_TRACK).to_le_bytes());
        }
        id.extend_from_slice(&prev.1.to_le_bytes());
        id.extend_from_slice(&site.cpu.to_le_bytes());
        let at = RecordSite { tick, track, byte: site.byte };
        self.push_with(at, phase::SWITCH, (0, 0), 0, &id, tick)
    }

    /// Learns the process of a new thread.
    fn new_task(&mut self, machine: u32, creator: i64, tid: i64, command: Option<String>, flags: u64) {
        let creator = self.tracks.thread_by_id(machine, creator);
        let pid = match flags & CLONE_THREAD {
            0 => Some(tid),
            _ => {
                self.tracks.process_of(creator).and_then(|process| match self.tracks.tracks[process as usize].subject {
                    TrackSubject::Process { pid } => Some(pid),
                    _ => None,
                })
            }
        };
        if let Some(pid) = pid {
            let thread = self.tracks.thread(machine, pid, tid);
            self.tracks.rename(thread, command, NameRank::Command);
        }
    }

    /// Keeps an event of the kernel as an event of the thread, or of the CPU where that is idle.
    fn plain_event(
        &mut self,
        site: BundleSite,
        tick: i64,
        tid: i64,
        name: &str,
        names: &[FieldName],
        fields: &[(u32, WireValue<'_>)],
    ) -> Result<()> {
        for (number, value) in fields {
            let Some((_, column)) = names.iter().find(|(known, _)| known == number) else { continue };
            match value {
                WireValue::Bytes(_) => {
                    let text = serde_json::Value::from(value.text()).to_string();
                    self.arguments.pack_json(StoredTable::Events, column.as_bytes(), text.as_bytes(), &mut self.packed);
                }
                other => {
                    self.arguments.pack_whole(StoredTable::Events, column.as_bytes(), other.signed(), &mut self.packed);
                }
            }
        }
        self.kernel_instant(site, tick, tid, name)
    }

    /// Keeps an event whose arguments were packed.
    pub fn kernel_instant(&mut self, site: BundleSite, tick: i64, tid: i64, name: &str) -> Result<()> {
        let track = match tid {
            0 => self.tracks.cpu(site.machine, site.cpu),
            tid => self.tracks.thread_by_id(site.machine, tid),
        };
        let name = self.names.number(name.as_bytes());
        self.push(RecordSite { tick, track, byte: site.byte }, phase::INSTANT, name, 0)
    }

    /// An event that describes its own fields.
    fn generic_event(
        &mut self,
        site: BundleSite,
        tick: i64,
        tid: i64,
        content: &[u8],
    ) -> Result<Result<(), BadMessage>> {
        let mut name = "generic".to_string();
        let mut packed = std::mem::take(&mut self.packed);
        let read = WireFields::each(content, |number, value| {
            match number {
                1 => name = value.text(),
                2 => {
                    let (mut key, mut whole, mut text) = (String::new(), None, None);
                    WireFields::each(value.bytes(), |number, value| {
                        match number {
                            1 => key = value.text(),
                            3 => text = Some(value.text()),
                            4 | 5 => whole = Some(value.signed()),
                            _ => (),
                        }
                        Ok(())
                    })?;
                    let quoted = serde_json::Value::from(key).to_string();
                    let key = &quoted.as_bytes()[1..quoted.len() - 1];
                    if let Some(number) = whole {
                        self.arguments.pack_whole(StoredTable::Events, key, number, &mut packed);
                    } else if let Some(text) = text {
                        let json = serde_json::Value::from(text).to_string();
                        self.arguments.pack_json(StoredTable::Events, key, json.as_bytes(), &mut packed);
                    }
                }
                _ => (),
            }
            Ok(())
        });
        self.packed = packed;
        if read.is_err() {
            self.packed.clear();
            return Ok(read);
        }
        self.kernel_instant(site, tick, tid, &name)?;
        Ok(Ok(()))
    }
}

/// The fields of an event.
fn numbers_of(content: &[u8]) -> Result<Vec<(u32, WireValue<'_>)>, BadMessage> {
    WireFields::new(content).collect()
}
