//! Databases of rocprofv3 and rocprof-sys (rocpd).
//!
//! Tables have a suffix for each process; several sets of them are read one after the other. Environments of processes are not
//! read. In: a database. Out: what the collector keeps.

use hashbrown::HashMap;

use super::collector::ActivityCollector;
use crate::error::Result;
use crate::model::StoredTable;
use crate::reader::sqlite::database::{SqliteDatabase, SqliteRow};
use crate::reader::sqlite::record::SqliteValue;

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

/// The suffixes of the sets of tables.
pub(super) fn suffixes(database: &SqliteDatabase) -> Vec<String> {
    database.tables.keys().filter_map(|table| table.strip_prefix(METADATA)).map(str::to_string).collect()
}

/// The names of one set of tables.
#[derive(Debug, Default)]
struct RocpdNames {
    suffix: String,
    strings: HashMap<i64, String>,
    /// By row: of nodes, processes, threads, agents, streams and kernels.
    rows: HashMap<(&'static str, i64), String>,
    pids: HashMap<i64, i64>,
    tids: HashMap<i64, i64>,
    /// By event: category and stack.
    events: HashMap<i64, (Option<i64>, Option<i64>)>,
}

/// How many samples may have the same values, on average.
const MOST_SAMPLES: usize = 16;

/// Tables with names: the column of the name, in the order of preference.
const NAMED: [(&str, &[&str]); 7] = [
    ("rocpd_info_node", &["hostname", "system_name", "machine_id"]),
    ("rocpd_info_process", &["command"]),
    ("rocpd_info_thread", &["name"]),
    ("rocpd_info_agent", &["product_name", "name"]),
    ("rocpd_info_stream", &["name"]),
    ("rocpd_info_kernel_symbol", &["display_name", "kernel_name"]),
    ("rocpd_info_pmc", &["name", "symbol"]),
];

impl RocpdNames {
    fn read(database: &mut SqliteDatabase, suffix: &str) -> Result<RocpdNames> {
        let mut names = RocpdNames { suffix: suffix.to_string(), ..RocpdNames::default() };
        database.scan(&format!("rocpd_string{suffix}"), &mut |row| {
            if let (Some(id), Some(text)) = (row.int("id"), row.text("string")) {
                names.strings.insert(id, text.to_string());
            }
            Ok(())
        })?;
        for (table, columns) in NAMED {
            database.scan(&format!("{table}{suffix}"), &mut |row| {
                let Some(id) = row.int("id") else { return Ok(()) };
                let name = columns.iter().find_map(|column| row.text(column).filter(|name| !name.is_empty()));
                if let Some(name) = name {
                    // A command may have arguments; its program is its name.
                    let program = name.split_whitespace().next().unwrap_or(name).rsplit('/').next().unwrap_or(name);
                    let name = if table == "rocpd_info_process" { program } else { name };
                    names.rows.insert((table, id), name.to_string());
                }
                match table {
                    "rocpd_info_process" => names.pids.extend(row.int("pid").map(|pid| (id, pid))),
                    "rocpd_info_thread" => names.tids.extend(row.int("tid").map(|tid| (id, tid))),
                    _ => (),
                }
                Ok(())
            })?;
        }
        database.scan(&format!("rocpd_event{suffix}"), &mut |row| {
            if let Some(id) = row.int("id") {
                names.events.insert(id, (row.int("category_id"), row.int("stack_id")));
            }
            Ok(())
        })?;
        Ok(names)
    }

    fn named(&self, table: &'static str, id: i64, otherwise: &str) -> String {
        self.rows.get(&(table, id)).cloned().unwrap_or_else(|| otherwise.to_string())
    }

    fn process(&self, row: SqliteRow<'_>, collector: &mut ActivityCollector) -> u32 {
        let (node, process) = (row.int("nid").unwrap_or(0), row.int("pid").unwrap_or(0));
        let host = self.named("rocpd_info_node", node, "host");
        let parent = collector.container(&format!("h{host}"), "host", None, || (host.clone(), vec![]));
        collector.container(&format!("p{}:{process}", self.suffix), "process", Some(parent), || {
            let pid = self.pids.get(&process).copied().unwrap_or(process);
            (format!("{} {pid}", self.named("rocpd_info_process", process, "process")), vec![("pid", pid.to_string())])
        })
    }

