//! How far a collective operation is.

/// Members of an operation of all to all that have come and gone.
#[derive(Default)]
pub(super) struct CollectiveProgress {
    pub(super) arrived: usize,
    pub(super) departed: usize,
    pub(super) last: Option<usize>,
}
