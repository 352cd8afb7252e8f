//! Exports of Nsight Systems: tables of calls, ranges, kernels and copies.
//!
//! One rule holds for present and future tables: one with start, end, thread and a name is states on the thread; one with start,
//! end, device, context and stream is states on the stream. In: a database. Out: what the collector keeps.

use hashbrown::{HashMap, HashSet};

use super::collector::ActivityCollector;
use super::messages::MpiMessages;
use super::nsight_metrics;
use super::nsight_names::{NsightNames, pid_of};
use super::tables::ReportTables;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::StoredTable;
use crate::reader::table_rows::{TableRow, TableValue};

const RUNTIME: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
/// The activities that calls of the runtime launch.
const LAUNCHED: [&str; 3] = ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"];
/// Rows of this class repeat a call, with its stack.
const BACKTRACE: i64 = 67;
/// Columns that have a meaning of their own.
const OWN: [&str; 14] = [
    "start",
    "end",
    "globalTid",
    "globalPid",
    "nameId",
    "textId",
    "text",
    "deviceId",
    "contextId",
    "streamId",
    "shortName",
    "demangledName",
    "mangledName",
    "copyKind",
];

/// A call that launched something: where, when, and how much so far.
#[derive(Debug, Clone, Copy)]
struct LaunchingCall {
    thread: u32,
    start: i64,
    byte: u64,
    activities: u64,
}

/// The calls that launched something, by process and correlation; `None` until the call is read.
type LaunchingCalls = HashMap<(i64, i64), Option<LaunchingCall>>;

/// Whether a report is such an export.
pub(super) fn is_export(tables: &ReportTables) -> bool {
    tables.has("StringIds") && (tables.has("META_DATA_EXPORT") || tables.has("EXPORT_META_DATA"))
}

/// What the times of an export count from, in nanoseconds since 1970: the start of its session, or 0 when it was exported with
/// times since 1970.
pub(super) fn session_start(tables: &mut ReportTables) -> Result<Option<i64>> {
    let mut start = None;
    tables.scan("TARGET_INFO_SESSION_START_TIME", &mut |row| {
        start = row.int("utcEpochNs");
        Ok(())
    })?;
    tables.scan("META_DATA_EXPORT", &mut |row| {
        let is_set = |value: &str| value.eq_ignore_ascii_case("true") || value == "1";
        if row.text("name") == Some("EXPORT_PARAM_TIME_NORMALIZE") && row.text("value").is_some_and(is_set) {
            start = Some(0);
        }
        Ok(())
    })?;
    Ok(start)
}

/// Collects an export.
pub(super) fn collect(
    tables: &mut ReportTables,
    report: &str,
    shift: i64,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let names = NsightNames::read(tables, report, shift, collector)?;
    let mut calls = launching_calls(tables)?;
    let all: Vec<String> = tables.all().keys().cloned().collect();
    // Calls come first: what they launch refers to them. Metrics come last: they go to devices that others use.
    for table in all.iter().filter(|table| *table == RUNTIME) {
        thread_states(tables, table, &names, &mut calls, collector)?;
    }
    for table in all.iter().filter(|table| !matches!(table.as_str(), RUNTIME | nsight_metrics::GPU_METRICS)) {
        let has = |column: &str| tables.all()[table].column(column).is_some();
        let is_timed = has("start") && has("end");
        let is_thread = is_timed && has("globalTid") && (has("nameId") || has("textId") || has("text"));
        let is_stream = is_timed && has("deviceId") && has("contextId") && has("streamId");
        let has_time = has("start") || has("timestamp") || has("rawTimestamp");
        match table.as_str() {
            "NVTX_EVENTS" => ranges(tables, &names, collector)?,
            "SCHED_EVENTS" => scheduling(tables, &names, collector)?,
            "COMPOSITE_EVENTS" => samples(tables, &names, collector)?,
            "CUDA_GPU_MEMORY_USAGE_EVENTS" => nsight_metrics::memory(tables, &names, collector)?,
            "DIAGNOSTIC_EVENT" | "MPI_COMMUNICATORS" => (),
            name if is_description(name) => (),
            _ if is_thread => thread_states(tables, table, &names, &mut calls, collector)?,
            _ if is_stream => stream_states(tables, table, &names, &mut calls, collector)?,
            _ if has_time => {
                let rows = tables.count(table)?;
                let reason = "rows with times and without a known thread or stream were left out";
                collector.lose_many(Code::IgnoredEvent, table, reason, rows, 0);
            }
            name if name.ends_with("_CALLCHAINS") => {
                let rows = tables.count(table)?;
                collector.lose_many(Code::IgnoredEvent, table, "frames of stacks were left out", rows, 0);
            }
            _ => (),
        }
    }
    nsight_metrics::gpu_metrics(tables, &names, collector)?;
    MpiMessages::read(tables, &|id| names.string(id).unwrap_or("").to_string(), collector)?.links(
        &|global, collector| names.thread(global, collector),
        shift,
        report,
        collector,
    )
}

