//! The places of a timeline, and the shapes of its states and variables.

use std::collections::BTreeMap;

use super::super::frame::PictureArea;
use super::super::picture::{PathStep, Picture};
use super::super::query_rows::QueryRows;
use super::super::source::DrawSource;
use super::super::units::{counted, percent, quantity};
use super::rows::{RowContent, TimelineRow, VariableSteps, range};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Where rows and times lie.
pub(super) struct Chart<'a> {
    pub(super) area: PictureArea,
    pub(super) rows: &'a [TimelineRow],
    /// Rows below the picture, which it has no room for.
    pub(super) hidden: &'a [TimelineRow],
    pub(super) start: f64,
    pub(super) stop: f64,
}

impl Chart<'_> {
    pub(super) fn row_height(&self) -> f64 {
        self.area.height / self.rows.len() as f64
    }

    pub(super) fn top(&self, row: usize) -> f64 {
        self.area.y + row as f64 * self.row_height()
    }

    /// Where a time lies; one outside of the window lies at its border.
    pub(super) fn x(&self, time: f64) -> f64 {
        self.x_anywhere(time).clamp(self.area.x, self.area.right())
    }

    fn x_anywhere(&self, time: f64) -> f64 {
        let share = (time - self.start) / (self.stop - self.start).max(f64::MIN_POSITIVE);
        self.area.x + share * self.area.width
    }

    /// Where the states of a level of a row lie: the upper levels are thin strips, the innermost has the rest.
    pub(super) fn strip(&self, row: usize, level: usize, levels: usize) -> PictureArea {
        let full = self.row_height() - 2.0 * self.gap();
        let thin = full * 0.6 / levels as f64;
        let height = if level + 1 == levels { full - thin * level as f64 } else { thin };
        let y = self.top(row) + self.gap() + thin * level as f64;
        PictureArea { x: self.area.x, y, width: self.area.width, height }
    }

    fn gap(&self) -> f64 {
        if self.row_height() >= 6.0 { 1.0 } else { 0.0 }
    }

    pub(super) fn background(&self, picture: &mut Picture) {
        for row in 0..self.rows.len() {
            let height = self.row_height() - 2.0 * self.gap();
            picture.rectangle(self.area.x, self.top(row) + self.gap(), self.area.width, height).fill(Color::EMPTY);
        }
    }

    /// The spans of one level, each in the color of its value of most time: each level a little lower and thinner than the
    /// one around it.
    pub(super) fn states(
        &self,
        picture: &mut Picture,
        spans: &QueryRows,
        level: usize,
        levels: usize,
        source: &DrawSource<'_>,
    ) -> Result<()> {
        let states = self.rows.iter().enumerate().filter(|(_, row)| row.kind == RowContent::States);
        let places: BTreeMap<(i64, &str), usize> =
            states.map(|(place, row)| ((row.container_id, row.type_name.as_str()), place)).collect();
        let (ids, types, values) = (spans.numbers("container_id")?, spans.texts("type")?, spans.texts("value")?);
        let (starts, ends) = (spans.numbers("start_time")?, spans.numbers("end_time")?);
        let (shares, counts) = (spans.numbers("share")?, spans.numbers("states")?);
        let full = self.row_height() - 2.0 * self.gap();
        let inset = full * 0.6 * level as f64 / levels as f64;
        for row in 0..spans.len() {
            let Some(place) = places.get(&(ids[row] as i64, types[row].as_str())) else { continue };
            let (x, right) = (self.x(starts[row]), self.x(ends[row]));
            let title = format!(
                "{}: {} to {}, {} of the time, {}",
                values[row],
                source.moment(starts[row]),
                source.moment(ends[row]),
                percent(shares[row]),
                counted(counts[row], "state")
            );
            // A hair wider, so that no seam shows between neighbors.
            picture
                .rectangle(x, self.top(*place) + self.gap() + inset, right - x + 0.2, full - inset)
                .fill(source.palette.of(&values[row]))
                .opacity(0.35 + 0.65 * shares[row])
                .title(title);
        }
        Ok(())
    }

    pub(super) fn variable(&self, picture: &mut Picture, row: &TimelineRow, steps: &VariableSteps) {
        let Some(place) = self.rows.iter().position(|known| known == row) else { return };
        let (low, high) = range(steps);
        let (top, height) = (self.top(place) + self.gap(), self.row_height() - 2.0 * self.gap());
        let y = |value: f64| top + height - (value - low) / (high - low) * height;
        let mut path = vec![];
        for (index, (start, end, value)) in steps.iter().enumerate() {
            let step = (self.x(*start), y(*value));
            path.push(if index == 0 { PathStep::Move(step.0, step.1) } else { PathStep::Line(step.0, step.1) });
            path.push(PathStep::Line(self.x(*end), y(*value)));
        }
        picture.path(path).stroke(Color::TEXT, 1.2).title(format!(
            "{} {}: {} to {}",
            row.container,
            row.type_name,
            quantity(low),
            quantity(high)
        ));
    }

    /// Where a container is at a time, which may be outside of the picture: in the middle of its first row.
    pub(super) fn points(&self) -> impl Fn(i64, f64) -> Option<(f64, f64)> {
        let mut places = BTreeMap::new();
        for (place, row) in self.rows.iter().chain(self.hidden).enumerate() {
            places.entry(row.container_id).or_insert(place);
        }
        move |container, time| {
            let place = places.get(&container)?;
            Some((self.x_anywhere(time), self.top(*place) + self.row_height() / 2.0))
        }
    }
}
