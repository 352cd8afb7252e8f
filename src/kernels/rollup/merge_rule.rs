//! How two values of a measure become one.

/// How two values of a measure become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MergeRule {
    /// They are added.
    Sum,
    /// The smaller one stays.
    Least,
    /// NaN counts as the largest number.
    Most,
}
