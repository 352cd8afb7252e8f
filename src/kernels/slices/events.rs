//! Events per slice.

use super::{Cell, CellTree, Place, Slicing, Store, take};

/// How many events a slice has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count(u64);

impl Cell for Count {
    fn is_empty(&self) -> bool {
        self.0 == 0
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.0.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Count> {
        Some(Count(u64::from_le_bytes(take(bytes)?)))
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
        Place::Within { slice, .. } => slice,
        Place::After if tick == slicing.stop() && last_instant == LastInstant::Within => slicing.slices() - 1,
        _ => return None,
    };
    let (first, last) = slicing.asked();
    (first..=last).contains(&slice).then_some(slice)
}

/// Events of many series.
#[derive(Debug)]
pub struct Events {
    tree: CellTree<Count>,
}

impl Store for Events {
    /// A slice.
    type Part = u32;
    /// How many.
    type Measure = i64;

    fn new(slicing: Slicing) -> Events {
        Events { tree: CellTree::new(slicing.slices()) }
    }

    fn add_series(&mut self) -> u32 {
        self.tree.add_series()
    }

    #[inline]
    fn add(&mut self, series: u32, slice: u32) {
        self.tree.cell(series, slice).0 += 1;
    }

    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, i64)) {
        self.tree.each(series, &mut |slice, count| give(slice, count.0 as i64));
    }

    fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.tree.write(series, bytes);
    }

    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        self.tree.read(series, bytes, &mut |_, count, other| count.0 += other.0)
    }

    fn clear(&mut self) {
        self.tree.clear();
    }

    fn size(&self) -> usize {
        self.tree.size()
    }
}