/// What the profiler says about the recording.
pub(super) fn remarks(tables: &mut ReportTables) -> Result<Vec<String>> {
    let mut remarks = vec![];
    tables.scan("DIAGNOSTIC_EVENT", &mut |row| {
        remarks.extend(row.text("text").map(str::to_string));
        Ok(())
    })?;
    Ok(remarks)
}

/// Tables that describe others.
fn is_description(table: &str) -> bool {
    let starts = ["ENUM_", "META_DATA", "EXPORT_META", "TARGET_INFO", "ANALYSIS_", "sqlite_"];
    let whole = ["StringIds", "PROCESSES", "ThreadNames", "ProcessStreams", "MPI_RANKS"];
    starts.iter().any(|start| table.starts_with(start)) || whole.contains(&table)
}

fn launching_calls(tables: &mut ReportTables) -> Result<LaunchingCalls> {
    let mut all = HashMap::new();
    for table in LAUNCHED {
        tables.scan(table, &mut |row| {
            all.extend(correlation(row).map(|key| (key, None)));
            Ok(())
        })?;
    }
    Ok(all)
}

/// The process and the number that an activity shares with its call.
fn correlation(row: TableRow<'_>) -> Option<(i64, i64)> {
    let global = row.int("globalPid").or(row.int("globalTid"))?;
    Some((pid_of(global), row.int("correlationId").filter(|id| *id != 0)?))
}

fn thread_states(
    tables: &mut ReportTables,
    table: &str,
    names: &NsightNames,
    calls: &mut LaunchingCalls,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let type_ = match table {
        RUNTIME => "api".to_string(),
        "OSRT_API" => "os".to_string(),
        name if name.starts_with("MPI_") => "mpi".to_string(),
        name => name.to_lowercase(),
    };
    let is_wait = table == "MPI_START_WAIT_EVENTS";
    let mut seen = HashSet::new();
    tables.scan(table, &mut |row| {
        let Some((times, global)) = names.times_on_thread(row, collector) else { return Ok(()) };
        // One row for each request of a call.
        if is_wait && !seen.insert((times, global)) {
            return Ok(());
        }
        let thread = names.thread(global, collector);
        let text = names.text(row, collector);
        let value = if table == RUNTIME { without_version(&text) } else { &text };
        let is_backtrace = table == RUNTIME && row.int("eventClass") == Some(BACKTRACE);
        if table == RUNTIME
            && !is_backtrace
            && let Some(call @ None) = correlation(row).and_then(|key| calls.get_mut(&key))
        {
            *call = Some(LaunchingCall { thread, start: times.0, byte: row.byte, activities: 0 });
        }
        let without: &[&str] = if is_wait { &["start", "end", "globalTid", "textId", "requestHandle"] } else { &OWN };
        collector.pack(StoredTable::States, row, without);
        collector.state(thread, if is_backtrace { "backtrace" } else { &type_ }, value, times, row)
    })
}

fn stream_states(
    tables: &mut ReportTables,
    table: &str,
    names: &NsightNames,
    calls: &mut LaunchingCalls,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let short = table.strip_prefix("CUPTI_ACTIVITY_KIND_").unwrap_or(table);
    let type_ = match short {
        "MEMCPY" | "MEMSET" => "memory".to_string(),
        "GRAPH_TRACE" => "graph".to_string(),
        other => other.to_lowercase(),
    };
    tables.scan(table, &mut |row| {
        let Some(times) = names.times(row, collector) else { return Ok(()) };
        let stream = names.stream(row, collector);
        let label = |table, column: &str| {
            let code = row.int(column)?;
            Some(names.labels.get(&(table, code)).cloned().unwrap_or_else(|| format!("{column} {code}")))
        };
        let value = match short {
            "MEMCPY" => label("ENUM_CUDA_MEMCPY_OPER", "copyKind"),
            "MEMSET" => Some("memset".to_string()),
            "SYNCHRONIZATION" => label("ENUM_CUPTI_SYNC_TYPE", "syncType"),
            _ => row.int("shortName").map(|id| names.interned(id, row, collector)),
        };
        let value = match value {
            Some(value) => value,
            None => Some(names.text(row, collector)).filter(|text| !text.is_empty()).unwrap_or(type_.clone()),
        };
        if LAUNCHED.contains(&table) {
            launch(row, stream, times.0, &names.report, calls, collector)?;
        }
        collector.pack(StoredTable::States, row, &OWN);
        if let Some(name) = names.string(row.int("demangledName")) {
            collector.pack_value(StoredTable::States, "demangledName", &TableValue::Text(name.to_string()));
        }
        collector.state(stream, &type_, &value, times, row)
    })
}

