//! Which p change the partition: a dichotomy between 0 and 1.
//!
//! The value of a partition is a line over p, and the best value the upper envelope of these lines: gain and loss of
//! the best partition never fall as p grows. So where two p give equal gain and loss, all p between them do.

use super::interrupt::Interrupted;
use super::measures::{Quality, TIE};
use super::search::PartitionSearch;

/// A partition that is the best one for some p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartitionLevel {
    /// The smallest p that was tried and gave it.
    pub p: f64,
    /// How many areas it has.
    pub areas: usize,
    /// Gain and loss of the partition.
    pub quality: Quality,
}

/// The different partitions between p = 0 and p = 1, by p. Intervals of p no longer than `precision` are not
/// searched.
pub fn levels(search: &mut PartitionSearch, precision: f64) -> Result<Vec<PartitionLevel>, Interrupted> {
    let (lowest, highest) = (level(search, 0.0)?, level(search, 1.0)?);
    let mut found = vec![lowest];
    // The interval that is searched next lies at the end.
    let mut waiting = vec![(lowest, highest)];
    while let Some((low, high)) = waiting.pop() {
        if same(search, &low, &high) {
            continue;
        }
        if high.p - low.p <= precision {
            found.push(high);
            continue;
        }
        let middle = level(search, low.p + (high.p - low.p) / 2.0)?;
        waiting.push((middle, high));
        waiting.push((low, middle));
    }
    Ok(found)
}

/// Gain and loss of the whole as one area.
pub fn full_aggregation(search: &PartitionSearch) -> Quality {
    let measures = search.measures();
    measures.quality(measures.tree().root(), 0, measures.slices() - 1)
}

fn level(search: &mut PartitionSearch, p: f64) -> Result<PartitionLevel, Interrupted> {
    let partition = search.partition(p)?;
    Ok(PartitionLevel { p, areas: partition.areas.len(), quality: partition.quality })
}

fn same(search: &PartitionSearch, one: &PartitionLevel, other: &PartitionLevel) -> bool {
    let close = TIE * search.measures().scale(search.measures().tree().root());
    let (one, other) = (one.quality, other.quality);
    (one.gain - other.gain).abs() <= close && (one.loss - other.loss).abs() <= close
}
