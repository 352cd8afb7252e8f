//! CommGram: messages become phases, the containers of a phase communities, and phases a curve.
//!
//! ```text
//!  messages ─► phases       neighbors in time                 [`phases`]
//!  phase    ─► communities  who exchanges much with whom       [`communities`]
//!  phases   ─► differences  matching of communities            [`matching`]
//!           ─► periods      which cycle of phases repeats      [`patterns`]
//!  all      ─► places       an order of containers to draw in  [`order`]
//! ```
//! Where there are too many messages to hold, [`walk`], [`boundaries`] and [`streamed`] give the same from messages that
//! come one after the other.
//!
//! Messages come sorted by [`CommMessage::twice_middle`]; what else decides their order is up to the caller, and must not
//! be the order in which rows arrive.

pub mod boundaries;
pub mod communities;
pub mod matching;
pub mod order;
pub mod patterns;
pub mod phases;
pub mod streamed;
#[cfg(test)]
mod tests;
pub mod walk;

use std::ops::Range;

use communities::{CommunityCut, CommunityGraph, MergeTree};
use hashbrown::HashMap;

/// A message. Times are ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommMessage {
    /// When it is sent.
    pub start: i64,
    /// When it is received.
    pub end: i64,
    /// The container that sends it.
    pub source: u32,
    /// The container that receives it.
    pub target: u32,
    /// Its size; `None` when not known.
    pub volume: Option<f64>,
}

impl CommMessage {
    /// Twice the mean of sending and receiving: that is a whole number.
    pub fn twice_middle(&self) -> i128 {
        i128::from(self.start) + i128::from(self.end)
    }

    /// Its volume as far as it counts as weight: neither negative nor infinite.
    fn positive_volume(&self) -> f64 {
        self.volume.filter(|volume| volume.is_finite()).unwrap_or(0.0).max(0.0)
    }
}

/// What the weight of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Its volume; 1 in a phase in which no message has any.
    Volume,
    /// 1.
    Messages,
}

/// The representative times of messages, in ticks after the first one.
pub fn middles(messages: &[CommMessage]) -> Vec<f64> {
    let first = messages.first().map_or(0, CommMessage::twice_middle);
    messages.iter().map(|message| (message.twice_middle() - first) as f64 / 2.0).collect()
}

/// Cuts messages into `count` phases, or fewer when there are fewer messages: the messages of each.
pub fn cut_phases(messages: &[CommMessage], count: usize) -> Vec<Range<usize>> {
    let merges = phases::merges(&middles(messages));
    let numbers = phases::cut(messages.len(), &merges, count);
    let mut start = 0;
    let mut range = |length: usize| {
        start += length;
        start - length..start
    };
    numbers.chunk_by(|a, b| a == b).map(|phase| range(phase.len())).collect()
}

/// Earliest start and latest end.
pub fn span(messages: &[CommMessage]) -> (i64, i64) {
    let start = messages.iter().map(|message| message.start).min().unwrap_or(0);
    (start, messages.iter().map(|message| message.end.max(message.start)).max().unwrap_or(0))
}

/// Sum of the volumes; `None` when no message has one.
pub fn volume<'a>(messages: impl IntoIterator<Item = &'a CommMessage>) -> Option<f64> {
    messages.into_iter().filter_map(|message| message.volume).reduce(|sum, volume| sum + volume)
}

/// Who exchanges how much with whom.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The containers that take part, ascending; nodes of the graph are places in it.
    pub containers: Vec<u32>,
    /// The weights between the containers.
    pub graph: CommunityGraph,
}

impl Exchange {
    /// Adds up the messages of each pair of containers.
    pub fn new(messages: &[CommMessage], weight: Weight) -> Exchange {
        let mut containers: Vec<u32> = messages.iter().flat_map(|message| [message.source, message.target]).collect();
        containers.sort_unstable();
        containers.dedup();
        let nodes: HashMap<u32, u32> = containers.iter().copied().zip(0..).collect();
        let mut sums: HashMap<(u32, u32), u64> = HashMap::new();
        for (message, weight) in messages.iter().zip(weights(messages, weight)) {
            let (one, other) = (nodes[&message.source], nodes[&message.target]);
            *sums.entry((one.min(other), one.max(other))).or_default() += weight;
        }
        let mut edges: Vec<(u32, u32, u64)> = sums.into_iter().map(|((one, other), sum)| (one, other, sum)).collect();
        edges.sort_unstable();
        Exchange { graph: CommunityGraph { nodes: containers.len(), edges }, containers }
    }
}

/// The sum of weights is at most this: their products then fit 128 bits.
const MOST: f64 = (1_u64 << 52) as f64;

/// How volumes become weights, which are whole numbers. Volumes are multiplied by the largest power of two that keeps
/// their sum small enough, so that whole ones stay exact.
#[derive(Debug, Clone, Copy, PartialEq)]
enum WeightScale {
    /// Every message weighs the same.
    Same,
    /// Volumes times this.
    Volume(f64),
}

impl WeightScale {
    /// For messages whose volumes add up to `sum`.
    fn of(sum: f64, weight: Weight) -> WeightScale {
        if weight == Weight::Messages || sum == 0.0 || !sum.is_finite() {
            return WeightScale::Same;
        }
        WeightScale::Volume((MOST / sum).log2().floor().exp2())
    }

    fn weigh(self, message: &CommMessage) -> u64 {
        match self {
            WeightScale::Same => 1,
            WeightScale::Volume(factor) => (message.positive_volume() * factor).round() as u64,
        }
    }
}

fn weights(messages: &[CommMessage], weight: Weight) -> Vec<u64> {
    let scale = WeightScale::of(messages.iter().map(CommMessage::positive_volume).sum(), weight);
    messages.iter().map(|message| scale.weigh(message)).collect()
}

