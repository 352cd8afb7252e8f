//! What series have in bands of time, and where it waits.

/// How many bands of a level are one of the next, as a power of two.
pub const LEVEL_SHIFT: u32 = 3;

/// Ticks beyond these are too large to be told apart from each other in bands.
pub(super) const MOST_TICK: i64 = 1 << 60;

/// The widest bands, as a power of two.
pub(super) const WIDEST: u32 = 60;

/// What a series has in a band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandCell<M> {
    /// The band: it begins at `band << shift`.
    pub band: i64,
    /// The series.
    pub series: u32,
    /// What it has there.
    pub measure: M,
}

/// How much is held and given.
#[derive(Debug, Clone, Copy)]
pub struct BandLimits {
    /// Cells that are held in memory.
    pub cells: usize,
    /// Rows for each cell of the finest level, at least.
    pub rows_per_cell: u64,
    /// Rows for each band of the finest level, at least.
    pub rows_per_band: u64,
}

/// Where cells wait that are too many for the memory: in runs, each sorted by band.
pub trait BandRuns<M> {
    /// Why a run could not be kept or read.
    type Error;
    /// Reads a run from its begin.
    type Run: Iterator<Item = Result<BandCell<M>, Self::Error>>;

    /// Keeps a run of bands that are `2^shift` ticks wide; later runs have no narrower ones.
    fn keep(&mut self, shift: u32, cells: &[BandCell<M>]) -> Result<(), Self::Error>;
    /// All runs, each with the width of its bands.
    fn runs(&self) -> Result<Vec<(u32, Self::Run)>, Self::Error>;
}
