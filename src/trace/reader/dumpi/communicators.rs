//! Who is in a communicator: worked out from the calls of all ranks.
//!
//! Every rank numbers its communicators in the order of its calls. What one rank says of a new one
//! (its color, its group) means nothing alone: the calls of all members of the parent are put
//! together, the first of each with the first of the others, since they are collective.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hashbrown::HashMap;

use super::comm_creation::{CommCreations, CreationCall, GroupMaking, LocalComm, RankGroup};

/// A communicator of the whole trace, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CommId(pub u32);

/// A communicator.
#[derive(Debug, Clone)]
pub(super) struct Communicator {
    /// Ranks of the world, in the order of their rank here.
    pub members: Arc<[u32]>,
    /// Of a grid: its lengths.
    dims: Arc<[i32]>,
    /// Between two groups: how many members the first one has, which stand first.
    first_group: Option<usize>,
    /// By rank of the world: the place among the members; only between two groups.
    places: Arc<HashMap<u32, usize>>,
}

impl Communicator {
    /// Whether it is between two groups.
    pub(super) fn is_between(&self) -> bool {
        self.first_group.is_some()
    }

    /// Who is meant by a rank in a message: between two groups, a rank of the other one.
    pub(super) fn partner(&self, rank: usize, other: i32) -> Option<u32> {
        let other = usize::try_from(other).ok()?;
        let Some(first) = self.first_group else { return self.members.get(other).copied() };
        let is_in_first = *self.places.get(&(rank as u32))? < first;
        let group = if is_in_first { &self.members[first..] } else { &self.members[..first] };
        group.get(other).copied()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommLookup {
    Waiting,
    Nothing,
    As(CommId),
}

/// All communicators of a trace.
#[derive(Debug, Default)]
pub(super) struct Communicators {
    comms: Vec<Communicator>,
    /// By rank and by local number.
    known: Vec<Vec<CommLookup>>,
    /// What could not be worked out.
    pub faults: Vec<String>,
}

/// Those who are in a new communicator together: order in it, place in the parent, rank, birth.
type Family = Vec<(i64, usize, usize, usize)>;

/// Which making of a communicator from which parent.
type Making = (CommId, u32);

impl Communicators {
    /// Puts together what all ranks say.
    pub(super) fn solve(ranks: &[CommCreations]) -> Communicators {
        let world: Arc<[u32]> = (0..ranks.len() as u32).collect();
        let no_grid: Arc<[i32]> = Arc::new([]);
        let mut all = Communicators::default();
        all.add(world, &no_grid);
        for (rank, creations) in ranks.iter().enumerate() {
            let own = all.add(Arc::new([rank as u32]), &no_grid);
            let mut known = vec![CommLookup::As(CommId(0)), CommLookup::As(own)];
            known.resize(2 + creations.creations.len(), CommLookup::Waiting);
            all.known.push(known);
        }
        Solver {
            ranks,
            all: &mut all,
            next: vec![0; ranks.len()],
            counts: HashMap::new(),
            open: BTreeMap::new(),
            sides: BTreeMap::new(),
        }
        .run();
        all
    }

    fn add(&mut self, members: Arc<[u32]>, dims: &Arc<[i32]>) -> CommId {
        self.add_comm(Communicator { members, dims: Arc::clone(dims), first_group: None, places: Arc::default() })
    }

    fn add_comm(&mut self, comm: Communicator) -> CommId {
        self.comms.push(comm);
        CommId(self.comms.len() as u32 - 1)
    }

    /// What a rank means by a communicator.
    pub(super) fn get(&self, rank: usize, local: LocalComm) -> Option<(CommId, &Communicator)> {
        match self.known.get(rank)?.get(local as usize)? {
            CommLookup::As(id) => Some((*id, &self.comms[id.0 as usize])),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.comms.len()
    }

    fn members(&self, rank: usize, group: &RankGroup) -> Option<Vec<u32>> {
        let kept = |a: &RankGroup, b: &RankGroup, keep: fn(bool) -> bool| {
            let (a, b) = (self.members(rank, a)?, self.members(rank, b)?);
            let b: hashbrown::HashSet<u32> = b.into_iter().collect();
            Some(a.into_iter().filter(|one| keep(b.contains(one))).collect())
        };
        match &group.made {
            GroupMaking::Of(local) => self.get(rank, *local).map(|(_, comm)| comm.members.to_vec()),
            GroupMaking::Union(a, b) => {
                let mut all = self.members(rank, a)?;
                let seen: hashbrown::HashSet<u32> = all.iter().copied().collect();
                all.extend(self.members(rank, b)?.into_iter().filter(|one| !seen.contains(one)));
                Some(all)
            }
            GroupMaking::Intersection(a, b) => kept(a, b, |is_there| is_there),
            GroupMaking::Difference(a, b) => kept(a, b, |is_there| !is_there),
            GroupMaking::Included(of, ranks) => {
                let of = self.members(rank, of)?;
                ranks.within(of.len()).into_iter().map(|rank| of.get(rank?).copied()).collect()
            }
            GroupMaking::Excluded(of, ranks) => {
                let of = self.members(rank, of)?;
                let out: hashbrown::HashSet<usize> = ranks.within(of.len()).into_iter().flatten().collect();
                Some(of.into_iter().enumerate().filter(|(place, _)| !out.contains(place)).map(|(_, one)| one).collect())
            }
        }
    }
}

/// Works through the calls of all ranks, each as far as its communicators are known.
struct Solver<'a> {
    ranks: &'a [CommCreations],
    all: &'a mut Communicators,
    /// By rank: the birth that is looked at next.
    next: Vec<usize>,
    /// How many communicators a rank has made from a parent.
    counts: HashMap<(usize, CommId), u32>,
    /// Those that wait for more members: rank and birth.
    open: BTreeMap<Making, Vec<(usize, usize)>>,
    /// By the two leaders and the tag: the groups that wait for the other one.
    sides: BTreeMap<(u32, u32, i32), VecDeque<BridgeSide>>,
}

/// A group that makes a communicator with another one.
struct BridgeSide {
    leader: u32,
    members: Arc<[u32]>,
    joined: Vec<(usize, usize)>,
}

impl Solver<'_> {
    fn run(mut self) {
        let mut ready: VecDeque<usize> = (0..self.ranks.len()).collect();
        loop {
            while let Some(rank) = ready.pop_front() {
                self.advance(rank, &mut ready);
            }
            let Some((making, joined)) = self.open.pop_first() else {
                if self.give_up_side(&mut ready) { continue } else { break }
            };
            let (there, wanted) = (joined.len(), self.all.comms[making.0.0 as usize].members.len());
            self.all.faults.push(format!(
                "a communicator was made by {there} of the {wanted} ranks of its parent; the others do not record it, and its members are those that do"
            ));
            self.make(&joined, making, &mut ready);
        }
    }

    fn advance(&mut self, rank: usize, ready: &mut VecDeque<usize>) {
        while let Some(creation) = self.ranks[rank].creations.get(self.next[rank]) {
            let place = self.next[rank];
            let parent = match creation.parent.map(|parent| self.all.known[rank][parent as usize]) {
                Some(CommLookup::Waiting) => return,
                Some(CommLookup::As(parent)) if !matches!(creation.call, CreationCall::Foreign) => parent,
                _ => {
                    self.all.known[rank][2 + place] = CommLookup::Nothing;
                    self.next[rank] += 1;
                    continue;
                }
            };
            self.next[rank] += 1;
            let count = self.counts.entry((rank, parent)).or_default();
            let making = (parent, *count);
            *count += 1;
            let joined = self.open.entry(making).or_default();
            joined.push((rank, place));
            if joined.len() == self.all.comms[parent.0 as usize].members.len()
                && let Some(joined) = self.open.remove(&making)
            {
                self.make(&joined, making, ready);
            }
        }
    }

    /// One group of a bridge is whole: the bridge is made when the other one is, too.
    fn bridge(&mut self, joined: &[(usize, usize)], parent: &Communicator, ready: &mut VecDeque<usize>) {
        let Some((leader, other, tag)) = self.leaders(joined, parent) else { return self.forget(joined, ready) };
        let key = (leader.min(other), leader.max(other), tag);
        let side = BridgeSide { leader, members: Arc::clone(&parent.members), joined: joined.to_vec() };
        let waiting = self.sides.entry(key).or_default();
        if waiting.front().is_none_or(|first| first.leader == leader) {
            waiting.push_back(side);
            return;
        }
        let Some(first) = waiting.pop_front() else { return };
        if waiting.is_empty() {
            self.sides.remove(&key);
        }
        let (a, b) = if first.leader < side.leader { (first, side) } else { (side, first) };
        let members: Arc<[u32]> = a.members.iter().chain(b.members.iter()).copied().collect();
        let places = Arc::new(members.iter().enumerate().map(|(place, rank)| (*rank, place)).collect());
        let id =
            self.all.add_comm(Communicator { members, dims: Arc::new([]), first_group: Some(a.members.len()), places });
        for (rank, creation) in a.joined.iter().chain(&b.joined) {
            self.all.known[*rank][2 + creation] = CommLookup::As(id);
            ready.push_back(*rank);
        }
    }

    /// Both leaders as ranks of the world; only the own leader knows who the other one is.
    fn leaders(&self, joined: &[(usize, usize)], parent: &Communicator) -> Option<(u32, u32, i32)> {
        joined.iter().find_map(|(rank, creation)| {
            let CreationCall::Bridge { leader, peers, other, tag } = self.ranks[*rank].creations[*creation].call else {
                return None;
            };
            let leader = *parent.members.get(usize::try_from(leader).ok()?)?;
            if leader as usize != *rank {
                return None;
            }
            let (_, peers) = self.all.get(*rank, peers?)?;
            Some((leader, peers.partner(*rank, other)?, tag))
        })
    }

    fn forget(&mut self, joined: &[(usize, usize)], ready: &mut VecDeque<usize>) {
        for (rank, creation) in joined {
            self.all.known[*rank][2 + creation] = CommLookup::Nothing;
            ready.push_back(*rank);
        }
    }

    /// A group whose other one never came.
    fn give_up_side(&mut self, ready: &mut VecDeque<usize>) -> bool {
        let Some((_, sides)) = self.sides.pop_first() else { return false };
        for side in sides {
            self.all
                .faults
                .push("a communicator between two groups was made by one of them only; it has no members".to_string());
            self.forget(&side.joined, ready);
        }
        true
    }

    /// Everyone who can be expected has come.
    fn make(&mut self, joined: &[(usize, usize)], (parent, _): Making, ready: &mut VecDeque<usize>) {
        let parent = self.all.comms[parent.0 as usize].clone();
        let is_bridge = joined.first().is_some_and(|(rank, creation)| {
            matches!(self.ranks[*rank].creations[*creation].call, CreationCall::Bridge { .. })
        });
        if is_bridge {
            return self.bridge(joined, &parent, ready);
        }
        let place_of: HashMap<u32, usize> =
            parent.members.iter().enumerate().map(|(place, rank)| (*rank, place)).collect();
        // By what distinguishes the new communicators of one call.
        let mut families: BTreeMap<Vec<i64>, Family> = BTreeMap::new();
        for (rank, creation) in joined {
            let place = place_of.get(&(*rank as u32)).copied().unwrap_or(0);
            match self.family(*rank, *creation, place, &parent) {
                Some((family, order)) => families.entry(family).or_default().push((order, place, *rank, *creation)),
                None => self.all.known[*rank][2 + creation] = CommLookup::Nothing,
            }
        }
        for (_, mut family) in families {
            family.sort_unstable();
            let (_, _, rank, creation) = family[0];
            let (members, dims) = self.members(&family, rank, creation, &parent);
            let is_copy = matches!(self.ranks[rank].creations[creation].call, CreationCall::Duplicate);
            let id = if is_copy { self.all.add_comm(parent.clone()) } else { self.all.add(members, &dims) };
            for (_, _, rank, creation) in family {
                self.all.known[rank][2 + creation] = CommLookup::As(id);
            }
        }
        ready.extend(joined.iter().map(|(rank, _)| *rank));
    }

    /// Which of the new communicators a rank is in, and where; `None` for none.
    fn family(&self, rank: usize, creation: usize, place: usize, parent: &Communicator) -> Option<(Vec<i64>, i64)> {
        let creation = &self.ranks[rank].creations[creation];
        if creation.is_outside {
            return None;
        }
        match &creation.call {
            CreationCall::Split { color, key } => Some((vec![i64::from(*color)], i64::from(*key))),
            CreationCall::Create(Some(group)) => {
                let members = self.all.members(rank, group)?;
                let order = members.iter().position(|one| *one as usize == rank)?;
                Some((members.into_iter().map(i64::from).collect(), order as i64))
            }
            CreationCall::SubGrid(remain) => sub_grid(place, &parent.dims, remain),
            // The group that wants to be last comes after the other one.
            CreationCall::Merge { is_high } => Some((vec![], i64::from(*is_high))),
            CreationCall::Duplicate | CreationCall::Grid(_) | CreationCall::First(_) => Some((vec![], 0)),
            CreationCall::Create(None) | CreationCall::Bridge { .. } | CreationCall::Foreign => None,
        }
    }

    fn members(
        &self,
        family: &[(i64, usize, usize, usize)],
        rank: usize,
        creation: usize,
        parent: &Communicator,
    ) -> (Arc<[u32]>, Arc<[i32]>) {
        let no_grid: Arc<[i32]> = Arc::new([]);
        let first = |count: usize| parent.members.iter().take(count).copied().collect::<Arc<[u32]>>();
        match &self.ranks[rank].creations[creation].call {
            CreationCall::Duplicate => (Arc::clone(&parent.members), Arc::clone(&parent.dims)),
            CreationCall::Grid(dims) => {
                let count = dims.iter().try_fold(1_usize, |count, dim| count.checked_mul(usize::try_from(*dim).ok()?));
                (first(count.unwrap_or(0)), dims.as_slice().into())
            }
            CreationCall::First(count) => (first(*count), no_grid),
            CreationCall::Create(Some(group)) => (self.all.members(rank, group).unwrap_or_default().into(), no_grid),
            CreationCall::SubGrid(remain) => {
                let kept = parent.dims.iter().zip(remain).filter(|(_, remains)| **remains != 0);
                (family.iter().map(|(_, _, rank, _)| *rank as u32).collect(), kept.map(|(dim, _)| *dim).collect())
            }
            _ => (family.iter().map(|(_, _, rank, _)| *rank as u32).collect(), no_grid),
        }
    }
}

/// The coordinates that are dropped, and the place among those that remain; the last one runs fastest.
fn sub_grid(place: usize, dims: &[i32], remain: &[i32]) -> Option<(Vec<i64>, i64)> {
    if dims.is_empty() || dims.len() != remain.len() || dims.iter().any(|dim| *dim < 1) {
        return None;
    }
    let mut rest = place as i64;
    let mut coordinates = vec![0; dims.len()];
    for (coordinate, dim) in coordinates.iter_mut().zip(dims).rev() {
        *coordinate = rest % i64::from(*dim);
        rest /= i64::from(*dim);
    }
    let (mut family, mut order) = (vec![], 0);
    for ((coordinate, dim), remains) in coordinates.into_iter().zip(dims).zip(remain) {
        if *remains == 0 {
            family.push(coordinate);
        } else {
            order = order * i64::from(*dim) + coordinate;
        }
    }
    Some((family, order))
}
