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

use hashbrown::HashMap;

use super::columns::Owned;
use super::events::{Attribute, Collective, Message};
use super::tell::{At, Teller};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::Table;
use crate::reader::{Collectives, Story, Word};

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
enum Shape {
    FromRoot,
    ToRoot,
    All,
}

impl Shape {
    fn of(operation: u8) -> Shape {
        match operation {
            1 | 4 | 5 => Shape::FromRoot,
            2 | 3 | 12 => Shape::ToRoot,
            _ => Shape::All,
        }
    }
}

/// Which end of a link is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Source,
    Target,
}

/// A link between two locations that stand for their processes.
struct Line<'a> {
    end: End,
    value: &'a str,
    from: u64,
    to: u64,
    key: String,
}

/// The collective operations under way.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// How many a location has left, by communicator.
    left: HashMap<(u32, u64), u64>,
    /// Operations of all with all: who came.
    crowds: HashMap<(u32, u64), Crowd>,
}

#[derive(Debug, Default)]
struct Crowd {
    arrived: usize,
    departed: usize,
    last: Option<u64>,
}

/// One location's part in a collective operation.
struct Meeting<'a> {
    collective: &'a Collective,
    /// Which one on its communicator.
    number: u64,
    own: u64,
    root: Option<u64>,
    members: Vec<u64>,
}

impl Meeting<'_> {
    fn others(&self) -> Vec<u64> {
        self.members.iter().copied().filter(|member| *member != self.own).collect()
    }

    /// The key of the link of one member.
    fn key(&self, member: u64) -> String {
        format!("{}:{}:{member}", self.collective.comm, self.number)
    }
}

