//! Links of which a part was added up before: the rows of some bands of time, and the sums of the others.
//!
//! ```text
//!  slices       |                 |
//!  bands    | ~~|~ ~~ | ~~ ~~ |~~ | ~~  |      a link that lies in a band with a boundary is a row
//!                   ~~~~    ~~~~ ~~~~          one that crosses a border of bands is there by itself, beside the sums
//! ```

use super::super::events::LastInstant;
use super::super::{CutBands, Slicing, takes_apart, takes_band};
use super::{Boundary, Link, LinkPart, LinkSlices};
use crate::bands::crosses_border;
use crate::slices::SliceStore;
use crate::sums::Sum;

/// What the links of a series have in a band, or one link that crosses its borders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkSum {
    /// When the band or the link begins, and that plus the time of all links.
    pub interval: (i64, i64),
    /// The band is `2^shift` ticks wide.
    pub shift: u32,
    /// How many links.
    pub links: i64,
    /// Their volume; `None` when none has one.
    pub volume: Option<Sum>,
    /// Volume times ticks.
    pub weighted: Sum,
    /// Volume per second.
    pub rate: Sum,
    /// The other end of all of them.
    pub partner: Option<i64>,
}

/// Where a sum counts.
#[derive(Debug, Clone, Copy)]
pub enum SummedPart {
    /// Whole, in a slice.
    Slice(u32),
    /// As the one link that it is.
    Link(LinkPart),
}

impl LinkSum {
    /// `None` when it does not count in any slice that is asked for, or when a wider band counts in its place. The widest
    /// bands have `2^coarsest` ticks.
    pub fn part(
        &self,
        slicing: &Slicing,
        coarsest: u32,
        boundary: Boundary,
        last_instant: LastInstant,
    ) -> Option<SummedPart> {
        let (start, end) = self.interval;
        if self.links == 1 && crosses_border(start, end, self.shift) {
            let link = Link { start, end, volume: self.volume.map(Sum::value), partner: self.partner };
            let counts = takes_apart(slicing, start, self.shift, coarsest);
            return counts.then(|| LinkPart::of(slicing, link, boundary, last_instant))?.map(SummedPart::Link);
        }
        if !takes_band(slicing, start, self.shift, coarsest) {
            return None;
        }
        let (slice, (first, last)) = (slicing.divide(start).0, slicing.asked());
        (first..=last).contains(&slice).then_some(SummedPart::Slice(slice))
    }
}

impl LinkPart {
    /// Whether the link lies in one of the bands of `2^shift` ticks that hold a boundary: then it counts as a row.
    #[inline]
    pub fn is_in_cut_band(&self, cut: &CutBands, shift: u32) -> bool {
        !crosses_border(self.link.start, self.link.end, shift) && cut.has(self.link.start)
    }
}

impl LinkSlices {
    /// Adds a sum where it counts.
    pub fn add_sum(&mut self, series: u32, sum: &LinkSum, part: SummedPart) {
        let slice = match part {
            SummedPart::Link(part) => return self.add(series, part),
            SummedPart::Slice(slice) => slice,
        };
        self.time.add_sums(&[series], &[sum.interval.0], &[sum.interval.1]);
        let slices = f64::from(self.slicing.slices());
        let cell = &mut self.cells.cell(series, slice).direct;
        cell.links += sum.links;
        if let Some(volume) = sum.volume {
            cell.volume.add(volume);
            cell.weighted.add(sum.weighted.times(slices));
            cell.rate.add(sum.rate);
        }
        if let Some(partner) = sum.partner {
            self.partners.add(series, partner, slice, slice);
        }
    }
}
