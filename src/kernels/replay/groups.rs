//! Collectives under way, where no links tell who was waited for.

use hashbrown::HashMap;

use super::moment::Moment;
use crate::waiting::{CollectiveNumbers, TimedState, WaitFacts};

/// A collective, by value and number.
type GroupKey = (u32, u64);

#[derive(Debug, Clone, Copy)]
struct ReplayGroup {
    /// When the last one came, of those so far.
    come: Moment,
    entered: u64,
    left: u64,
}

/// All collectives that somebody is in, or may still come to.
#[derive(Debug, Default)]
pub(super) struct ReplayGroups {
    numbers: CollectiveNumbers,
    open: HashMap<GroupKey, ReplayGroup>,
}

impl ReplayGroups {
    /// The collectives of states that start at one instant, sorted by container, end (the last first) and value.
    pub(super) fn of_states(&mut self, states: &[TimedState], facts: &WaitFacts) -> Vec<Option<GroupKey>> {
        self.numbers.groups_of(states, facts)
    }

    pub(super) fn enter(&mut self, key: GroupKey, at: Moment) {
        let group = self.open.entry(key).or_insert(ReplayGroup { come: at, entered: 0, left: 0 });
        group.come = group.come.and(at);
        group.entered += 1;
    }

    /// A member goes on. A collective is forgotten when nobody can come to it any more.
    pub(super) fn leave(&mut self, key: GroupKey, facts: &WaitFacts) {
        let Some(group) = self.open.get_mut(&key) else { return };
        group.left += 1;
        let members = if facts.is_regular(key.0) { facts.members_of(key.0) } else { group.entered };
        if group.left >= members {
            self.open.remove(&key);
        }
    }

    /// When the last one came, of those so far.
    pub(super) fn come(&self, key: GroupKey) -> Option<Moment> {
        self.open.get(&key).map(|group| group.come)
    }

    pub(super) fn bytes(&self) -> usize {
        self.numbers.bytes() + self.open.allocation_size()
    }
}