impl Teller<'_> {
    pub(super) fn send(
        &mut self,
        at: At,
        message: &Message,
        attributes: &[Attribute],
        story: &mut Story<'_>,
    ) -> Result<()> {
        let mut fields = vec![self.columns.int(Table::Links, "receiver_rank", i64::from(message.peer as i32), story)];
        if let Some(region) = self.innermost(at.location) {
            fields.push(self.columns.text(Table::Links, "operation", self.names.region(region), story));
        }
        self.message(End::Source, at, message, fields, attributes, story)
    }

    pub(super) fn receive(
        &mut self,
        at: At,
        message: &Message,
        attributes: &[Attribute],
        story: &mut Story<'_>,
    ) -> Result<()> {
        let fields = vec![self.columns.int(Table::Links, "sender_rank", i64::from(message.peer as i32), story)];
        self.message(End::Target, at, message, fields, attributes, story)
    }

    fn message(
        &mut self,
        end: End,
        at: At,
        message: &Message,
        mut fields: Vec<Owned>,
        attributes: &[Attribute],
        story: &mut Story<'_>,
    ) -> Result<()> {
        let Some(peer) = self.ranks.peer(message.comm, at.location, message.peer) else {
            let text = format!("location {}: communicator {} has no rank {}", at.location, message.comm, message.peer);
            return story.fault(Code::BadRecord, text);
        };
        let own = self.ranks.of(at.location);
        let (from, to) = match end {
            End::Source => (own, peer),
            End::Target => (peer, own),
        };
        fields.push(self.columns.bytes(message.bytes, story));
        fields.push(self.columns.int(Table::Links, "tag", i64::from(message.tag as i32), story));
        fields.push(self.columns.text(Table::Links, "communicator", self.names.comm(message.comm), story));
        fields.extend(self.columns.attributes(Table::Links, attributes, &self.names, story));
        let key = format!("{}:{from}:{to}:{}", message.comm, message.tag);
        self.link(at, Line { end, value: "message", from, to, key }, &fields, story)
    }

    /// A location comes to a collective operation.
    pub(super) fn begin_collective(&mut self, at: At, collective: &Collective, story: &mut Story<'_>) -> Result<()> {
        if self.collectives == Collectives::Events {
            return Ok(());
        }
        let Some(meeting) = self.meeting(at, collective) else { return Ok(()) };
        let (own, is_root) = (meeting.own, meeting.root == Some(meeting.own));
        match Shape::of(collective.operation) {
            Shape::FromRoot if is_root => self.start_links(at, &meeting, &meeting.others(), None, story),
            Shape::ToRoot if !is_root && meeting.root.is_some() => {
                self.start_links(at, &meeting, &[own], Some(collective.sent), story)
            }
            Shape::All if meeting.members.len() > 1 => {
                let crowd = self.meetings.crowds.entry((collective.comm, meeting.number)).or_default();
                crowd.arrived += 1;
                if crowd.arrived < meeting.members.len() {
                    return Ok(());
                }
                crowd.last = Some(own);
                let share = collective.sent / meeting.members.len() as u64;
                self.start_links(at, &meeting, &meeting.others(), Some(share), story)
            }
            _ => Ok(()),
        }
    }

    /// A location goes on after a collective operation.
    pub(super) fn end_collective(&mut self, at: At, collective: &Collective, story: &mut Story<'_>) -> Result<()> {
        if self.collectives == Collectives::Events {
            return self.collective_event(at, collective, story);
        }
        let Some(meeting) = self.meeting(at, collective) else {
            let text = format!("location {}: communicator {} is not defined", at.location, collective.comm);
            return story.fault(Code::BadRecord, text);
        };
        let own = meeting.own;
        *self.meetings.left.entry((collective.comm, own)).or_default() += 1;
        let is_root = meeting.root == Some(own);
        match Shape::of(collective.operation) {
            Shape::FromRoot if !is_root && meeting.root.is_some() => {
                self.end_links(at, &meeting, &[own], Some(collective.received), story)
            }
            Shape::ToRoot if is_root => self.end_links(at, &meeting, &meeting.others(), None, story),
            Shape::All if meeting.members.len() > 1 => {
                let place = (collective.comm, meeting.number);
                let crowd = self.meetings.crowds.entry(place).or_default();
                crowd.departed += 1;
                let is_last = crowd.last == Some(own);
                if crowd.departed == meeting.members.len() {
                    self.meetings.crowds.remove(&place);
                }
                if is_last { Ok(()) } else { self.end_links(at, &meeting, &[own], None, story) }
            }
            _ => Ok(()),
        }
    }

    fn meeting<'c>(&self, at: At, collective: &'c Collective) -> Option<Meeting<'c>> {
        let members = self.ranks.members(collective.comm, at.location)?;
        let own = self.ranks.of(at.location);
        let number = self.meetings.left.get(&(collective.comm, own)).copied().unwrap_or(0);
        let root = members.get(collective.root as usize).copied();
        Some(Meeting { collective, number, own, root, members })
    }

    fn start_links(
        &mut self,
        at: At,
        meeting: &Meeting<'_>,
        members: &[u64],
        bytes: Option<u64>,
        story: &mut Story<'_>,
    ) -> Result<()> {
        let collective = meeting.collective;
        let mut fields = vec![
            self.columns.text(Table::Links, "communicator", self.names.comm(collective.comm), story),
            self.columns.text(Table::Links, "operation", operation(collective.operation), story),
        ];
        fields.extend(bytes.map(|bytes| self.columns.bytes(bytes, story)));
        for member in members {
            let to = if *member == meeting.own { meeting.root.unwrap_or(*member) } else { *member };
            let line = Line { end: End::Source, value: "collective", from: meeting.own, to, key: meeting.key(*member) };
            self.link(at, line, &fields, story)?;
        }
        Ok(())
    }

    fn end_links(
        &mut self,
        at: At,
        meeting: &Meeting<'_>,
        members: &[u64],
        bytes: Option<u64>,
        story: &mut Story<'_>,
    ) -> Result<()> {
        let fields: Vec<Owned> = bytes.map(|bytes| self.columns.bytes(bytes, story)).into_iter().collect();
        for member in members {
            let from = if *member == meeting.own { meeting.root.unwrap_or(*member) } else { *member };
            let line = Line { end: End::Target, value: "collective", from, to: meeting.own, key: meeting.key(*member) };
            self.link(at, line, &fields, story)?;
        }
        Ok(())
    }

    fn collective_event(&mut self, at: At, collective: &Collective, story: &mut Story<'_>) -> Result<()> {
        let fields = [
            self.columns.text(Table::Events, "communicator", self.names.comm(collective.comm), story),
            self.columns.int(Table::Events, "root", i64::from(collective.root as i32), story),
            self.columns.int(Table::Events, "bytes_sent", collective.sent as i64, story),
            self.columns.int(Table::Events, "bytes_received", collective.received as i64, story),
        ];
        self.instant(at, "Collective", &operation(collective.operation), &fields, &[], story)
    }

    fn link(&mut self, at: At, line: Line<'_>, fields: &[Owned], story: &mut Story<'_>) -> Result<()> {
        let (Some(from), Some(to)) = (self.hierarchy.location(line.from), self.hierarchy.location(line.to)) else {
            let text = format!(
                "location {}: a message from {} to {}, which are not both defined",
                at.location, line.from, line.to
            );
            return story.fault(Code::BadRecord, text);
        };
        let type_ = self.link_type(from.type_, to.type_, story)?;
        let value = self.value_of(type_, line.value, story)?;
        let fields: Vec<_> = fields.iter().map(Owned::data).collect();
        let (root, here) = (story.root(), at.place.container);
        match line.end {
            End::Source => story.start_link(at.tick, root, here, type_, value, &line.key, &fields),
            End::Target => story.end_link(at.tick, root, here, type_, value, &line.key, &fields),
        }
    }

    fn link_type(&mut self, from: Word, to: Word, story: &mut Story<'_>) -> Result<Word> {
        if let Some(type_) = self.link_types.get(&(from, to)) {
            return Ok(*type_);
        }
        let type_ = story.word(&format!("link {}", self.link_types.len()));
        let root = story.root();
        story.define_link_type(type_, root, (from, to), "Communication")?;
        self.link_types.insert((from, to), type_);
        Ok(type_)
    }
}
