//! What one rank says of its communicators: handles, groups, and the calls that make new ones.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use hashbrown::HashMap;

use super::call::MpiCall;
use super::table::MpiArgument;

/// A communicator of one rank, in the order of creation.
pub(super) type LocalComm = u32;
pub(super) const WORLD: LocalComm = 0;
pub(super) const ITSELF: LocalComm = 1;

const NULL_HANDLE: i32 = 1;
const WORLD_HANDLE: i32 = 2;
const SELF_HANDLE: i32 = 3;

/// The handles of one rank.
#[derive(Debug, Clone)]
pub(super) struct Handles {
    comms: HashMap<i32, LocalComm>,
    next: LocalComm,
}

impl Default for Handles {
    fn default() -> Handles {
        Handles { comms: HashMap::from([(WORLD_HANDLE, WORLD), (SELF_HANDLE, ITSELF)]), next: 2 }
    }
}

impl Handles {
    /// The communicator that an argument means.
    pub(super) fn get(&self, handle: Option<i32>) -> Option<LocalComm> {
        self.comms.get(&handle?).copied()
    }

    /// Takes note of a call that makes a communicator.
    pub(super) fn take(&mut self, call: &MpiCall) {
        if makes_communicator(call) {
            let handle = new_handle(call);
            if let Some(handle) = handle.filter(|handle| *handle > SELF_HANDLE) {
                self.comms.insert(handle, self.next);
            }
            self.next += 1;
        }
    }
}

fn new_handle(call: &MpiCall) -> Option<i32> {
    let argument = if call.function.short_name() == "Comm_join" { MpiArgument::Comm } else { MpiArgument::NewComm };
    call.number(argument)
}

fn makes_communicator(call: &MpiCall) -> bool {
    const MAKERS: [&str; 14] = [
        "Comm_dup",
        "Comm_create",
        "Comm_split",
        "Cart_create",
        "Cart_sub",
        "Graph_create",
        "Intercomm_create",
        "Intercomm_merge",
        "Comm_accept",
        "Comm_connect",
        "Comm_spawn",
        "Comm_spawn_multiple",
        "Comm_join",
        "Comm_get_parent",
    ];
    MAKERS.contains(&call.function.short_name())
}

/// Ranks, as a rank puts them together.
#[derive(Debug)]
pub(super) struct RankGroup {
    pub made: GroupMaking,
    /// Groups that must be worked out for this one, each as often as it is named. A few calls can name each other's
    /// groups so often that nobody could work them out.
    size: u32,
}

/// How a group is made.
#[derive(Debug)]
pub(super) enum GroupMaking {
    Of(LocalComm),
    Union(Arc<RankGroup>, Arc<RankGroup>),
    Intersection(Arc<RankGroup>, Arc<RankGroup>),
    Difference(Arc<RankGroup>, Arc<RankGroup>),
    Included(Arc<RankGroup>, RankList),
    Excluded(Arc<RankGroup>, RankList),
}

impl RankGroup {
    /// Groups that are made of more others are not known.
    const LARGEST: u32 = 200;

    fn new(made: GroupMaking) -> Option<RankGroup> {
        let parts = match &made {
            GroupMaking::Of(_) => 0,
            GroupMaking::Union(a, b) | GroupMaking::Intersection(a, b) | GroupMaking::Difference(a, b) => {
                a.size + b.size
            }
            GroupMaking::Included(of, _) | GroupMaking::Excluded(of, _) => of.size,
        };
        (parts < RankGroup::LARGEST).then(|| RankGroup { made, size: parts + 1 })
    }
}

/// Ranks in a group: one by one, or as first, last and step of ranges.
#[derive(Debug)]
pub(super) enum RankList {
    Single(Vec<i32>),
    Ranges(Vec<i32>),
}

impl RankList {
    /// The ranks, in a group of `size`; `None` for one beyond it, which also ends its range.
    pub(super) fn within(&self, size: usize) -> Vec<Option<usize>> {
        let inside = |rank: i64| usize::try_from(rank).ok().filter(|rank| *rank < size);
        let ranges = match self {
            RankList::Single(ranks) => return ranks.iter().map(|rank| inside(i64::from(*rank))).collect(),
            RankList::Ranges(ranges) => ranges,
        };
        let mut ranks = vec![];
        for range in ranges.chunks_exact(3) {
            let [first, last, step] = [range[0], range[1], range[2]].map(i64::from);
            let mut rank = first;
            while (step > 0 && rank <= last) || (step < 0 && rank >= last) {
                ranks.push(inside(rank));
                if inside(rank).is_none() {
                    break;
                }
                rank += step;
            }
        }
        ranks
    }
}

