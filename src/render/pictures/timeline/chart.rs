//! The shapes of a timeline: spans of states, steps of variables, arrows of links.

use std::collections::BTreeMap;

use super::super::frame::PictureArea;
use super::super::picture::{PathStep, Picture};
use super::super::query_rows::QueryRows;
use super::super::source::DrawSource;
use super::super::units::{percent, quantity, seconds};
use super::rows::{RowContent, TimelineRow, VariableSteps, range};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Where rows and times lie.
pub(super) struct Chart<'a> {
    pub(super) area: PictureArea,
    pub(super) rows: &'a [TimelineRow],
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

    fn x(&self, time: f64) -> f64 {
        let share = (time - self.start) / (self.stop - self.start).max(f64::MIN_POSITIVE);
        self.area.x + share.clamp(0.0, 1.0) * self.area.width
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

    /// The spans of one level: each level a little lower and thinner than the one around it.
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
                "{}: {} to {}, {} of the time, {} states",
                values[row],
                seconds(starts[row]),
                seconds(ends[row]),
                percent(shares[row]),
                quantity(counts[row])
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

    pub(super) fn links(&self, picture: &mut Picture, links: &QueryRows) -> Result<()> {
        let places = self.places();
        let (sources, targets) = (links.numbers("source_id")?, links.numbers("target_id")?);
        let (starts, ends) = (links.numbers("start_time")?, links.numbers("end_time")?);
        let (values, volumes) = (links.texts("value")?, links.numbers("volume")?);
        for row in 0..links.len() {
            let place = |id: f64| places.get(&(id as i64)).map(|place| self.top(*place) + self.row_height() / 2.0);
            let (Some(from), Some(to)) = (place(sources[row]), place(targets[row])) else { continue };
            let (start, end) = ((self.x(starts[row]), from), (self.x(ends[row]), to));
            let volume =
                if volumes[row].is_nan() { String::new() } else { format!(", volume {}", quantity(volumes[row])) };
            let title = format!("{} from {} to {}{volume}", values[row], seconds(starts[row]), seconds(ends[row]));
            picture.line(start, end).stroke(Color::TEXT, 0.8).opacity(0.7).title(title);
            arrow_head(picture, start, end);
        }
        Ok(())
    }

    /// The first row of each container.
    fn places(&self) -> BTreeMap<i64, usize> {
        let mut places = BTreeMap::new();
        for (place, row) in self.rows.iter().enumerate() {
            places.entry(row.container_id).or_insert(place);
        }
        places
    }
}

fn arrow_head(picture: &mut Picture, from: (f64, f64), to: (f64, f64)) {
    const SIZE: f64 = 5.0;
    let angle = (to.1 - from.1).atan2(to.0 - from.0);
    let corner = |turn: f64| (to.0 - SIZE * (angle + turn).cos(), to.1 - SIZE * (angle + turn).sin());
    let (left, right) = (corner(0.4), corner(-0.4));
    let steps = vec![
        PathStep::Move(to.0, to.1),
        PathStep::Line(left.0, left.1),
        PathStep::Line(right.0, right.1),
        PathStep::Close,
    ];
    picture.path(steps).fill(Color::TEXT).opacity(0.7);
}
