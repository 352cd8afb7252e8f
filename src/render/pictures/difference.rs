//! The difference of two runs: where and when one is unlike the other.
//!
//! Each area has the color of the state whose proportion differs most: orange where the other run is more in it, blue where
//! it is less, the stronger the more; its name is in the area where there is room. The tree of containers stands at the
//! side, as in an overview.

use super::font;
use super::frame::{
    Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note, label_room, ranked_row_labels, time_axis,
};
use super::overview::bands::{bands, draw_level, levels, sized_levels};
use super::picture::{Picture, TextAnchor};
use super::query_rows::QueryRows;
use super::source::DrawSource;
use super::units::{percent, quantity};
use crate::color::Color;
use ocellus_trace::error::{Error, Result};

const MORE: Color = Color::new(178, 60, 0);
const LESS: Color = Color::new(20, 90, 170);
const NONE: Color = Color::new(243, 243, 240);
/// The part of the width that names may take.
const MAX_LEFT: f64 = 0.45;
/// States that a title names.
const MAX_NAMES: usize = 5;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let other = other_run(source).await?;
    let rows = source.view_rows(&own_query(source, other.as_deref())).await?;
    let differences = rows.numbers("difference")?;
    let most = differences.iter().map(|difference| difference.abs()).fold(0.0, f64::max);
    let bands = bands(&rows)?;
    let levels = levels(source, &bands).await?;
    let room = label_room(bands.rows.iter().map(|band| band.name.as_str()), source.width());
    let height = source.height(560.0);
    let legend = legend(most);
    let note = source.note(&format!(", {} areas{}", rows.len(), unmatched(&rows)?));
    let title = match &other {
        Some(other) => format!("{other} compared with {}: the state that differs most", source.trace),
        None => "Difference of two runs: the state that differs most".to_string(),
    };
    let page = |left: f64| {
        let (width, axis) = (source.width(), Axis::Below);
        PictureFrame { width, height, title: &title, note: &note, left, axis, legend: &legend }.begin()
    };
    let (tops, heights) = (rows.numbers("y")?, rows.numbers("height")?);
    let resources = tops.iter().zip(&heights).map(|(top, height)| top + height).fold(0.0, f64::max);
    // The height of the data does not depend on the room at its left.
    let scale = page(room).1.height / resources.max(1.0);
    let levels = sized_levels(levels, scale, MAX_LEFT * source.width() - room);
    let (mut picture, area) = page(room + levels.iter().map(|level| level.width).sum::<f64>());
    if rows.is_empty() {
        draw_empty_note(&mut picture, &area, "no states in both runs");
        return Ok(picture);
    }
    let stop = rows.numbers("end_time")?.into_iter().fold(source.stop, f64::max);
    draw_areas(&mut picture, &area, (scale, most), &rows, source, stop)?;
    let labels: Vec<(f64, f64, &str)> =
        bands.rows.iter().map(|band| (area.y + band.top * scale, band.height * scale, band.name.as_str())).collect();
    ranked_row_labels(&mut picture, &area, room, &labels, &[]);
    let mut x = area.x - room - levels.iter().map(|level| level.width).sum::<f64>();
    for level in &levels {
        draw_level(&mut picture, (x, area.y), scale, level);
        x += level.width;
    }
    time_axis(&mut picture, &area, source.start, stop);
    Ok(picture)
}

/// The run that the options name, or the only other one; `None` when a query gives what is drawn.
async fn other_run(source: &DrawSource<'_>) -> Result<Option<String>> {
    match (&source.options.query, &source.options.with) {
        (Some(_), _) => Ok(None),
        (None, Some(other)) => Ok(Some(other.clone())),
        (None, None) => only_other(source).await.map(Some),
    }
}

/// The areas of the difference with another run.
fn own_query(source: &DrawSource<'_>, other: Option<&str>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let mut arguments = format!("{}, {}", quoted(&source.trace), quoted(other.unwrap_or(&source.trace)));
    arguments += &format!(", slices => {}", source.options.slices.unwrap_or(60));
    if let Some(p) = source.options.p {
        arguments += &format!(", p => {p:?}");
    }
    if let Some(align) = &source.options.align {
        arguments += &format!(", align => {}", quoted(align));
    }
    if let Some(depth) = source.options.depth {
        arguments += &format!(", depth => {depth}");
    }
    format!("SELECT *, CAST(resources AS DOUBLE) AS height FROM difference_partition({arguments}) ORDER BY area")
}

