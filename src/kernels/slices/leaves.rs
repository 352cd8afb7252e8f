//! Cells of many series, one per slice, that take room only where something was written.
//!
//! Rows mostly come in the order of time. So each series has one open leaf of neighbouring cells, which
//! takes what is written there; when a slice lies elsewhere, the cells that say something are packed away:
//!
//! ```text
//!  open leaf  . 3 . . 1 2 . .   ─►   packed: series, first slice, mask 01001100, and cells 3 1 2
//! ```
//! Packed leaves lie in the order in which they came. [`Leaves::tidy`] sorts them by series and slice and joins
//! those of the same slices: before they are read, and whenever there are twice as many as after the last
//! time. So room grows with cells, not with rows, whatever the order of rows.

const LEAF_BYTES: usize = 256;

/// A bit per cell of a leaf.
type Mask = u32;

/// What is kept per slice.
pub trait Cell: Copy + Default {
    /// Whether it says the same as a new cell.
    fn is_empty(&self) -> bool;
    /// Adds what another one says.
    fn join(&mut self, other: Self);
    /// Appends the cell as bytes.
    fn write(&self, bytes: &mut Vec<u8>);
    /// Takes a cell from the front of some bytes; `None` when they are too few.
    fn read(bytes: &mut &[u8]) -> Option<Self>;

    /// Appends cells as bytes, one after the other.
    fn write_all(cells: &[Self], bytes: &mut Vec<u8>) {
        bytes.reserve(size_of_val(cells));
        cells.iter().for_each(|cell| cell.write(bytes));
    }

    /// Takes so many cells from the front of some bytes; `None` when they are too few.
    fn read_all(bytes: &mut &[u8], count: usize, cells: &mut Vec<Self>) -> Option<()> {
        for _ in 0..count {
            cells.push(Self::read(bytes)?);
        }
        Some(())
    }
}

/// The open leaf of a series.
#[derive(Debug, Clone, Copy)]
struct Open {
    first: u32,
    /// Of its first cell.
    place: usize,
}

/// The first slice of no leaf: farther than a leaf from every slice.
const NO_LEAF: u32 = 1 << 31;

/// A series without an open leaf.
const CLOSED: Open = Open { first: NO_LEAF, place: usize::MAX };

/// A leaf that was packed away.
#[derive(Debug, Clone, Copy)]
struct Packed {
    series: u32,
    first: u32,
    /// Which of its cells were kept ...
    mask: Mask,
    /// ... and where they begin.
    begin: usize,
}

const NO_PACKED: Packed = Packed { series: 0, first: 0, mask: 0, begin: 0 };

impl Packed {
    fn key(&self) -> u64 {
        u64::from(self.series) << 32 | u64::from(self.first)
    }

    fn cells<'a, C>(&self, cells: &'a [C]) -> &'a [C] {
        &cells[self.begin..self.begin + self.mask.count_ones() as usize]
    }
}

/// Fewer packed leaves than this are not worth sorting.
const FEW: usize = 1 << 16;

/// Cells of many series.
#[derive(Debug)]
pub struct Leaves<C> {
    /// Cells per leaf, as a power of two: fewer when there are fewer slices.
    bits: u32,
    series: Vec<Open>,
    open: Vec<C>,
    packed: Vec<Packed>,
    /// The cells of packed leaves.
    cells: Vec<C>,
    /// How many packed leaves there were when they were last sorted.
    sorted: usize,
}

impl<C: Cell> Leaves<C> {
    /// For series of that many cells.
    pub fn new(slices: u32) -> Leaves<C> {
        let cells = (LEAF_BYTES / size_of::<C>()).clamp(2, Mask::BITS as usize);
        let bits = cells.ilog2().min(slices.next_power_of_two().ilog2());
        Leaves { bits, series: vec![], open: vec![], packed: vec![], cells: vec![], sorted: 0 }
    }

    /// Adds a series without cells; gives its number.
    pub fn add_series(&mut self) -> u32 {
        self.series.push(CLOSED);
        (self.series.len() - 1) as u32
    }

    /// Forgets all series, and keeps the room for others.
    pub fn clear(&mut self) {
        self.series.clear();
        self.open.clear();
        self.packed.clear();
        self.cells.clear();
        self.sorted = 0;
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.series.capacity() * size_of::<Open>()
            + self.packed.capacity() * size_of::<Packed>()
            + (self.open.capacity() + self.cells.capacity()) * size_of::<C>()
    }

    /// The cell of a slice, to be changed: it may be a new one beside one that was packed away.
    #[inline(always)]
    pub fn cell(&mut self, series: u32, slice: u32) -> &mut C {
        let open = self.series[series as usize];
        let into = slice.wrapping_sub(open.first);
        if into >> self.bits == 0 {
            return &mut self.open[open.place + into as usize];
        }
        let place = self.turn(series, slice);
        &mut self.open[place]
    }

    /// Opens the leaf of a slice; gives the place of its cell.
    #[inline(never)]
    fn turn(&mut self, series: u32, slice: u32) -> usize {
        let into = slice & ((1 << self.bits) - 1);
        let mut open = self.series[series as usize];
        if open.place == CLOSED.place {
            open.place = self.open.len();
            self.open.resize(open.place + (1 << self.bits), C::default());
        } else {
            self.pack(series, open);
        }
        open.first = slice - into;
        self.series[series as usize] = open;
        open.place + into as usize
    }

    /// Packs an open leaf away, and leaves it empty.
    fn pack(&mut self, series: u32, open: Open) {
        let leaf = &mut self.open[open.place..open.place + (1 << self.bits)];
        let mask = occupied(leaf);
        if mask == 0 {
            return;
        }
        self.packed.push(Packed { series, first: open.first, mask, begin: self.cells.len() });
        self.cells.extend(Places(mask).map(|place| leaf[place as usize]));
        leaf.fill(C::default());
    }

