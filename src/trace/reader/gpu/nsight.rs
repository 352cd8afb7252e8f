//! Exports of Nsight Systems: tables of calls, ranges, kernels and copies.
//!
//! One rule holds for present and future tables: one with start, end, thread and a name is states on the thread; one with start,
//! end, device, context and stream is states on the stream. In: a database. Out: what the collector keeps.

use hashbrown::{HashMap, HashSet};

use super::collector::ActivityCollector;
use super::messages::MpiMessages;
use super::nsight_names::{NsightNames, pid_of};
use crate::error::Result;
use crate::model::StoredTable;
use crate::reader::sqlite::database::SqliteDatabase;
use crate::reader::sqlite::record::SqliteValue;

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

/// Whether a database is such an export.
pub(super) fn is_export(database: &SqliteDatabase) -> bool {
    let has = |name: &str| database.tables.contains_key(name);
    has("StringIds") && (has("META_DATA_EXPORT") || has("EXPORT_META_DATA"))
}

/// When the session of an export started, in nanoseconds since 1970.
pub(super) fn session_start(database: &mut SqliteDatabase) -> Result<Option<i64>> {
    let mut start = None;
    database.scan("TARGET_INFO_SESSION_START_TIME", &mut |row| {
        start = row.int("utcEpochNs");
        Ok(())
    })?;
    Ok(start)
}

/// Collects an export; returns how many rows of which tables are not read.
pub(super) fn collect(
    database: &mut SqliteDatabase,
    report: &str,
    shift: i64,
    collector: &mut ActivityCollector,
) -> Result<Vec<(String, u64)>> {
    let names = NsightNames::read(database, report, shift)?;
    let launched = launched(database)?;
    let mut started = HashSet::new();
    let mut unread = vec![];
    let tables: Vec<String> = database.tables.keys().cloned().collect();
    // Calls come first: what they launch refers to them.
    let calls = tables.iter().filter(|table| *table == RUNTIME);
    for table in calls.chain(tables.iter().filter(|table| *table != RUNTIME)) {
        let has = |column: &str| database.tables[table].column(column).is_some();
        let is_timed = has("start") && has("end");
        let is_thread = is_timed && has("globalTid") && (has("nameId") || has("textId") || has("text"));
        let is_stream = is_timed && has("deviceId") && has("contextId") && has("streamId");
        let is_lost = has("start") || has("timestamp");
        match table.as_str() {
            "NVTX_EVENTS" => ranges(database, &names, collector)?,
            "SCHED_EVENTS" => scheduling(database, &names, collector)?,
            "COMPOSITE_EVENTS" => samples(database, &names, collector)?,
            "CUDA_GPU_MEMORY_USAGE_EVENTS" => memory(database, &names, collector)?,
            "MPI_COMMUNICATORS" => (),
            name if is_description(name) => (),
            _ if is_thread => thread_states(database, table, &names, &launched, &mut started, collector)?,
            _ if is_stream => stream_states(database, table, &names, &started, collector)?,
            _ if is_lost => {
                let mut count = 0;
                database.scan(table, &mut |_| {
                    count += 1;
                    Ok(())
                })?;
                unread.push((table.clone(), count));
            }
            _ => (),
        }
    }
    MpiMessages::read(database, &|id| names.string(id).unwrap_or("").to_string())?.links(
        &|global, collector| names.thread(global, collector),
        shift,
        report,
        collector,
    )?;
    unread.retain(|(_, count)| *count > 0);
    Ok(unread)
}

/// Tables that describe others.
fn is_description(table: &str) -> bool {
    let starts = ["ENUM_", "META_DATA", "EXPORT_META", "TARGET_INFO", "ANALYSIS_", "DIAGNOSTIC_", "sqlite_"];
    let whole = ["StringIds", "PROCESSES", "ThreadNames", "ProcessStreams", "MPI_RANKS"];
    starts.iter().any(|start| table.starts_with(start)) || whole.contains(&table) || table.ends_with("_CALLCHAINS")
}

/// The activities that calls launched, by process and correlation: how many bytes they copy.
fn launched(database: &mut SqliteDatabase) -> Result<HashMap<(i64, i64), Option<i64>>> {
    let mut all = HashMap::new();
    for table in LAUNCHED {
        database.scan(table, &mut |row| {
            if let (Some(global), Some(id)) = (row.int("globalPid"), row.int("correlationId")) {
                all.insert((pid_of(global), id), row.int("bytes"));
            }
            Ok(())
        })?;
    }
    Ok(all)
}

fn thread_states(
    database: &mut SqliteDatabase,
    table: &str,
    names: &NsightNames,
    launched: &HashMap<(i64, i64), Option<i64>>,
    started: &mut HashSet<(i64, i64)>,
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
    database.scan(table, &mut |row| {
        let (Some((start, end)), Some(global)) = (names.times(row), row.int("globalTid")) else { return Ok(()) };
        // One row for each request of a call.
        if is_wait && !seen.insert((start, end, global)) {
            return Ok(());
        }
        let thread = names.thread(global, collector);
        let text = names.text(row);
        let value = if table == RUNTIME { without_version(&text) } else { &text };
        let is_backtrace = table == RUNTIME && row.int("eventClass") == Some(BACKTRACE);
        let key = row.int("correlationId").map(|id| (pid_of(global), id));
        if table == RUNTIME
            && !is_backtrace
            && let Some(key) = key
            && let Some(bytes) = launched.get(&key)
            && started.insert(key)
        {
            if let Some(bytes) = bytes {
                collector.pack_value(StoredTable::Links, "bytes", &SqliteValue::Int(*bytes));
            }
            let key = format!("{}:{}:{}", names.report, key.0, key.1);
            collector.link(thread, "launch", &key, start, true, row.byte)?;
        }
        let without: &[&str] = if is_wait { &["start", "end", "globalTid", "textId", "requestHandle"] } else { &OWN };
        collector.pack(StoredTable::States, row, without);
        collector.state(thread, if is_backtrace { "backtrace" } else { &type_ }, value, (start, end), row.byte)
    })
}