async fn only_other(source: &DrawSource<'_>) -> Result<String> {
    let names = source.query("SELECT trace FROM all_traces.trace_info ORDER BY trace").await?.texts("trace")?;
    let others: Vec<&String> = names.iter().filter(|name| **name != source.trace).collect();
    match others.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Error::Usage(format!("the store has no run beside {} to compare it with", source.trace))),
        _ => {
            let names: Vec<&str> = others.iter().map(|name| name.as_str()).collect();
            Err(Error::Usage(format!("which run shall be compared? --with takes one of {}", names.join(", "))))
        }
    }
}

/// The color of a difference.
fn color_of(difference: f64, most: f64) -> Color {
    if difference == 0.0 || !difference.is_finite() {
        return NONE;
    }
    let share = difference.abs() / most.max(f64::MIN_POSITIVE);
    NONE.toward(if difference > 0.0 { MORE } else { LESS }, 0.06 + 0.94 * share)
}

fn signed(difference: f64) -> String {
    format!("{}{}", if difference < 0.0 { "−" } else { "+" }, percent(difference.abs()))
}

/// The scale: from less to more.
fn legend(most: f64) -> Vec<(String, Color)> {
    if most == 0.0 {
        return vec![("no difference".to_string(), NONE)];
    }
    let entry = |part: f64, words: &str| (format!("{}{words}", signed(part * most)), color_of(part * most, most));
    vec![
        entry(-1.0, " of the time, less than before"),
        entry(-0.5, ""),
        ("no difference".to_string(), NONE),
        entry(0.5, ""),
        entry(1.0, ", more than before"),
    ]
}

/// How many containers have no partner, where some have none.
fn unmatched(rows: &QueryRows) -> Result<String> {
    if rows.is_empty() || !rows.has_column("matched") {
        return Ok(String::new());
    }
    let first = |name: &str| Ok::<f64, Error>(rows.numbers(name)?.first().copied().unwrap_or(0.0));
    let (matched, left, right) = (first("matched")?, first("left_containers")?, first("right_containers")?);
    if matched >= left && matched >= right {
        return Ok(String::new());
    }
    Ok(format!(", {} containers in both of {} and {}", quantity(matched), quantity(left), quantity(right)))
}

fn draw_areas(
    picture: &mut Picture,
    area: &PictureArea,
    (scale, most): (f64, f64),
    rows: &QueryRows,
    source: &DrawSource<'_>,
    stop: f64,
) -> Result<()> {
    let (names, values, changes) = (rows.names("container")?, rows.texts("value")?, rows.proportions("differences")?);
    let (starts, ends) = (rows.numbers("start_time")?, rows.numbers("end_time")?);
    let (tops, heights) = (rows.numbers("y")?, rows.numbers("height")?);
    let differences = rows.numbers("difference")?;
    let x = |time: f64| area.x + (time - source.start) / (stop - source.start).max(f64::MIN_POSITIVE) * area.width;
    for row in 0..rows.len() {
        let (left, right) = (x(starts[row]), x(ends[row]));
        let (top, height) = (area.y + tops[row] * scale, heights[row] * scale);
        let paint = color_of(differences[row], most);
        let title = format!(
            "{}, {} resources, {} to {}: {}",
            names[row],
            quantity(heights[row]),
            source.moment(starts[row]),
            source.moment(ends[row]),
            changes_text(&changes[row])
        );
        picture.rectangle(left, top, right - left, height).fill(paint).stroke(Color::WHITE, 0.6).title(title);
        if values[row].is_empty() || height < TEXT_SIZE + 3.0 {
            continue;
        }
        let text = format!("{} {}", values[row], signed(differences[row]));
        if font::width(&text, TEXT_SIZE) + 6.0 <= right - left {
            let color = if paint.is_light() { Color::TEXT } else { Color::WHITE };
            let (middle, line) = ((left + right) / 2.0, top + height / 2.0 + 4.0);
            picture.text(middle, line, TEXT_SIZE, TextAnchor::Middle, text).fill(color);
        }
    }
    Ok(())
}

/// The states that differ, the largest difference first.
fn changes_text(changes: &[(String, f64)]) -> String {
    if changes.is_empty() {
        return "no difference".to_string();
    }
    let mut parts: Vec<String> =
        changes.iter().take(MAX_NAMES).map(|(name, change)| format!("{name} {}", signed(*change))).collect();
    if changes.len() > MAX_NAMES {
        parts.push(format!("{} others", changes.len() - MAX_NAMES));
    }
    parts.join(", ")
}
