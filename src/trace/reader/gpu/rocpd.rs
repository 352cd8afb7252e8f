//! Databases of rocprofv3 and rocprof-sys (rocpd).
//!
//! Tables have a suffix for each process; several sets of them are read one after the other. Environments of processes are not
//! read. In: a database. Out: what the collector keeps.

use hashbrown::HashMap;

use super::collector::ActivityCollector;
use super::rocpd_names::RocpdNames;
use super::tables::ReportTables;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::StoredTable;
use crate::reader::table_rows::{TableRow, TableValue};

const METADATA: &str = "rocpd_metadata";
/// Columns that have a meaning of their own.
const OWN: [&str; 19] = [
    "id",
    "guid",
    "nid",
    "pid",
    "tid",
    "start",
    "end",
    "name_id",
    "event_id",
    "agent_id",
    "kernel_id",
    "queue_id",
    "stream_id",
    "region_name_id",
    "extdata",
    "src_agent_id",
    "dst_agent_id",
    "src_address",
    "dst_address",
];

/// Tables that are read, without their suffix.
const READ: [&str; 10] = [
    METADATA,
    "rocpd_string",
    "rocpd_event",
    "rocpd_region",
    "rocpd_kernel_dispatch",
    "rocpd_memory_copy",
    "rocpd_memory_allocate",
    "rocpd_pmc_event",
    "rocpd_track",
    "rocpd_sample",
];

/// The suffixes of the sets of tables.
pub(super) fn suffixes(tables: &ReportTables) -> Vec<String> {
    tables.all().keys().filter_map(|table| table.strip_prefix(METADATA)).map(str::to_string).collect()
}

/// A region that launched something: where, when, and how much so far.
#[derive(Debug, Clone, Copy)]
struct LaunchingRegion {
    thread: u32,
    start: i64,
    byte: u64,
    activities: u64,
}

/// The regions that launched something, by stack; `None` until the region is read.
type LaunchingRegions = HashMap<i64, Option<LaunchingRegion>>;

/// The values of counters, by event.
type CounterValues = HashMap<i64, Vec<(String, f64)>>;

/// A time of a row; one without it is lost.
fn time(row: TableRow<'_>, column: &str, collector: &mut ActivityCollector) -> Option<i64> {
    let time = row.int(column);
    if time.is_none() {
        collector.lose(Code::BadTime, row, "rows without a time were left out");
    }
    time
}

/// Start and end of a row; one without a start is lost.
fn times(row: TableRow<'_>, collector: &mut ActivityCollector) -> Option<(i64, Option<i64>)> {
    Some((time(row, "start", collector)?, row.int("end")))
}

/// Collects a set of tables.
pub(super) fn collect(tables: &mut ReportTables, suffix: &str, collector: &mut ActivityCollector) -> Result<()> {
    let names = RocpdNames::read(tables, suffix)?;
    // The stacks of dispatches and copies; regions with one of them launched it.
    let mut regions = LaunchingRegions::new();
    for name in ["rocpd_kernel_dispatch", "rocpd_memory_copy"] {
        tables.scan(&format!("{name}{suffix}"), &mut |row| {
            regions.extend(names.event(row).1.map(|stack| (stack, None)));
            Ok(())
        })?;
    }
    let mut counters = counter_values(tables, &names, collector)?;
    calls(tables, &names, &mut regions, collector)?;
    for (name, type_) in [("rocpd_kernel_dispatch", "kernel"), ("rocpd_memory_copy", "memory")] {
        activities(tables, &format!("{name}{suffix}"), type_, &names, &mut regions, &mut counters, collector)?;
    }
    allocations(tables, &names, collector)?;
    samples(tables, &names, &mut counters, collector)?;
    let left: usize = counters.values().map(Vec::len).sum();
    let reason = "values of counters that belong to no dispatch and no sample were left out";
    collector.lose_many(Code::IgnoredEvent, &format!("rocpd_pmc_event{suffix}"), reason, left as u64, 0);
    unread(tables, suffix, collector)
}

fn calls(
    tables: &mut ReportTables,
    names: &RocpdNames,
    regions: &mut LaunchingRegions,
    collector: &mut ActivityCollector,
) -> Result<()> {
    tables.scan(&format!("rocpd_region{}", names.suffix), &mut |row| {
        let Some(times) = times(row, collector) else { return Ok(()) };
        let thread = names.thread(row, collector);
        let (category, stack) = names.event(row);
        if let Some(region @ None) = stack.and_then(|stack| regions.get_mut(&stack)) {
            *region = Some(LaunchingRegion { thread, start: times.0, byte: row.byte, activities: 0 });
        }
        let name = names.string("name_id", row, collector).unwrap_or_default();
        if let Some(category) = category {
            collector.pack_value(StoredTable::States, "category", &TableValue::Text(category.to_string()));
        }
        collector.pack(StoredTable::States, row, &OWN);
        collector.state(thread, "api", &name, times, row)
    })
}

