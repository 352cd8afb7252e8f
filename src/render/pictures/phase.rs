//! Phase portrait: two variables against each other, one point per slice, joined in the order of time.
//!
//! Unless two are asked for, [`series`] chooses two that vary and do not vary alike.

mod series;

use std::collections::BTreeMap;

use self::series::pair;
use super::frame::{Axis, PictureFrame, draw_empty_note, x_axis, y_axis};
use super::picture::{PathStep, Picture};
use super::source::{DrawSource, quoted};
use super::units::{quantity, seconds};
use crate::color::Color;
use ocellus_trace::error::{Error, Result};

const EARLY: Color = Color::new(158, 202, 225);
const LATE: Color = Color::new(8, 48, 107);
/// Slices in which variables are compared.
const COMPARED: u32 = 100;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let slices = source.options.slices.unwrap_or(200);
    let Some((first, second)) = types(source).await? else {
        return nothing(source).await;
    };
    let own = format!(
        "SELECT time, x, y FROM \
             (SELECT slice_start AS time, sum(mean) FILTER (WHERE type = {one}) AS x, sum(mean) FILTER (WHERE type = {other}) AS y \
              FROM variable_slices((SELECT * FROM variables WHERE type IN ({one}, {other})), slices => {slices}, {}) \
              GROUP BY slice_start) \
         WHERE x IS NOT NULL AND y IS NOT NULL ORDER BY time",
        source.window(),
        one = quoted(&first),
        other = quoted(&second)
    );
    let rows = source.view_rows(&own).await?;
    let (times, xs, ys) = (rows.numbers("time")?, rows.numbers("x")?, rows.numbers("y")?);
    let legend = [("early".to_string(), EARLY), ("late".to_string(), LATE)];
    let page = PictureFrame {
        width: source.options.width.unwrap_or(720.0),
        height: source.height(640.0),
        title: &format!("{second} against {first}"),
        note: &source.note(&format!(", sums over all containers, {slices} slices")),
        left: 70.0,
        axis: Axis::Below,
        legend: if times.is_empty() { &[] } else { &legend },
    };
    let (mut picture, area) = page.begin();
    if times.is_empty() {
        draw_empty_note(&mut picture, &area, &format!("{first} and {second} are not both in this window"));
        return Ok(picture);
    }
    let range = |values: &[f64]| {
        let (low, high) =
            values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
        let is_flat = high - low <= 1e-6 * high.abs();
        let room = if is_flat { (0.1 * high.abs()).max(1.0) } else { (high - low) * 0.05 };
        (low - room, high + room)
    };
    let ((x_low, x_high), (y_low, y_high)) = (range(&xs), range(&ys));
    y_axis(&mut picture, &area, y_low, y_high, &second);
    let point = |index: usize| {
        let x = area.x + (xs[index] - x_low) / (x_high - x_low) * area.width;
        let y = area.bottom() - (ys[index] - y_low) / (y_high - y_low) * area.height;
        (x, y)
    };
    let path = (0..times.len()).map(|index| {
        let (x, y) = point(index);
        if index == 0 { PathStep::Move(x, y) } else { PathStep::Line(x, y) }
    });
    picture.path(path.collect()).stroke(Color::GRID, 1.0);
    for index in 0..times.len() {
        let (x, y) = point(index);
        let color = EARLY.toward(LATE, index as f64 / times.len() as f64);
        let title = format!("{}: {} and {}", seconds(times[index]), quantity(xs[index]), quantity(ys[index]));
        picture.circle(x, y, 3.0).fill(color).title(title);
    }
    x_axis(&mut picture, &area, x_low, x_high, &first);
    Ok(picture)
}

/// The two variables: `--type one,other`, or two that vary differently; `None` when there are not two.
async fn types(source: &DrawSource<'_>) -> Result<Option<(String, String)>> {
    if let Some(text) = &source.options.type_name {
        return match text.split_once(',') {
            Some((first, second)) => {
                let known = names(source).await?;
                let (first, second) = (first.trim().to_string(), second.trim().to_string());
                if let Some(name) = [&first, &second].into_iter().find(|name| !known.contains(name)) {
                    return Err(Error::Usage(format!("no variable {name}; the trace has {}", listed(&known))));
                }
                Ok(Some((first, second)))
            }
            None => Err(Error::Usage(format!("a phase portrait needs two variables: --type 'one,other', got {text}"))),
        };
    }
    if source.options.query.is_some() {
        return Ok(Some(("x".to_string(), "y".to_string())));
    }
    let rows = source
        .query(&format!(
            "SELECT type, slice, sum(mean) AS total FROM variable_slices(slices => {COMPARED}, {}) GROUP BY type, slice",
            source.window()
        ))
        .await?;
    let (names, slices, totals) = (rows.texts("type")?, rows.numbers("slice")?, rows.numbers("total")?);
    let mut series: BTreeMap<&str, BTreeMap<i64, f64>> = BTreeMap::new();
    for row in 0..rows.len() {
        series.entry(&names[row]).or_default().insert(slices[row] as i64, totals[row]);
    }
    Ok(pair(&series).map(|(first, second)| (first.to_string(), second.to_string())))
}

/// The types of variables that the trace has, by name.
async fn names(source: &DrawSource<'_>) -> Result<Vec<String>> {
    source.query("SELECT DISTINCT type FROM variables ORDER BY type").await?.texts("type")
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "no variables".to_string() } else { names.join(", ") }
}

async fn nothing(source: &DrawSource<'_>) -> Result<Picture> {
    let names = names(source).await?;
    let text = match names.len() {
        0 => "the trace has no variables".to_string(),
        1 => format!("the trace has one type of variable, {}; a phase portrait needs two", names[0]),
        _ => format!(
            "no two variables vary differently in this window; --type 'one,other' draws any two of {}",
            listed(&names)
        ),
    };
    let page = PictureFrame {
        width: source.options.width.unwrap_or(720.0),
        height: source.height(640.0),
        title: "Two variables against each other",
        note: &source.note(""),
        left: 0.0,
        axis: Axis::None,
        legend: &[],
    };
    let (mut picture, area) = page.begin();
    draw_empty_note(&mut picture, &area, &text);
    Ok(picture)
}
