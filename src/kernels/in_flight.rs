//! Messages under way, slice by slice.
//!
//! ```text
//!  slices     |    0    |    1    |    2    |
//!  message        s─────────────►                sent in 0, under way in 0 and 1
//! ```
//! In: messages and a window that is cut into slices of equal length. Out: per slice what is sent and what is under way.
//! Times are multiplied by the number of slices, so that their boundaries are whole numbers: overlaps are exact. Cost: n + m
//! for n messages and m slices, whatever messages span.

#[cfg(test)]
mod tests;

use super::slices::events::LastInstant;
use super::sums::Sum;

/// A message. Times are ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InFlightMessage {
    /// When it is sent.
    pub start: i64,
    /// When it is received.
    pub end: i64,
    /// 0 when it is not known.
    pub volume: f64,
}

/// A window that is cut into slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlicedWindow {
    /// Where the window starts.
    pub start: i64,
    /// Later than the start.
    pub stop: i64,
    /// How many slices it has.
    pub count: usize,
    /// Whether what happens at the very stop belongs to the last slice.
    pub last: LastInstant,
}

/// What happens in a slice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traffic {
    /// Messages that start in it.
    pub sent: i64,
    /// Volume of the messages that start in it.
    pub sent_volume: f64,
    /// Messages that are under way at some time of it.
    pub in_flight: i64,
    /// Volume of the messages under way at some time of it.
    pub in_flight_volume: f64,
    /// How many are under way on average.
    pub mean_messages: f64,
    /// Volume under way on average.
    pub mean_volume: f64,
}

/// Counts the messages of each slice.
pub fn in_flight(messages: &[InFlightMessage], slices: &SlicedWindow) -> Vec<Traffic> {
    let mut counts = TrafficCounts::new(*slices);
    messages.iter().for_each(|message| counts.add(message));
    counts.traffic(&mut TrafficPosition::default(), slices.count)
}

/// The counts of all slices, from messages that come one by one and in any order.
#[derive(Debug, Clone)]
pub struct TrafficCounts {
    slices: SlicedWindow,
    /// Empty before the first message.
    totals: Vec<Totals>,
}

/// How far slices were given, and what is under way there.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrafficPosition {
    next: usize,
    under_way: FlightSteps,
    covers: FlightSteps,
}

impl TrafficCounts {
    /// Nothing so far, which takes no room.
    pub fn new(slices: SlicedWindow) -> TrafficCounts {
        TrafficCounts { slices, totals: vec![] }
    }

    /// Adds a message.
    pub fn add(&mut self, message: &InFlightMessage) {
        if self.totals.is_empty() {
            self.totals = vec![Totals::default(); self.slices.count + 1];
        }
        self.slices.add(message, &mut self.totals);
    }

    /// Bytes on the heap from the first message on.
    pub fn bytes(&self) -> usize {
        (self.slices.count + 1) * size_of::<Totals>()
    }

    /// What happens in the next slices, so many at most; none when all were given.
    pub fn traffic(&self, position: &mut TrafficPosition, most: usize) -> Vec<Traffic> {
        let length = self.slices.length() as f64;
        let end = self.slices.count.min(position.next.saturating_add(most));
        let TrafficPosition { next, under_way, covers } = position;
        let slices = *next..end;
        *next = end;
        let traffic = |slice: usize| {
            let total = self.totals.get(slice).copied().unwrap_or_default();
            under_way.add(&total.under_way);
            covers.add(&total.covers);
            let mut mean_volume = total.part_volume;
            mean_volume.add(covers.volume.times(length));
            Traffic {
                sent: total.sent,
                sent_volume: total.sent_volume.value(),
                in_flight: under_way.messages,
                in_flight_volume: under_way.volume.value(),
                mean_messages: (total.part as f64 + covers.messages as f64 * length) / length,
                mean_volume: mean_volume.value() / length,
            }
        };
        slices.map(traffic).collect()
    }
}

/// A number of messages and their volume, as a change from one slice to the next.
#[derive(Debug, Clone, Copy, Default)]
struct FlightSteps {
    messages: i64,
    volume: Sum,
}

impl FlightSteps {
    fn add(&mut self, other: &FlightSteps) {
        self.messages += other.messages;
        self.volume.add(other.volume);
    }

    fn begin(&mut self, volume: f64) {
        self.messages += 1;
        self.volume.add(Sum::of(volume));
    }

    fn end(&mut self, volume: f64) {
        self.messages -= 1;
        self.volume.subtract(Sum::of(volume));
    }
}

/// What is added to a slice.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    sent: i64,
    sent_volume: Sum,
    under_way: FlightSteps,
    /// Messages that are under way all the time, from this slice on.
    covers: FlightSteps,
    /// Ticks times slices that messages take a part of the slice.
    part: i128,
    part_volume: Sum,
}

impl SlicedWindow {
    /// Length of a slice, in ticks times slices.
    fn length(&self) -> i128 {
        i128::from(self.stop) - i128::from(self.start)
    }

    /// An instant, in ticks times slices after the start.
    fn scaled(&self, tick: i64) -> i128 {
        (i128::from(tick) - i128::from(self.start)) * self.count as i128
    }

    fn add(&self, message: &InFlightMessage, totals: &mut [Totals]) {
        let (begin, end) = (self.scaled(message.start), self.scaled(message.end));
        let (length, all) = (self.length(), self.scaled(self.stop));
        let slice = |at: i128| (at / length) as usize;
        let is_last = |at: i128| at == all && self.last == LastInstant::Within;
        if (0..all).contains(&begin) || is_last(begin) {
            let total = &mut totals[slice(begin).min(self.count - 1)];
            total.sent += 1;
            total.sent_volume.add(Sum::of(message.volume));
        }
        let is_instant = begin == end;
        if end < 0 || (end == 0 && !is_instant) || (begin >= all && !(is_instant && is_last(begin))) {
            return;
        }
        let first = slice(begin.max(0)).min(self.count - 1);
        // What ends on a boundary is not under way behind it.
        let last = if is_instant { first } else { slice(end.min(all) - 1) };
        totals[first].under_way.begin(message.volume);
        totals[last + 1].under_way.end(message.volume);
        let mut part = |slice: usize, from: i128, to: i128| {
            totals[slice].part += to - from;
            totals[slice].part_volume.add(Sum::product(message.volume, (to - from) as f64));
        };
        let (from, to) = (begin.max(0), end.min(all));
        if first == last {
            part(first, from, to.max(from));
        } else {
            part(first, from, (first as i128 + 1) * length);
            part(last, last as i128 * length, to);
            totals[first + 1].covers.begin(message.volume);
            totals[last].covers.end(message.volume);
        }
    }
}
