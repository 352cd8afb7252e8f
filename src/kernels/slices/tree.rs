//! Cells of many series, one per slice, that take room only where something was written.
//!
//! A series is a row of cells, numbered by slice. Neighbours lie together in leaves of about
//! [`LEAF_BYTES`]; a leaf is found through nodes of [`FAN`] children, or right away when it is the one that
//! was used last:
//!
//! ```text
//!  root of a series ─► node ─► node ─► leaf of cells        depth: as many nodes as the slices need
//!                 (0: nothing was ever written below)
//! ```

const LEAF_BYTES: usize = 256;
const FAN: usize = 16;
const BITS: u32 = 4;

/// A bit per cell of a leaf.
type Mask = u32;

/// What is kept per slice.
pub trait Cell: Copy + Default {
    /// Whether it says the same as a new cell.
    fn is_empty(&self) -> bool;
    /// Appends the cell as bytes.
    fn write(&self, bytes: &mut Vec<u8>);
    /// Takes a cell from the front of some bytes; `None` when they are too few.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

/// One series of a [`CellTree`].
#[derive(Debug, Clone, Copy)]
struct Series {
    root: u32,
    /// First slice of the leaf that was used last, and the place of its cell.
    recent: u32,
    recent_place: u32,
}

/// The first slice of no leaf: farther than a leaf from every slice.
const NO_LEAF: u32 = 1 << 31;

/// Cells of many series.
#[derive(Debug)]
pub struct CellTree<C> {
    /// How many nodes lie above a leaf.
    depth: u32,
    /// Cells per leaf, as a power of two: fewer when there are fewer slices.
    leaf_bits: u32,
    series: Vec<Series>,
    /// Children of nodes, [`FAN`] each; 0 is no child. The first node is nobody's.
    nodes: Vec<u32>,
    /// Leaves, `leaf` cells each. The first is nobody's.
    cells: Vec<C>,
}

impl<C: Cell> CellTree<C> {
    /// A tree for series of that many cells.
    pub fn new(slices: u32) -> CellTree<C> {
        let leaf = (LEAF_BYTES / size_of::<C>()).clamp(4, Mask::BITS as usize);
        let leaf_bits = leaf.ilog2().min(slices.next_power_of_two().ilog2());
        let mut depth = 0;
        while 1_u64 << (leaf_bits + BITS * depth) < u64::from(slices) {
            depth += 1;
        }
        CellTree { depth, leaf_bits, series: vec![], nodes: vec![0; FAN], cells: vec![C::default(); 1 << leaf_bits] }
    }

    /// Adds a series without cells; gives its number.
    pub fn add_series(&mut self) -> u32 {
        self.series.push(Series { root: 0, recent: NO_LEAF, recent_place: 0 });
        (self.series.len() - 1) as u32
    }

    /// Forgets all series, and keeps the room for others.
    pub fn clear(&mut self) {
        self.series.clear();
        self.nodes.truncate(FAN);
        self.cells.truncate(1 << self.leaf_bits);
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.series.capacity() * size_of::<Series>()
            + self.nodes.capacity() * size_of::<u32>()
            + self.cells.capacity() * size_of::<C>()
    }

    /// The cell of a slice, to be changed.
    #[inline]
    pub fn cell(&mut self, series: u32, slice: u32) -> &mut C {
        let known = self.series[series as usize];
        let place = slice.wrapping_sub(known.recent);
        if place >> self.leaf_bits == 0 {
            return &mut self.cells[known.recent_place as usize + place as usize];
        }
        let first = self.find(series, slice >> self.leaf_bits);
        let place = slice as usize & ((1 << self.leaf_bits) - 1);
        &mut self.cells[first + place]
    }

    /// Finds a leaf by its number, or makes it; gives the place of its first cell.
    #[inline(never)]
    fn find(&mut self, series: u32, number: u32) -> usize {
        let mut at = self.series[series as usize].root;
        let mut holder = None;
        for level in (0..=self.depth).rev() {
            if at == 0 {
                at = self.grow(level);
                match holder {
                    None => self.series[series as usize].root = at,
                    Some(child) => self.nodes[child] = at,
                }
            }
            if level > 0 {
                let child = at as usize * FAN + (number >> (BITS * (level - 1))) as usize % FAN;
                holder = Some(child);
                at = self.nodes[child];
            }
        }
        let known = &mut self.series[series as usize];
        (known.recent, known.recent_place) = (number << self.leaf_bits, at << self.leaf_bits);
        known.recent_place as usize
    }

    /// Makes a node, or a leaf at level 0.
    fn grow(&mut self, level: u32) -> u32 {
        if level > 0 {
            self.nodes.resize(self.nodes.len() + FAN, 0);
            return (self.nodes.len() / FAN - 1) as u32;
        }
        let count = self.cells.len();
        self.cells.resize(count + (1 << self.leaf_bits), C::default());
        (count >> self.leaf_bits) as u32
    }

    /// Calls `visit` with the cells of a series that say something, in the order of slices.
    pub fn each(&self, series: u32, visit: &mut impl FnMut(u32, &C)) {
        self.leaves(series, &mut |first, cells| {
            Places(occupied(cells)).for_each(|place| visit(first + place, &cells[place as usize]));
        });
    }

    /// The leaves of a series in the order of slices: the first slice of each, and its cells.
    fn leaves(&self, series: u32, visit: &mut impl FnMut(u32, &[C])) {
        self.visit(self.series[series as usize].root, self.depth, 0, visit);
    }

    fn visit(&self, at: u32, level: u32, number: u32, visit: &mut impl FnMut(u32, &[C])) {
        if at == 0 {
            return;
        }
        if level == 0 {
            let begin = (at as usize) << self.leaf_bits;
            return visit(number << self.leaf_bits, &self.cells[begin..begin + (1 << self.leaf_bits)]);
        }
        for child in 0..FAN {
            self.visit(self.nodes[at as usize * FAN + child], level - 1, number * FAN as u32 + child as u32, visit);
        }
    }

    /// Appends the cells of a series that say something, as bytes.
    pub fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.leaves(series, &mut |first, cells| {
            let mask = occupied(cells);
            if mask == 0 {
                return;
            }
            bytes.reserve(size_of_val(cells) + 8);
            bytes.extend_from_slice(&mask.to_le_bytes());
            bytes.extend_from_slice(&first.to_le_bytes());
            Places(mask).for_each(|place| cells[place as usize].write(bytes));
        });
        bytes.extend_from_slice(&Mask::MIN.to_le_bytes());
    }

    /// Hands out the cells that [`CellTree::write`] has written, each with the slice and the cell that it
    /// is to be added to; `None` when it did not write these bytes.
    pub fn read(&mut self, series: u32, bytes: &mut &[u8], add: &mut impl FnMut(u32, &mut C, C)) -> Option<()> {
        loop {
            let mask = Mask::from_le_bytes(take(bytes)?);
            if mask == 0 {
                return Some(());
            }
            let first = u32::from_le_bytes(take(bytes)?);
            let begin = self.find(series, first >> self.leaf_bits);
            let leaf = &mut self.cells[begin..begin + (1 << self.leaf_bits)];
            for place in Places(mask) {
                add(first + place, leaf.get_mut(place as usize)?, C::read(bytes)?);
            }
        }
    }
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
}

/// Takes so many bytes from the front.
#[inline]
pub fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (front, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*front)
}
