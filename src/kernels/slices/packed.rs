//! What was packed away of a series: leaves that hold only the cells that were changed.

use super::cell::{SliceCell, take};

/// A bit per cell of a leaf.
type Mask = u32;

/// Most cells of a leaf.
pub(super) const MOST_CELLS: usize = Mask::BITS as usize;

/// How often each leaf may be moved.
const MOST_MOVES: usize = 8;

/// A leaf, without its cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) first: u32,
    /// Which of its cells were changed.
    pub(super) mask: Mask,
}

impl Leaf {
    /// The places of the cells that were changed.
    #[inline]
    pub(super) fn places(&self) -> BitPositions {
        BitPositions(self.mask)
    }

    /// How many cells were changed.
    pub(super) fn count(&self) -> usize {
        self.mask.count_ones() as usize
    }

    pub(super) fn write(&self) -> [u8; 8] {
        (u64::from(self.first) << 32 | u64::from(self.mask)).to_le_bytes()
    }

    fn read(bytes: [u8; 8]) -> Leaf {
        let both = u64::from_le_bytes(bytes);
        Leaf { first: (both >> 32) as u32, mask: both as Mask }
    }
}

/// What was packed away of a series.
#[derive(Debug)]
pub(super) struct Packed<C> {
    pub(super) leaves: Vec<Leaf>,
    /// Their cells, one leaf after the other.
    pub(super) cells: Vec<C>,
    /// Whether each leaf lies behind the one before it.
    pub(super) is_sorted: bool,
    /// How many leaves were moved to make room for cells between them.
    moved: usize,
}

impl<C: SliceCell> Packed<C> {
    pub(super) const NONE: Packed<C> = Packed { leaves: vec![], cells: vec![], is_sorted: true, moved: 0 };

    pub(super) fn size(&self) -> usize {
        self.leaves.capacity() * size_of::<Leaf>() + self.cells.capacity() * size_of::<C>()
    }

    /// Whether leaves from this slice on come behind the others.
    pub(super) fn is_before(&self, first: u32) -> bool {
        self.leaves.last().is_none_or(|last| last.first < first)
    }

    /// Adds a leaf, of whose cells those are kept that were changed.
    pub(super) fn push(&mut self, leaf: Leaf, cells: &[C]) {
        self.is_sorted &= self.is_before(leaf.first);
        self.leaves.push(leaf);
        self.cells.extend(leaf.places().map(|place| cells[place as usize]));
    }

    /// Forgets all leaves, and keeps the room for others.
    pub(super) fn clear(&mut self) {
        self.leaves.clear();
        self.cells.clear();
        (self.is_sorted, self.moved) = (true, 0);
    }

    /// Whether a cell may get its place between the others. Not when leaves are out of order, or when so many
    /// were moved that sorting is cheaper.
    pub(super) fn has_place(&self) -> bool {
        self.is_sorted && self.moved <= MOST_MOVES * (self.leaves.len() + 1)
    }

    /// The place of a cell among all cells; leaves must be in order.
    pub(super) fn place(&mut self, first: u32, place: u32) -> usize {
        let number = self.leaves.partition_point(|leaf| leaf.first < first);
        if self.leaves.get(number).is_none_or(|leaf| leaf.first > first) {
            self.leaves.insert(number, Leaf { first, mask: 0 });
        }
        self.moved += self.leaves.len() - number;
        let behind = count_cells(&self.leaves[number..]);
        let leaf = &mut self.leaves[number];
        let before = leaf.mask & ((1 << place) - 1);
        let cell = self.cells.len() - behind + before.count_ones() as usize;
        if leaf.mask >> place & 1 == 0 {
            leaf.mask |= 1 << place;
            self.cells.insert(cell, C::default());
        }
        cell
    }

    /// Sorts leaves, and joins those of the same slices.
    pub(super) fn sort(&mut self, joined: &mut impl FnMut(u32, &mut C)) {
        let mut begin = 0;
        let mut leaves = Vec::with_capacity(self.leaves.len());
        for leaf in &self.leaves {
            leaves.push((*leaf, begin));
            begin += leaf.count();
        }
        leaves.sort_by_key(|(leaf, _)| leaf.first);
        let mut sorted = Packed {
            leaves: Vec::with_capacity(leaves.len()),
            cells: Vec::with_capacity(self.cells.len()),
            ..Packed::NONE
        };
        for same in leaves.chunk_by(|(one, _), (other, _)| one.first == other.first) {
            if let [(leaf, begin)] = same {
                sorted.leaves.push(*leaf);
                sorted.cells.extend_from_slice(&self.cells[*begin..*begin + leaf.count()]);
            } else {
                sorted.join(same.iter().map(|(leaf, begin)| (*leaf, &self.cells[*begin..])), joined);
            }
        }
        *self = sorted;
    }

