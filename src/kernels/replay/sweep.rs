//! The replay: instant after instant of measured time, all points of an instant at once.
//!
//! ```text
//!  rows that begin, states and links that end ─► points ─► when they are reached ─► rows with new times
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::changes::ReplayChanges;
use super::facts::ReplayFacts;
use super::groups::ReplayGroups;
use super::happenings::Happenings;
use super::instant::{InstantPoint, solve};
use super::lane::{FlyingReplay, OpenReplay, ReplayLane};
use super::moment::Moment;
use super::{ReplayLink, ReplayPart, ReplayRow, ReplayState, Replayed};
use crate::waiting::WaitMessage;

/// What ends at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReplayEnd {
    /// A link arrives.
    Arrival(u64),
    /// A link that counted as sent when it was received is sent.
    Departure(u64),
    /// The state of a container.
    State(u32),
}

/// The replay; see the file's head.
#[derive(Debug)]
pub struct ReplaySweep<D> {
    pub(super) changes: ReplayChanges,
    pub(super) facts: ReplayFacts,
    now: i64,
    /// The rows that begin now.
    states: Vec<ReplayState<D>>,
    links: Vec<ReplayLink<D>>,
    pub(super) lanes: HashMap<u32, ReplayLane<D>>,
    pub(super) flying: HashMap<u64, FlyingReplay<D>>,
    ends: BinaryHeap<Reverse<(i64, ReplayEnd)>>,
    pub(super) groups: ReplayGroups,
    next: u64,
    /// How many carried states lanes hold.
    carried: usize,
}

impl<D> ReplaySweep<D> {
    /// A replay with changes.
    pub fn new(changes: ReplayChanges, facts: ReplayFacts) -> ReplaySweep<D> {
        ReplaySweep {
            changes,
            facts,
            now: i64::MIN,
            states: vec![],
            links: vec![],
            lanes: HashMap::new(),
            flying: HashMap::new(),
            ends: BinaryHeap::new(),
            groups: ReplayGroups::default(),
            next: 0,
            carried: 0,
        }
    }

    /// Adds a state that starts no earlier than the row before. One that ends before it starts has no length.
    pub fn add_state(&mut self, row: ReplayState<D>, give: &mut impl FnMut(Replayed<D>)) {
        self.advance(row.state.start, give);
        if row.part == ReplayPart::Carried {
            let lane = self.lanes.entry(row.state.container).or_default();
            self.carried += 1;
            return lane.carried.get_or_insert_default().add(row);
        }
        self.states.push(row);
    }

    /// Adds a link that starts, or is received, no earlier than the row before: clocks may differ.
    pub fn add_link(&mut self, link: ReplayLink<D>, give: &mut impl FnMut(Replayed<D>)) {
        self.advance(link.message.start.min(link.message.end), give);
        self.links.push(link);
    }

    /// Replays what is left.
    pub fn finish(&mut self, give: &mut impl FnMut(Replayed<D>)) {
        self.run(self.now, give);
        while let Some(Reverse((tick, _))) = self.ends.peek().copied() {
            self.run(tick, give);
        }
        for lane in self.lanes.values_mut() {
            if let Some(mut carried) = lane.carried.take() {
                carried.finish(lane.last, give);
            }
        }
        self.carried = 0;
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let lanes = self.lanes.capacity() * (size_of::<ReplayLane<D>>() + 16);
        let flying = self.flying.capacity() * (size_of::<FlyingReplay<D>>() + 48);
        let ends = self.ends.capacity() * size_of::<(i64, ReplayEnd)>();
        let points = self.lanes.len() * 2 * size_of::<InstantPoint>();
        let rows =
            self.states.capacity() * size_of::<ReplayState<D>>() + self.links.capacity() * size_of::<ReplayLink<D>>();
        let carried = self.carried * 2 * size_of::<ReplayState<D>>();
        lanes + flying + ends + points + rows + carried + self.groups.bytes()
    }

