//! Who is in a communicator: worked out from the calls of all ranks.
//!
//! Every rank numbers its communicators in the order of its calls. What one rank says of a new one
//! (its colour, its group) means nothing alone: the calls of all members of the parent are put
//! together, the first of each with the first of the others, since they are collective.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hashbrown::HashMap;

use super::call::Call;
use super::table::Argument;

/// A communicator of one rank, in the order of creation.
pub(super) type Local = u32;
pub(super) const WORLD: Local = 0;
pub(super) const ITSELF: Local = 1;

const NULL_HANDLE: i32 = 1;
const WORLD_HANDLE: i32 = 2;
const SELF_HANDLE: i32 = 3;

/// The handles of one rank.
#[derive(Debug, Clone)]
pub(super) struct Handles {
    comms: HashMap<i32, Local>,
    next: Local,
}

impl Default for Handles {
    fn default() -> Handles {
        Handles { comms: HashMap::from([(WORLD_HANDLE, WORLD), (SELF_HANDLE, ITSELF)]), next: 2 }
    }
}

impl Handles {
    /// The communicator that an argument means.
    pub(super) fn get(&self, handle: Option<i32>) -> Option<Local> {
        self.comms.get(&handle?).copied()
    }

    /// Takes note of a call that makes a communicator.
    pub(super) fn take(&mut self, call: &Call) {
        if makes_communicator(call) {
            let handle = new_handle(call);
            if let Some(handle) = handle.filter(|handle| *handle > SELF_HANDLE) {
                self.comms.insert(handle, self.next);
            }
            self.next += 1;
        }
    }
}

fn new_handle(call: &Call) -> Option<i32> {
    let argument = if call.function.short_name() == "Comm_join" { Argument::Comm } else { Argument::NewComm };
    call.number(argument)
}

