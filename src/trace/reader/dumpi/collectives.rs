//! Emits the collective operations of a DUMPI trace, as links or as events.
//!
//! ```text
//! collective      start                            end                            links
//! Bcast, Scatter  root, when it arrives            others, when they depart       root to each other
//! Gather, Reduce  others, when they arrive         root, when it departs          each other to root
//! all others      the last one, when it arrives    others, when they depart       last to each other
//! ```
//! In the last case nobody can go on before the last one is there: it is the one that all wait for.
//! There is one link less than members, never one for each pair.

use std::sync::Arc;

use super::communicators::{CommId, Communicator};
use super::emitter::DumpiEmitter;
use super::rank::CollectiveTransfer;
use super::stream::CollectiveCall;
use crate::error::Result;
use crate::reader::{Collectives, ExtraValue, LinkEnd};

impl DumpiEmitter<'_, '_> {
    /// A rank comes to a collective operation.
    pub(super) fn arrive(&mut self, tick: i64, rank: usize, collective: &Arc<CollectiveCall>) -> Result<()> {
        let Some((id, comm)) = self.world.communicators.get(rank, collective.comm) else {
            self.lost.collectives += 1;
            return Ok(());
        };
        if self.collectives == Collectives::Events {
            return self.emit_event(tick, rank, id, collective);
        }
        if comm.is_between() || !self.world.is_whole(id, collective.number) {
            self.lost.collectives += 1;
            return Ok(());
        }
        match &collective.transfer {
            CollectiveTransfer::FromRoot { root, bytes } if is_rank(comm, *root, rank) => {
                self.start_all(tick, rank, id, comm, collective, bytes)
            }
            CollectiveTransfer::ToRoot { root, bytes } if !is_rank(comm, *root, rank) => {
                self.start_one(tick, rank, rank, id, collective, *bytes)
            }
            CollectiveTransfer::All { bytes } => {
                let progress = self.progress.entry((id, collective.number)).or_default();
                progress.arrived += 1;
                if progress.arrived < comm.members.len() {
                    return Ok(());
                }
                progress.last = Some(rank);
                self.start_all(tick, rank, id, comm, collective, bytes)
            }
            _ => Ok(()),
        }
    }

    /// A rank goes on after a collective operation.
    pub(super) fn depart(&mut self, tick: i64, rank: usize, collective: &Arc<CollectiveCall>) -> Result<()> {
        let Some((id, comm)) = self.world.communicators.get(rank, collective.comm) else { return Ok(()) };
        if self.collectives == Collectives::Events || comm.is_between() || !self.world.is_whole(id, collective.number) {
            return Ok(());
        }
        match &collective.transfer {
            CollectiveTransfer::FromRoot { root, .. } if !is_rank(comm, *root, rank) => {
                self.end_one(tick, rank, rank, id, collective)
            }
            CollectiveTransfer::ToRoot { root, .. } if is_rank(comm, *root, rank) => {
                for member in comm.members.iter().filter(|member| **member as usize != rank) {
                    self.end_one(tick, rank, *member as usize, id, collective)?;
                }
                Ok(())
            }
            CollectiveTransfer::All { .. } => {
                let progress = self.progress.entry((id, collective.number)).or_default();
                progress.departed += 1;
                let is_last = progress.last == Some(rank);
                if progress.departed == comm.members.len() {
                    self.progress.remove(&(id, collective.number));
                }
                if is_last { Ok(()) } else { self.end_one(tick, rank, rank, id, collective) }
            }
            _ => Ok(()),
        }
    }

    /// Links from one member to each other one.
    fn start_all(
        &mut self,
        tick: i64,
        rank: usize,
        id: CommId,
        comm: &Communicator,
        collective: &CollectiveCall,
        bytes: &[u64],
    ) -> Result<()> {
        for (place, member) in comm.members.iter().enumerate().filter(|(_, member)| **member as usize != rank) {
            let bytes = if bytes.len() == comm.members.len() { bytes.get(place) } else { bytes.first() };
            self.start_one(tick, rank, *member as usize, id, collective, bytes.copied())?;
        }
        Ok(())
    }

    /// Starts the link of one member at a rank.
    fn start_one(
        &mut self,
        tick: i64,
        rank: usize,
        member: usize,
        id: CommId,
        collective: &CollectiveCall,
        bytes: Option<u64>,
    ) -> Result<()> {
        let columns = &self.columns;
        let mut fields = vec![
            (columns.communicator, ExtraValue::Int(i64::from(id.0))),
            (columns.operation, ExtraValue::Text(collective.function.name())),
        ];
        fields.extend(bytes.map(|bytes| (columns.bytes, ExtraValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX)))));
        let key = collective_key(id, collective, member);
        let link = LinkEnd {
            tick,
            container: self.application,
            end: self.rank_containers[rank],
            type_: self.types.link,
            value: self.collective,
            key: &key,
            fields: &fields,
        };
        self.writer.start_link(&link)
    }

    fn end_one(
        &mut self,
        tick: i64,
        rank: usize,
        member: usize,
        id: CommId,
        collective: &CollectiveCall,
    ) -> Result<()> {
        let key = collective_key(id, collective, member);
        let link = LinkEnd {
            tick,
            container: self.application,
            end: self.rank_containers[rank],
            type_: self.types.link,
            value: self.collective,
            key: &key,
            fields: &[],
        };
        self.writer.end_link(&link)
    }

    fn emit_event(&mut self, tick: i64, rank: usize, id: CommId, collective: &CollectiveCall) -> Result<()> {
        let bytes = match &collective.transfer {
            CollectiveTransfer::ToRoot { bytes, .. } => *bytes,
            CollectiveTransfer::FromRoot { bytes, .. } | CollectiveTransfer::All { bytes } => {
                (!bytes.is_empty()).then(|| bytes.iter().sum())
            }
        };
        let mut fields = vec![(self.columns.event_communicator, ExtraValue::Int(i64::from(id.0)))];
        fields.extend(
            bytes.map(|bytes| (self.columns.event_bytes, ExtraValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX)))),
        );
        let value = self.value(self.types.collective, collective.function.name())?;
        self.writer.new_event(tick, self.rank_containers[rank], self.types.collective, value, &fields)
    }
}

fn is_rank(comm: &Communicator, root: i32, rank: usize) -> bool {
    usize::try_from(root).ok().and_then(|root| comm.members.get(root)).is_some_and(|root| *root as usize == rank)
}

fn collective_key(id: CommId, collective: &CollectiveCall, member: usize) -> String {
    format!("{}.all.{}.{member}", id.0, collective.number)
}