    fn advance(&mut self, tick: i64, give: &mut impl FnMut(Replayed<D>)) {
        if tick <= self.now {
            return;
        }
        self.run(self.now, give);
        while let Some(Reverse((end, _))) = self.ends.peek().copied().filter(|Reverse((end, _))| *end < tick) {
            self.run(end, give);
        }
        self.now = tick;
    }

    /// Replays an instant.
    fn run(&mut self, tick: i64, give: &mut impl FnMut(Replayed<D>)) {
        let mut all = self.happenings(tick);
        if all.containers.is_empty() {
            return;
        }
        for number in &all.arrivals {
            self.note_arrival(*number);
        }
        self.wait_for_messages(&mut all);
        for place in 0..all.containers.len() {
            self.reach(&mut all, place);
        }
        solve(&mut all.points, &mut all.needs);
        self.commit(all, give);
    }

    /// What happens at an instant.
    fn happenings(&mut self, tick: i64) -> Happenings<D> {
        let (mut states, mut links) = (vec![], vec![]);
        if tick == self.now {
            (states, links) = (std::mem::take(&mut self.states), std::mem::take(&mut self.links));
        }
        states.sort_by_key(|row| (row.state.container, Reverse(row.state.end), row.state.value));
        links.sort_by_key(|link| (link.message.source, link.message.target, link.message.end));
        let mut all = Happenings {
            tick,
            arrivals: vec![],
            departures: vec![],
            ended: vec![],
            states,
            links: vec![],
            containers: vec![],
            points: vec![],
            is_released: vec![],
            needs: vec![],
        };
        while let Some(Reverse((_, end))) = self.ends.peek().copied().filter(|Reverse((time, _))| *time <= tick) {
            self.ends.pop();
            match end {
                ReplayEnd::Arrival(number) => all.arrivals.push(number),
                ReplayEnd::Departure(number) => all.departures.push(number),
                ReplayEnd::State(container) => all.ended.push(container),
            }
        }
        for link in links {
            let number = self.next;
            self.next += 1;
            all.links.push(number);
            match link.message.end > tick {
                true => self.ends.push(Reverse((link.message.end, ReplayEnd::Arrival(number)))),
                false => all.arrivals.push(number),
            }
            self.flying.insert(number, FlyingReplay { link, sent: tick, flies: 0, start: None, end: None });
        }
        let message = |number: &u64| self.flying[number].link.message;
        all.containers.extend(all.ended.iter().chain(all.states.iter().map(|row| &row.state.container)));
        all.containers.extend(all.arrivals.iter().map(|number| message(number).target));
        all.containers.extend(all.departures.iter().chain(&all.links).map(|number| message(number).source));
        all.containers.sort_unstable();
        all.containers.dedup();
        all.points = vec![InstantPoint { time: i64::MIN, is_explained: false, own: i64::MIN }; all.containers.len()];
        all.is_released = vec![false; all.containers.len()];
        all
    }

    /// All points are known: rows end and begin.
    fn commit(&mut self, mut all: Happenings<D>, give: &mut impl FnMut(Replayed<D>)) {
        for (place, container) in all.containers.iter().enumerate() {
            let lane = self.lanes.entry(*container).or_default();
            let point = Moment { old: all.tick, new: all.points[place].time };
            let before = lane.last.replace(point);
            if let Some(carried) = &mut lane.carried {
                let held = carried.len();
                carried.pass(before, point, give);
                self.carried -= held - carried.len();
            }
            if let Some(open) = &mut lane.open {
                open.is_released |= all.is_released[place];
                open.gathered = None;
            }
        }
        for container in &all.ended {
            let Some(open) = self.lanes.get_mut(container).and_then(|lane| lane.open.take()) else { continue };
            if let Some(group) = open.group {
                self.groups.leave(group, &self.facts.waits);
            }
            let (start, end) = (open.start.new, all.moment(*container).new);
            if open.row.part == ReplayPart::Whole {
                give(Replayed { row: ReplayRow::State(open.row), start, end });
            }
        }
        self.begin_states(&mut all, give);
        self.begin_links(&all);
        self.end_links(&all, give);
    }

