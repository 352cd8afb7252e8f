//! The timeline: a row per container, its states from left to right, nested ones below their outer ones, links as arrows,
//! variables as steps.
//!
//! The window is cut into columns, and each shows what its states are, stacked; see [`mix`]. `timeline(…)` gives them, so
//! the picture costs the same whatever the length of the trace.

mod arrows;
mod chart;
mod levels;
mod mix;
mod rows;

use std::collections::BTreeMap;

use self::arrows::{TimelineLinks, draw_links, links};
use self::chart::Chart;
use self::levels::{ColumnContent, DepthCut, levels};
use self::mix::TimelineMix;
use self::rows::{MAX_ROWS, RowContent, TimelineRow, VariableSteps};
use super::frame::{Axis, PictureFrame, draw_empty_note, label_room, row_labels, time_axis};
use super::picture::Picture;
use super::query_rows::QueryRows;
use super::source::DrawSource;
use super::units::{quantity, seconds};
use super::value_colors::NO_STATE;
use crate::color::Color;
use ocellus_trace::error::Result;

const MAX_VARIABLES: usize = 12;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let cut = DepthCut::choose(source).await?;
    let content = ColumnContent::of(source);
    let (levels, columns) = levels(source, &cut, content).await?;
    let variables = variables(source, &cut).await?;
    let links = links(source, &cut).await?;
    let mut rows: Vec<TimelineRow> = vec![];
    for level in &levels {
        rows.extend(state_rows(level)?);
    }
    rows.extend(variables.keys().cloned());
    rows.sort();
    rows.dedup();
    let (rows, hidden) = rows.split_at(rows.len().min(MAX_ROWS));
    let states = match content {
        ColumnContent::Mix => TimelineStates::Mixed(TimelineMix::new(&levels)?, columns),
        ColumnContent::Mode => TimelineStates::Modes(levels),
    };
    let mut legend = source.legend(states.legend(source)?);
    if let TimelineLinks::Drawn(links) = &links
        && !links.is_empty()
    {
        legend.push(("links, as arrows".to_string(), Color::TEXT));
    }
    let names: Vec<String> = rows.iter().map(|row| row.label(rows, &variables)).collect();
    let left = label_room(names.iter().map(String::as_str), source.width());
    let page = PictureFrame {
        width: source.width(),
        height: source.height((rows.len() as f64 * 22.0).clamp(160.0, 900.0) + 150.0),
        title: "Timeline",
        note: &source.note(&notes(source, &cut, &links, hidden.len(), &states)?),
        left,
        axis: Axis::Below,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    if rows.is_empty() {
        let count = source.query("SELECT count(*) AS count FROM variables").await?.numbers("count")?;
        let has_variables = count.first().is_some_and(|count| *count > 0.0);
        let text = if has_variables {
            "no states in this window; the view variables shows the variables"
        } else {
            "no states and no variables in this window"
        };
        draw_empty_note(&mut picture, &area, text);
        return Ok(picture);
    }
    let chart = Chart { area, rows, hidden, start: source.start, stop: source.stop };
    chart.background(&mut picture);
    states.draw(&mut picture, &chart, source)?;
    for (row, steps) in &variables {
        chart.variable(&mut picture, row, steps);
    }
    if let TimelineLinks::Drawn(links) = &links {
        draw_links(&mut picture, source, links, &area, chart.points())?;
    }
    let labels: Vec<(f64, f64, &str)> =
        names.iter().enumerate().map(|(at, name)| (chart.top(at), chart.row_height(), name.as_str())).collect();
    row_labels(&mut picture, &area, left, &labels);
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

fn state_rows(spans: &QueryRows) -> Result<Vec<TimelineRow>> {
    let (ids, orders) = (spans.numbers("container_id")?, spans.numbers("preorder")?);
    let (names, types) = (spans.names("container")?, spans.texts("type")?);
    Ok((0..spans.len())
        .map(|row| TimelineRow {
            preorder: orders[row] as i64,
            container_id: ids[row] as i64,
            kind: RowContent::States,
            type_name: types[row].clone(),
            container: names[row].clone(),
        })
        .collect())
}

/// The variables of the window, unless they are too many to be read.
async fn variables(source: &DrawSource<'_>, cut: &DepthCut) -> Result<BTreeMap<TimelineRow, VariableSteps>> {
    let mut found: BTreeMap<TimelineRow, VariableSteps> = BTreeMap::new();
    if cut.depth.is_some() || source.options.query.is_some() {
        return Ok(found);
    }
    let own = format!(
        "SELECT slices.container_id, slices.container, slices.type, slices.slice_start, slices.slice_end, \
                slices.integral / slices.covered AS mean, containers.preorder \
         FROM variable_slices(slices => 300, {}) AS slices \
         JOIN containers ON containers.container_id = slices.container_id \
         WHERE slices.covered > 0 ORDER BY slices.container_id, slices.type, slices.slice_start",
        source.window()
    );
    let count =
        source.query("SELECT count(*) AS count FROM (SELECT DISTINCT container_id, type FROM variables)").await?;
    if count.numbers("count")?.first().is_none_or(|count| *count > MAX_VARIABLES as f64) {
        return Ok(found);
    }
    let rows = source.query(&own).await?;
    let (ids, orders) = (rows.numbers("container_id")?, rows.numbers("preorder")?);
    let (names, types) = (rows.names("container")?, rows.texts("type")?);
    let (starts, ends, means) = (rows.numbers("slice_start")?, rows.numbers("slice_end")?, rows.numbers("mean")?);
    for row in 0..rows.len() {
        let key = TimelineRow {
            preorder: orders[row] as i64,
            container_id: ids[row] as i64,
            kind: RowContent::Variable,
            type_name: types[row].clone(),
            container: names[row].clone(),
        };
        found.entry(key).or_default().push((starts[row], ends[row], means[row]));
    }
    Ok(found)
}

fn notes(
    source: &DrawSource<'_>,
    cut: &DepthCut,
    links: &TimelineLinks,
    hidden: usize,
    states: &TimelineStates,
) -> Result<String> {
    let mut text = String::new();
    if let Some(depth) = cut.depth {
        text.push_str(&format!(", containers down to depth {depth}"));
    }
    if let TimelineLinks::TooMany(count) = links
        && *count > 0.0
    {
        text.push_str(&format!(", {} links are not drawn", quantity(*count)));
    }
    if hidden > 0 {
        text.push_str(&format!(", {hidden} more rows are not drawn"));
    }
    match states {
        TimelineStates::Mixed(mix, columns) if mix.is_mixed() => {
            let length = (source.stop - source.start) / *columns as f64;
            text.push_str(&format!(", states stacked by their time in columns of {}", seconds(length)));
        }
        TimelineStates::Mixed(..) => {}
        TimelineStates::Modes(levels) => {
            for level in levels {
                if level.numbers("share")?.iter().any(|share| *share < 0.99) {
                    text.push_str(", the state with most time in each column, pale where it has not all");
                    break;
                }
            }
        }
    }
    Ok(text)
}

/// The states of the picture: all in each column, or the one with most time.
enum TimelineStates {
    /// With the number of columns.
    Mixed(TimelineMix, usize),
    Modes(Vec<QueryRows>),
}

impl TimelineStates {
    /// The values, the one with most time first, and what time in no state looks like when there is some.
    fn legend(&self, source: &DrawSource<'_>) -> Result<Vec<(String, Color)>> {
        let named = |name: &String| (name.clone(), source.palette.of(name));
        let levels = match self {
            TimelineStates::Mixed(mix, _) => {
                let mut legend: Vec<_> = mix.values().iter().map(|(name, _)| named(name)).collect();
                if mix.has_gaps(source.start, source.stop) {
                    legend.push((NO_STATE.to_string(), Color::EMPTY));
                }
                return Ok(legend);
            }
            TimelineStates::Modes(levels) => levels,
        };
        let mut time: BTreeMap<String, f64> = BTreeMap::new();
        for level in levels {
            let (values, starts, ends) =
                (level.texts("value")?, level.numbers("start_time")?, level.numbers("end_time")?);
            for row in 0..level.len() {
                *time.entry(values[row].clone()).or_default() += ends[row] - starts[row];
            }
        }
        let mut order: Vec<(String, f64)> = time.into_iter().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(order.iter().map(|(name, _)| named(name)).collect())
    }

    fn draw(&self, picture: &mut Picture, chart: &Chart<'_>, source: &DrawSource<'_>) -> Result<()> {
        match self {
            TimelineStates::Mixed(mix, _) => {
                let strip = |row: usize, level: usize, levels: usize| chart.strip(row, level, levels);
                mix.draw(picture, source, chart.rows, strip, |time| chart.x(time));
            }
            TimelineStates::Modes(levels) => {
                for (level, spans) in levels.iter().enumerate() {
                    chart.states(picture, spans, level, levels.len(), source)?;
                }
            }
        }
        Ok(())
    }
}
