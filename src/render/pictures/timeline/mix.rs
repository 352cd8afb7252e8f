//! The mix of states in each column of a timeline: stacked, each as high as its part of the column's time.
//!
//! ```text
//!  time in no state  |    ..  ..........|
//!  c                 |   cccc    ....   |
//!  b                 |  bbbbbbbb    cc  |
//!  a                 |aaaaaaaaaaaaaaaaaa|     the one with most time of all lies lowest
//! ```
//! The upper ones are painted first and down to the ground, the lower ones over them: so there are no seams between them,
//! and every edge lies where it belongs, also within a pixel. All pieces of a value in a row are one path. What the mouse
//! points at is told by areas that are not seen.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::super::frame::PictureArea;
use super::super::picture::{PathStep, Picture};
use super::super::query_rows::QueryRows;
use super::super::source::DrawSource;
use super::super::units::{counted, percent};
use super::rows::{RowContent, TimelineRow};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Areas that tell what they show, in a picture.
const MAX_TITLES: f64 = 6000.0;
/// Values that a title names.
const MAX_NAMES: usize = 6;

/// What a span of columns holds.
#[derive(Debug, Clone, PartialEq)]
struct MixedSpan {
    start: f64,
    end: f64,
    states: f64,
    /// Places of values in the order of all, with their shares; in that order.
    shares: Vec<(usize, f64)>,
}

/// The spans of a row of the picture, by time.
type RowSpans = Vec<MixedSpan>;

/// The mix of each level of nesting.
pub(super) struct TimelineMix {
    /// Values with their time, the one with most time first.
    values: Vec<(String, f64)>,
    levels: Vec<BTreeMap<(i64, String), RowSpans>>,
}

impl TimelineMix {
    /// Reads the rows of levels, each a span and a value.
    pub(super) fn new(levels: &[QueryRows]) -> Result<TimelineMix> {
        let mut times: BTreeMap<String, f64> = BTreeMap::new();
        for level in levels {
            let (values, shares) = (level.texts("value")?, level.numbers("share")?);
            let (starts, ends) = (level.numbers("start_time")?, level.numbers("end_time")?);
            for row in 0..level.len() {
                *times.entry(values[row].clone()).or_default() += shares[row] * (ends[row] - starts[row]);
            }
        }
        let mut values: Vec<(String, f64)> = times.into_iter().collect();
        values.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let places: BTreeMap<&str, usize> =
            values.iter().enumerate().map(|(place, (name, _))| (name.as_str(), place)).collect();
        let levels = levels.iter().map(|level| row_spans(level, &places)).collect::<Result<_>>()?;
        Ok(TimelineMix { values, levels })
    }

    /// The values, the one with most time first.
    pub(super) fn values(&self) -> &[(String, f64)] {
        &self.values
    }

    /// Whether some time of a row is in no state.
    pub(super) fn has_gaps(&self, start: f64, stop: f64) -> bool {
        let covered =
            |spans: &RowSpans| spans.iter().map(|span| span.sum().min(1.0) * (span.end - span.start)).sum::<f64>();
        self.levels.iter().flat_map(BTreeMap::values).any(|spans| covered(spans) < (stop - start) * 0.999)
    }

    /// Whether a column holds several values.
    pub(super) fn is_mixed(&self) -> bool {
        let mut spans = self.levels.iter().flat_map(BTreeMap::values).flatten();
        spans.any(|span| span.shares.iter().filter(|(_, share)| *share > 0.0).count() > 1)
    }

    /// Draws the rows; `strip` gives the place of a row and one of its so many levels, `x` that of a time.
    pub(super) fn draw(
        &self,
        picture: &mut Picture,
        source: &DrawSource<'_>,
        rows: &[TimelineRow],
        strip: impl Fn(usize, usize, usize) -> PictureArea,
        x: impl Fn(f64) -> f64,
    ) {
        let strips: usize = rows.iter().map(|row| self.strips(row).len()).sum();
        for (place, row) in rows.iter().enumerate() {
            let levels = self.strips(row);
            for (level, spans) in levels.iter().enumerate() {
                let area = strip(place, level, levels.len());
                // The strip below is painted over it: so no seam shows between them.
                let hair = if level + 1 < levels.len() { HAIR } else { 0.0 };
                self.draw_stack(picture, source, spans, (&area, area.bottom() + hair), &x);
                let least_width = area.width * strips as f64 / MAX_TITLES;
                self.draw_titles(picture, source, (row, spans), &area, &x, least_width);
            }
        }
    }

    /// The levels of a row, without those that show the same as the one below them.
    fn strips(&self, row: &TimelineRow) -> Vec<&[MixedSpan]> {
        if row.kind != RowContent::States {
            return vec![];
        }
        let key = (row.container_id, row.type_name.clone());
        let mut levels: Vec<&[MixedSpan]> =
            self.levels.iter().map(|level| level.get(&key).map_or(&[][..], Vec::as_slice)).collect();
        levels.dedup();
        levels
    }

    fn draw_stack(
        &self,
        picture: &mut Picture,
        source: &DrawSource<'_>,
        spans: &[MixedSpan],
        (area, ground): (&PictureArea, f64),
        x: &impl Fn(f64) -> f64,
    ) {
        let mut paths: BTreeMap<usize, StepPath> = BTreeMap::new();
        for span in spans {
            let whole = span.sum().max(1.0);
            let mut reached = 0.0;
            for (value, share) in span.shares.iter().filter(|(_, share)| *share > 0.0) {
                reached += share / whole;
                let top = area.bottom() - reached.min(1.0) * area.height;
                paths.entry(*value).or_default().add(x(span.start), x(span.end), top, ground);
            }
        }
        for (value, path) in paths.into_iter().rev() {
            picture.path(path.finish(ground)).fill(source.palette.of(&self.values[value].0));
        }
    }

