//! What the tables of an export of Nsight Systems refer to: strings, processes, threads, devices.
//!
//! In: a database. Out: names, and the containers of rows.

use hashbrown::HashMap;

use super::collector::ActivityCollector;
use super::tables::ReportTables;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::reader::table_rows::TableRow;

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
    /// Names of GPUs, by number.
    pub gpus: HashMap<i64, String>,
    /// By process, if known, and the number that CUDA gives to a device there: its number among all GPUs.
    gpu_of_device: HashMap<(Option<i64>, i64), i64>,
    /// By process and number.
    pub domains: HashMap<(i64, i64), String>,
    pub labels: HashMap<(&'static str, i64), String>,
}

impl NsightNames {
    pub fn read(
        tables: &mut ReportTables,
        report: &str,
        shift: i64,
        collector: &mut ActivityCollector,
    ) -> Result<NsightNames> {
        let mut names =
            NsightNames { report: report.to_string(), shift, host: "host".to_string(), ..Default::default() };
        tables.scan("StringIds", &mut |row| {
            if let (Some(id), Some(text)) = (row.int("id"), row.text("value")) {
                names.strings.insert(id, text.to_string());
            }
            Ok(())
        })?;
        tables.scan("TARGET_INFO_SYSTEM_ENV", &mut |row| {
            if row.text("name") == Some("Hostname")
                && let Some(host) = row.text("value").filter(|host| !host.is_empty())
            {
                names.host = host.to_string();
            }
            Ok(())
        })?;
        tables.scan("PROCESSES", &mut |row| {
            if let (Some(global), Some(name)) = (row.int("globalPid"), row.text("name")) {
                let short = name.rsplit('/').next().unwrap_or(name);
                names.processes.insert(pid_of(global), short.to_string());
            }
            Ok(())
        })?;
        let (strings, threads) = (&names.strings, &mut names.threads);
        tables.scan("ThreadNames", &mut |row| {
            if let (Some(thread), Some(name)) =
                (row.int("globalTid"), row.int("nameId").and_then(|id| strings.get(&id)))
            {
                threads.insert(thread, name.clone());
            }
            Ok(())
        })?;
        tables.scan("TARGET_INFO_GPU", &mut |row| {
            if let Some(id) = row.int("id") {
                names.gpu_of_device.extend(row.int("cuDevice").map(|device| ((None, device), id)));
                names.gpus.extend(row.text("name").map(|name| (id, name.to_string())));
            }
            Ok(())
        })?;
        tables.scan("TARGET_INFO_CUDA_DEVICE", &mut |row| {
            if let (Some(gpu), Some(device), Some(pid)) = (row.int("gpuId"), row.int("cudaId"), row.int("pid")) {
                names.gpu_of_device.insert((Some(pid), device), gpu);
            }
            Ok(())
        })?;
        for table in ["ENUM_CUDA_MEMCPY_OPER", "ENUM_CUPTI_SYNC_TYPE"] {
            tables.scan(table, &mut |row| {
                if let (Some(id), Some(label)) = (row.int("id"), row.text("label").or(row.text("name"))) {
                    names.labels.insert((table, id), label.to_string());
                }
                Ok(())
            })?;
        }
        let mut named = vec![];
        tables.scan("NVTX_EVENTS", &mut |row| {
            if let (Some(type_ @ (39 | 75)), Some(thread)) = (row.int("eventType"), row.int("globalTid")) {
                named.push((type_, thread, row.int("domainId").unwrap_or(0), names.text(row, collector)));
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

    /// A string by its number; one that is not defined is called by it.
    pub fn interned(&self, id: i64, row: TableRow<'_>, collector: &mut ActivityCollector) -> String {
        self.string(Some(id)).map(str::to_string).unwrap_or_else(|| {
            collector.lose(Code::UndefinedReference, row, "strings that are not defined are called by their number");
            format!("string {id}")
        })
    }

    /// The name of a row: text of its own, or interned.
    pub fn text(&self, row: TableRow<'_>, collector: &mut ActivityCollector) -> String {
        if let Some(text) = row.text("text").filter(|text| !text.is_empty()) {
            return text.to_string();
        }
        match row.int("nameId").or(row.int("textId")) {
            Some(id) => self.interned(id, row, collector),
            None => String::new(),
        }
    }

    fn host(&self, collector: &mut ActivityCollector) -> u32 {
        collector.container(&format!("h{}", self.host), "host", None, || (self.host.clone(), vec![]))
    }

    pub fn process(&self, pid: i64, collector: &mut ActivityCollector) -> u32 {
        let host = self.host(collector);
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

    /// The container of a device of a process, by the number that CUDA gives to it.
    pub fn device(&self, pid: i64, device: i64, collector: &mut ActivityCollector) -> u32 {
        let process = self.process(pid, collector);
        let known = [Some(pid), None].iter().find_map(|pid| self.gpu_of_device.get(&(*pid, device)));
        let gpu = known.copied().unwrap_or(device);
        collector.container(&format!("d{}:{pid}:{device}:{gpu}", self.report), "device", Some(process), || {
            self.described(gpu, device)
        })
    }

    /// The container of a whole GPU: the device of the only process that uses it, else one of the host.
    pub fn gpu(&self, gpu: i64, collector: &mut ActivityCollector) -> u32 {
        if let Some(only) = collector.only_container(&format!("d{}:", self.report), &format!(":{gpu}")) {
            return only;
        }
        let host = self.host(collector);
        collector.container(&format!("g{}:{gpu}", self.report), "device", Some(host), || self.described(gpu, gpu))
    }

    /// The name and the number of a device.
    fn described(&self, gpu: i64, device: i64) -> (String, Vec<(&'static str, String)>) {
        let name = self.gpus.get(&gpu).map_or("device", String::as_str);
        (format!("{name} {device}"), vec![("device", device.to_string())])
    }

    /// The container of a stream.
    pub fn stream(&self, row: TableRow<'_>, collector: &mut ActivityCollector) -> u32 {
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

    /// A time of a row; one without it is lost.
    pub fn time(&self, row: TableRow<'_>, column: &str, collector: &mut ActivityCollector) -> Option<i64> {
        let Some(time) = row.int(column) else {
            collector.lose(Code::BadTime, row, "rows without a time were left out");
            return None;
        };
        let moved = time.checked_add(self.shift);
        if moved.is_none() {
            collector.lose(Code::TimeOutOfRange, row, "rows with times out of range were left out");
        }
        moved
    }

    /// Start and end of a row; one without a start is lost.
    pub fn times(&self, row: TableRow<'_>, collector: &mut ActivityCollector) -> Option<(i64, Option<i64>)> {
        let start = self.time(row, "start", collector)?;
        Some((start, row.int("end").map(|end| end.saturating_add(self.shift))))
    }

    /// Start and end of a row, and its thread; one without them is lost.
    pub fn times_on_thread(
        &self,
        row: TableRow<'_>,
        collector: &mut ActivityCollector,
    ) -> Option<((i64, Option<i64>), i64)> {
        let times = self.times(row, collector)?;
        let thread = row.int("globalTid");
        if thread.is_none() {
            collector.lose(Code::BadRecord, row, "rows without a thread were left out");
        }
        Some((times, thread?))
    }
}
