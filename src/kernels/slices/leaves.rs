//! Cells of many series, one per slice, that take room only where something was written.
//!
//! Rows mostly come in the order of time. So each series has one open leaf of neighboring cells, which
//! takes what is written there; when a slice lies elsewhere, the cells that were changed are packed away:
//!
//! ```text
//!  open leaf  . 3 . . 1 2 . .   ─►   packed: first slice, mask 01001100, and cells 3 1 2
//! ```
//! Packed leaves lie in the order in which they came. Where that is not the order of slices, [`Leaves::tidy`] sorts
//! them and joins those of the same slices: before they are read, and whenever there are twice as many as after
//! the last time. So room grows with cells, not with rows, whatever the order of rows.

use super::cell::SliceCell;
use super::packed::{Leaf, MOST_CELLS, Packed};

const LEAF_BYTES: usize = 256;

/// Where the cells of a series lie.
#[derive(Debug, Clone, Copy)]
struct SeriesCells {
    /// Its open leaf, ...
    leaf: Leaf,
    /// ... the number of that among all open leaves, ...
    open: u32,
    /// ... and where its leaves lie that were packed away.
    packed: u32,
}

/// A series without leaves. Its first slice is farther than a leaf from every slice.
const NEW: SeriesCells = SeriesCells { leaf: Leaf { first: 1 << 31, mask: 0 }, open: u32::MAX, packed: u32::MAX };

/// Fewer packed leaves than this are not worth sorting.
const FEW: usize = 1 << 16;

/// Cells of many series.
#[derive(Debug)]
pub struct Leaves<C> {
    /// Cells per leaf, as a power of two: fewer when there are fewer slices.
    bits: u32,
    series: Vec<SeriesCells>,
    /// The cells of open leaves.
    open: Vec<C>,
    /// What was packed away of the series that have such leaves; those behind are empty.
    packed: Vec<Packed<C>>,
    used: usize,
    /// Bytes that packed leaves hold.
    held: usize,
    /// How many leaves were packed away, and how many there were when they were last sorted.
    count: usize,
    sorted: usize,
    is_sorted: bool,
}

impl<C: SliceCell> Leaves<C> {
    /// For series of that many cells.
    pub fn new(slices: u32) -> Leaves<C> {
        let cells = (LEAF_BYTES / size_of::<C>()).clamp(2, MOST_CELLS);
        let bits = cells.ilog2().min(slices.next_power_of_two().ilog2());
        let (series, open, packed) = (vec![], vec![], vec![]);
        Leaves { bits, series, open, packed, used: 0, held: 0, count: 0, sorted: 0, is_sorted: true }
    }

    /// Adds a series without cells; gives its number.
    pub fn add_series(&mut self) -> u32 {
        self.series.push(NEW);
        (self.series.len() - 1) as u32
    }

    /// Forgets all series, and keeps the room for others.
    pub fn clear(&mut self) {
        self.series.clear();
        self.open.clear();
        self.packed[..self.used].iter_mut().for_each(Packed::clear);
        (self.used, self.count, self.sorted, self.is_sorted) = (0, 0, 0, true);
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.series.capacity() * size_of::<SeriesCells>()
            + self.open.capacity() * size_of::<C>()
            + self.packed.capacity() * size_of::<Packed<C>>()
            + self.held
    }

    /// The cell of a slice, to be changed: it may be a new one beside one that was packed away.
    #[inline(always)]
    pub fn cell(&mut self, series: u32, slice: u32) -> &mut C {
        let SeriesCells { leaf, open, .. } = &mut self.series[series as usize];
        let into = slice.wrapping_sub(leaf.first);
        if into >> self.bits == 0 {
            leaf.mask |= 1 << into;
            return &mut self.open[((*open as usize) << self.bits) + into as usize];
        }
        self.turn(series, slice)
    }

    /// The cell of a slice that does not lie in the open leaf: that leaf is packed away, and another one opened. Unless
    /// the slice lies before it: rows that come late are few, and the next one lies where the others did.
    #[inline(never)]
    fn turn(&mut self, series: u32, slice: u32) -> &mut C {
        let into = slice & ((1 << self.bits) - 1);
        let SeriesCells { leaf, open, .. } = self.series[series as usize];
        if open != NEW.open && slice < leaf.first && self.packed(series).is_none_or(Packed::has_place) {
            let place = self.change_packed(series, |packed, _| packed.place(slice - into, into));
            let packed = self.series[series as usize].packed;
            return &mut self.packed[packed as usize].cells[place];
        }
        if open == NEW.open {
            self.series[series as usize].open = (self.open.len() >> self.bits) as u32;
            self.open.resize(self.open.len() + (1 << self.bits), C::default());
        } else {
            self.pack(series);
        }
        let SeriesCells { leaf, open, .. } = &mut self.series[series as usize];
        *leaf = Leaf { first: slice - into, mask: 1 << into };
        &mut self.open[((*open as usize) << self.bits) + into as usize]
    }

