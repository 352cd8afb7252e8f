//! How the rows of pj_dump are printed.

/// How [`dump`](super::dump) prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpOptions {
    /// Decimals of times and numbers.
    pub decimals: usize,
    /// Quote fields that hold a comma or a quote, as CSV does.
    pub csv: bool,
    /// Print variables with 64 bits, where pj_dump keeps 32.
    pub exact: bool,
}

impl Default for DumpOptions {
    fn default() -> DumpOptions {
        DumpOptions { decimals: 6, csv: false, exact: false }
    }
}