    fn thread(&self, row: SqliteRow<'_>, collector: &mut ActivityCollector) -> u32 {
        let process = self.process(row, collector);
        let Some(thread) = row.int("tid") else { return process };
        collector.container(&format!("t{}:{thread}", self.suffix), "thread", Some(process), || {
            let tid = self.tids.get(&thread).copied().unwrap_or(thread);
            (format!("{} {tid}", self.named("rocpd_info_thread", thread, "thread")), vec![("tid", tid.to_string())])
        })
    }

    fn device(&self, row: SqliteRow<'_>, agent: i64, collector: &mut ActivityCollector) -> u32 {
        let process = self.process(row, collector);
        let key = format!("d{}:{}:{agent}", self.suffix, row.int("pid").unwrap_or(0));
        collector.container(&key, "device", Some(process), || {
            (self.named("rocpd_info_agent", agent, &format!("agent {agent}")), vec![("device", agent.to_string())])
        })
    }

    fn stream(&self, row: SqliteRow<'_>, agent: i64, collector: &mut ActivityCollector) -> u32 {
        let device = self.device(row, agent, collector);
        let (stream, queue) = (row.int("stream_id"), row.int("queue_id"));
        let (kind, id) = stream.map_or(("queue", queue.unwrap_or(0)), |stream| ("stream", stream));
        let key = format!("s{}:{}:{agent}:{kind}{id}", self.suffix, row.int("pid").unwrap_or(0));
        collector.container(&key, "stream", Some(device), || {
            let plain = format!("{kind} {id}");
            let name = if kind == "stream" { self.named("rocpd_info_stream", id, &plain) } else { plain };
            (name, vec![("stream", id.to_string())])
        })
    }

