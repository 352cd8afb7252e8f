//! Links per slice: how many, how long, how much, how fast, and with how many partners.
//!
//! ```text
//!  slice       a      a+1      c
//!           |----##|######|##----|     inside: does not count, since it crosses a boundary
//!           |-####-|------|------|     inside: counts in a
//!                                      clip: counts in a, a+1 and c with the time that it has there
//! ```

mod summed;

pub use summed::{LinkSum, SummedPart};

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use super::events::{LastInstant, slice_of};
use super::partners::Partners;
use super::states::{self, StateSlices};
use super::{Leaves, SliceCell, SliceStore, Slicing, TickPosition, take};
use crate::sums::Sum;

/// What becomes of links that cross a boundary of slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// They do not count.
    Inside,
    /// They count in each slice for the part that lies there.
    Clip,
}

/// What begins or ends in a slice.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct SliceBounds {
    links: i64,
    /// Volume of what lies in the slice.
    volume: Sum,
    /// Volume times n-ths of a tick.
    weighted: Sum,
    /// Volume per second of the links.
    rate: Sum,
}

/// By how much the running sums of links that fill whole slices change.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct LinkSteps {
    links: i64,
    volume: Sum,
    rate: Sum,
}

impl LinkSteps {
    fn add(&mut self, other: &LinkSteps) {
        self.links += other.links;
        self.volume.add(other.volume);
        self.rate.add(other.rate);
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct LinkCell {
    direct: SliceBounds,
    steps: LinkSteps,
}

impl SliceCell for LinkCell {
    fn join(&mut self, other: LinkCell) {
        self.direct.links += other.direct.links;
        self.direct.volume.add(other.direct.volume);
        self.direct.weighted.add(other.direct.weighted);
        self.direct.rate.add(other.direct.rate);
        self.steps.add(&other.steps);
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let LinkCell { direct, steps } = self;
        bytes.extend_from_slice(&direct.links.to_le_bytes());
        bytes.extend_from_slice(&steps.links.to_le_bytes());
        [direct.volume, direct.weighted, direct.rate, steps.volume, steps.rate].iter().for_each(|sum| sum.write(bytes));
    }

    fn read(bytes: &mut &[u8]) -> Option<LinkCell> {
        let [links, steps] = [take(bytes)?, take(bytes)?].map(i64::from_le_bytes);
        let direct =
            SliceBounds { links, volume: Sum::read(bytes)?, weighted: Sum::read(bytes)?, rate: Sum::read(bytes)? };
        Some(LinkCell { direct, steps: LinkSteps { links: steps, volume: Sum::read(bytes)?, rate: Sum::read(bytes)? } })
    }
}

/// A link, before it is sliced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// When the link starts.
    pub start: i64,
    /// When the link ends.
    pub end: i64,
    /// `None` and what is no finite number add nothing to volumes.
    pub volume: Option<f64>,
    /// The other end.
    pub partner: Option<i64>,
}

/// What a link adds.
#[derive(Debug, Clone, Copy)]
pub struct LinkPart {
    link: Link,
    /// Its time in the slices; `None` when it has no length.
    time: Option<states::StatePart>,
    /// The first and last slice that it counts in.
    first: u32,
    last: u32,
}

impl LinkPart {
    /// `None` when the link does not count in any slice that is asked for.
    pub fn of(slicing: &Slicing, link: Link, boundary: Boundary, last_instant: LastInstant) -> Option<LinkPart> {
        if link.start == link.end {
            let slice = slice_of(slicing, link.start, last_instant)?;
            return Some(LinkPart { link, time: None, first: slice, last: slice });
        }
        if boundary == Boundary::Inside && (link.start < slicing.start() || link.end > slicing.stop()) {
            return None;
        }
        let time = states::StatePart::of(slicing, link.start, link.end)?;
        let (first, last) = time.slices(slicing)?;
        let part = LinkPart { link, time: Some(time), first, last };
        (boundary == Boundary::Clip || part.is_inside(slicing, &time)).then_some(part)
    }

