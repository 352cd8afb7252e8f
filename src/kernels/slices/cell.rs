//! What is kept per slice, and how it is written as bytes.

/// What is kept per slice.
pub trait SliceCell: Copy + Default {
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

    /// Takes `count` cells from the front of some bytes; `None` when they are too few.
    fn read_all(bytes: &mut &[u8], count: usize, cells: &mut Vec<Self>) -> Option<()> {
        for _ in 0..count {
            cells.push(Self::read(bytes)?);
        }
        Some(())
    }
}

/// Takes `N` bytes from the front.
#[inline]
pub fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (front, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*front)
}
