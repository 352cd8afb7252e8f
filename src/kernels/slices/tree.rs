//! Cells of many series, one per slice, that take room only where something was written.
//!
//! A series is a row of cells, numbered by slice. Its cells lie in leaves of [`LEAF`] neighbours; a leaf
//! is found through nodes of [`FAN`] children, or right away when it is the one that was used last:
//!
//! ```text
//!  root of a series ─► node ─► node ─► leaf: 16 cells        depth: as many nodes as the slices need
//!                 (0: nothing was ever written below)
//! ```

/// Cells of a leaf.
pub const LEAF: usize = 16;
const FAN: usize = 16;
const BITS: u32 = 4;

/// What is kept per slice.
pub trait Cell: Copy + Default {
    /// Whether it says the same as a new cell.
    fn is_empty(&self) -> bool;
    /// Adds what another cell of the same slice has.
    fn merge(&mut self, other: &Self);
    /// Appends the cell as bytes.
    fn write(&self, bytes: &mut Vec<u8>);
    /// Takes a cell from the front of some bytes; `None` when they are too few.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

/// One series of a [`CellTree`].
#[derive(Debug, Clone, Copy, Default)]
struct Series {
    root: u32,
    /// Number of the leaf that was used last, and where it lies.
    recent: u32,
    recent_leaf: u32,
}

/// Cells of many series.
#[derive(Debug)]
pub struct CellTree<C> {
    /// How many nodes lie above a leaf.
    depth: u32,
    /// Cells per leaf: fewer than [`LEAF`] when there are fewer slices.
    leaf: usize,
    series: Vec<Series>,
    /// Children of nodes, [`FAN`] each; 0 is no child. The first node is nobody's.
    nodes: Vec<u32>,
    /// Leaves, `leaf` cells each. The first is nobody's.
    cells: Vec<C>,
}

impl<C: Cell> CellTree<C> {
    /// A tree for series of that many cells.
    pub fn new(slices: u32) -> CellTree<C> {
        let leaf = LEAF.min(slices.next_power_of_two() as usize);
        let mut depth = 0;
        while (leaf as u64) << (BITS * depth) < u64::from(slices) {
            depth += 1;
        }
        CellTree { depth, leaf, series: vec![], nodes: vec![0; FAN], cells: vec![C::default(); leaf] }
    }

    /// Adds a series without cells; gives its number.
    pub fn add_series(&mut self) -> u32 {
        self.series.push(Series { recent: u32::MAX, ..Series::default() });
        (self.series.len() - 1) as u32
    }

    pub fn series_count(&self) -> usize {
        self.series.len()
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.series.capacity() * size_of::<Series>()
            + self.nodes.capacity() * size_of::<u32>()
            + self.cells.capacity() * size_of::<C>()
    }

    /// The cell of a slice, to be changed.
    pub fn cell(&mut self, series: u32, slice: u32) -> &mut C {
        let number = slice / self.leaf as u32;
        let known = self.series[series as usize];
        let leaf = if known.recent == number { known.recent_leaf } else { self.find(series, number) };
        &mut self.cells[leaf as usize * self.leaf + slice as usize % self.leaf]
    }

    /// Finds a leaf by its number, or makes it.
    fn find(&mut self, series: u32, number: u32) -> u32 {
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
        (known.recent, known.recent_leaf) = (number, at);
        at
    }

    /// Makes a node, or a leaf at level 0.
    fn grow(&mut self, level: u32) -> u32 {
        if level > 0 {
            self.nodes.resize(self.nodes.len() + FAN, 0);
            return (self.nodes.len() / FAN - 1) as u32;
        }
        self.cells.resize(self.cells.len() + self.leaf, C::default());
        (self.cells.len() / self.leaf - 1) as u32
    }

    /// The leaves of a series in the order of slices: the first slice of each, and its cells.
    pub fn leaves(&self, series: u32, visit: &mut impl FnMut(u32, &[C])) {
        self.visit(self.series[series as usize].root, self.depth, 0, visit);
    }

    fn visit(&self, at: u32, level: u32, number: u32, visit: &mut impl FnMut(u32, &[C])) {
        if at == 0 {
            return;
        }
        if level == 0 {
            let begin = at as usize * self.leaf;
            return visit(number * self.leaf as u32, &self.cells[begin..begin + self.leaf]);
        }
        for child in 0..FAN {
            self.visit(self.nodes[at as usize * FAN + child], level - 1, number * FAN as u32 + child as u32, visit);
        }
    }

    /// Appends the cells of a series that say something, as bytes.
    pub fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.leaves(series, &mut |slice, cells| {
            let mut mask = 0_u16;
            for (place, cell) in cells.iter().enumerate() {
                mask |= u16::from(!cell.is_empty()) << place;
            }
            if mask == 0 {
                return;
            }
            bytes.extend_from_slice(&mask.to_le_bytes());
            bytes.extend_from_slice(&slice.to_le_bytes());
            cells.iter().filter(|cell| !cell.is_empty()).for_each(|cell| cell.write(bytes));
        });
        bytes.extend_from_slice(&0_u16.to_le_bytes());
    }

    /// Adds the cells that [`CellTree::write`] has written; `None` when it did not write these bytes.
    pub fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        loop {
            let mask = u16::from_le_bytes(take(bytes)?);
            if mask == 0 {
                return Some(());
            }
            let slice = u32::from_le_bytes(take(bytes)?);
            for place in (0..LEAF as u32).filter(|place| mask >> place & 1 == 1) {
                let other = C::read(bytes)?;
                self.cell(series, slice + place).merge(&other);
            }
        }
    }
}

/// Takes so many bytes from the front.
pub fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (front, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*front)
}
