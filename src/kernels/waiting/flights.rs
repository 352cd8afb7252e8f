//! The messages of a container that are in flight, by the order in which they were sent.

use std::collections::VecDeque;

/// So many that have landed may stay among those in flight.
const MOST_LANDED: usize = 32;

/// Messages in flight: when each was sent, its number, and whether it has landed. The first is in flight.
#[derive(Debug, Default)]
pub(super) struct Flights {
    sent: VecDeque<(i64, u64, bool)>,
    landed: usize,
}

impl Flights {
    /// Adds a message that is sent no earlier than the one before, and has a larger number.
    pub(super) fn add(&mut self, start: i64, number: u64) {
        self.sent.push_back((start, number, false));
    }

    /// A message lands.
    pub(super) fn land(&mut self, number: u64) {
        let place = self.sent.partition_point(|(_, known, _)| *known < number);
        if let Some((_, known, has_landed)) = self.sent.get_mut(place)
            && *known == number
        {
            *has_landed = true;
            self.landed += 1;
        }
        while self.sent.front().is_some_and(|(.., has_landed)| *has_landed) {
            self.sent.pop_front();
            self.landed -= 1;
        }
        // One that flies for long must not keep all that are sent after it.
        if self.landed > MOST_LANDED.max(self.sent.len() / 2) {
            self.sent.retain(|(.., has_landed)| !has_landed);
            self.landed = 0;
        }
    }

    /// When the first of those in flight was sent.
    pub(super) fn first(&self) -> Option<i64> {
        self.sent.front().map(|(start, ..)| *start)
    }
}
