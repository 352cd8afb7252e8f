//! Collective operations under way, as one location after the other comes and goes.

use hashbrown::HashMap;

use super::events::Collective;

/// The collective operations under way.
#[derive(Debug, Default)]
pub(super) struct OpenCollectives {
    /// How many a location has left, by communicator.
    pub(super) left: HashMap<(u32, u64), u64>,
    /// Operations of all with all: who came.
    pub(super) progress: HashMap<(u32, u64), AllToAllProgress>,
}

/// Members of an operation of all with all that have come and gone.
#[derive(Debug, Default)]
pub(super) struct AllToAllProgress {
    pub(super) arrived: usize,
    pub(super) departed: usize,
    pub(super) last: Option<u64>,
}

/// One location's part in a collective operation.
pub(super) struct MemberCall<'a> {
    pub(super) collective: &'a Collective,
    /// Which one on its communicator.
    pub(super) number: u64,
    pub(super) own: u64,
    pub(super) root: Option<u64>,
    pub(super) members: Vec<u64>,
}

impl MemberCall<'_> {
    pub(super) fn others(&self) -> Vec<u64> {
        self.members.iter().copied().filter(|member| *member != self.own).collect()
    }

    /// The key of the link of one member.
    pub(super) fn key(&self, member: u64) -> String {
        format!("{}:{}:{member}", self.collective.comm, self.number)
    }
}
