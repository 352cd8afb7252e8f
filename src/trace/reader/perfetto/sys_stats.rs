//! Counters that are polled: those of the machine from `/proc`, and the memory of processes.
//!
//! In: the bytes of such a packet and its time. Out: records of the collector, each a value of a variable.
//!
//! | of | variables |
//! |---|---|
//! | the machine | lines of `/proc/meminfo` in bytes, of `/proc/vmstat` in their own units, forks and interrupts since its start, times under pressure |
//! | a CPU | nanoseconds in each mode since its start, `frequency` in kHz |
//! | a process | `mem.rss` and others in bytes, `oom_score_adj` |

use super::collector::{Collector, RecordSite};
use super::wire::{BadMessage, WireFields, WireValue};
use crate::error::Result;

/// Lines of `/proc/meminfo`, by their number.
const MEMINFO: &str = "- MemTotal MemFree MemAvailable Buffers Cached SwapCached Active Inactive Active(anon) \
    Inactive(anon) Active(file) Inactive(file) Unevictable Mlocked SwapTotal SwapFree Dirty Writeback AnonPages Mapped \
    Shmem Slab SReclaimable SUnreclaim KernelStack PageTables CommitLimit Committed_AS VmallocTotal VmallocUsed \
    VmallocChunk CmaTotal CmaFree";
/// Lines of `/proc/vmstat`, by their number.
const VMSTAT: &str = "- nr_free_pages nr_alloc_batch nr_inactive_anon nr_active_anon nr_inactive_file nr_active_file \
    nr_unevictable nr_mlock nr_anon_pages nr_mapped nr_file_pages nr_dirty nr_writeback nr_slab_reclaimable \
    nr_slab_unreclaimable nr_page_table_pages nr_kernel_stack nr_overhead nr_unstable nr_bounce nr_vmscan_write \
    nr_vmscan_immediate_reclaim nr_writeback_temp nr_isolated_anon nr_isolated_file nr_shmem nr_dirtied nr_written \
    nr_pages_scanned workingset_refault workingset_activate workingset_nodereclaim nr_anon_transparent_hugepages \
    nr_free_cma nr_swapcache nr_dirty_threshold nr_dirty_background_threshold pgpgin pgpgout pgpgoutclean pswpin pswpout \
    pgalloc_dma pgalloc_normal pgalloc_movable pgfree pgactivate pgdeactivate pgfault pgmajfault pgrefill_dma \
    pgrefill_normal pgrefill_movable pgsteal_kswapd_dma pgsteal_kswapd_normal pgsteal_kswapd_movable pgsteal_direct_dma \
    pgsteal_direct_normal pgsteal_direct_movable pgscan_kswapd_dma pgscan_kswapd_normal pgscan_kswapd_movable \
    pgscan_direct_dma pgscan_direct_normal pgscan_direct_movable pgscan_direct_throttle pginodesteal slabs_scanned \
    kswapd_inodesteal kswapd_low_wmark_hit_quickly kswapd_high_wmark_hit_quickly pageoutrun allocstall pgrotated \
    drop_pagecache drop_slab pgmigrate_success pgmigrate_fail compact_migrate_scanned compact_free_scanned \
    compact_isolated compact_stall compact_fail compact_success compact_daemon_wake unevictable_pgs_culled \
    unevictable_pgs_scanned unevictable_pgs_rescued unevictable_pgs_mlocked unevictable_pgs_munlocked \
    unevictable_pgs_cleared unevictable_pgs_stranded nr_zspages nr_ion_heap nr_gpu_heap";
/// Times of a CPU, by their field.
const CPU_TIMES: &str = "- - user_ns user_nice_ns system_mode_ns idle_ns io_wait_ns irq_ns softirq_ns steal_ns";
/// What there may be too little of, by its number; times are those in which some or all waited for it.
const PRESSURE: &str = "- psi.cpu.some psi.cpu.full psi.io.some psi.io.full psi.memory.some psi.memory.full";
/// The memory of a process, by field.
const PROCESS_MEMORY: &str = "- - mem.virt mem.rss mem.rss.anon mem.rss.file mem.rss.shmem mem.swap mem.locked \
    mem.rss.watermark";
/// The field of a process with how readily it is ended.
const OOM_SCORE_ADJ: u32 = 10;
const KIBIBYTE: f64 = 1024.0;

/// When and on which machine values were taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct PollSite {
    pub tick: i64,
    pub byte: u64,
    pub machine: u32,
}

impl PollSite {
    fn on(self, track: u32) -> RecordSite {
        RecordSite { tick: self.tick, track, byte: self.byte }
    }
}

