//! What the tables of an export of Nsight Systems refer to: strings, processes, threads, devices.
//!
//! In: a database. Out: names, and the containers of rows.

use hashbrown::HashMap;

use super::collector::ActivityCollector;
use crate::error::Result;
use crate::reader::sqlite::database::{SqliteDatabase, SqliteRow};

/// The process of a global id of a thread or process.
pub(super) fn pid_of(global: i64) -> i64 {
    global >> 24 & 0xff_ffff
}

/// What is known of an export before its events are read.
#[derive(Debug, Default)]
pub(super) struct NsightNames {
    /// What distinguishes it from other reports of the trace.
    pub report: String,
    /// Nanoseconds to be added to its times.
    pub shift: i64,
    pub host: String,
    pub strings: HashMap<i64, String>,
    pub processes: HashMap<i64, String>,
    pub threads: HashMap<i64, String>,
    pub devices: HashMap<i64, String>,
    /// By process and number.
    pub domains: HashMap<(i64, i64), String>,
    pub labels: HashMap<(&'static str, i64), String>,
}

impl NsightNames {
    pub fn read(database: &mut SqliteDatabase, report: &str, shift: i64) -> Result<NsightNames> {
        let mut names =
            NsightNames { report: report.to_string(), shift, host: "host".to_string(), ..Default::default() };
        database.scan("StringIds", &mut |row| {
            if let (Some(id), Some(text)) = (row.int("id"), row.text("value")) {
                names.strings.insert(id, text.to_string());
            }
            Ok(())
        })?;
        database.scan("TARGET_INFO_SYSTEM_ENV", &mut |row| {
            if row.text("name") == Some("Hostname")
                && let Some(host) = row.text("value").filter(|host| !host.is_empty())
            {
                names.host = host.to_string();
            }
            Ok(())
        })?;
        database.scan("PROCESSES", &mut |row| {
            if let (Some(global), Some(name)) = (row.int("globalPid"), row.text("name")) {
                let short = name.rsplit('/').next().unwrap_or(name);
                names.processes.insert(pid_of(global), short.to_string());
            }
            Ok(())
        })?;
        let (strings, threads) = (&names.strings, &mut names.threads);
        database.scan("ThreadNames", &mut |row| {
            if let (Some(thread), Some(name)) =
                (row.int("globalTid"), row.int("nameId").and_then(|id| strings.get(&id)))
            {
                threads.insert(thread, name.clone());
            }
            Ok(())
        })?;
        database.scan("TARGET_INFO_GPU", &mut |row| {
            if let (Some(id), Some(name)) = (row.int("cuDevice").or(row.int("id")), row.text("name")) {
                names.devices.insert(id, name.to_string());
            }
            Ok(())
        })?;
        for table in ["ENUM_CUDA_MEMCPY_OPER", "ENUM_CUPTI_SYNC_TYPE"] {
            database.scan(table, &mut |row| {
                if let (Some(id), Some(label)) = (row.int("id"), row.text("label").or(row.text("name"))) {
                    names.labels.insert((table, id), label.to_string());
                }
                Ok(())
            })?;
        }
        let mut named = vec![];
        database.scan("NVTX_EVENTS", &mut |row| {
            if let (Some(type_ @ (39 | 75)), Some(thread)) = (row.int("eventType"), row.int("globalTid")) {
                named.push((type_, thread, row.int("domainId").unwrap_or(0), names.text(row)));
            }
            Ok(())
        })?;
        for (type_, thread, domain, text) in named {
            match type_ {
                39 => names.threads.insert(thread, text),
                _ => names.domains.insert((pid_of(thread), domain), text),
            };
        }
        Ok(names)
    }

    pub fn string(&self, id: Option<i64>) -> Option<&str> {
        self.strings.get(&id?).map(String::as_str)
    }

    /// The name of a row: text of its own, or interned.
    pub fn text(&self, row: SqliteRow<'_>) -> String {
        let interned = || self.string(row.int("nameId")).or_else(|| self.string(row.int("textId")));
        row.text("text").filter(|text| !text.is_empty()).or_else(interned).unwrap_or("").to_string()
    }

    pub fn process(&self, pid: i64, collector: &mut ActivityCollector) -> u32 {
        let host = collector.container(&format!("h{}", self.host), "host", None, || (self.host.clone(), vec![]));
        collector.container(&format!("p{}:{pid}", self.report), "process", Some(host), || {
            let name = self.processes.get(&pid).map_or("process", String::as_str);
            (format!("{name} {pid}"), vec![("pid", pid.to_string())])
        })
    }

    /// The container of a thread, by its global id.
    pub fn thread(&self, global: i64, collector: &mut ActivityCollector) -> u32 {
        let process = self.process(pid_of(global), collector);
        collector.container(&format!("t{}:{global}", self.report), "thread", Some(process), || {
            let tid = global & 0xff_ffff;
            let name = self.threads.get(&global).cloned().unwrap_or_else(|| "thread".to_string());
            let ids = vec![("pid", pid_of(global).to_string()), ("tid", tid.to_string())];
            (format!("{name} {tid}"), ids)
        })
    }

    pub fn device(&self, pid: i64, device: i64, collector: &mut ActivityCollector) -> u32 {
        let process = self.process(pid, collector);
        collector.container(&format!("d{}:{pid}:{device}", self.report), "device", Some(process), || {
            let name = self.devices.get(&device).map_or("device", String::as_str);
            (format!("{name} {device}"), vec![("device", device.to_string())])
        })
    }

    /// The container of a stream.
    pub fn stream(&self, row: SqliteRow<'_>, collector: &mut ActivityCollector) -> u32 {
        let pid = row.int("globalPid").map_or(0, pid_of);
        let id = |column: &str| row.int(column).unwrap_or(0);
        let (device, context, stream) = (id("deviceId"), id("contextId"), id("streamId"));
        let parent = self.device(pid, device, collector);
        collector.container(
            &format!("s{}:{pid}:{device}:{context}:{stream}", self.report),
            "stream",
            Some(parent),
            || {
                let name = if stream == 0xffff_ffff { "context".to_string() } else { format!("stream {stream}") };
                let ids = [("context", context), ("stream", stream)].map(|(column, id)| (column, id.to_string()));
                (name, ids.to_vec())
            },
        )
    }

    pub fn times(&self, row: SqliteRow<'_>) -> Option<(i64, i64)> {
        let start = row.int("start")?.checked_add(self.shift)?;
        let end = row.int("end").and_then(|end| end.checked_add(self.shift)).unwrap_or(start);
        Some((start, end))
    }
}