    /// Whether a link that lies in the window starts in its first slice, and ends there or with it.
    fn is_inside(&self, slicing: &Slicing, time: &states::StatePart) -> bool {
        let starts =
            matches!(slicing.place(self.link.start), TickPosition::Within { slice, .. } if slice == self.first);
        let ends = time.to == self.first || time.to == self.first + 1 && time.to_rest == 0;
        let ends_last = self.first + 1 == slicing.slices() && self.link.end == slicing.stop();
        starts && (ends || ends_last)
    }
}

/// The links of a container in one slice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkSlice {
    /// How many links.
    pub links: i64,
    /// Seconds of links within the slice.
    pub seconds: f64,
    /// Volume of the links.
    pub volume: f64,
    /// Volume times seconds, over the length of the slice.
    pub weighted: f64,
    /// Sum of volume per second of the links.
    pub throughput: f64,
    /// How many different partners.
    pub partners: i64,
}

/// Links of many series.
#[derive(Debug)]
pub struct LinkSlices {
    slicing: Slicing,
    time: StateSlices,
    cells: Leaves<LinkCell>,
    partners: Partners,
}

impl LinkSlices {
    /// Adds the part of a link that lies in its first or last slice: `parts` n-ths of a tick.
    fn add_end(&mut self, series: u32, slice: u32, parts: i64, link: &Link) {
        let whole = (link.end - link.start) as f64;
        let slices = f64::from(self.slicing.slices());
        let per_second = self.slicing.per_second() as f64;
        let cell = &mut self.cells.cell(series, slice).direct;
        cell.links += 1;
        let Some(volume) = link.volume.filter(|volume| volume.is_finite()) else {
            return;
        };
        let share = if whole > 0.0 { parts as f64 / (whole * slices) } else { 1.0 };
        cell.volume.add(Sum::product(volume, share));
        cell.weighted.add(Sum::product_of_whole(volume, parts));
        if whole > 0.0 {
            cell.rate.add(Sum::of(volume / (whole / per_second)));
        }
    }

    /// Adds a link that fills the slices from `from` to before `to`.
    fn add_steps(&mut self, series: u32, from: u32, to: u32, link: &Link) {
        let seconds = (link.end - link.start) as f64 / self.slicing.per_second() as f64;
        let volume = link.volume.filter(|volume| volume.is_finite()).unwrap_or(0.0);
        let (volume, rate) = (Sum::of(volume), Sum::of(volume / seconds));
        self.cells.cell(series, from).steps.add(&LinkSteps { links: 1, volume, rate });
        if to <= self.slicing.asked().1 {
            let steps = &mut self.cells.cell(series, to).steps;
            steps.links -= 1;
            steps.volume.subtract(volume);
            steps.rate.subtract(rate);
        }
    }

    fn add_time(&mut self, series: u32, time: states::StatePart, part: &LinkPart) {
        let length = self.slicing.length();
        self.time.add(series, time);
        if time.from == time.to {
            return self.add_end(series, time.from, time.to_rest - time.from_rest, &part.link);
        }
        self.add_end(series, time.from, length - time.from_rest, &part.link);
        if time.to == part.last {
            self.add_end(series, time.to, time.to_rest, &part.link);
        }
        let filled_from = time.from + 1;
        if filled_from <= part.last && filled_from < time.to {
            self.add_steps(series, filled_from, time.to, &part.link);
        }
    }

    /// The cells that were changed, in order.
    fn changes(&self, series: u32) -> Vec<(u32, LinkCell)> {
        let mut changes = vec![];
        self.cells.each(series, &mut |slice, cell| changes.push((slice, *cell)));
        changes
    }
}

/// The links of one series, slice by slice, without their time.
struct LinkSweep<'a> {
    slicing: Slicing,
    changes: Peekable<Iter<'a, (u32, LinkCell)>>,
    steps: Peekable<Iter<'a, (u32, i64)>>,
    /// What covers whole slices, and how many partners there are.
    running: LinkSteps,
    partners: i64,
    /// The last change, and the slices from it to before the next that were not given.
    direct: SliceBounds,
    place: u32,
    slices: Range<u32>,
}