    /// Neighbors that are too thin to point at share a title, which tells their mean.
    fn draw_titles(
        &self,
        picture: &mut Picture,
        source: &DrawSource<'_>,
        (row, spans): (&TimelineRow, &[MixedSpan]),
        area: &PictureArea,
        x: &impl Fn(f64) -> f64,
        least_width: f64,
    ) {
        let mut group: Option<MixedSpan> = None;
        let mut write = |group: &MixedSpan| {
            let (left, right) = (x(group.start), x(group.end));
            picture
                .rectangle(left, area.y, right - left, area.height)
                .fill(Color::WHITE)
                .opacity(0.0)
                .title(self.title(source, row, group));
        };
        for span in spans {
            group = Some(match group.take() {
                Some(before) if before.end == span.start && x(before.end) - x(before.start) < least_width => {
                    before.joined(span)
                }
                Some(before) => {
                    write(&before);
                    span.clone()
                }
                None => span.clone(),
            });
        }
        group.iter().for_each(write);
    }

    fn title(&self, source: &DrawSource<'_>, row: &TimelineRow, span: &MixedSpan) -> String {
        let mut shares = span.shares.clone();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let (named, rest) = shares.split_at(shares.len().min(MAX_NAMES));
        let mut parts: Vec<String> =
            named.iter().map(|(value, share)| format!("{} {}", self.values[*value].0, percent(*share))).collect();
        if !rest.is_empty() {
            let share: f64 = rest.iter().map(|(_, share)| share).sum();
            parts.push(format!("{} others {}", rest.len(), percent(share)));
        }
        let empty = 1.0 - span.sum();
        if empty > 5e-4 {
            parts.push(format!("no state {}", percent(empty)));
        }
        format!(
            "{}, {} to {}: {}; {}",
            row.container,
            source.moment(span.start),
            source.moment(span.end),
            parts.join(", "),
            counted(span.states, "state")
        )
    }
}

/// Gathers the rows of a level by row of the picture and span.
fn row_spans(level: &QueryRows, places: &BTreeMap<&str, usize>) -> Result<BTreeMap<(i64, String), RowSpans>> {
    let (ids, types, values) = (level.numbers("container_id")?, level.texts("type")?, level.texts("value")?);
    let (starts, ends) = (level.numbers("start_time")?, level.numbers("end_time")?);
    let (shares, states) = (level.numbers("share")?, level.numbers("states")?);
    let mut rows: BTreeMap<(i64, String), RowSpans> = BTreeMap::new();
    for row in 0..level.len() {
        let spans = rows.entry((ids[row] as i64, types[row].clone())).or_default();
        if spans.last().is_none_or(|span| span.start != starts[row]) {
            spans.push(MixedSpan { start: starts[row], end: ends[row], states: states[row], shares: vec![] });
        }
        if let (Some(span), Some(place)) = (spans.last_mut(), places.get(values[row].as_str())) {
            span.shares.push((*place, shares[row]));
        }
    }
    for span in rows.values_mut().flatten() {
        span.shares.sort_by_key(|(place, _)| *place);
    }
    Ok(rows)
}

impl MixedSpan {
    fn sum(&self) -> f64 {
        self.shares.iter().map(|(_, share)| share).sum()
    }

    /// Two neighbors as one, with the means of their shares.
    fn joined(self, next: &MixedSpan) -> MixedSpan {
        let length = next.end - self.start;
        let mut amounts: BTreeMap<usize, f64> = BTreeMap::new();
        for span in [&self, next] {
            for (value, share) in &span.shares {
                *amounts.entry(*value).or_default() += share * (span.end - span.start) / length;
            }
        }
        let states = self.states + next.states;
        MixedSpan { start: self.start, end: next.end, states, shares: amounts.into_iter().collect() }
    }
}

/// Columns of one color that stand on the ground, as a path: neighbors are one shape, and equal ones one step.
#[derive(Debug, Default)]
struct StepPath {
    steps: Vec<PathStep>,
    /// The right edge and the top of the last column.
    last: Option<(f64, f64)>,
}

/// A hundredth of a pixel is what a file keeps.
const SAME: f64 = 0.005;
/// How much wider a shape is than its columns, so that no seam shows between neighbors.
const HAIR: f64 = 0.2;

impl StepPath {
    fn add(&mut self, left: f64, right: f64, top: f64, ground: f64) {
        match self.last {
            Some((end, height)) if (left - end).abs() < SAME => {
                if (height - top).abs() >= SAME {
                    self.steps.extend([PathStep::Line(end, height), PathStep::Line(end, top)]);
                    self.last = Some((right, top));
                } else {
                    self.last = Some((right, height));
                }
            }
            _ => {
                self.end_shape(ground);
                self.steps.extend([PathStep::Move(left, ground), PathStep::Line(left, top)]);
                self.last = Some((right, top));
            }
        }
    }

    fn end_shape(&mut self, ground: f64) {
        if let Some((end, top)) = self.last.take() {
            let end = end + HAIR;
            self.steps.extend([PathStep::Line(end, top), PathStep::Line(end, ground), PathStep::Close]);
        }
    }

    fn finish(mut self, ground: f64) -> Vec<PathStep> {
        self.end_shape(ground);
        self.steps
    }
}