/// Keeps the link from a call to an activity; a call of a graph launches many.
fn launch(
    row: TableRow<'_>,
    stream: u32,
    start: i64,
    report: &str,
    calls: &mut LaunchingCalls,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let Some(correlation @ (pid, id)) = correlation(row) else { return Ok(()) };
    let Some(Some(call)) = calls.get_mut(&correlation) else {
        collector.lose(Code::UndefinedReference, row, "the call that launched it is not recorded; there is no link");
        return Ok(());
    };
    call.activities += 1;
    let key = match call.activities {
        1 => format!("{report}:{pid}:{id}"),
        number => format!("{report}:{pid}:{id}:{number}"),
    };
    if let Some(bytes) = row.int("bytes") {
        collector.pack_value(StoredTable::Links, "bytes", &TableValue::Int(bytes));
    }
    collector.link(call.thread, "launch", &key, call.start, true, call.byte)?;
    collector.link(stream, "launch", &key, start, false, row.byte)
}

/// Ranges and marks of NVTX.
fn ranges(tables: &mut ReportTables, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    const VALUES: [&str; 7] =
        ["uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue", "jsonText"];
    tables.scan("NVTX_EVENTS", &mut |row| {
        let type_ = row.int("eventType").unwrap_or(0);
        if matches!(type_, 33 | 39 | 75 | 76 | 97..=99) {
            return Ok(());
        }
        let Some((times, global)) = names.times_on_thread(row, collector) else { return Ok(()) };
        let table = if type_ == 34 { StoredTable::Events } else { StoredTable::States };
        let (thread, text) = (names.thread(global, collector), names.text(row, collector));
        let domain = row.int("domainId").unwrap_or(0);
        if let Some(domain) = names.domains.get(&(pid_of(global), domain)) {
            collector.pack_value(table, "domain", &TableValue::Text(domain.clone()));
        }
        for column in ["category", "color", "rangeId"] {
            collector.pack_value(table, column, row.value(column));
        }
        if let Some(payload) = VALUES.iter().map(|column| row.value(column)).find(|value| **value != TableValue::Null) {
            collector.pack_value(table, "payload", payload);
        }
        match type_ {
            34 => collector.event(thread, "mark", &text, times.0, row.byte),
            60 | 71 => collector.state(thread, "nvtx range", &text, times, row),
            _ => collector.state(thread, "nvtx", &text, times, row),
        }
    })
}

/// When threads run: from being put on a CPU to being taken off.
fn scheduling(tables: &mut ReportTables, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    tables.scan("SCHED_EVENTS", &mut |row| {
        let Some(((start, _), global)) = names.times_on_thread(row, collector) else { return Ok(()) };
        let thread = names.thread(global, collector);
        let is_in = row.int("isSchedIn").unwrap_or(0) != 0;
        if is_in {
            collector.pack_value(StoredTable::States, "cpu", row.value("cpu"));
        }
        collector.step(thread, "cpu", is_in.then_some("Running"), start, row.byte)
    })
}

fn samples(tables: &mut ReportTables, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    tables.scan("COMPOSITE_EVENTS", &mut |row| {
        let Some(((start, _), global)) = names.times_on_thread(row, collector) else { return Ok(()) };
        let thread = names.thread(global, collector);
        collector.pack(StoredTable::Events, row, &OWN);
        collector.event(thread, "sample", "sample", start, row.byte)
    })
}

/// The name of a call without the version at its end: `cudaMalloc_v3020`.
fn without_version(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((call, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => call,
        _ => name,
    }
}
