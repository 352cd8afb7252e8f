//! Messages of MPI in exports of Nsight Systems: sends and receives with one communicator, source, destination and tag are
//! matched in their order.
//!
//! In: the tables of MPI. Out: links from the call of the send to the end of the receive, or of the call that waits for it.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::collector::ActivityCollector;
use super::tables::ReportTables;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::StoredTable;
use crate::reader::table_rows::TableValue;

const TRANSFERS: &str = "MPI_P2P_EVENTS";

/// A send or a receive.
#[derive(Debug)]
struct Transfer {
    start: i64,
    end: i64,
    thread: i64,
    is_send: bool,
    communicator: i64,
    tag: i64,
    remote: i64,
    size: Option<i64>,
    request: Option<i64>,
    byte: u64,
}

/// What identifies a communicator in all processes: where its group starts.
type CommunicatorKey = (Option<i64>, Option<i64>);

/// The messages of an export.
#[derive(Debug, Default)]
pub(super) struct MpiMessages {
    transfers: Vec<Transfer>,
    /// By process: its rank.
    ranks: HashMap<i64, i64>,
    /// By rank and handle.
    communicators: HashMap<(i64, i64), CommunicatorKey>,
    /// By communicator and rank in it: the rank in all.
    members: HashMap<(CommunicatorKey, i64), i64>,
    /// By thread and request: starts and ends of the calls that wait for it.
    waits: HashMap<(i64, i64), BTreeMap<i64, i64>>,
}

impl MpiMessages {
    pub fn read(
        tables: &mut ReportTables,
        name: &dyn Fn(Option<i64>) -> String,
        collector: &mut ActivityCollector,
    ) -> Result<MpiMessages> {
        let mut all = MpiMessages::default();
        tables.scan("MPI_RANKS", &mut |row| {
            if let (Some(thread), Some(rank)) = (row.int("globalTid"), row.int("rank")) {
                all.ranks.insert(thread >> 24, rank);
            }
            Ok(())
        })?;
        tables.scan("MPI_COMMUNICATORS", &mut |row| {
            if let (Some(rank), Some(handle)) = (row.int("rank"), row.int("commHandle")) {
                let key = (row.int("groupRoot"), row.int("groupRootUid"));
                all.communicators.insert((rank, handle), key);
                all.members.insert((key, row.int("localRank").unwrap_or(rank)), rank);
            }
            Ok(())
        })?;
        tables.scan("MPI_START_WAIT_EVENTS", &mut |row| {
            let (start, end) = (row.int("start"), row.int("end"));
            if let (Some(thread), Some(request), Some(start), Some(end)) =
                (row.int("globalTid"), row.int("requestHandle"), start, end)
            {
                all.waits.entry((thread, request)).or_default().insert(start, end);
            }
            Ok(())
        })?;
        tables.scan(TRANSFERS, &mut |row| {
            let call = name(row.int("textId")).to_ascii_lowercase();
            let (sends, receives) = (call.contains("send"), call.contains("recv"));
            if sends && receives {
                let reason = "calls that send and receive have no link, since their row is one";
                collector.lose(Code::IgnoredEvent, row, reason);
            }
            // A negative rank is nobody, or anybody where a receive was cancelled. Rows without a time were counted as states.
            if let (Some(start), Some(thread), Some(remote @ 0..)) =
                (row.int("start"), row.int("globalTid"), row.int("remoteRank"))
                && sends != receives
            {
                all.transfers.push(Transfer {
                    start,
                    end: row.int("end").unwrap_or(start),
                    thread,
                    is_send: sends,
                    communicator: row.int("commHandle").unwrap_or(0),
                    tag: row.int("tag").unwrap_or(0),
                    remote,
                    size: row.int("size"),
                    request: row.int("requestHandle"),
                    byte: row.byte,
                });
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Keeps the messages that have both ends, and counts the others.
    pub fn links(
        mut self,
        thread: &dyn Fn(i64, &mut ActivityCollector) -> u32,
        shift: i64,
        report: &str,
        collector: &mut ActivityCollector,
    ) -> Result<()> {
        self.transfers.sort_by_key(|transfer| transfer.start);
        let mut waiting: HashMap<(CommunicatorKey, i64, i64, i64), [Vec<usize>; 2]> = HashMap::new();
        for (place, transfer) in self.transfers.iter().enumerate() {
            let Some(rank) = self.ranks.get(&(transfer.thread >> 24)).copied() else {
                let reason = "the rank of a process is not known; its messages have no link";
                collector.lose_many(Code::UnknownCommunicator, TRANSFERS, reason, 1, transfer.byte);
                continue;
            };
            let key = self.communicators.get(&(rank, transfer.communicator)).copied().unwrap_or_default();
            let remote = self.members.get(&(key, transfer.remote)).copied().unwrap_or(transfer.remote);
            let (source, target) = if transfer.is_send { (rank, remote) } else { (remote, rank) };
            let ends = waiting.entry((key, source, target, transfer.tag)).or_default();
            ends[usize::from(transfer.is_send)].push(place);
        }
        let mut pairs: Vec<(usize, usize)> = vec![];
        for [receives, sends] in waiting.into_values() {
            for (ends, others, code, reason) in [
                (&sends, &receives, Code::UnmatchedLinkStart, "sends whose receive is not recorded have no link"),
                (&receives, &sends, Code::UnmatchedLinkEnd, "receives whose send is not recorded have no link"),
            ] {
                if let Some(first) = ends.get(others.len()) {
                    let rows = (ends.len() - others.len()) as u64;
                    collector.lose_many(code, TRANSFERS, reason, rows, self.transfers[*first].byte);
                }
            }
            pairs.extend(sends.into_iter().zip(receives));
        }
        pairs.sort_unstable();
        for (number, (send, receive)) in pairs.into_iter().enumerate() {
            let (send, receive) = (&self.transfers[send], &self.transfers[receive]);
            let waits = receive.request.and_then(|request| self.waits.get(&(receive.thread, request)));
            let wait = waits.and_then(|waits| waits.range(receive.start..).next()).map(|(_, end)| *end);
            let key = format!("{report}:m{number}");
            let source = thread(send.thread, collector);
            for (name, value) in [("bytes", send.size), ("tag", Some(send.tag))] {
                collector.pack_value(StoredTable::Links, name, &value.map_or(TableValue::Null, TableValue::Int));
            }
            collector.link(source, "message", &key, send.start.saturating_add(shift), true, send.byte)?;
            let target = thread(receive.thread, collector);
            let end = wait.unwrap_or(receive.end).saturating_add(shift);
            collector.link(target, "message", &key, end, false, receive.byte)?;
        }
        Ok(())
    }
}
