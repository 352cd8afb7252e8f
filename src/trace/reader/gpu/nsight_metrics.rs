//! What exports of Nsight Systems know of devices over time: their metrics, and the memory in use.
//!
//! In: the tables of samples. Out: variables on devices.

use hashbrown::HashMap;

use super::collector::ActivityCollector;
use super::nsight_names::{NsightNames, pid_of};
use super::tables::ReportTables;
use crate::diagnostics::Code;
use crate::error::Result;

pub(super) const GPU_METRICS: &str = "GPU_METRICS";
/// The GPU stands in the lowest bits of the type of a metric.
const GPU_OF_TYPE: i64 = 0xff;

/// Metrics of GPUs that were sampled. They are of the whole GPU, and so on the device of the process that uses it when there is only
/// one, else on a device of the host.
pub(super) fn gpu_metrics(
    tables: &mut ReportTables,
    names: &NsightNames,
    collector: &mut ActivityCollector,
) -> Result<()> {
    let mut metrics = HashMap::new();
    tables.scan("TARGET_INFO_GPU_METRICS", &mut |row| {
        if let (Some(type_), Some(metric), Some(name)) =
            (row.int("typeId"), row.int("metricId"), row.text("metricName"))
        {
            metrics.insert((type_, metric), name.to_string());
        }
        Ok(())
    })?;
    let mut devices = HashMap::new();
    tables.scan(GPU_METRICS, &mut |row| {
        let Some(time) = names.time(row, "timestamp", collector) else { return Ok(()) };
        let Some(type_) = row.int("typeId") else {
            collector.lose(Code::BadRecord, row, "rows without the type of their metric were left out");
            return Ok(());
        };
        let Some(value) = row.value("value").number() else {
            collector.lose(Code::BadNumber, row, "values that are no numbers were left out");
            return Ok(());
        };
        let gpu = type_ & GPU_OF_TYPE;
        let device = *devices.entry(gpu).or_insert_with(|| names.gpu(gpu, collector));
        let metric = row.int("metricId").unwrap_or(0);
        match metrics.get(&(type_, metric)) {
            Some(name) => collector.variable(device, name, time, (value, false), row.byte),
            None => {
                collector.lose(Code::UndefinedReference, row, "metrics without a name are called by their number");
                collector.variable(device, &format!("metric {metric}"), time, (value, false), row.byte)
            }
        }
    })
}

/// Memory of devices in use: what is allocated less what is freed.
pub(super) fn memory(tables: &mut ReportTables, names: &NsightNames, collector: &mut ActivityCollector) -> Result<()> {
    tables.scan("CUDA_GPU_MEMORY_USAGE_EVENTS", &mut |row| {
        let Some((start, _)) = names.times(row, collector) else { return Ok(()) };
        let Some(bytes) = row.int("bytes") else {
            collector.lose(Code::BadNumber, row, "rows without a number of bytes were left out");
            return Ok(());
        };
        let device = names.device(row.int("globalPid").map_or(0, pid_of), row.int("deviceId").unwrap_or(0), collector);
        let is_freed = row.int("memoryOperationType") == Some(1);
        let change = if is_freed { -(bytes as f64) } else { bytes as f64 };
        collector.variable(device, "memory in use", start, (change, true), row.byte)
    })
}