/// How one rank took part in the making of a communicator.
#[derive(Debug)]
pub(super) enum CreationCall {
    Duplicate,
    Split {
        color: i32,
        key: i32,
    },
    Create(Option<Arc<RankGroup>>),
    Grid(Vec<i32>),
    SubGrid(Vec<i32>),
    First(usize),
    /// A communicator between two groups, made by their leaders: rank of the own one in the parent, and
    /// of the other one in a communicator that both are in.
    Bridge {
        leader: i32,
        peers: Option<LocalComm>,
        other: i32,
        tag: i32,
    },
    /// Two groups become one.
    Merge {
        is_high: bool,
    },
    /// Made together with other programs: not followed.
    Foreign,
}

/// A new communicator, as one rank sees it.
#[derive(Debug)]
pub(super) struct CommCreation {
    pub parent: Option<LocalComm>,
    pub call: CreationCall,
    /// The caller is not a member.
    pub is_outside: bool,
}

/// What one rank says of its communicators.
#[derive(Debug, Default)]
pub(super) struct CommCreations {
    handles: Handles,
    groups: HashMap<i32, Arc<RankGroup>>,
    pub creations: Vec<CommCreation>,
}

impl CommCreations {
    /// Takes note of a call on groups or communicators.
    pub(super) fn take(&mut self, call: &MpiCall) {
        if let Some(group) = self.group_of(call) {
            let argument =
                if call.number(MpiArgument::NewGroup).is_some() { MpiArgument::NewGroup } else { MpiArgument::Group };
            if let Some(handle) = call.number(argument) {
                self.groups.insert(handle, Arc::new(group));
            }
        }
        if !makes_communicator(call) {
            return;
        }
        let is_merge = call.function.short_name() == "Intercomm_merge";
        let parent = self.handles.get(call.number(if is_merge { MpiArgument::Comm } else { MpiArgument::OldComm }));
        let creation_call = match call.function.short_name() {
            "Comm_dup" => CreationCall::Duplicate,
            "Comm_split" => CreationCall::Split {
                color: call.number(MpiArgument::Color).unwrap_or(0),
                key: call.number(MpiArgument::Key).unwrap_or(0),
            },
            "Comm_create" => CreationCall::Create(self.group(call, MpiArgument::Group)),
            "Cart_create" => CreationCall::Grid(call.list(MpiArgument::Dims).to_vec()),
            "Cart_sub" => CreationCall::SubGrid(call.list(MpiArgument::RemainDims).to_vec()),
            "Graph_create" => {
                CreationCall::First(usize::try_from(call.number(MpiArgument::Nodes).unwrap_or(0)).unwrap_or(0))
            }
            "Intercomm_create" => CreationCall::Bridge {
                leader: call.number(MpiArgument::LocalLeader).unwrap_or(0),
                peers: self.handles.get(call.number(MpiArgument::RemoteComm)),
                other: call.number(MpiArgument::RemoteLeader).unwrap_or(0),
                tag: call.number(MpiArgument::Tag).unwrap_or(0),
            },
            "Intercomm_merge" => {
                CreationCall::Merge { is_high: call.number(MpiArgument::High).is_some_and(|high| high != 0) }
            }
            _ => CreationCall::Foreign,
        };
        let is_outside = new_handle(call).is_none_or(|handle| handle <= NULL_HANDLE);
        self.creations.push(CommCreation { parent, call: creation_call, is_outside });
        self.handles.take(call);
    }

    fn group(&self, call: &MpiCall, argument: MpiArgument) -> Option<Arc<RankGroup>> {
        self.groups.get(&call.number(argument)?).cloned()
    }

    /// The group that a call makes.
    fn group_of(&self, call: &MpiCall) -> Option<RankGroup> {
        let two = || Some((self.group(call, MpiArgument::Group1)?, self.group(call, MpiArgument::Group2)?));
        let ranks = || RankList::Single(call.list(MpiArgument::Ranks).to_vec());
        let ranges = || ranges_of(call.list(MpiArgument::Ranges));
        RankGroup::new(match call.function.short_name() {
            "Comm_group" => GroupMaking::Of(self.handles.get(call.number(MpiArgument::Comm))?),
            "Group_union" => two().map(|(a, b)| GroupMaking::Union(a, b))?,
            "Group_intersection" => two().map(|(a, b)| GroupMaking::Intersection(a, b))?,
            "Group_difference" => two().map(|(a, b)| GroupMaking::Difference(a, b))?,
            "Group_incl" => GroupMaking::Included(self.group(call, MpiArgument::Group)?, ranks()),
            "Group_excl" => GroupMaking::Excluded(self.group(call, MpiArgument::Group)?, ranks()),
            "Group_range_incl" => GroupMaking::Included(self.group(call, MpiArgument::Group)?, ranges()?),
            "Group_range_excl" => GroupMaking::Excluded(self.group(call, MpiArgument::Group)?, ranges()?),
            _ => return None,
        })
    }
}

/// First, last and step of ranges; a step of 0 is none.
fn ranges_of(ranges: &[i32]) -> Option<RankList> {
    let has_steps = ranges.chunks_exact(3).all(|range| range[2] != 0);
    has_steps.then(|| RankList::Ranges(ranges.to_vec()))
}
