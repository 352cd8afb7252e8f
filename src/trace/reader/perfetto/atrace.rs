//! Marks that programs write into the log of the kernel.
//!
//! ```text
//! B|pid|name   E|pid            a slice of the thread begins, ends
//! S|pid|name|n  F|pid|name|n    an asynchronous one, with a number
//! C|pid|name|value              a counter of the process
//! I|pid|name                    an instant of the thread
//! ```
//! In: the text of a print. Out: records of the collector; other text is an event with the column `message`.

use super::bundle_site::BundleSite;
use super::collector::{Collector, RecordSite, phase};
use crate::error::Result;
use crate::model::StoredTable;

/// The first byte of the keys of asynchronous marks. One that begins while it is open goes on.
pub(super) const MARK_KEY: u8 = b'A';

/// Keeps what a print says.
pub(super) fn collect(collector: &mut Collector, site: BundleSite, tick: i64, tid: i64, text: &str) -> Result<()> {
    let text = text.trim_end_matches(['\n', '\0']);
    if mark(collector, site, tick, tid, text)?.is_some() {
        return Ok(());
    }
    let json = serde_json::Value::from(text).to_string();
    collector.arguments.pack_json(StoredTable::Events, b"message", json.as_bytes(), &mut collector.packed);
    collector.kernel_instant(site, tick, tid, "print")
}

/// Keeps a mark; `None` when the text is none.
fn mark(collector: &mut Collector, site: BundleSite, tick: i64, tid: i64, text: &str) -> Result<Option<()>> {
    let Some((kind, rest)) = text.split_at_checked(1) else { return Ok(None) };
    let rest = rest.strip_prefix('|').unwrap_or(rest);
    let (pid, rest) = rest.split_once('|').unwrap_or((rest, ""));
    let pid: Option<i64> = pid.parse().ok();
    if kind == "E" && (text == "E" || text == "E|" || pid.is_some()) {
        let track = collector.tracks.thread_by_id(site.machine, tid);
        collector.push(RecordSite { tick, track, byte: site.byte }, phase::END, 0, 0)?;
        return Ok(Some(()));
    }
    let Some(pid) = pid.filter(|_| text.as_bytes().get(1) == Some(&b'|')) else { return Ok(None) };
    let process = collector.tracks.process(site.machine, pid);
    let at = |track| RecordSite { tick, track, byte: site.byte };
    match kind {
        "B" | "I" => {
            let known = collector.tracks.thread_by_id(site.machine, tid);
            let track = match collector.tracks.pid_of(known) {
                Some(super::tracks::UNKNOWN_PROCESS) | None => collector.tracks.thread(site.machine, pid, tid),
                Some(_) => known,
            };
            let name = collector.names.number(rest.as_bytes());
            collector.push(at(track), if kind == "B" { phase::BEGIN } else { phase::INSTANT }, name, 0)?;
        }
        "S" | "F" => {
            let (name, number) = rest.rsplit_once('|').unwrap_or((rest, "0"));
            let name = collector.names.number(name.as_bytes());
            let mut key = vec![MARK_KEY];
            key.extend_from_slice(&process.to_le_bytes());
            key.extend_from_slice(&name.to_le_bytes());
            key.extend_from_slice(number.trim().as_bytes());
            let phase = if kind == "S" { phase::ASYNC_BEGIN } else { phase::ASYNC_END };
            collector.push_with(at(process), phase, (name, 0), 0, &key, tick)?;
        }
        "C" => {
            let Some((name, value)) = rest.rsplit_once('|') else { return Ok(None) };
            let Ok(value) = value.trim().parse::<f64>() else { return Ok(None) };
            let name = collector.names.number(name.as_bytes());
            collector.push_counter(at(process), name, value)?;
        }
        _ => return Ok(None),
    }
    Ok(Some(()))
}