impl<'a> LinkSweep<'a> {
    fn new(slicing: Slicing, changes: &'a [(u32, LinkCell)], steps: &'a [(u32, i64)]) -> LinkSweep<'a> {
        LinkSweep {
            slicing,
            changes: changes.iter().peekable(),
            steps: steps.iter().peekable(),
            running: LinkSteps::default(),
            partners: 0,
            direct: SliceBounds::default(),
            place: 0,
            slices: 0..0,
        }
    }

    fn measure(&self, direct: &SliceBounds) -> LinkSlice {
        let running = &self.running;
        let length = self.slicing.length() as f64;
        let SliceBounds { links, mut volume, mut weighted, mut rate } = *direct;
        weighted.add(running.volume.times(length));
        volume.add(running.rate.times(self.slicing.slice_seconds()));
        rate.add(running.rate);
        LinkSlice {
            links: links + running.links,
            volume: volume.value(),
            weighted: weighted.value() / length,
            throughput: rate.value(),
            ..LinkSlice::default()
        }
    }
}

impl Iterator for LinkSweep<'_> {
    type Item = (u32, LinkSlice);

    fn next(&mut self) -> Option<(u32, LinkSlice)> {
        loop {
            let Some(slice) = self.slices.next() else {
                let (place, cell) = self.changes.next()?;
                self.running.add(&cell.steps);
                (self.place, self.direct) = (*place, cell.direct);
                // From change to change, every slice but the first is alike.
                let end = self.changes.peek().map_or(self.slicing.asked().1 + 1, |(next, _)| *next);
                self.slices = *place..if self.running.links > 0 { end } else { place + 1 };
                continue;
            };
            let direct = if slice == self.place { self.direct } else { SliceBounds::default() };
            let mut measure = self.measure(&direct);
            if measure.links == 0 {
                continue;
            }
            while let Some((_, step)) = self.steps.next_if(|(place, _)| *place <= slice) {
                self.partners += step;
            }
            measure.partners = self.partners;
            return Some((slice, measure));
        }
    }
}

impl SliceStore for LinkSlices {
    type Part = LinkPart;
    type Measure = LinkSlice;

    fn new(slicing: Slicing) -> LinkSlices {
        let cells = Leaves::new(slicing.slices());
        LinkSlices { slicing, time: StateSlices::new(slicing), cells, partners: Partners::default() }
    }

    fn add_series(&mut self) -> u32 {
        self.cells.add_series();
        self.time.add_series()
    }

    fn add(&mut self, series: u32, part: LinkPart) {
        match part.time {
            Some(time) => self.add_time(series, time, &part),
            None => self.add_end(series, part.first, 0, &part.link),
        }
        if let Some(partner) = part.link.partner {
            self.partners.add(series, partner, part.first, part.last);
        }
    }

    fn is_crowded(&self) -> bool {
        self.time.is_crowded() || self.cells.is_crowded()
    }

    fn tidy(&mut self) {
        self.time.tidy();
        self.cells.tidy(&mut |_, _, _| ());
        self.partners.tidy();
    }

    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, LinkSlice)) {
        let (changes, steps) = (self.changes(series), self.partners.steps(series));
        let mut links = LinkSweep::new(self.slicing, &changes, &steps);
        let mut next = links.next();
        // Both go from slice to slice, and every slice that has time has links.
        self.time.measures(series, &mut |slice, seconds| {
            while let Some((place, measure)) = next.filter(|(place, _)| *place <= slice) {
                give(place, LinkSlice { seconds: if place == slice { seconds } else { 0.0 }, ..measure });
                next = links.next();
            }
        });
        next.into_iter().chain(links).for_each(|(place, measure)| give(place, measure));
    }

    fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.time.write(series, bytes);
        self.cells.write(series, bytes);
        self.partners.write(series, bytes);
    }

    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        self.time.read(series, bytes)?;
        self.cells.read(series, bytes, &mut |_, _, _| ())?;
        self.partners.read(series, bytes)
    }

    fn clear(&mut self) {
        self.time.clear();
        self.cells.clear();
        self.partners = Partners::default();
    }

    fn size(&self) -> usize {
        self.time.size() + self.cells.size() + self.partners.size()
    }
}