    /// Adds leaves that were written. `joined` sees a cell whenever another one was added to it, and its slice.
    pub(super) fn read(&mut self, bytes: &mut &[u8], joined: &mut impl FnMut(u32, &mut C)) -> Option<()> {
        let count = u32::from_le_bytes(take(bytes)?) as usize;
        let (heads, rest) = bytes.split_at_checked(count.checked_mul(size_of::<Leaf>())?)?;
        *bytes = rest;
        let mut leaves = heads.as_chunks().0.iter().map(|head| Leaf::read(*head)).peekable();
        let is_behind = leaves.peek().is_none_or(|leaf| self.is_before(leaf.first));
        if is_behind || !self.has_place() {
            self.is_sorted &= is_behind;
            let begin = self.leaves.len();
            self.leaves.extend(leaves);
            return C::read_all(bytes, count_cells(&self.leaves[begin..]), &mut self.cells);
        }
        let (leaves, mut cells) = (leaves.collect::<Vec<Leaf>>(), vec![]);
        C::read_all(bytes, count_cells(&leaves), &mut cells)?;
        self.merge(LeavesRest { leaves: &leaves, cells: &cells }, joined);
        Some(())
    }

    /// Adds leaves that are in order, as these are.
    fn merge(&mut self, others: LeavesRest<'_, C>, joined: &mut impl FnMut(u32, &mut C)) {
        let begin =
            others.leaves.first().map_or(0, |other| self.leaves.partition_point(|leaf| leaf.first < other.first));
        let leaves = self.leaves.split_off(begin);
        let cells = self.cells.split_off(self.cells.len() - count_cells(&leaves));
        self.moved += leaves.len();
        let (mut own, mut others) = (LeavesRest { leaves: &leaves, cells: &cells }, others);
        while let ([one, ..], [other, ..]) = (own.leaves, others.leaves) {
            if one.first == other.first {
                self.join([(*one, own.take(1).cells), (*other, others.take(1).cells)].into_iter(), joined);
                continue;
            }
            // A whole run at a time: mostly the first few alternate.
            let (rest, end) = if one.first < other.first { (&mut own, other.first) } else { (&mut others, one.first) };
            let run = rest.take(rest.leaves.iter().take_while(|leaf| leaf.first < end).count());
            self.extend(run);
        }
        self.extend(own);
        self.extend(others);
    }

    /// Adds leaves behind the others.
    fn extend(&mut self, others: LeavesRest<'_, C>) {
        self.leaves.extend_from_slice(others.leaves);
        self.cells.extend_from_slice(others.cells);
    }

    /// Adds one leaf behind the others, of several that have the same slices.
    fn join<'a>(&mut self, same: impl Iterator<Item = (Leaf, &'a [C])>, joined: &mut impl FnMut(u32, &mut C))
    where
        C: 'a,
    {
        let mut cells = [C::default(); MOST_CELLS];
        let mut all = Leaf { first: 0, mask: 0 };
        for (leaf, others) in same {
            for (place, other) in leaf.places().zip(others) {
                let cell = &mut cells[place as usize];
                cell.join(*other);
                joined(leaf.first + place, cell);
            }
            all = Leaf { first: leaf.first, mask: all.mask | leaf.mask };
        }
        self.leaves.push(all);
        self.cells.extend(all.places().map(|place| cells[place as usize]));
    }
}

fn count_cells(leaves: &[Leaf]) -> usize {
    leaves.iter().map(Leaf::count).sum()
}

/// Leaves that are to be put somewhere, and their cells.
#[derive(Clone, Copy)]
struct LeavesRest<'a, C> {
    leaves: &'a [Leaf],
    cells: &'a [C],
}

impl<'a, C> LeavesRest<'a, C> {
    /// Takes a number of leaves from the front.
    fn take(&mut self, count: usize) -> LeavesRest<'a, C> {
        let (leaves, other_leaves) = self.leaves.split_at(count);
        let (cells, other_cells) = self.cells.split_at(count_cells(leaves));
        *self = LeavesRest { leaves: other_leaves, cells: other_cells };
        LeavesRest { leaves, cells }
    }
}

/// The places of the bits that are set. Faster than looking at each cell, since no branch is guessed wrong.
pub(super) struct BitPositions(Mask);

impl Iterator for BitPositions {
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