    /// Whether it is time for [`Leaves::tidy`].
    pub fn is_crowded(&self) -> bool {
        self.packed.len() > 2 * self.sorted + FEW
    }

    /// Puts leaves in order. `joined` sees a cell whenever another one was added to it, and its series and
    /// slice.
    pub fn tidy(&mut self, joined: &mut impl FnMut(u32, u32, &mut C)) {
        for series in 0..self.series.len() {
            let open = self.series[series];
            if open.first != NO_LEAF {
                self.pack(series as u32, open);
            }
        }
        if self.packed.is_sorted_by(|one, other| one.key() < other.key()) {
            self.sorted = self.packed.len();
            return;
        }
        let packed = in_order(&self.packed, self.series.len());
        self.packed.clear();
        for same in packed.chunk_by(|one, other| one.key() == other.key()) {
            let leaf = if same.len() == 1 { same[0] } else { self.join(same, joined) };
            self.packed.push(leaf);
        }
        self.sorted = self.packed.len();
        let live: usize = self.packed.iter().map(|leaf| leaf.mask.count_ones() as usize).sum();
        if self.cells.len() > 2 * live {
            self.compact(live);
        }
    }

    /// One leaf of several that have the same slices.
    fn join(&mut self, same: &[Packed], joined: &mut impl FnMut(u32, u32, &mut C)) -> Packed {
        let Packed { series, first, .. } = same[0];
        let mut leaf = [C::default(); Mask::BITS as usize];
        let mut mask = 0;
        for packed in same {
            for (place, other) in Places(packed.mask).zip(packed.cells(&self.cells)) {
                let cell = &mut leaf[place as usize];
                cell.join(*other);
                joined(series, first + place, cell);
            }
            mask |= packed.mask;
        }
        let begin = self.cells.len();
        self.cells.extend(Places(mask).map(|place| leaf[place as usize]));
        Packed { series, first, mask, begin }
    }

    /// Drops the cells that were joined into others.
    fn compact(&mut self, live: usize) {
        let mut cells = Vec::with_capacity(live);
        for leaf in &mut self.packed {
            let begin = cells.len();
            cells.extend_from_slice(leaf.cells(&self.cells));
            leaf.begin = begin;
        }
        self.cells = cells;
    }

    /// The leaves of a series in the order of slices; they must be tidy.
    fn of_series(&self, series: u32) -> &[Packed] {
        let begin = self.packed.partition_point(|leaf| leaf.series < series);
        let rest = &self.packed[begin..];
        &rest[..rest.partition_point(|leaf| leaf.series == series)]
    }

    /// Calls `visit` with the cells of a series, in the order of slices; they must be tidy.
    pub fn each(&self, series: u32, visit: &mut impl FnMut(u32, &C)) {
        for leaf in self.of_series(series) {
            for (place, cell) in Places(leaf.mask).zip(leaf.cells(&self.cells)) {
                visit(leaf.first + place, cell);
            }
        }
    }

    /// The same without the slices.
    #[inline]
    pub fn each_cell(&self, series: u32, visit: &mut impl FnMut(&C)) {
        for leaf in self.of_series(series) {
            leaf.cells(&self.cells).iter().for_each(&mut *visit);
        }
    }

    /// Appends the cells of a series as bytes; they must be tidy.
    pub fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        for leaf in self.of_series(series) {
            bytes.extend_from_slice(&leaf.mask.to_le_bytes());
            bytes.extend_from_slice(&leaf.first.to_le_bytes());
            C::write_all(leaf.cells(&self.cells), bytes);
        }
        bytes.extend_from_slice(&Mask::MIN.to_le_bytes());
    }

    /// Adds the cells that [`Leaves::write`] has written; `None` when it did not write these bytes.
    pub fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        loop {
            let mask = Mask::from_le_bytes(take(bytes)?);
            if mask == 0 {
                return Some(());
            }
            let first = u32::from_le_bytes(take(bytes)?);
            let begin = self.cells.len();
            C::read_all(bytes, mask.count_ones() as usize, &mut self.cells)?;
            self.packed.push(Packed { series, first, mask, begin });
        }
    }
}

/// Leaves by series and slice; those of the same slices stay in their order. Each series mostly comes in the order
/// of time, so that only series have to be told apart.
fn in_order(packed: &[Packed], series: usize) -> Vec<Packed> {
    // By series: where its next leaf goes.
    let mut next = vec![0; series + 1];
    packed.iter().for_each(|leaf| next[leaf.series as usize + 1] += 1);
    (0..series).for_each(|number| next[number + 1] += next[number]);
    let mut ordered = vec![NO_PACKED; packed.len()];
    for leaf in packed {
        let place = &mut next[leaf.series as usize];
        ordered[*place] = *leaf;
        *place += 1;
    }
    for of_series in ordered.chunk_by_mut(|one, other| one.series == other.series) {
        if !of_series.is_sorted_by_key(|leaf| leaf.first) {
            of_series.sort_by_key(|leaf| leaf.first);
        }
    }
    ordered
}

/// Which cells of a leaf say something: a bit for each.
#[inline]
fn occupied<C: Cell>(cells: &[C]) -> Mask {
    (0..).zip(cells).fold(0, |mask, (place, cell)| mask | Mask::from(!cell.is_empty()) << place)
}

/// The places of the bits that are set. Faster than looking at each cell, since no branch is guessed wrong.
struct Places(Mask);

impl Iterator for Places {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let place = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (place < Mask::BITS).then_some(place)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

/// Takes so many bytes from the front.
#[inline]
pub fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (front, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*front)
}
