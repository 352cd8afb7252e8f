//! What the tables of a rocpd database refer to: strings, nodes, processes, threads, agents.
//!
//! In: a set of tables. Out: names, and the containers of rows.

use hashbrown::{HashMap, HashSet};

use super::collector::ActivityCollector;
use super::tables::ReportTables;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::reader::table_rows::TableRow;

/// The names of one set of tables.
#[derive(Debug, Default)]
pub(super) struct RocpdNames {
    pub suffix: String,
    strings: HashMap<i64, String>,
    /// By row: of nodes, processes, threads, agents, streams and kernels.
    rows: HashMap<(&'static str, i64), String>,
    /// The agents that are GPUs.
    gpus: HashSet<i64>,
    pids: HashMap<i64, i64>,
    tids: HashMap<i64, i64>,
    /// By event: category and stack.
    events: HashMap<i64, (Option<i64>, Option<i64>)>,
}

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
    pub fn read(tables: &mut ReportTables, suffix: &str) -> Result<RocpdNames> {
        let mut names = RocpdNames { suffix: suffix.to_string(), ..RocpdNames::default() };
        tables.scan(&format!("rocpd_string{suffix}"), &mut |row| {
            if let (Some(id), Some(text)) = (row.int("id"), row.text("string")) {
                names.strings.insert(id, text.to_string());
            }
            Ok(())
        })?;
        for (table, columns) in NAMED {
            tables.scan(&format!("{table}{suffix}"), &mut |row| {
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
                    "rocpd_info_agent" if row.text("type") == Some("GPU") => {
                        names.gpus.insert(id);
                    }
                    "rocpd_info_thread" => names.tids.extend(row.int("tid").map(|tid| (id, tid))),
                    _ => (),
                }
                Ok(())
            })?;
        }
        tables.scan(&format!("rocpd_event{suffix}"), &mut |row| {
            if let Some(id) = row.int("id") {
                names.events.insert(id, (row.int("category_id"), row.int("stack_id")));
            }
            Ok(())
        })?;
        Ok(names)
    }

    pub fn named(&self, table: &'static str, id: i64, otherwise: &str) -> String {
        self.rows.get(&(table, id)).cloned().unwrap_or_else(|| otherwise.to_string())
    }

    pub fn process(&self, row: TableRow<'_>, collector: &mut ActivityCollector) -> u32 {
        let (node, process) = (row.int("nid").unwrap_or(0), row.int("pid").unwrap_or(0));
        let host = self.named("rocpd_info_node", node, "host");
        let parent = collector.container(&format!("h{host}"), "host", None, || (host.clone(), vec![]));
        collector.container(&format!("p{}:{process}", self.suffix), "process", Some(parent), || {
            let pid = self.pids.get(&process).copied().unwrap_or(process);
            (format!("{} {pid}", self.named("rocpd_info_process", process, "process")), vec![("pid", pid.to_string())])
        })
    }

    pub fn thread(&self, row: TableRow<'_>, collector: &mut ActivityCollector) -> u32 {
        let process = self.process(row, collector);
        let Some(thread) = row.int("tid") else { return process };
        collector.container(&format!("t{}:{thread}", self.suffix), "thread", Some(process), || {
            let tid = self.tids.get(&thread).copied().unwrap_or(thread);
            (format!("{} {tid}", self.named("rocpd_info_thread", thread, "thread")), vec![("tid", tid.to_string())])
        })
    }

    pub fn device(&self, row: TableRow<'_>, agent: i64, collector: &mut ActivityCollector) -> u32 {
        let process = self.process(row, collector);
        let key = format!("d{}:{}:{agent}", self.suffix, row.int("pid").unwrap_or(0));
        collector.container(&key, "device", Some(process), || {
            (self.named("rocpd_info_agent", agent, &format!("agent {agent}")), vec![("device", agent.to_string())])
        })
    }

    pub fn stream(&self, row: TableRow<'_>, agent: i64, collector: &mut ActivityCollector) -> u32 {
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

    pub fn event(&self, row: TableRow<'_>) -> (Option<&str>, Option<i64>) {
        let known = row.int("event_id").and_then(|id| self.events.get(&id)).copied().unwrap_or_default();
        (known.0.and_then(|id| self.strings.get(&id)).map(String::as_str), known.1.filter(|stack| *stack != 0))
    }

    /// The agent that an activity is on; of the two of a copy, the one that is a GPU, and else the target.
    pub fn agent(&self, row: TableRow<'_>) -> i64 {
        let ends = [row.int("dst_agent_id"), row.int("src_agent_id")];
        let gpu = ends.into_iter().flatten().find(|agent| self.gpus.contains(agent));
        row.int("agent_id").or(gpu).or(ends[0]).or(ends[1]).unwrap_or(0)
    }

    /// A string by its number; one that is not defined is called by it.
    pub fn string(&self, column: &str, row: TableRow<'_>, collector: &mut ActivityCollector) -> Option<String> {
        let id = row.int(column)?;
        Some(self.strings.get(&id).cloned().unwrap_or_else(|| {
            collector.lose(Code::UndefinedReference, row, "strings that are not defined are called by their number");
            format!("string {id}")
        }))
    }
}
