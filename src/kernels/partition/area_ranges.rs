//! Every area that some p between 0 and 1 gives, with the p that give it.
//!
//! Intervals of p are halved as [`super::levels`] does. Short ones are cut where the partitions of both ends are equally
//! good: the value of a partition is a line over p, and where two lines cross, either they change places, or a third one
//! is better there. So few searches find a change exactly.
//!
//! ```text
//!  value                  ▁▂▃▅ high
//!  low ▔▔▔▔▔▔▔▔▔▔▔x▔▔▔▔▔▔▔▔▔        x: tried first; then close to x, on the side that is open
//!                 p
//! ```

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use super::interrupt::Interrupted;
use super::measures::Quality;
use super::search::{PartitionArea, PartitionSearch};
use super::visual::{VisualArea, VisualMark, visual};

/// Longer intervals of p are halved: every p that `levels` tries with this precision is tried here too.
const HALVED: f64 = 0.001;

/// An area, and an interval of p that gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AreaRange {
    /// The area as it is drawn.
    pub shown: VisualArea,
    /// The smallest p.
    pub from: f64,
    /// The largest p: 1, or the number before the p at which another partition begins.
    pub to: f64,
}

/// A picture of partitions: its height, and that of its thinnest areas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureHeight {
    /// Height of the whole.
    pub height: f64,
    /// Nothing is drawn thinner than this, unless the whole is.
    pub least: f64,
}

/// The areas of all partitions between p = 0 and p = 1, or of their pictures, by first leaf, first slice and p.
///
/// A change of the partition is found to within `precision`: it is said to lie at the first p that was tried after it.
pub fn area_ranges(
    search: &mut PartitionSearch,
    picture: Option<PictureHeight>,
    precision: f64,
) -> Result<Vec<AreaRange>, Interrupted> {
    let mut attempt = |p: f64| AttemptedPartition::new(search, p, picture).map(Arc::new);
    let (lowest, highest) = (attempt(0.0)?, attempt(1.0)?);
    let mut ranges = OpenRanges::default();
    ranges.continue_with(&lowest);
    // The gap that is searched next lies at the end: changes are found by p.
    let mut waiting = vec![Gap { low: lowest, high: highest, probe: GapProbe::Crossing }];
    while let Some(gap) = waiting.pop() {
        if gap.low.is_same(&gap.high) {
            continue;
        }
        if gap.high.p - gap.low.p <= precision {
            ranges.continue_with(&gap.high);
            continue;
        }
        let middle = attempt(gap.place(precision))?;
        waiting.extend(gap.split(middle));
    }
    let mut found = ranges.finish();
    found.sort_by(|one, other| {
        let key = |range: &AreaRange| (search.order(&range.shown.area), range.shown.area.last);
        key(one).cmp(&key(other)).then(one.from.total_cmp(&other.from))
    });
    Ok(found)
}

/// The partition of one p.
#[derive(Debug)]
struct AttemptedPartition {
    p: f64,
    areas: Vec<PartitionArea>,
    quality: Quality,
    /// What areas cost that are not worth their gain.
    price: f64,
    shown: Vec<VisualArea>,
}

impl AttemptedPartition {
    fn new(search: &mut PartitionSearch, p: f64, picture: Option<PictureHeight>) -> Result<Self, Interrupted> {
        let partition = search.partition(p)?;
        let shown = match picture {
            None => partition.areas.iter().map(|area| VisualArea { area: *area, mark: None }).collect(),
            Some(PictureHeight { height, least }) => visual(search, p, height, least)?,
        };
        let price = search.price() * partition.areas.len() as f64;
        Ok(AttemptedPartition { p, areas: partition.areas, quality: partition.quality, price, shown })
    }

    fn is_same(&self, other: &AttemptedPartition) -> bool {
        self.areas == other.areas && self.shown == other.shown
    }
}

/// Which p of a gap is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GapProbe {
    /// Where the lines of both ends cross.
    Crossing,
    /// Just after the lower end, which is such a crossing.
    AfterLow,
    /// Just before the upper end, which is such a crossing.
    BeforeHigh,
    /// The middle: what is as good by rounding alone has no crossing.
    Middle,
}

/// Two p whose partitions differ, and nothing is known between them.
#[derive(Debug)]
struct Gap {
    low: Arc<AttemptedPartition>,
    high: Arc<AttemptedPartition>,
    probe: GapProbe,
}

impl Gap {
    /// The p that is tried next, between both ends.
    fn place(&self, precision: f64) -> f64 {
        let (low, high) = (self.low.p, self.high.p);
        let middle = low + (high - low) / 2.0;
        // Closer than the precision, also after rounding.
        let near = 0.75 * precision;
        if high - low > HALVED || high - low <= 2.0 * near {
            return middle;
        }
        match self.probe {
            GapProbe::AfterLow => low + near,
            GapProbe::BeforeHigh => high - near,
            GapProbe::Middle => middle,
            GapProbe::Crossing => self.crossing().map_or(middle, |p| p.clamp(low + near, high - near)),
        }
    }

    /// Where the values of both partitions are equal.
    fn crossing(&self) -> Option<f64> {
        let (low, high) = (&self.low, &self.high);
        let gain = high.quality.gain - low.quality.gain;
        let loss = high.quality.loss - low.quality.loss;
        let p = (loss + high.price - low.price) / (gain + loss);
        p.is_finite().then_some(p)
    }

    /// What remains to be searched once a p between both ends was tried, the lower part last.
    fn split(self, middle: Arc<AttemptedPartition>) -> Vec<Gap> {
        let Gap { low, high, probe } = self;
        let was_halved = high.p - low.p > HALVED;
        let closer = |close: GapProbe| match probe {
            GapProbe::Crossing if was_halved => GapProbe::Crossing,
            GapProbe::Crossing => close,
            _ => GapProbe::Middle,
        };
        if middle.is_same(&low) {
            return vec![Gap { low: middle, high, probe: closer(GapProbe::AfterLow) }];
        }
        if middle.is_same(&high) {
            return vec![Gap { low, high: middle, probe: closer(GapProbe::BeforeHigh) }];
        }
        let above = Gap { low: Arc::clone(&middle), high, probe: GapProbe::Crossing };
        vec![above, Gap { low, high: middle, probe: GapProbe::Crossing }]
    }
}

/// What tells areas of pictures apart.
type AreaKey = (usize, usize, usize, Option<usize>, Option<VisualMark>);

fn key(shown: &VisualArea) -> AreaKey {
    let VisualArea { area, mark } = shown;
    (area.node, area.first, area.last, area.container, *mark)
}

/// The areas of the last p, and those that ended before it.
#[derive(Debug, Default)]
struct OpenRanges {
    open: HashMap<AreaKey, (f64, VisualArea)>,
    ended: Vec<AreaRange>,
}

impl OpenRanges {
    /// Goes on to a larger p.
    fn continue_with(&mut self, partition: &AttemptedPartition) {
        let mut before = std::mem::take(&mut self.open);
        for shown in &partition.shown {
            let from = before.remove(&key(shown)).map_or(partition.p, |(from, _)| from);
            self.open.insert(key(shown), (from, *shown));
        }
        let to = partition.p.next_down();
        self.ended.extend(before.into_values().map(|(from, shown)| AreaRange { shown, from, to }));
    }

    fn finish(mut self) -> Vec<AreaRange> {
        self.ended.extend(self.open.into_values().map(|(from, shown)| AreaRange { shown, from, to: 1.0 }));
        self.ended
    }
}
