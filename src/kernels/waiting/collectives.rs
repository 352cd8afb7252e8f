//! Which states are one collective operation, where a trace does not say it.
//!
//! ```text
//!  as many in every container     A  [1]  [2]       the n-th of a value are one collective
//!                                 B   [1] [2]
//!  otherwise                      A  [==]           those that have an instant in common are one collective,
//!                                 B   [==] [=]      a container takes part once
//! ```

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use super::TimedState;

/// Members of collectives.
#[derive(Default)]
pub(super) struct CollectiveGroups {
    /// Places of states, one collective after the other; in each by start, of equals the smallest container last.
    members: Vec<u32>,
    /// Where the collective of a state begins and ends among the members.
    ranges: HashMap<u32, (u32, u32)>,
    /// Values for which messages say who was waited for: they have no groups.
    linked_values: HashSet<u32>,
}

impl CollectiveGroups {
    /// The groups of states that are sorted by container and start, but for some values.
    pub(super) fn new(states: &[TimedState], linked_values: HashSet<u32>) -> CollectiveGroups {
        let is_grouped = |state: &TimedState| state.joins && !linked_values.contains(&state.value);
        let mut by_value: Vec<u32> =
            (0..states.len() as u32).filter(|place| is_grouped(&states[*place as usize])).collect();
        by_value.sort_by_key(|place| states[*place as usize].value);
        let mut groups = CollectiveGroups { linked_values, ..CollectiveGroups::default() };
        for calls in by_value.chunk_by(|one, other| states[*one as usize].value == states[*other as usize].value) {
            let of_containers: Vec<&[u32]> = calls
                .chunk_by(|one, other| states[*one as usize].container == states[*other as usize].container)
                .collect();
            let count = of_containers[0].len();
            if of_containers.iter().all(|calls| calls.len() == count) {
                for number in 0..count {
                    groups.add(states, of_containers.iter().map(|calls| calls[number]).collect());
                }
            } else {
                groups.add_overlapping(states, calls.to_vec());
            }
        }
        groups
    }

    fn add_overlapping(&mut self, states: &[TimedState], mut calls: Vec<u32>) {
        calls.sort_by_key(|place| {
            let state = &states[*place as usize];
            (state.start, state.container, state.end)
        });
        let mut members: Vec<u32> = vec![];
        let mut containers: HashSet<u32> = HashSet::new();
        let mut first_end = i64::MAX;
        for place in calls {
            let state = &states[place as usize];
            if state.start >= first_end || containers.contains(&state.container) {
                self.add(states, std::mem::take(&mut members));
                containers.clear();
                first_end = i64::MAX;
            }
            members.push(place);
            containers.insert(state.container);
            first_end = first_end.min(state.end);
        }
        self.add(states, members);
    }

    /// A container alone is no collective.
    fn add(&mut self, states: &[TimedState], mut members: Vec<u32>) {
        if members.len() < 2 {
            return;
        }
        members.sort_by_key(|place| {
            let state = &states[*place as usize];
            (state.start, Reverse(state.container))
        });
        let from = self.members.len() as u32;
        let range = (from, from + members.len() as u32);
        self.ranges.extend(members.iter().map(|place| (*place, range)));
        self.members.extend(members);
    }

    /// Whether others of the collective are known.
    pub(super) fn contains(&self, states: &[TimedState], place: usize) -> bool {
        self.linked_values.contains(&states[place].value) || self.ranges.contains_key(&(place as u32))
    }

    /// The last member of a collective that comes after a state has begun and before an instant; of equals that of
    /// the smallest container.
    pub(super) fn last_member(&self, states: &[TimedState], place: usize, until: i64) -> Option<usize> {
        let (from, to) = *self.ranges.get(&(place as u32))?;
        let members = &self.members[from as usize..to as usize];
        let come = members.partition_point(|member| states[*member as usize].start < until);
        let last = *members[..come].last()? as usize;
        (states[last].start > states[place].start).then_some(last)
    }
}
