//! Messages and collective operations become links of type `Communication`.
//!
//! Messages are matched first in first out by communicator, sender, receiver and tag, as MPI does.
//!
//! ```text
//! collective      start                            end                            links
//! bcast, scatter  root, when it arrives            others, when they depart       root to each other
//! gather, reduce  others, when they arrive         root, when it departs          each other to root
//! all others      the last one, when it arrives    others, when they depart       last to each other
//! ```

use super::collectives::MemberCall;
use super::columns::OwnedField;
use super::emitter::{EventSite, OtfEmitter};
use super::events::{Attribute, Collective, MessageRecord};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::StoredTable;
use crate::reader::{Collectives, EventWriter, LinkEnd, NameHandle};

const OPERATIONS: [&str; 22] = [
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Allreduce",
    "MPI_Reduce",
    "MPI_Reduce_scatter",
    "MPI_Scan",
    "MPI_Exscan",
    "MPI_Reduce_scatter_block",
    "create handle",
    "destroy handle",
    "allocate",
    "deallocate",
    "create handle and allocate",
];

/// The name of a collective operation.
fn operation(number: u8) -> String {
    OPERATIONS.get(usize::from(number)).map_or_else(|| format!("collective {number}"), |name| name.to_string())
}

/// Who gives to whom in a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CollectivePattern {
    FromRoot,
    ToRoot,
    All,
}

impl CollectivePattern {
    fn of(operation: u8) -> CollectivePattern {
        match operation {
            1 | 4 | 5 => CollectivePattern::FromRoot,
            2 | 3 | 12 => CollectivePattern::ToRoot,
            _ => CollectivePattern::All,
        }
    }
}

/// Which end of a link is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkEndpoint {
    Source,
    Target,
}

/// A link between two locations that stand for their processes.
struct MessageLink<'a> {
    end: LinkEndpoint,
    value: &'a str,
    from: u64,
    to: u64,
    key: String,
}

