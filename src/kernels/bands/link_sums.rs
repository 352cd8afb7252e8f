//! What links have in a band of time: those that begin and end there.

use super::measures::{BandMeasure, TimeSums};
use crate::slices::{SliceCell, take};
use crate::sums::Sum;

/// A link that is added up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummedLink {
    /// When it starts.
    pub start: i64,
    /// A finite number, if it has one.
    pub volume: Option<f64>,
    /// Ticks of a second.
    pub per_second: i64,
}

/// Sums of links. Those of doubles carry twice the digits, as those of slices do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkSums {
    /// How many links, and the time of all.
    pub time: TimeSums,
    /// When the link starts, if it is one.
    pub start: i64,
    /// How many links have a volume.
    pub volumes: u32,
    /// Their volumes.
    pub volume: Sum,
    /// Volume times ticks.
    pub weighted: Sum,
    /// Volume per second, of those that take time.
    pub rate: Sum,
}

impl BandMeasure for LinkSums {
    type Row = SummedLink;
    const IS_WHOLE: bool = true;

    #[inline]
    fn of(link: &SummedLink, ticks: i64, is_begin: bool) -> LinkSums {
        let mut sums = LinkSums { time: TimeSums::of(&(), ticks, is_begin), start: link.start, ..LinkSums::default() };
        let Some(volume) = link.volume else {
            return sums;
        };
        sums.volumes = 1;
        sums.volume = Sum::of(volume);
        sums.weighted = Sum::product(volume, ticks as f64);
        if ticks > 0 {
            sums.rate = Sum::of(volume / (ticks as f64 / link.per_second as f64));
        }
        sums
    }

    #[inline]
    fn is_apart(&self, shift: u32) -> bool {
        self.time.count == 1 && crosses_border(self.start, self.start + self.time.ticks, shift)
    }

    #[inline]
    fn join(&mut self, other: LinkSums) -> bool {
        self.volumes = self.volumes.saturating_add(other.volumes);
        self.volume.add(other.volume);
        self.weighted.add(other.weighted);
        self.rate.add(other.rate);
        let is_finite = [self.volume, self.weighted, self.rate].iter().all(|sum| sum.value().is_finite());
        self.time.join(other.time) && is_finite
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        self.time.write(bytes);
        bytes.extend_from_slice(&self.start.to_le_bytes());
        bytes.extend_from_slice(&self.volumes.to_le_bytes());
        [self.volume, self.weighted, self.rate].iter().for_each(|sum| SliceCell::write(sum, bytes));
    }

    fn read(bytes: &mut &[u8]) -> Option<LinkSums> {
        Some(LinkSums {
            time: TimeSums::read(bytes)?,
            start: i64::from_le_bytes(take(bytes)?),
            volumes: u32::from_le_bytes(take(bytes)?),
            volume: <Sum as SliceCell>::read(bytes)?,
            weighted: <Sum as SliceCell>::read(bytes)?,
            rate: <Sum as SliceCell>::read(bytes)?,
        })
    }
}

/// Whether `[start, end)` crosses a border of bands of `2^shift` ticks: no band contains it. None contains what ends before it
/// starts.
#[inline]
pub fn crosses_border(start: i64, end: i64, shift: u32) -> bool {
    end < start || start >> shift != (end - i64::from(end > start)) >> shift
}