/// The word of a list by its number.
fn word(list: &'static str, number: u64) -> Option<&'static str> {
    let word = list.split_ascii_whitespace().nth(usize::try_from(number).ok()?)?;
    (word != "-").then_some(word)
}

/// The first two fields of a message: key and value.
fn pair(bytes: &[u8]) -> Result<(WireValue<'_>, u64), BadMessage> {
    let (mut key, mut value) = (WireValue::Varint(0), 0);
    WireFields::each(bytes, |number, field| {
        match number {
            1 => key = field,
            2 => value = field.number(),
            _ => (),
        }
        Ok(())
    })?;
    Ok((key, value))
}

impl Collector {
    /// Keeps the counters of a machine.
    pub fn sys_stats(&mut self, site: PollSite, bytes: &[u8]) -> Result<Result<(), BadMessage>> {
        let mut cpu = 0;
        for field in WireFields::new(bytes) {
            let Ok((number, value)) = field else { return Ok(Err(BadMessage)) };
            let read = match number {
                1 | 2 | 14 => self.keyed_value(site, number, value.bytes())?,
                3 => self.cpu_times(site, value.bytes())?,
                4 | 5 | 7 => {
                    let name = match number {
                        4 => "num_forks",
                        5 => "num_irq",
                        _ => "num_softirq",
                    };
                    self.machine_value(site, name, value.number() as f64)?;
                    Ok(())
                }
                // When the values were complete.
                9 => Ok(()),
                11 => {
                    let mut frequencies = vec![];
                    let read = value.add_varints(&mut frequencies);
                    for frequency in frequencies {
                        let (track, name) = (self.tracks.cpu(site.machine, cpu), self.names.number(b"frequency"));
                        self.push_counter(site.on(track), name, frequency as f64)?;
                        cpu += 1;
                    }
                    read
                }
                other => {
                    self.ignore(&format!("polled values of field {other}"));
                    Ok(())
                }
            };
            if read.is_err() {
                return Ok(read);
            }
        }
        Ok(Ok(()))
    }

    /// A line of `/proc/meminfo`, of `/proc/vmstat` or of `/proc/pressure`.
    fn keyed_value(&mut self, site: PollSite, field: u32, bytes: &[u8]) -> Result<Result<(), BadMessage>> {
        let (key, value) = match pair(bytes) {
            Ok((key, value)) => (key.number(), value as f64),
            Err(bad) => return Ok(Err(bad)),
        };
        let named = |list, family: &str| match word(list, key) {
            Some(name) => name.to_string(),
            None => format!("{family} {key}"),
        };
        match field {
            1 => self.machine_value(site, &named(MEMINFO, "meminfo"), value * KIBIBYTE)?,
            2 => self.machine_value(site, &named(VMSTAT, "vmstat"), value)?,
            _ => self.machine_value(site, &named(PRESSURE, "pressure"), value)?,
        }
        Ok(Ok(()))
    }

    fn machine_value(&mut self, site: PollSite, name: &str, value: f64) -> Result<()> {
        let (track, name) = (self.tracks.trace(), self.names.number(name.as_bytes()));
        self.push_counter(site.on(track), name, value)
    }

    fn cpu_times(&mut self, site: PollSite, bytes: &[u8]) -> Result<Result<(), BadMessage>> {
        let fields: Vec<(u32, WireValue<'_>)> = match WireFields::new(bytes).collect() {
            Ok(fields) => fields,
            Err(bad) => return Ok(Err(bad)),
        };
        let cpu = fields.iter().find(|(number, _)| *number == 1).map_or(0, |(_, value)| value.number() as u32);
        let track = self.tracks.cpu(site.machine, cpu);
        for (number, value) in fields {
            if let Some(name) = word(CPU_TIMES, u64::from(number)) {
                let name = self.names.number(format!("cpu.times.{name}").as_bytes());
                self.push_counter(site.on(track), name, value.number() as f64)?;
            }
        }
        Ok(Ok(()))
    }

    /// Keeps the memory of processes.
    pub fn process_stats(&mut self, site: PollSite, bytes: &[u8]) -> Result<Result<(), BadMessage>> {
        for field in WireFields::new(bytes) {
            let read = match field {
                Ok((1, process)) => self.process_memory(site, process.bytes())?,
                Ok(_) => Ok(()),
                Err(bad) => Err(bad),
            };
            if read.is_err() {
                return Ok(read);
            }
        }
        Ok(Ok(()))
    }

    fn process_memory(&mut self, site: PollSite, bytes: &[u8]) -> Result<Result<(), BadMessage>> {
        let fields: Vec<(u32, WireValue<'_>)> = match WireFields::new(bytes).collect() {
            Ok(fields) => fields,
            Err(bad) => return Ok(Err(bad)),
        };
        let Some((_, pid)) = fields.iter().find(|(number, _)| *number == 1) else { return Ok(Err(BadMessage)) };
        let track = self.tracks.process(site.machine, pid.signed());
        for (number, value) in &fields {
            let (name, value) = match (*number, word(PROCESS_MEMORY, u64::from(*number))) {
                (_, Some(name)) => (name, value.number() as f64 * KIBIBYTE),
                (OOM_SCORE_ADJ, _) => ("oom_score_adj", value.signed() as f64),
                _ => continue,
            };
            let name = self.names.number(name.as_bytes());
            self.push_counter(site.on(track), name, value)?;
        }
        Ok(Ok(()))
    }
}