    fn begin_states(&mut self, all: &mut Happenings<D>, give: &mut impl FnMut(Replayed<D>)) {
        let states = std::mem::take(&mut all.states);
        let (lasting, brief): (Vec<_>, Vec<_>) = states.into_iter().partition(|row| row.state.start < row.state.end);
        for row in brief {
            let at = all.moment(row.state.container).new;
            give(Replayed { row: ReplayRow::State(row), start: at, end: at });
        }
        let plain: Vec<_> = lasting.iter().map(|row| row.state).collect();
        let groups = self.groups.of_states(&plain, &self.facts.waits);
        for (row, group) in lasting.into_iter().zip(groups) {
            let (container, start) = (row.state.container, all.moment(row.state.container));
            if let Some(group) = group {
                self.groups.enter(group, start);
            }
            self.ends.push(Reverse((row.state.end, ReplayEnd::State(container))));
            let lane = self.lanes.entry(container).or_default();
            lane.phase.begin(&row.state, &self.facts);
            let open = OpenReplay {
                row,
                start,
                group,
                is_reached: false,
                is_released: false,
                gathered: None,
                receivers: None,
            };
            lane.open = Some(open);
        }
    }

    fn begin_links(&mut self, all: &Happenings<D>) {
        for number in &all.links {
            let Some(flying) = self.flying.get_mut(number) else { continue };
            let message = flying.link.message;
            let at = all.moment(message.source).new;
            flying.flies = at;
            flying.start = (message.start == all.tick).then_some(at);
            if message.end > all.tick {
                self.lanes.entry(message.source).or_default().sent.insert((all.tick, *number));
            }
        }
        let source = |number: &u64| self.flying[number].link.message.source;
        let of_collectives = all.links.iter().copied().filter(|number| {
            let message = self.flying[number].link.message;
            message.is_collective && message.end > all.tick
        });
        let of_collectives: Vec<u64> = of_collectives.collect();
        let by_source: Vec<&[u64]> = of_collectives.chunk_by(|one, other| source(one) == source(other)).collect();
        for links in by_source {
            self.gather(all, links);
        }
    }

    /// A container comes to a collective and sends links to others. If they are there already, none goes on before all
    /// have come.
    fn gather(&mut self, all: &Happenings<D>, links: &[u64]) {
        let message = |number: &u64| self.flying[number].link.message;
        let source = message(&links[0]).source;
        let mut come = all.moment(source);
        for number in links {
            let WaitMessage { target, end, .. } = message(number);
            let open = self.lanes.get(&target).and_then(|lane| lane.open.as_ref());
            match open.filter(|open| open.row.state.end >= end && open.row.state.is_blocked()) {
                Some(open) => come = come.and(open.start),
                None => return,
            }
        }
        for number in links {
            if let Some(flying) = self.flying.get_mut(number) {
                flying.flies = come.new;
            }
        }
        if let Some(open) = self.lanes.get_mut(&source).and_then(|lane| lane.open.as_mut()) {
            open.gathered = Some(come);
        }
    }

    fn end_links(&mut self, all: &Happenings<D>, give: &mut impl FnMut(Replayed<D>)) {
        for number in all.arrivals.iter().chain(&all.departures) {
            let Some(mut flying) = self.flying.remove(number) else { continue };
            let message = flying.link.message;
            if let Some(lane) = self.lanes.get_mut(&message.source) {
                lane.sent.remove(&(flying.sent, *number));
            }
            if message.end == all.tick {
                flying.end = Some(all.moment(message.target).new);
            }
            if message.start == all.tick {
                flying.start = Some(all.moment(message.source).new);
            }
            match (flying.start, flying.end) {
                (Some(start), Some(end)) => give(Replayed { row: ReplayRow::Link(flying.link), start, end }),
                _ => {
                    self.ends.push(Reverse((message.start, ReplayEnd::Departure(*number))));
                    self.flying.insert(*number, flying);
                }
            }
        }
    }
}