    fn event(&self, row: SqliteRow<'_>) -> (Option<&str>, Option<i64>) {
        let known = row.int("event_id").and_then(|id| self.events.get(&id)).copied().unwrap_or_default();
        (known.0.and_then(|id| self.strings.get(&id)).map(String::as_str), known.1.filter(|stack| *stack != 0))
    }
}

fn times(row: SqliteRow<'_>) -> Option<(i64, i64)> {
    let start = row.int("start")?;
    Some((start, row.int("end").unwrap_or(start)))
}

/// Collects a set of tables.
pub(super) fn collect(database: &mut SqliteDatabase, suffix: &str, collector: &mut ActivityCollector) -> Result<()> {
    let names = RocpdNames::read(database, suffix)?;
    let table = |name: &str| format!("{name}{suffix}");
    // The stacks of dispatches and copies; calls with one of them launched it.
    let mut launched: HashMap<i64, bool> = HashMap::new();
    for name in ["rocpd_kernel_dispatch", "rocpd_memory_copy"] {
        database.scan(&table(name), &mut |row| {
            launched.extend(names.event(row).1.map(|stack| (stack, false)));
            Ok(())
        })?;
    }
    database.scan(&table("rocpd_region"), &mut |row| {
        let Some((start, end)) = times(row) else { return Ok(()) };
        let thread = names.thread(row, collector);
        let (category, stack) = names.event(row);
        if let Some(stack) = stack
            && let Some(is_started) = launched.get_mut(&stack)
            && !std::mem::replace(is_started, true)
        {
            collector.link(thread, "launch", &format!("{suffix}:{stack}"), start, true, row.byte)?;
        }
        if let Some(category) = category {
            collector.pack_value(StoredTable::States, "category", &SqliteValue::Text(category.to_string()));
        }
        collector.pack(StoredTable::States, row, &OWN);
        let name = row.int("name_id").and_then(|id| names.strings.get(&id)).map_or("", String::as_str);
        collector.state(thread, "api", name, (start, end), row.byte)
    })?;
    for (name, type_) in [("rocpd_kernel_dispatch", "kernel"), ("rocpd_memory_copy", "memory")] {
        database.scan(&table(name), &mut |row| {
            let Some((start, end)) = times(row) else { return Ok(()) };
            let agent = row.int("agent_id").or(row.int("dst_agent_id")).or(row.int("src_agent_id")).unwrap_or(0);
            let stream = names.stream(row, agent, collector);
            if let Some(stack) = names.event(row).1
                && launched.get(&stack) == Some(&true)
            {
                launched.insert(stack, false);
                collector.link(stream, "launch", &format!("{suffix}:{stack}"), start, false, row.byte)?;
            }
            if let (Some(source), Some(target)) = (row.int("src_agent_id"), row.int("dst_agent_id")) {
                let key = format!("{suffix}:c{}", row.int("id").unwrap_or(0));
                let (source, target) = (names.device(row, source, collector), names.device(row, target, collector));
                collector.pack_value(StoredTable::Links, "bytes", row.value("size"));
                collector.link(source, "copy", &key, start, true, row.byte)?;
                collector.link(target, "copy", &key, end, false, row.byte)?;
            }
            let kernel =
                row.int("kernel_id").map(|id| names.named("rocpd_info_kernel_symbol", id, &format!("kernel {id}")));
            let copied = row.int("name_id").and_then(|id| names.strings.get(&id)).cloned();
            collector.pack(StoredTable::States, row, &OWN);
            let value = kernel.or(copied).unwrap_or_else(|| type_.to_string());
            collector.state(stream, type_, &value, (start, end), row.byte)
        })?;
    }
    allocations(database, &names, collector)?;
    samples(database, &names, collector)
}

/// Memory in use: what is allocated less what is freed.
fn allocations(database: &mut SqliteDatabase, names: &RocpdNames, collector: &mut ActivityCollector) -> Result<()> {
    database.scan(&format!("rocpd_memory_allocate{}", names.suffix), &mut |row| {
        let (Some((start, _)), Some(size)) = (times(row), row.int("size")) else { return Ok(()) };
        let device = match row.int("agent_id") {
            Some(agent) => names.device(row, agent, collector),
            None => names.process(row, collector),
        };
        let change = if row.text("type") == Some("FREE") { -(size as f64) } else { size as f64 };
        collector.variable(device, "memory in use", start, (change, true), row.byte)
    })
}

/// Samples: variables where they have a value, else events.
fn samples(database: &mut SqliteDatabase, names: &RocpdNames, collector: &mut ActivityCollector) -> Result<()> {
    let mut values: HashMap<i64, Vec<(String, f64)>> = HashMap::new();
    database.scan(&format!("rocpd_pmc_event{}", names.suffix), &mut |row| {
        let number = match row.value("value") {
            SqliteValue::Real(number) => Some(*number),
            other => other.int().map(|number| number as f64),
        };
        if let (Some(event), Some(number)) = (row.int("event_id"), number) {
            let name = row.int("pmc_id").map(|id| names.named("rocpd_info_pmc", id, &format!("counter {id}")));
            values.entry(event).or_default().push((name.unwrap_or_default(), number));
        }
        Ok(())
    })?;
    // Samples that share their values would multiply them.
    let mut left = values.values().map(Vec::len).sum::<usize>().saturating_mul(MOST_SAMPLES);
    let mut tracks = HashMap::new();
    database.scan(&format!("rocpd_track{}", names.suffix), &mut |row| {
        if let Some(id) = row.int("id") {
            let home = names.thread(row, collector);
            let name = row.int("name_id").and_then(|id| names.strings.get(&id)).cloned();
            tracks.insert(id, (home, name.unwrap_or_else(|| format!("track {id}"))));
        }
        Ok(())
    })?;
    database.scan(&format!("rocpd_sample{}", names.suffix), &mut |row| {
        let (Some(time), Some((home, track))) =
            (row.int("timestamp"), row.int("track_id").and_then(|id| tracks.get(&id)))
        else {
            return Ok(());
        };
        match row.int("event_id").and_then(|event| values.get(&event)) {
            Some(values) if values.len() <= left => {
                left -= values.len();
                for (name, value) in values {
                    collector.variable(*home, name, time, (*value, false), row.byte)?;
                }
                Ok(())
            }
            _ => collector.event(*home, "sample", track, time, row.byte),
        }
    })
}