fn makes_communicator(call: &Call) -> bool {
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
enum Group {
    Of(Local),
    Union(Arc<Group>, Arc<Group>),
    Intersection(Arc<Group>, Arc<Group>),
    Difference(Arc<Group>, Arc<Group>),
    Included(Arc<Group>, Vec<i32>),
    Excluded(Arc<Group>, Vec<i32>),
}

/// How one rank took part in the making of a communicator.
#[derive(Debug)]
enum Part {
    Duplicate,
    Split { color: i32, key: i32 },
    Create(Option<Arc<Group>>),
    Grid(Vec<i32>),
    SubGrid(Vec<i32>),
    First(usize),
    /// Made in a way that is not followed: with other programs, or between two groups.
    Foreign,
}

#[derive(Debug)]
struct Birth {
    parent: Option<Local>,
    part: Part,
    /// The caller is not a member.
    is_outside: bool,
}

/// What one rank says of its communicators.
#[derive(Debug, Default)]
pub(super) struct Births {
    handles: Handles,
    groups: HashMap<i32, Arc<Group>>,
    births: Vec<Birth>,
}

impl Births {
    /// Takes note of a call on groups or communicators.
    pub(super) fn take(&mut self, call: &Call) {
        if let Some(group) = self.group_of(call) {
            let argument = if call.number(Argument::NewGroup).is_some() { Argument::NewGroup } else { Argument::Group };
            if let Some(handle) = call.number(argument) {
                self.groups.insert(handle, Arc::new(group));
            }
        }
        if !makes_communicator(call) {
            return;
        }
        let parent = self.handles.get(call.number(Argument::OldComm));
        let part = match call.function.short_name() {
            "Comm_dup" => Part::Duplicate,
            "Comm_split" => Part::Split {
                color: call.number(Argument::Color).unwrap_or(0),
                key: call.number(Argument::Key).unwrap_or(0),
            },
            "Comm_create" => Part::Create(self.group(call, Argument::Group)),
            "Cart_create" => Part::Grid(call.list(Argument::Dims).to_vec()),
            "Cart_sub" => Part::SubGrid(call.list(Argument::RemainDims).to_vec()),
            "Graph_create" => Part::First(usize::try_from(call.number(Argument::Nodes).unwrap_or(0)).unwrap_or(0)),
            _ => Part::Foreign,
        };
        let is_outside = new_handle(call).is_none_or(|handle| handle <= NULL_HANDLE);
        self.births.push(Birth { parent, part, is_outside });
        self.handles.take(call);
    }

    fn group(&self, call: &Call, argument: Argument) -> Option<Arc<Group>> {
        self.groups.get(&call.number(argument)?).cloned()
    }

    /// The group that a call makes.
    fn group_of(&self, call: &Call) -> Option<Group> {
        let two = || Some((self.group(call, Argument::Group1)?, self.group(call, Argument::Group2)?));
        let ranks = || call.list(Argument::Ranks).to_vec();
        let ranges = || ranks_of(call.list(Argument::Ranges));
        Some(match call.function.short_name() {
            "Comm_group" => Group::Of(self.handles.get(call.number(Argument::Comm))?),
            "Group_union" => two().map(|(a, b)| Group::Union(a, b))?,
            "Group_intersection" => two().map(|(a, b)| Group::Intersection(a, b))?,
            "Group_difference" => two().map(|(a, b)| Group::Difference(a, b))?,
            "Group_incl" => Group::Included(self.group(call, Argument::Group)?, ranks()),
            "Group_excl" => Group::Excluded(self.group(call, Argument::Group)?, ranks()),
            "Group_range_incl" => Group::Included(self.group(call, Argument::Group)?, ranges()?),
            "Group_range_excl" => Group::Excluded(self.group(call, Argument::Group)?, ranges()?),
            _ => return None,
        })
    }
}

/// The ranks of ranges: first, last and step of each. Ranges beyond any real machine are none.
fn ranks_of(ranges: &[i32]) -> Option<Vec<i32>> {
    const MOST: i64 = 1 << 24;
    let mut ranks = vec![];
    for range in ranges.chunks_exact(3) {
        let [first, last, step] = [range[0], range[1], range[2]].map(i64::from);
        if step == 0 || (last - first) / step > MOST || ranks.len() as i64 > MOST {
            return None;
        }
        let mut rank = first;
        while (step > 0 && rank <= last) || (step < 0 && rank >= last) {
            ranks.push(rank as i32);
            rank += step;
        }
    }
    Some(ranks)
}

/// A communicator of the whole trace, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CommId(pub u32);

/// A communicator.
#[derive(Debug, Clone)]
pub(super) struct Comm {
    /// Ranks of the world, in the order of their rank here.
    pub members: Arc<[u32]>,
    /// Of a grid: its lengths.
    dims: Arc<[i32]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Waiting,
    Nothing,
    As(CommId),
}

/// All communicators of a trace.
#[derive(Debug, Default)]
pub(super) struct Communicators {
    comms: Vec<Comm>,
    /// By rank and by local number.
    known: Vec<Vec<Known>>,
    /// What could not be worked out.
    pub faults: Vec<String>,
}

/// Which making of a communicator from which parent.
type Making = (CommId, u32);

impl Communicators {
    /// Puts together what all ranks say.
    pub(super) fn solve(ranks: &[Births]) -> Communicators {
        let world: Arc<[u32]> = (0..ranks.len() as u32).collect();
        let no_grid: Arc<[i32]> = Arc::new([]);
        let mut all = Communicators::default();
        all.add(world, &no_grid);
        for (rank, births) in ranks.iter().enumerate() {
            let own = all.add(Arc::new([rank as u32]), &no_grid);
            let mut known = vec![Known::As(CommId(0)), Known::As(own)];
            known.resize(2 + births.births.len(), Known::Waiting);
            all.known.push(known);
        }
        Solver { ranks, all: &mut all, next: vec![0; ranks.len()], counts: HashMap::new(), open: BTreeMap::new() }.run();
        all
    }

    fn add(&mut self, members: Arc<[u32]>, dims: &Arc<[i32]>) -> CommId {
        self.comms.push(Comm { members, dims: Arc::clone(dims) });
        CommId(self.comms.len() as u32 - 1)
    }

    /// What a rank means by a communicator.
    pub(super) fn get(&self, rank: usize, local: Local) -> Option<(CommId, &Comm)> {
        match self.known.get(rank)?.get(local as usize)? {
            Known::As(id) => Some((*id, &self.comms[id.0 as usize])),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.comms.len()
    }

    fn members(&self, rank: usize, group: &Group) -> Option<Vec<u32>> {
        let kept = |a: &Group, b: &Group, keep: fn(bool) -> bool| {
            let (a, b) = (self.members(rank, a)?, self.members(rank, b)?);
            let b: hashbrown::HashSet<u32> = b.into_iter().collect();
            Some(a.into_iter().filter(|one| keep(b.contains(one))).collect())
        };
        match group {
            Group::Of(local) => self.get(rank, *local).map(|(_, comm)| comm.members.to_vec()),
            Group::Union(a, b) => {
                let mut all = self.members(rank, a)?;
                let seen: hashbrown::HashSet<u32> = all.iter().copied().collect();
                all.extend(self.members(rank, b)?.into_iter().filter(|one| !seen.contains(one)));
                Some(all)
            }
            Group::Intersection(a, b) => kept(a, b, |is_there| is_there),
            Group::Difference(a, b) => kept(a, b, |is_there| !is_there),
            Group::Included(of, ranks) => {
                let of = self.members(rank, of)?;
                ranks.iter().map(|rank| of.get(usize::try_from(*rank).ok()?).copied()).collect()
            }
            Group::Excluded(of, ranks) => {
                let of = self.members(rank, of)?;
                let out: hashbrown::HashSet<usize> = ranks.iter().filter_map(|rank| usize::try_from(*rank).ok()).collect();
                Some(of.into_iter().enumerate().filter(|(place, _)| !out.contains(place)).map(|(_, one)| one).collect())
            }
        }
    }
}

/// Works through the calls of all ranks, each as far as its communicators are known.
struct Solver<'a> {
    ranks: &'a [Births],
    all: &'a mut Communicators,
    /// By rank: the birth that is looked at next.
    next: Vec<usize>,
    /// How many communicators a rank has made from a parent.
    counts: HashMap<(usize, CommId), u32>,
    /// Those that wait for more members: rank and birth.
    open: BTreeMap<Making, Vec<(usize, usize)>>,
}

impl Solver<'_> {
    fn run(mut self) {
        let mut ready: VecDeque<usize> = (0..self.ranks.len()).collect();
        loop {
            while let Some(rank) = ready.pop_front() {
                self.advance(rank, &mut ready);
            }
            let Some((making, joined)) = self.open.pop_first() else { break };
            let (there, wanted) = (joined.len(), self.all.comms[making.0.0 as usize].members.len());
            self.all.faults.push(format!(
                "a communicator was made by {there} of the {wanted} ranks of its parent; the others do not tell of it, and it has those that do"
            ));
            self.make(&joined, making, &mut ready);
        }
    }

    fn advance(&mut self, rank: usize, ready: &mut VecDeque<usize>) {
        while let Some(birth) = self.ranks[rank].births.get(self.next[rank]) {
            let place = self.next[rank];
            let parent = match birth.parent.map(|parent| self.all.known[rank][parent as usize]) {
                Some(Known::Waiting) => return,
                Some(Known::As(parent)) if !matches!(birth.part, Part::Foreign) => parent,
                _ => {
                    self.all.known[rank][2 + place] = Known::Nothing;
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
                && let Some(joined) = self.open.remove(&making) {
                    self.make(&joined, making, ready);
                }
        }
    }

    /// Everyone who can be expected has come.
    fn make(&mut self, joined: &[(usize, usize)], (parent, _): Making, ready: &mut VecDeque<usize>) {
        let parent = self.all.comms[parent.0 as usize].clone();
        let place_of: HashMap<u32, usize> = parent.members.iter().enumerate().map(|(place, rank)| (*rank, place)).collect();
        // By what tells the new communicators of one call apart: order in it, place in the parent, rank, birth.
        let mut families: BTreeMap<Vec<i64>, Vec<(i64, usize, usize, usize)>> = BTreeMap::new();
        for (rank, birth) in joined {
            let place = place_of.get(&(*rank as u32)).copied().unwrap_or(0);
            match self.family(*rank, *birth, place, &parent) {
                Some((family, order)) => families.entry(family).or_default().push((order, place, *rank, *birth)),
                None => self.all.known[*rank][2 + birth] = Known::Nothing,
            }
        }
        for (_, mut family) in families {
            family.sort_unstable();
            let (_, _, rank, birth) = family[0];
            let (members, dims) = self.members(&family, rank, birth, &parent);
            let id = self.all.add(members, &dims);
            for (_, _, rank, birth) in family {
                self.all.known[rank][2 + birth] = Known::As(id);
            }
        }
        ready.extend(joined.iter().map(|(rank, _)| *rank));
    }

    /// Which of the new communicators a rank is in, and where; `None` for none.
    fn family(&self, rank: usize, birth: usize, place: usize, parent: &Comm) -> Option<(Vec<i64>, i64)> {
        let birth = &self.ranks[rank].births[birth];
        if birth.is_outside {
            return None;
        }
        match &birth.part {
            Part::Split { color, key } => Some((vec![i64::from(*color)], i64::from(*key))),
            Part::Create(Some(group)) => {
                let members = self.all.members(rank, group)?;
                let order = members.iter().position(|one| *one as usize == rank)?;
                Some((members.into_iter().map(i64::from).collect(), order as i64))
            }
            Part::SubGrid(remain) => sub_grid(place, &parent.dims, remain),
            Part::Duplicate | Part::Grid(_) | Part::First(_) => Some((vec![], 0)),
            Part::Create(None) | Part::Foreign => None,
        }
    }

    fn members(&self, family: &[(i64, usize, usize, usize)], rank: usize, birth: usize, parent: &Comm) -> (Arc<[u32]>, Arc<[i32]>) {
        let no_grid: Arc<[i32]> = Arc::new([]);
        let first = |count: usize| parent.members.iter().take(count).copied().collect::<Arc<[u32]>>();
        match &self.ranks[rank].births[birth].part {
            Part::Duplicate => (Arc::clone(&parent.members), Arc::clone(&parent.dims)),
            Part::Grid(dims) => {
                let count = dims.iter().try_fold(1_usize, |count, dim| count.checked_mul(usize::try_from(*dim).ok()?));
                (first(count.unwrap_or(0)), dims.as_slice().into())
            }
            Part::First(count) => (first(*count), no_grid),
            Part::Create(Some(group)) => (self.all.members(rank, group).unwrap_or_default().into(), no_grid),
            Part::SubGrid(remain) => {
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