    /// The cells of the open leaf of a series that were changed.
    #[inline]
    fn open_cells(&self, series: u32) -> impl Iterator<Item = C> + '_ {
        let SeriesCells { leaf, open, .. } = self.series[series as usize];
        leaf.places().map(move |place| self.open[((open as usize) << self.bits) + place as usize])
    }

    /// What was packed away of a series, if anything.
    #[inline]
    fn packed(&self, series: u32) -> Option<&Packed<C>> {
        self.packed.get(self.series[series as usize].packed as usize)
    }

    /// Changes what was packed away of a series.
    fn change_packed<T>(&mut self, series: u32, change: impl FnOnce(&mut Packed<C>, &[C]) -> T) -> T {
        let series = &mut self.series[series as usize];
        if series.packed == NEW.packed {
            if self.used == self.packed.len() {
                self.packed.push(Packed::NONE);
            }
            series.packed = self.used as u32;
            self.used += 1;
        }
        let packed = &mut self.packed[series.packed as usize];
        let (size, count) = (packed.size(), packed.leaves.len());
        let result = change(packed, &self.open);
        self.held = self.held + packed.size() - size;
        self.count = self.count + packed.leaves.len() - count;
        self.is_sorted &= packed.is_sorted;
        result
    }

    /// Packs an open leaf away, and leaves it empty.
    fn pack(&mut self, series: u32) {
        let SeriesCells { leaf, open, .. } = self.series[series as usize];
        if leaf.count() > 0 {
            let begin = (open as usize) << self.bits;
            self.change_packed(series, |packed, open| packed.push(leaf, &open[begin..]));
            self.open[begin..begin + (1 << self.bits)].fill(C::default());
            self.series[series as usize].leaf.mask = 0;
        }
    }

    /// Whether it is time for [`Leaves::tidy`].
    pub fn is_crowded(&self) -> bool {
        !self.is_sorted && self.count > 2 * self.sorted + FEW
    }

    /// Puts leaves in order. `joined` sees a cell whenever another one was added to it, and its series and
    /// slice.
    pub fn tidy(&mut self, joined: &mut impl FnMut(u32, u32, &mut C)) {
        for series in 0..self.series.len() as u32 {
            let first = self.series[series as usize].leaf.first;
            // An open leaf behind the others is in order where it is.
            if self.packed(series).is_some_and(|packed| !(packed.is_sorted && packed.is_before(first))) {
                self.pack(series);
                self.change_packed(series, |packed, _| packed.sort(&mut |slice, cell| joined(series, slice, cell)));
            }
        }
        (self.sorted, self.is_sorted) = (self.count, true);
    }

    /// Calls `visit` with the leaves of a series in the order of slices, and with their cells; they must be tidy.
    #[inline(always)]
    pub(super) fn each_leaf(&self, series: u32, visit: &mut impl FnMut(&Leaf, &[C])) {
        if let Some(packed) = self.packed(series) {
            let mut cells = packed.cells.as_slice();
            for leaf in &packed.leaves {
                let (own, rest) = cells.split_at(leaf.count());
                visit(leaf, own);
                cells = rest;
            }
        }
        let SeriesCells { leaf, .. } = self.series[series as usize];
        if leaf.count() > 0 {
            let mut cells = [C::default(); MOST_CELLS];
            cells.iter_mut().zip(self.open_cells(series)).for_each(|(cell, open)| *cell = open);
            visit(&leaf, &cells[..leaf.count()]);
        }
    }

    /// Calls `visit` with the cells of a series that were changed, in the order of slices; they must be tidy.
    #[inline(always)]
    pub fn each(&self, series: u32, visit: &mut impl FnMut(u32, &C)) {
        self.each_leaf(series, &mut |leaf, cells| {
            leaf.places().zip(cells).for_each(|(place, cell)| visit(leaf.first + place, cell));
        });
    }

    /// Appends the cells of a series as bytes; they must be tidy.
    pub fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        let open = Some(self.series[series as usize].leaf).filter(|leaf| leaf.count() > 0);
        let (leaves, cells) = self.packed(series).map_or((&[][..], &[][..]), |packed| (&packed.leaves, &packed.cells));
        let count = leaves.len() + usize::from(open.is_some());
        bytes.extend_from_slice(&(count as u32).to_le_bytes());
        leaves.iter().chain(&open).for_each(|leaf| bytes.extend_from_slice(&leaf.write()));
        C::write_all(cells, bytes);
        self.open_cells(series).for_each(|cell| cell.write(bytes));
    }

    /// Adds the cells that [`Leaves::write`] has written; `None` when it did not write these bytes. `joined` is that of
    /// [`Leaves::tidy`].
    pub fn read(&mut self, series: u32, bytes: &mut &[u8], joined: &mut impl FnMut(u32, u32, &mut C)) -> Option<()> {
        self.pack(series);
        self.change_packed(series, |packed, _| packed.read(bytes, &mut |slice, cell| joined(series, slice, cell)))
    }
}