fn stream_states(
    database: &mut SqliteDatabase,
    table: &str,
    names: &NsightNames,
    started: &HashSet<(i64, i64)>,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let short = table.strip_prefix("CUPTI_ACTIVITY_KIND_").unwrap_or(table);
    let type_ = match short {
        "MEMCPY" | "MEMSET" => "memory".to_string(),
        "GRAPH_TRACE" => "graph".to_string(),
        other => other.to_lowercase(),
    };
    database.scan(table, &mut |row| {
        let Some((start, end)) = names.times(row) else { return Ok(()) };
        let stream = names.stream(row, collector);
        let label = |table, column: &str| {
            let code = row.int(column)?;
            Some(names.labels.get(&(table, code)).cloned().unwrap_or_else(|| format!("{column} {code}")))
        };
        let value = match short {
            "MEMCPY" => label("ENUM_CUDA_MEMCPY_OPER", "copyKind"),
            "MEMSET" => Some("memset".to_string()),
            "SYNCHRONIZATION" => label("ENUM_CUPTI_SYNC_TYPE", "syncType"),
            _ => names.string(row.int("shortName")).map(str::to_string),
        };
        let value = value.or_else(|| Some(names.text(row)).filter(|text| !text.is_empty())).unwrap_or(type_.clone());
        if let (Some(global), Some(id)) = (row.int("globalPid"), row.int("correlationId"))
            && LAUNCHED.contains(&table)
            && started.contains(&(pid_of(global), id))
        {
            let key = format!("{}:{}:{id}", names.report, pid_of(global));
            collector.link(stream, "launch", &key, start, false, row.byte)?;
        }
        collector.pack(StoredTable::States, row, &OWN);
        if let Some(name) = names.string(row.int("demangledName")) {
            collector.pack_value(StoredTable::States, "demangledName", &SqliteValue::Text(name.to_string()));
        }
        collector.state(stream, &type_, &value, (start, end), row.byte)
    })
}

/// Ranges and marks of NVTX.
fn ranges(database: &mut SqliteDatabase, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    const VALUES: [&str; 7] =
        ["uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue", "jsonText"];
    database.scan("NVTX_EVENTS", &mut |row| {
        let type_ = row.int("eventType").unwrap_or(0);
        if matches!(type_, 33 | 39 | 75 | 76 | 97..=99) {
            return Ok(());
        }
        let (Some((start, end)), Some(global)) = (names.times(row), row.int("globalTid")) else { return Ok(()) };
        let table = if type_ == 34 { StoredTable::Events } else { StoredTable::States };
        let domain = row.int("domainId").unwrap_or(0);
        if let Some(domain) = names.domains.get(&(pid_of(global), domain)) {
            collector.pack_value(table, "domain", &SqliteValue::Text(domain.clone()));
        }
        for column in ["category", "color", "rangeId"] {
            collector.pack_value(table, column, row.value(column));
        }
        if let Some(payload) = VALUES.iter().map(|column| row.value(column)).find(|value| **value != SqliteValue::Null)
        {
            collector.pack_value(table, "payload", payload);
        }
        let (thread, text) = (names.thread(global, collector), names.text(row));
        match type_ {
            34 => collector.event(thread, "mark", &text, start, row.byte),
            60 | 71 => collector.state(thread, "nvtx range", &text, (start, end), row.byte),
            _ => collector.state(thread, "nvtx", &text, (start, end), row.byte),
        }
    })
}

/// When threads run: from being put on a CPU to being taken off.
fn scheduling(database: &mut SqliteDatabase, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    database.scan("SCHED_EVENTS", &mut |row| {
        let (Some((start, _)), Some(global)) = (names.times(row), row.int("globalTid")) else { return Ok(()) };
        let thread = names.thread(global, collector);
        let is_in = row.int("isSchedIn").unwrap_or(0) != 0;
        if is_in {
            collector.pack_value(StoredTable::States, "cpu", row.value("cpu"));
        }
        collector.step(thread, "cpu", is_in.then_some("Running"), start, row.byte)
    })
}

fn samples(database: &mut SqliteDatabase, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    database.scan("COMPOSITE_EVENTS", &mut |row| {
        let (Some((start, _)), Some(global)) = (names.times(row), row.int("globalTid")) else { return Ok(()) };
        let thread = names.thread(global, collector);
        collector.pack(StoredTable::Events, row, &OWN);
        collector.event(thread, "sample", "sample", start, row.byte)
    })
}

/// Memory of devices in use: what is allocated less what is freed.
fn memory(database: &mut SqliteDatabase, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    database.scan("CUDA_GPU_MEMORY_USAGE_EVENTS", &mut |row| {
        let (Some((start, _)), Some(bytes)) = (names.times(row), row.int("bytes")) else { return Ok(()) };
        let device = names.device(row.int("globalPid").map_or(0, pid_of), row.int("deviceId").unwrap_or(0), collector);
        let is_freed = row.int("memoryOperationType") == Some(1);
        let change = if is_freed { -(bytes as f64) } else { bytes as f64 };
        collector.variable(device, "memory in use", start, (change, true), row.byte)
    })
}

/// The name of a call without the version at its end: `cudaMalloc_v3020`.
fn without_version(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((call, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => call,
        _ => name,
    }
}
