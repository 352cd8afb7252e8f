//! Events per slice.

use super::{Leaves, SliceCell, SliceStore, Slicing, TickPosition, take};

/// How many events a slice has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct EventCount(u64);

impl SliceCell for EventCount {
    fn join(&mut self, other: EventCount) {
        self.0 += other.0;
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.0.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<EventCount> {
        Some(EventCount(u64::from_le_bytes(take(bytes)?)))
    }
}

/// What happens at the very end of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastInstant {
    /// It belongs to the last slice: nothing comes later.
    Within,
    /// It belongs to what comes later.
    Outside,
}

/// The slice of an instant, if it is asked for.
#[inline]
pub fn slice_of(slicing: &Slicing, tick: i64, last_instant: LastInstant) -> Option<u32> {
    let slice = match slicing.place(tick) {
        TickPosition::Within { slice, .. } => slice,
        TickPosition::After if tick == slicing.stop() && last_instant == LastInstant::Within => slicing.slices() - 1,
        _ => return None,
    };
    let (first, last) = slicing.asked();
    (first..=last).contains(&slice).then_some(slice)
}

/// Events of many series.
#[derive(Debug)]
pub struct EventSlices {
    counts: Leaves<EventCount>,
}

impl EventSlices {
    /// Adds several events of a slice.
    pub fn add_sum(&mut self, series: u32, slice: u32, events: u64) {
        self.counts.cell(series, slice).0 += events;
    }
}

impl SliceStore for EventSlices {
    /// A slice.
    type Part = u32;
    /// How many.
    type Measure = i64;

    fn new(slicing: Slicing) -> EventSlices {
        EventSlices { counts: Leaves::new(slicing.slices()) }
    }

    fn add_series(&mut self) -> u32 {
        self.counts.add_series()
    }

    #[inline]
    fn add(&mut self, series: u32, slice: u32) {
        self.counts.cell(series, slice).0 += 1;
    }

    fn is_crowded(&self) -> bool {
        self.counts.is_crowded()
    }

    fn tidy(&mut self) {
        self.counts.tidy(&mut |_, _, _| ());
    }

    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, i64)) {
        self.counts.each(series, &mut |slice, count| give(slice, count.0 as i64));
    }

    fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.counts.write(series, bytes);
    }

    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        self.counts.read(series, bytes, &mut |_, _, _| ())
    }

    fn clear(&mut self) {
        self.counts.clear();
    }

    fn size(&self) -> usize {
        self.counts.size()
    }
}