/// Dispatches and copies.
fn activities(
    tables: &mut ReportTables,
    table: &str,
    type_: &str,
    names: &RocpdNames,
    regions: &mut LaunchingRegions,
    counters: &mut CounterValues,
    collector: &mut ActivityCollector,
) -> Result<()> {
    tables.scan(table, &mut |row| {
        let Some((start, end)) = times(row, collector) else { return Ok(()) };
        let stream = names.stream(row, names.agent(row), collector);
        launch(row, stream, start, names, regions, collector)?;
        if let (Some(source), Some(target)) = (row.int("src_agent_id"), row.int("dst_agent_id")) {
            let key = format!("{}:c{}", names.suffix, row.int("id").unwrap_or(0));
            let (source, target) = (names.device(row, source, collector), names.device(row, target, collector));
            collector.pack_value(StoredTable::Links, "bytes", row.value("size"));
            collector.link(source, "copy", &key, start, true, row.byte)?;
            collector.link(target, "copy", &key, end.unwrap_or(start), false, row.byte)?;
        }
        let kernel =
            row.int("kernel_id").map(|id| names.named("rocpd_info_kernel_symbol", id, &format!("kernel {id}")));
        let value = match kernel {
            Some(kernel) => kernel,
            None => names.string("name_id", row, collector).unwrap_or_else(|| type_.to_string()),
        };
        collector.pack(StoredTable::States, row, &OWN);
        for (counter, value) in row.int("event_id").and_then(|event| counters.remove(&event)).unwrap_or_default() {
            collector.pack_value(StoredTable::States, &counter, &TableValue::Real(value));
        }
        collector.state(stream, type_, &value, (start, end), row)
    })
}

/// Keeps the link from the region of the same stack.
fn launch(
    row: TableRow<'_>,
    stream: u32,
    start: i64,
    names: &RocpdNames,
    regions: &mut LaunchingRegions,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let Some(stack) = names.event(row).1 else { return Ok(()) };
    let Some(Some(region)) = regions.get_mut(&stack) else {
        collector.lose(Code::UndefinedReference, row, "the call that launched it is not recorded; there is no link");
        return Ok(());
    };
    region.activities += 1;
    let key = match region.activities {
        1 => format!("{}:{stack}", names.suffix),
        number => format!("{}:{stack}:{number}", names.suffix),
    };
    collector.link(region.thread, "launch", &key, region.start, true, region.byte)?;
    collector.link(stream, "launch", &key, start, false, row.byte)
}

/// Memory in use: what is allocated less what is freed.
fn allocations(tables: &mut ReportTables, names: &RocpdNames, collector: &mut ActivityCollector) -> Result<()> {
    tables.scan(&format!("rocpd_memory_allocate{}", names.suffix), &mut |row| {
        let Some((start, _)) = times(row, collector) else { return Ok(()) };
        let Some(size) = row.int("size") else {
            collector.lose(Code::BadNumber, row, "rows without a size were left out");
            return Ok(());
        };
        let device = match row.int("agent_id") {
            Some(agent) => names.device(row, agent, collector),
            None => names.process(row, collector),
        };
        let change = if row.text("type") == Some("FREE") { -(size as f64) } else { size as f64 };
        collector.variable(device, "memory in use", start, (change, true), row.byte)
    })
}

/// The values of counters: of dispatches and of samples.
fn counter_values(
    tables: &mut ReportTables,
    names: &RocpdNames,
    collector: &mut ActivityCollector,
) -> Result<CounterValues> {
    let mut values = CounterValues::new();
    tables.scan(&format!("rocpd_pmc_event{}", names.suffix), &mut |row| {
        let (Some(event), Some(number)) = (row.int("event_id"), row.value("value").number()) else {
            collector.lose(Code::BadNumber, row, "values of counters without an event or a number were left out");
            return Ok(());
        };
        let name = row.int("pmc_id").map(|id| names.named("rocpd_info_pmc", id, &format!("counter {id}")));
        values.entry(event).or_default().push((name.unwrap_or_else(|| "counter".to_string()), number));
        Ok(())
    })?;
    Ok(values)
}

/// Samples: variables where they have a value, else events.
fn samples(
    tables: &mut ReportTables,
    names: &RocpdNames,
    counters: &mut CounterValues,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let mut tracks = HashMap::new();
    tables.scan(&format!("rocpd_track{}", names.suffix), &mut |row| {
        if let Some(id) = row.int("id") {
            let home = names.thread(row, collector);
            let name = names.string("name_id", row, collector);
            tracks.insert(id, (home, name.unwrap_or_else(|| format!("track {id}"))));
        }
        Ok(())
    })?;
    tables.scan(&format!("rocpd_sample{}", names.suffix), &mut |row| {
        let Some(time) = time(row, "timestamp", collector) else { return Ok(()) };
        let Some((home, track)) = row.int("track_id").and_then(|id| tracks.get(&id)) else {
            collector.lose(Code::BadRecord, row, "samples of tracks that are not defined were left out");
            return Ok(());
        };
        match row.int("event_id").and_then(|event| counters.remove(&event)) {
            Some(values) => {
                for (name, value) in values {
                    collector.variable(*home, &name, time, (value, false), row.byte)?;
                }
                Ok(())
            }
            None => collector.event(*home, "sample", track, time, row.byte),
        }
    })
}

/// Counts the rows of tables that are not read: arguments of calls, and what future versions add.
fn unread(tables: &mut ReportTables, suffix: &str, collector: &mut ActivityCollector) -> Result<()> {
    let of_set: Vec<String> = tables.all().keys().filter(|table| table.ends_with(suffix)).cloned().collect();
    for table in of_set {
        let name = table.strip_suffix(suffix).unwrap_or(&table);
        let has = |column: &str| tables.all()[&table].column(column).is_some();
        let reason = match name {
            _ if READ.contains(&name) || name.starts_with("rocpd_info_") => continue,
            "rocpd_arg" => "arguments of calls were left out",
            _ if has("start") || has("timestamp") => "rows of a table that is not known were left out",
            _ => continue,
        };
        let rows = tables.count(&table)?;
        collector.lose_many(Code::IgnoredEvent, &table, reason, rows, 0);
    }
    Ok(())
}