/// A phase with its communities.
#[derive(Debug, Clone, PartialEq)]
pub struct CommPhase {
    /// The messages of the phase, by their places.
    pub messages: Range<usize>,
    /// The containers that take part, ascending.
    pub containers: Vec<u32>,
    /// The merges of its communities.
    pub tree: MergeTree,
    /// How many merges of the tree the cut makes.
    pub merges: usize,
    /// The community of each container, numbered from 0 in the order of their smallest containers.
    pub communities: Vec<u32>,
}

impl CommPhase {
    fn new(messages: Range<usize>, exchange: Exchange, cut: CommunityCut) -> CommPhase {
        let tree = communities::tree(&exchange.graph);
        let merges = tree.merges_of(cut);
        let communities = tree.communities(merges);
        CommPhase { messages, containers: exchange.containers, tree, merges, communities }
    }

    /// The modularity of its communities.
    pub fn modularity(&self) -> f64 {
        self.tree.modularity_after(self.merges)
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        let numbers = self.containers.capacity() + self.communities.capacity();
        numbers * size_of::<u32>() + self.tree.merges.capacity() * size_of::<communities::CommunityMerge>()
    }

    /// How many communities there are.
    pub fn count(&self) -> usize {
        self.communities.iter().max().map_or(0, |last| *last as usize + 1)
    }

    /// Containers with their communities.
    pub fn grouping(&self) -> Vec<(u32, u32)> {
        self.containers.iter().copied().zip(self.communities.iter().copied()).collect()
    }

    /// The containers of one community, each with its part of it, when the merges inside it are cut into so many
    /// parts; `None` for single containers.
    pub fn inside(&self, community: u32, parts: Option<usize>) -> Vec<(u32, u32)> {
        let is_inside = |node: u32| self.communities[node as usize] == community;
        let merges = self.tree.merges.iter().take(self.merges).filter(|merge| is_inside(merge.left)).copied();
        let merges: Vec<communities::CommunityMerge> = merges.collect();
        let made = parts.map_or(0, |parts| (merges.len() + 1).saturating_sub(parts.max(1)));
        let tree = MergeTree { merges, ..self.tree.clone() };
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut found = vec![];
        for (node, part) in tree.communities(made).into_iter().enumerate().filter(|(node, _)| is_inside(*node as u32)) {
            let next = numbers.len() as u32;
            found.push((self.containers[node], *numbers.entry(part).or_insert(next)));
        }
        found
    }
}

/// Phases with their communities.
pub fn gram(messages: &[CommMessage], phases: usize, cut: CommunityCut, weight: Weight) -> Vec<CommPhase> {
    let phase = |range: Range<usize>| {
        let exchange = Exchange::new(&messages[range.clone()], weight);
        CommPhase::new(range, exchange, cut)
    };
    cut_phases(messages, phases).into_iter().map(phase).collect()
}

/// The place of each container in a picture, the same in every phase: containers and places, by container.
pub fn places(messages: &[CommMessage], weight: Weight) -> Vec<(u32, u32)> {
    let exchange = Exchange::new(messages, weight);
    let places = order::places(&exchange.graph, &communities::tree(&exchange.graph));
    exchange.containers.into_iter().zip(places).collect()
}

/// How many containers take part in any phase.
pub fn container_count(phases: &[CommPhase]) -> usize {
    let mut containers: Vec<u32> = phases.iter().flat_map(|phase| phase.containers.iter().copied()).collect();
    containers.sort_unstable();
    containers.dedup();
    containers.len()
}

/// How much a phase differs from others: 0 for the same communities, 1 for nothing in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhasePoint {
    /// From the phase before; the first has none.
    pub difference: Option<f64>,
    /// From the first phase.
    pub height: f64,
}

/// The curve.
pub fn curve(phases: &[CommPhase]) -> Vec<PhasePoint> {
    let most = 2.0 * container_count(phases) as f64;
    let groupings: Vec<Vec<(u32, u32)>> = phases.iter().map(CommPhase::grouping).collect();
    let between = |one: usize, other: usize| matching::difference(&groupings[one], &groupings[other]) as f64 / most;
    let mut points: Vec<PhasePoint> = vec![];
    for phase in 0..phases.len() {
        let difference = phase.checked_sub(1).map(|before| between(before, phase));
        // What does not differ from the phase before stands where that stands.
        let height = match points.last() {
            Some(last) if difference == Some(0.0) => last.height,
            _ => between(0, phase),
        };
        points.push(PhasePoint { difference, height });
    }
    points
}

/// The pattern of each phase, numbered from 0 as they appear: phases whose difference to the first one of a pattern is
/// at most `tolerance` have the same.
pub fn pattern_numbers(phases: &[CommPhase], tolerance: f64) -> Vec<u32> {
    let most = tolerance * 2.0 * container_count(phases) as f64;
    let mut exact: HashMap<Vec<(u32, u32)>, u32> = HashMap::new();
    let mut firsts: Vec<Vec<(u32, u32)>> = vec![];
    let mut numbers = vec![];
    for phase in phases {
        let grouping = phase.grouping();
        let is_close = |first: &Vec<(u32, u32)>| most > 0.0 && matching::difference(first, &grouping) as f64 <= most;
        let known = exact.get(&grouping).copied();
        let number = known.or_else(|| firsts.iter().position(is_close).map(|number| number as u32));
        let number = number.unwrap_or_else(|| {
            firsts.push(grouping.clone());
            firsts.len() as u32 - 1
        });
        exact.insert(grouping, number);
        numbers.push(number);
    }
    numbers
}
