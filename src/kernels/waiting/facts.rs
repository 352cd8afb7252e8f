//! What must be known of a whole trace before its waits are explained, and the numbers of collectives.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::TimedState;

/// What must be known of a whole trace before its waits are explained.
#[derive(Debug, Clone, Default)]
pub struct WaitFacts {
    /// Values of collectives for which messages say who was waited for.
    linked_values: HashSet<u32>,
    /// Values of collectives of which every container that has any has as many.
    regular_values: HashSet<u32>,
    /// Values of collectives that several containers have, and how many.
    shared_values: HashMap<u32, u64>,
    /// Messages of known size up to this one are buffered: nobody waits for their receivers.
    pub(super) buffered_size: u8,
    /// How many waits of other containers come before those of a container.
    first_waits: BTreeMap<u32, i64>,
}

impl WaitFacts {
    /// Whether messages say who was waited for in collectives of a value.
    pub(crate) fn is_linked(&self, value: u32) -> bool {
        self.linked_values.contains(&value)
    }

    /// Whether every container that has collectives of a value has as many.
    pub(crate) fn is_regular(&self, value: u32) -> bool {
        self.regular_values.contains(&value)
    }

    /// Whether several containers have collectives of a value.
    pub(crate) fn is_shared(&self, value: u32) -> bool {
        self.shared_values.contains_key(&value)
    }

    /// How many containers have collectives of a value, if there are several.
    pub(crate) fn members_of(&self, value: u32) -> u64 {
        self.shared_values.get(&value).copied().unwrap_or(1)
    }

    /// Whether a value is one of the collectives that most containers take part in, all of them equally often.
    pub(crate) fn is_common(&self, value: u32) -> bool {
        self.is_regular(value)
            && self.is_shared(value)
            && self
                .shared_values
                .iter()
                .all(|(other, members)| *members <= self.members_of(value) || !self.is_regular(*other))
    }

    /// Whether nobody waits for the receiver of a message of a size.
    pub(crate) fn is_buffered(&self, size: u8) -> bool {
        (1..=self.buffered_size).contains(&size)
    }

    pub(super) fn first_wait(&self, container: u32) -> i64 {
        self.first_waits.get(&container).copied().unwrap_or(0)
    }
}

/// What is known so far.
#[derive(Debug, Default)]
pub(super) struct WaitSurvey {
    linked_values: HashSet<u32>,
    /// By value and container, how many collectives there are.
    joined: HashMap<(u32, u32), u64>,
    buffered_size: u8,
    waits: BTreeMap<u32, i64>,
}

impl WaitSurvey {
    /// A state begins. If it is a collective, gives how many its container has of them so far.
    pub(super) fn add(&mut self, state: &TimedState) -> u64 {
        if !state.joins {
            return 0;
        }
        let count = self.joined.entry((state.value, state.container)).or_default();
        *count += 1;
        *count
    }

    /// A container has so many waits in the window.
    pub(super) fn add_waits(&mut self, container: u32, waits: i64) {
        self.waits.insert(container, waits);
    }

    /// A link of a collective arrives in a state of a value.
    pub(super) fn link(&mut self, value: u32) {
        self.linked_values.insert(value);
    }

    /// A container went on although nobody had begun to receive messages up to a size.
    pub(super) fn buffer(&mut self, size: u8) {
        self.buffered_size = self.buffered_size.max(size);
    }

    pub(super) fn bytes(&self) -> usize {
        self.joined.allocation_size() + self.waits.len() * 2 * size_of::<(u32, i64)>()
    }

    pub(super) fn facts(self) -> WaitFacts {
        let mut counts: HashMap<u32, (u64, bool, u64)> = HashMap::new();
        for ((value, _), count) in &self.joined {
            counts
                .entry(*value)
                .and_modify(|(first, is_regular, members)| {
                    *is_regular &= first == count;
                    *members += 1;
                })
                .or_insert((*count, true, 1));
        }
        let regular = counts.iter().filter(|(_, (_, is_regular, _))| *is_regular);
        let shared = counts.iter().filter(|(_, (.., members))| *members > 1);
        let mut before = 0;
        let first_waits = self.waits.into_iter().map(|(container, count)| {
            before += count;
            (container, before - count)
        });
        WaitFacts {
            regular_values: regular.map(|(value, _)| *value).collect(),
            shared_values: shared.map(|(value, (.., members))| (*value, *members)).collect(),
            first_waits: first_waits.collect(),
            linked_values: self.linked_values,
            buffered_size: self.buffered_size,
        }
    }
}

/// The collectives under way; see [`super::collectives`].
#[derive(Debug, Default)]
pub(crate) struct CollectiveNumbers {
    /// By value and container, how many there were.
    joined: HashMap<(u32, u32), u64>,
    /// By value, the states that have an instant in common.
    overlapping: HashMap<u32, OverlappingStates>,
}

#[derive(Debug)]
struct OverlappingStates {
    number: u64,
    containers: HashSet<u32>,
    first_end: i64,
}

impl CollectiveNumbers {
    /// The collectives of states that start at one instant, sorted by container, end (the last first) and value; `None`
    /// for a state that is none, or of which messages say who was waited for.
    pub(crate) fn groups_of(&mut self, states: &[TimedState], facts: &WaitFacts) -> Vec<Option<(u32, u64)>> {
        let mut groups = vec![None; states.len()];
        let mut overlapping = vec![];
        for (place, state) in states.iter().enumerate() {
            if !state.joins || facts.linked_values.contains(&state.value) {
                continue;
            }
            if facts.regular_values.contains(&state.value) {
                let count = self.joined.entry((state.value, state.container)).or_default();
                *count += 1;
                groups[place] = Some((state.value, *count));
            } else {
                overlapping.push(place);
            }
        }
        overlapping.sort_by_key(|place| (states[*place].container, states[*place].end));
        for place in overlapping {
            groups[place] = Some((states[place].value, self.overlapping_group(&states[place])));
        }
        groups
    }

    /// The number of the states of its value that a state has an instant in common with; states come by start and
    /// container.
    pub(super) fn overlapping_group(&mut self, state: &TimedState) -> u64 {
        let known = self.overlapping.entry(state.value).or_insert_with(|| OverlappingStates {
            number: 0,
            containers: HashSet::new(),
            first_end: i64::MAX,
        });
        if state.start >= known.first_end || known.containers.contains(&state.container) {
            known.number += 1;
            known.containers.clear();
            known.first_end = i64::MAX;
        }
        known.containers.insert(state.container);
        known.first_end = known.first_end.min(state.end);
        known.number
    }

    pub(crate) fn bytes(&self) -> usize {
        let containers = self.overlapping.values().map(|known| known.containers.allocation_size());
        self.joined.allocation_size() + self.overlapping.allocation_size() + containers.sum::<usize>()
    }
}
