//! Partitions of space alone and of time alone, multiplied: section III.D, Figure 3.c.

use super::measures::{Measures, Quality};
use super::search::{AreaPartition, PartitionArea};

/// Every area of a partition of space during every interval of a partition of time, measured in the whole model.
///
/// `space` partitions the model [without time](super::Model::without_time), `time` the one [without
/// space](super::Model::without_space).
pub fn product(measures: &Measures, space: &AreaPartition, time: &AreaPartition) -> AreaPartition {
    let mut areas = vec![];
    for place in &space.areas {
        for interval in &time.areas {
            let quality = measures.quality(place.node, interval.first, interval.last);
            areas.push(PartitionArea { first: interval.first, last: interval.last, quality, ..*place });
        }
    }
    let quality = areas.iter().fold(Quality::default(), |sum, area| sum + area.quality);
    AreaPartition { areas, quality }
}
