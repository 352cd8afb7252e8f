//! Scheduling in columns: the switches and wakings of a CPU as parallel lists.
//!
//! ```text
//! switch  timestamps (differences) | states of those who leave | threads that come | their names, by number
//! ```
//! Who leaves is who came last, so the first switch of a CPU only says who comes; and who wakes is who runs, so wakings
//! before that switch are left out, as the trace processor of Perfetto does. In: the bytes of the lists. Out:
//! records of the collector.

use super::bundle_site::BundleSite;
use super::clocks::TraceClocks;
use super::collector::{Collector, RecordSite, phase};
use super::wire::{BadMessage, WireFields};
use crate::error::Result;
use crate::reader::EventWriter;

#[derive(Debug, Default)]
struct SchedulingLists {
    names: Vec<String>,
    switch_times: Vec<u64>,
    states: Vec<u64>,
    threads: Vec<u64>,
    thread_names: Vec<u64>,
    waking_times: Vec<u64>,
    woken: Vec<u64>,
    woken_names: Vec<u64>,
}

impl SchedulingLists {
    fn read(bytes: &[u8]) -> Result<SchedulingLists, BadMessage> {
        let mut lists = SchedulingLists::default();
        WireFields::each(bytes, |number, value| {
            let list = match number {
                5 => {
                    lists.names.push(value.text());
                    return Ok(());
                }
                1 => &mut lists.switch_times,
                2 => &mut lists.states,
                3 => &mut lists.threads,
                6 => &mut lists.thread_names,
                7 => &mut lists.waking_times,
                8 => &mut lists.woken,
                11 => &mut lists.woken_names,
                _ => return Ok(()),
            };
            value.add_varints(list)
        })?;
        Ok(lists)
    }

    fn name(&self, names: &[u64], place: usize) -> Option<String> {
        names.get(place).and_then(|name| self.names.get(usize::try_from(*name).ok()?)).cloned()
    }
}

/// Keeps the switches and wakings of a CPU.
pub(super) fn collect(
    collector: &mut Collector,
    site: BundleSite,
    bytes: &[u8],
    clocks: &TraceClocks,
    writer: &mut EventWriter<'_>,
) -> Result<Result<(), BadMessage>> {
    let lists = match SchedulingLists::read(bytes) {
        Ok(lists) => lists,
        Err(bad) => return Ok(Err(bad)),
    };
    let mut time = 0_u64;
    for (place, difference) in lists.switch_times.iter().enumerate() {
        time = time.wrapping_add(*difference);
        let (Some(tid), Some(state)) = (lists.threads.get(place), lists.states.get(place)) else {
            return Ok(Err(BadMessage));
        };
        let Some(tick) = site.tick(time, clocks, writer) else { return Ok(Err(BadMessage)) };
        let next = collector.scheduled(site.machine, i64::from(*tid as i32), lists.name(&lists.thread_names, place));
        collector.first_switch_ticks.entry((site.machine, site.cpu)).or_insert(tick);
        match collector.running.insert((site.machine, site.cpu), next) {
            Some(prev) => collector.switch(site, tick, (prev, *state as i64), next)?,
            None => collector.first_switches += 1,
        }
    }
    time = 0;
    for (place, difference) in lists.waking_times.iter().enumerate() {
        time = time.wrapping_add(*difference);
        let Some(tid) = lists.woken.get(place) else { return Ok(Err(BadMessage)) };
        let Some(tick) = site.tick(time, clocks, writer) else { return Ok(Err(BadMessage)) };
        // Who wakes is who runs on the CPU, which is not known before its first switch.
        let first = collector.first_switch_ticks.get(&(site.machine, site.cpu));
        if first.is_none_or(|first| tick < *first) {
            collector.first_wakings += 1;
            continue;
        }
        let woken = collector.scheduled(site.machine, i64::from(*tid as i32), lists.name(&lists.woken_names, place));
        if let Some(track) = woken {
            collector.push(RecordSite { tick, track, byte: site.byte }, phase::WAKING, 0, 0)?;
        }
    }
    Ok(Ok(()))
}
