//! What all ranks together know: communicators, channels that are numbered, collective operations
//! that everyone took part in.

use hashbrown::{HashMap, HashSet};

use super::comm_creation::{CommCreations, LocalComm};
use super::communicators::{CommId, Communicators};
use super::rank::MessageChannel;
use super::stream::Survey;

/// Messages that are matched in order, in terms of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Route {
    pub comm: CommId,
    pub from: u32,
    pub to: u32,
    pub tag: i32,
    /// The number of the message, where order alone does not identify it.
    pub number: Option<u32>,
}

/// A trace as a whole.
#[derive(Debug)]
pub(super) struct RankWorld {
    pub communicators: Communicators,
    numbered: HashSet<Route>,
    /// By communicator: how many collective operations all its members recorded.
    whole_collectives: Vec<u64>,
}

impl RankWorld {
    /// Puts together what the first pass over all ranks found.
    pub(super) fn new(surveys: &mut [Survey]) -> RankWorld {
        let creations: Vec<CommCreations> =
            surveys.iter_mut().map(|survey| std::mem::take(&mut survey.creations)).collect();
        let communicators = Communicators::solve(&creations);
        let mut world = RankWorld { communicators, numbered: HashSet::new(), whole_collectives: vec![] };
        for (rank, survey) in surveys.iter().enumerate() {
            let routes = survey.lookahead.numbered.iter().filter_map(|channel| world.received(rank, *channel, None));
            world.numbered.extend(routes.collect::<Vec<_>>());
        }
        world.whole_collectives = world.count_collectives(surveys);
        world
    }

    fn count_collectives(&self, surveys: &[Survey]) -> Vec<u64> {
        let mut counts: Vec<(usize, u64)> = vec![(0, u64::MAX); self.communicators.len()];
        for (rank, survey) in surveys.iter().enumerate() {
            for (local, count) in &survey.collectives {
                if let Some((id, _)) = self.communicators.get(rank, *local) {
                    let (members, least) = &mut counts[id.0 as usize];
                    *members += 1;
                    *least = (*least).min(*count);
                }
            }
        }
        let mut whole = vec![0; counts.len()];
        for (rank, survey) in surveys.iter().enumerate() {
            for local in survey.collectives.keys() {
                if let Some((id, comm)) = self.communicators.get(rank, *local)
                    && counts[id.0 as usize].0 >= comm.members.len()
                {
                    whole[id.0 as usize] = counts[id.0 as usize].1;
                }
            }
        }
        whole
    }

    /// Whether all members recorded a collective operation.
    pub(super) fn is_whole(&self, comm: CommId, number: u64) -> bool {
        self.whole_collectives.get(comm.0 as usize).is_some_and(|count| number < *count)
    }

    /// The way of a message that a rank sends; `numbers` counts those of numbered channels.
    pub(super) fn sent(
        &self,
        rank: usize,
        comm: LocalComm,
        to: i32,
        tag: i32,
        numbers: &mut HashMap<Route, u32>,
    ) -> Option<Route> {
        let (comm, members) = self.communicators.get(rank, comm)?;
        let to = members.partner(rank, to)?;
        let mut route = Route { comm, from: rank as u32, to, tag, number: None };
        if self.numbered.contains(&route) {
            let count = numbers.entry(route).or_default();
            route.number = Some(*count);
            *count += 1;
        }
        Some(route)
    }

    /// The way of a message that a rank received.
    pub(super) fn received(
        &self,
        rank: usize,
        (comm, from, tag): MessageChannel,
        number: Option<u32>,
    ) -> Option<Route> {
        let (comm, members) = self.communicators.get(rank, comm)?;
        let from = members.partner(rank, from)?;
        Some(Route { comm, from, to: rank as u32, tag, number })
    }
}