impl OtfEmitter<'_> {
    pub(super) fn send(
        &mut self,
        at: EventSite,
        message: &MessageRecord,
        attributes: &[Attribute],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let mut fields =
            vec![self.columns.int(StoredTable::Links, "receiver_rank", i64::from(message.peer as i32), writer)];
        if let Some(region) = self.innermost(at.location) {
            fields.push(self.columns.text(StoredTable::Links, "operation", self.names.region(region), writer));
        }
        self.message(LinkEndpoint::Source, at, message, fields, attributes, writer)
    }

    pub(super) fn receive(
        &mut self,
        at: EventSite,
        message: &MessageRecord,
        attributes: &[Attribute],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let fields = vec![self.columns.int(StoredTable::Links, "sender_rank", i64::from(message.peer as i32), writer)];
        self.message(LinkEndpoint::Target, at, message, fields, attributes, writer)
    }

    fn message(
        &mut self,
        end: LinkEndpoint,
        at: EventSite,
        message: &MessageRecord,
        mut fields: Vec<OwnedField>,
        attributes: &[Attribute],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let Some(peer) = self.ranks.peer(message.comm, at.location, message.peer) else {
            let text = format!("location {}: communicator {} has no rank {}", at.location, message.comm, message.peer);
            return writer.fault(Code::BadRecord, text);
        };
        let own = self.ranks.of(at.location);
        let (from, to) = match end {
            LinkEndpoint::Source => (own, peer),
            LinkEndpoint::Target => (peer, own),
        };
        fields.push(self.columns.bytes(message.bytes, writer));
        fields.push(self.columns.int(StoredTable::Links, "tag", i64::from(message.tag as i32), writer));
        fields.push(self.columns.text(StoredTable::Links, "communicator", self.names.comm(message.comm), writer));
        fields.extend(self.columns.attributes(StoredTable::Links, attributes, &self.names, writer));
        let key = format!("{}:{from}:{to}:{}", message.comm, message.tag);
        self.link(at, MessageLink { end, value: "message", from, to, key }, &fields, writer)
    }

    /// A location comes to a collective operation.
    pub(super) fn begin_collective(
        &mut self,
        at: EventSite,
        collective: &Collective,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        if self.collectives == Collectives::Events {
            return Ok(());
        }
        let Some(call) = self.member_call(at, collective) else { return Ok(()) };
        let (own, is_root) = (call.own, call.root == Some(call.own));
        match CollectivePattern::of(collective.operation) {
            CollectivePattern::FromRoot if is_root => self.start_links(at, &call, &call.others(), None, writer),
            CollectivePattern::ToRoot if !is_root && call.root.is_some() => {
                self.start_links(at, &call, &[own], Some(collective.sent), writer)
            }
            CollectivePattern::All if call.members.len() > 1 => {
                let progress = self.open_collectives.progress.entry((collective.comm, call.number)).or_default();
                progress.arrived += 1;
                if progress.arrived < call.members.len() {
                    return Ok(());
                }
                progress.last = Some(own);
                let share = collective.sent / call.members.len() as u64;
                self.start_links(at, &call, &call.others(), Some(share), writer)
            }
            _ => Ok(()),
        }
    }

    /// A location goes on after a collective operation.
    pub(super) fn end_collective(
        &mut self,
        at: EventSite,
        collective: &Collective,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        if self.collectives == Collectives::Events {
            return self.collective_event(at, collective, writer);
        }
        let Some(call) = self.member_call(at, collective) else {
            let text = format!("location {}: communicator {} is not defined", at.location, collective.comm);
            return writer.fault(Code::BadRecord, text);
        };
        let own = call.own;
        *self.open_collectives.left.entry((collective.comm, own)).or_default() += 1;
        let is_root = call.root == Some(own);
        match CollectivePattern::of(collective.operation) {
            CollectivePattern::FromRoot if !is_root && call.root.is_some() => {
                self.end_links(at, &call, &[own], Some(collective.received), writer)
            }
            CollectivePattern::ToRoot if is_root => self.end_links(at, &call, &call.others(), None, writer),
            CollectivePattern::All if call.members.len() > 1 => {
                let place = (collective.comm, call.number);
                let progress = self.open_collectives.progress.entry(place).or_default();
                progress.departed += 1;
                let is_last = progress.last == Some(own);
                if progress.departed == call.members.len() {
                    self.open_collectives.progress.remove(&place);
                }
                if is_last { Ok(()) } else { self.end_links(at, &call, &[own], None, writer) }
            }
            _ => Ok(()),
        }
    }

    fn member_call<'c>(&self, at: EventSite, collective: &'c Collective) -> Option<MemberCall<'c>> {
        let members = self.ranks.members(collective.comm, at.location)?;
        let own = self.ranks.of(at.location);
        let number = self.open_collectives.left.get(&(collective.comm, own)).copied().unwrap_or(0);
        let root = members.get(collective.root as usize).copied();
        Some(MemberCall { collective, number, own, root, members })
    }

    fn start_links(
        &mut self,
        at: EventSite,
        call: &MemberCall<'_>,
        members: &[u64],
        bytes: Option<u64>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let collective = call.collective;
        let mut fields = vec![
            self.columns.text(StoredTable::Links, "communicator", self.names.comm(collective.comm), writer),
            self.columns.text(StoredTable::Links, "operation", operation(collective.operation), writer),
        ];
        fields.extend(bytes.map(|bytes| self.columns.bytes(bytes, writer)));
        for member in members {
            let to = if *member == call.own { call.root.unwrap_or(*member) } else { *member };
            let link = MessageLink {
                end: LinkEndpoint::Source,
                value: "collective",
                from: call.own,
                to,
                key: call.key(*member),
            };
            self.link(at, link, &fields, writer)?;
        }
        Ok(())
    }

    fn end_links(
        &mut self,
        at: EventSite,
        call: &MemberCall<'_>,
        members: &[u64],
        bytes: Option<u64>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let fields: Vec<OwnedField> = bytes.map(|bytes| self.columns.bytes(bytes, writer)).into_iter().collect();
        for member in members {
            let from = if *member == call.own { call.root.unwrap_or(*member) } else { *member };
            let link = MessageLink {
                end: LinkEndpoint::Target,
                value: "collective",
                from,
                to: call.own,
                key: call.key(*member),
            };
            self.link(at, link, &fields, writer)?;
        }
        Ok(())
    }

    fn collective_event(&mut self, at: EventSite, collective: &Collective, writer: &mut EventWriter<'_>) -> Result<()> {
        let fields = [
            self.columns.text(StoredTable::Events, "communicator", self.names.comm(collective.comm), writer),
            self.columns.int(StoredTable::Events, "root", i64::from(collective.root as i32), writer),
            self.columns.int(StoredTable::Events, "bytes_sent", collective.sent as i64, writer),
            self.columns.int(StoredTable::Events, "bytes_received", collective.received as i64, writer),
        ];
        self.instant(at, "Collective", &operation(collective.operation), &fields, &[], writer)
    }

    fn link(
        &mut self,
        at: EventSite,
        link: MessageLink<'_>,
        fields: &[OwnedField],
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let (Some(from), Some(to)) = (self.hierarchy.location(link.from), self.hierarchy.location(link.to)) else {
            let text = format!(
                "location {}: a message from {} to {}, which are not both defined",
                at.location, link.from, link.to
            );
            return writer.fault(Code::BadRecord, text);
        };
        let type_ = self.link_type(from.type_, to.type_, writer)?;
        let value = self.value_of(type_, link.value, writer)?;
        let fields: Vec<_> = fields.iter().map(OwnedField::data).collect();
        let (container, end) = (writer.root(), at.place.container);
        let end = LinkEnd { tick: at.tick, container, end, type_, value, key: &link.key, fields: &fields };
        match link.end {
            LinkEndpoint::Source => writer.start_link(&end),
            LinkEndpoint::Target => writer.end_link(&end),
        }
    }

    fn link_type(&mut self, from: NameHandle, to: NameHandle, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(type_) = self.link_types.get(&(from, to)) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("link {}", self.link_types.len()));
        let root = writer.root();
        writer.define_link_type(type_, root, (from, to), "Communication")?;
        self.link_types.insert((from, to), type_);
        Ok(type_)
    }
}
