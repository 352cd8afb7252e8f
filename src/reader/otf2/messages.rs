//! Messages become links: point-to-point ones and those of collective operations.
//!
//! Ends are matched first in first out by communicator, sender, receiver and tag, as MPI does.

use super::columns::Owned;
use super::events::{Attribute, Collective, Message};
use super::tell::{At, Teller};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::Table;
use crate::reader::Collectives;
use crate::reader::{Story, Word};

const OPERATIONS: [&str; 22] = [
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "allreduce",
    "reduce",
    "reduce_scatter",
    "scan",
    "exscan",
    "reduce_scatter_block",
    "create_handle",
    "destroy_handle",
    "allocate",
    "deallocate",
    "create_handle_and_allocate",
];

/// The name of a collective operation.
fn operation(number: u8) -> String {
    OPERATIONS.get(usize::from(number)).map_or_else(|| format!("collective {number}"), |name| name.to_string())
}

/// A link between two locations that stand for their processes.
struct Line<'a> {
    type_: &'static str,
    value: &'a str,
    from: u64,
    to: u64,
    key: String,
}

/// Which end of a link is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Source,
    Target,
}

impl Teller<'_> {
    pub(super) fn send(&mut self, at: At, message: &Message, attributes: &[Attribute], story: &mut Story<'_>) -> Result<()> {
        self.message(End::Source, at, message, attributes, story)
    }

    pub(super) fn receive(&mut self, at: At, message: &Message, attributes: &[Attribute], story: &mut Story<'_>) -> Result<()> {
        self.message(End::Target, at, message, attributes, story)
    }

    fn message(&mut self, end: End, at: At, message: &Message, attributes: &[Attribute], story: &mut Story<'_>) -> Result<()> {
        let Some(peer) = self.ranks.peer(message.comm, at.location, message.peer) else {
            let text = format!("location {}: communicator {} has no rank {}", at.location, message.comm, message.peer);
            return story.fault(Code::BadRecord, text);
        };
        let own = self.ranks.of(at.location);
        let (from, to) = match end {
            End::Source => (own, peer),
            End::Target => (peer, own),
        };
        let key = format!("{}:{from}:{to}:{}", message.comm, message.tag);
        let peer_rank = match end {
            End::Source => "receiver_rank",
            End::Target => "sender_rank",
        };
        let mut fields = vec![
            self.columns.volume(message.bytes as f64, story),
            self.columns.int(Table::Links, "tag", i64::from(message.tag as i32), story),
            self.columns.text(Table::Links, "communicator", self.names.comm(message.comm), story),
            self.columns.int(Table::Links, peer_rank, i64::from(message.peer as i32), story),
        ];
        fields.extend(self.columns.attributes(Table::Links, attributes, &self.names, story));
        self.link(end, at, Line { type_: "message", value: "p2p", from, to, key }, &fields, story)
    }

    pub(super) fn begin_collective(&mut self, at: At, collective: &Collective, story: &mut Story<'_>) -> Result<()> {
        match self.collectives {
            Collectives::Links => self.collective_links(End::Source, at, collective, story),
            Collectives::Events => Ok(()),
        }
    }

    pub(super) fn end_collective(&mut self, at: At, collective: &Collective, story: &mut Story<'_>) -> Result<()> {
        match self.collectives {
            Collectives::Links => self.collective_links(End::Target, at, collective, story),
            Collectives::Events => {
                let root = i64::from(collective.root as i32);
                let fields = [
                    self.columns.text(Table::Events, "communicator", self.names.comm(collective.comm), story),
                    self.columns.int(Table::Events, "root", root, story),
                    self.columns.int(Table::Events, "bytes_sent", collective.sent as i64, story),
                    self.columns.int(Table::Events, "bytes_received", collective.received as i64, story),
                ];
                self.instant(at, "collective", &operation(collective.operation), &fields, &[], story)
            }
        }
    }

    fn collective_links(&mut self, end: End, at: At, collective: &Collective, story: &mut Story<'_>) -> Result<()> {
        let own = self.ranks.of(at.location);
        let Some(members) = self.ranks.members(collective.comm, at.location) else {
            let text = format!("location {}: communicator {} is not defined", at.location, collective.comm);
            return story.fault(Code::BadRecord, text);
        };
        let peers = peers(end, collective, own, &members);
        let value = operation(collective.operation);
        let communicator = self.columns.text(Table::Links, "communicator", self.names.comm(collective.comm), story);
        let bytes = match end {
            End::Source => collective.sent,
            End::Target => collective.received,
        };
        let share = bytes as f64 / peers.len().max(1) as f64;
        let fields = [self.columns.volume(share, story), communicator];
        for peer in peers {
            let (from, to) = match end {
                End::Source => (own, peer),
                End::Target => (peer, own),
            };
            let key = format!("{}:{from}:{to}", collective.comm);
            self.link(end, at, Line { type_: "collective", value: &value, from, to, key }, &fields, story)?;
        }
        Ok(())
    }

    fn link(&mut self, end: End, at: At, line: Line<'_>, fields: &[Owned], story: &mut Story<'_>) -> Result<()> {
        let (Some(from), Some(to)) = (self.hierarchy.location(line.from), self.hierarchy.location(line.to)) else {
            let text = format!("location {}: a message from {} to {}, which are not both defined", at.location, line.from, line.to);
            return story.fault(Code::BadRecord, text);
        };
        let type_ = self.link_type(line.type_, from.type_, to.type_, story)?;
        let value = self.value_of(type_, line.value, story)?;
        let fields: Vec<_> = fields.iter().map(Owned::data).collect();
        let (root, here) = (story.root(), at.place.container);
        match end {
            End::Source => story.start_link(at.tick, root, here, type_, value, &line.key, &fields),
            End::Target => story.end_link(at.tick, root, here, type_, value, &line.key, &fields),
        }
    }

    fn link_type(&mut self, name: &'static str, from: Word, to: Word, story: &mut Story<'_>) -> Result<Word> {
        if let Some(type_) = self.link_types.get(&(name, from, to)) {
            return Ok(*type_);
        }
        let type_ = story.word(&format!("{name}>{}", self.link_types.len()));
        let root = story.root();
        story.define_link_type(type_, root, (from, to), name)?;
        self.link_types.insert((name, from, to), type_);
        Ok(type_)
    }
}

/// The other members with whom a location shares a link of a collective operation: those it sends to, or
/// those it receives from.
fn peers(end: End, collective: &Collective, own: u64, members: &[u64]) -> Vec<u64> {
    let root = members.get(collective.root as usize).copied();
    let others = || members.iter().copied().filter(|member| *member != own).collect();
    let only_root = || root.into_iter().filter(|root| *root != own).collect();
    match (collective.operation, end) {
        // From one to all.
        (1 | 4 | 5, End::Source) => if root == Some(own) { others() } else { vec![] },
        (1 | 4 | 5, End::Target) => only_root(),
        // From all to one.
        (2 | 3 | 12, End::Source) => only_root(),
        (2 | 3 | 12, End::Target) => if root == Some(own) { others() } else { vec![] },
        _ => others(),
    }
}
