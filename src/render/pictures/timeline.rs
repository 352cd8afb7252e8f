//! The timeline: a row per container, its states from left to right, nested ones inside their outer
//! ones, links as arrows, variables as steps.
//!
//! What is shorter than a column of the screen comes summarized from `timeline(…)`, so the picture
//! costs the same whatever the length of the trace.

mod chart;
mod rows;

use std::collections::BTreeMap;

use self::chart::Chart;
use self::rows::{RowContent, TimelineRow, VariableSteps};
use super::frame::{Axis, PictureFrame, draw_empty_note, label_room, row_labels, time_axis};
use super::picture::Picture;
use super::query_rows::QueryRows;
use super::source::DrawSource;
use super::units::quantity;
use crate::color::Color;
use ocellus_trace::error::Result;

/// Rows in a picture; of more containers, the tree is cut at a depth.
const MAX_ROWS: usize = 160;
/// Rectangles in a picture.
const MAX_SPANS: usize = 9000;
/// Columns that even a picture of very many rows has.
const MIN_COLUMNS: usize = 20;
/// Arrows in a picture; of more links, none is drawn and the note says how many there are.
const MAX_LINKS: usize = 400;
/// Levels of nested states that are told apart.
const MAX_LEVELS: i64 = 5;
const MAX_VARIABLES: usize = 12;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let cut = DepthCut::choose(source).await?;
    let mut columns = (MAX_SPANS / cut.rows.max(1)).clamp(60, source.width() as usize);
    let mut levels = levels(source, &cut, columns).await?;
    // Nested states, and several types of states, take more than was reckoned with.
    loop {
        let spans: usize = levels.iter().map(QueryRows::len).sum();
        if spans <= 2 * MAX_SPANS || columns <= MIN_COLUMNS {
            break;
        }
        columns = (columns * MAX_SPANS / spans).max(MIN_COLUMNS);
        levels = self::levels(source, &cut, columns).await?;
    }
    let variables = variables(source, &cut).await?;
    let links = links(source, &cut).await?;
    let mut rows: Vec<TimelineRow> = vec![];
    for level in &levels {
        rows.extend(state_rows(level)?);
    }
    rows.extend(variables.keys().cloned());
    rows.sort();
    rows.dedup();
    let dropped = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let mut legend = legend(source, &levels)?;
    if let TimelineLinks::Drawn(links) = &links
        && !links.is_empty()
    {
        legend.push(("links, as arrows".to_string(), Color::TEXT));
    }
    let names: Vec<String> = rows.iter().map(|row| row.label(&rows, &variables)).collect();
    let left = label_room(names.iter().map(String::as_str), source.width());
    let page = PictureFrame {
        width: source.width(),
        height: source.height((rows.len() as f64 * 22.0).clamp(160.0, 900.0) + 150.0),
        title: "Timeline",
        note: &source.note(&notes(&cut, &links, dropped, &levels)?),
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
    let chart = Chart { area, rows: &rows, start: source.start, stop: source.stop };
    chart.background(&mut picture);
    for (level, spans) in levels.iter().enumerate() {
        chart.states(&mut picture, spans, level, levels.len(), source)?;
    }
    for (row, steps) in &variables {
        chart.variable(&mut picture, row, steps);
    }
    if let TimelineLinks::Drawn(links) = &links {
        chart.links(&mut picture, links)?;
    }
    let labels: Vec<(f64, f64, &str)> =
        names.iter().enumerate().map(|(at, name)| (chart.top(at), chart.row_height(), name.as_str())).collect();
    row_labels(&mut picture, &area, left, &labels);
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

/// At which depth the tree is cut, and about how many rows that gives.
struct DepthCut {
    depth: Option<i64>,
    rows: usize,
}

impl DepthCut {
    async fn choose(source: &DrawSource<'_>) -> Result<DepthCut> {
        let counts = source
            .query("SELECT depth, count(*) AS containers, count(*) FILTER (WHERE is_leaf) AS leaves FROM containers GROUP BY depth ORDER BY depth")
            .await?;
        let (containers, leaves) = (counts.numbers("containers")?, counts.numbers("leaves")?);
        let total: f64 = containers.iter().sum();
        if let Some(depth) = source.options.depth {
            let rows = containers.get(depth as usize).copied().unwrap_or(total);
            return Ok(DepthCut { depth: Some(i64::from(depth)), rows: rows as usize });
        }
        if total as usize <= 2 * MAX_ROWS {
            return Ok(DepthCut { depth: None, rows: total as usize });
        }
        // The containers of a depth, and the leaves above them.
        let frontier = |depth: usize| containers[depth] + leaves[..depth].iter().sum::<f64>();
        let depth = (0..containers.len()).rev().find(|depth| frontier(*depth) as usize <= MAX_ROWS).unwrap_or(0);
        Ok(DepthCut { depth: Some(depth as i64), rows: frontier(depth) as usize })
    }

    fn argument(&self) -> String {
        self.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default()
    }
}

/// The spans of each level of nesting, outermost first; of all levels at once when the tree is cut.
async fn levels(source: &DrawSource<'_>, cut: &DepthCut, columns: usize) -> Result<Vec<QueryRows>> {
    let kind = source.type_argument();
    let spans = |relation: &str| {
        format!(
            "SELECT spans.*, containers.preorder FROM timeline({relation}, {}, width => {columns}{kind}{}) AS spans \
             JOIN containers ON containers.container_id = spans.container_id ORDER BY spans.container_id, spans.type, spans.first_column",
            source.window(),
            cut.argument()
        )
    };
    if let Some(query) = &source.options.query {
        return Ok(vec![source.query(&spans(&format!("({query})"))).await?]);
    }
    let deepest = source.query("SELECT coalesce(max(depth), 0) AS depth FROM states").await?.numbers("depth")?;
    let deepest = deepest.first().map_or(0, |depth| *depth as i64);
    if deepest == 0 || cut.depth.is_some() {
        return Ok(vec![source.query(&spans("state_segments")).await?]);
    }
    let mut levels = vec![];
    for level in 0..=deepest.min(MAX_LEVELS - 1) {
        levels.push(source.query(&spans(&format!("(SELECT * FROM states WHERE depth = {level})"))).await?);
    }
    Ok(levels)
}

fn state_rows(spans: &QueryRows) -> Result<Vec<TimelineRow>> {
    let (ids, orders) = (spans.numbers("container_id")?, spans.numbers("preorder")?);
    let (names, types) = (spans.texts("container")?, spans.texts("type")?);
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
    let (names, types) = (rows.texts("container")?, rows.texts("type")?);
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

enum TimelineLinks {
    Drawn(QueryRows),
    TooMany(f64),
}

async fn links(source: &DrawSource<'_>, cut: &DepthCut) -> Result<TimelineLinks> {
    let within = format!("start_time < {:?} AND end_time > {:?}", source.stop, source.start);
    let count = source.query(&format!("SELECT count(*) AS count FROM links WHERE {within}")).await?.numbers("count")?;
    let count = count.first().copied().unwrap_or(0.0);
    if count > MAX_LINKS as f64 || cut.depth.is_some() || source.options.query.is_some() {
        return Ok(TimelineLinks::TooMany(count));
    }
    let own = format!(
        "SELECT source_id, target_id, value, volume, start_time, end_time FROM links WHERE {within} \
         ORDER BY start_time, end_time, source_id, target_id, value, volume"
    );
    Ok(TimelineLinks::Drawn(source.query(&own).await?))
}

fn notes(cut: &DepthCut, links: &TimelineLinks, dropped: usize, levels: &[QueryRows]) -> Result<String> {
    let mut text = String::new();
    if let Some(depth) = cut.depth {
        text.push_str(&format!(", containers down to depth {depth}"));
    }
    if let TimelineLinks::TooMany(count) = links
        && *count > 0.0
    {
        text.push_str(&format!(", {} links are not drawn", quantity(*count)));
    }
    if dropped > 0 {
        text.push_str(&format!(", {dropped} more rows are not drawn"));
    }
    for level in levels {
        if level.numbers("share")?.iter().any(|share| *share < 0.99) {
            text.push_str(", pale where several states meet");
            break;
        }
    }
    Ok(text)
}

fn legend(source: &DrawSource<'_>, levels: &[QueryRows]) -> Result<Vec<(String, Color)>> {
    let mut time: BTreeMap<String, f64> = BTreeMap::new();
    for level in levels {
        let (values, starts, ends) = (level.texts("value")?, level.numbers("start_time")?, level.numbers("end_time")?);
        for row in 0..level.len() {
            *time.entry(values[row].clone()).or_default() += ends[row] - starts[row];
        }
    }
    let mut order: Vec<(String, f64)> = time.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(order
        .into_iter()
        .map(|(name, _)| {
            let color = source.palette.of(&name);
            (name, color)
        })
        .collect())
}
