//! Instants of the measured run and of the replayed one.

/// An instant, as measured and as replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) old: i64,
    pub(super) new: i64,
}

impl Moment {
    /// When both are there.
    pub(super) fn and(self, other: Moment) -> Moment {
        Moment { old: self.old.max(other.old), new: self.new.max(other.new) }
    }
}
