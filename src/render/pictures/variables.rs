//! Variables over time, as steps: one strip per type, one line per container.

use std::collections::BTreeMap;

use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note, time_axis, y_axis};
use super::picture::{PathStep, Picture, TextAnchor};
use super::source::{DrawSource, quoted};
use super::units::quantity;
use crate::color::Palette;
use ocellus_trace::error::Result;

/// Lines in a picture; the ones with the largest means are kept.
const MAX_LINES: usize = 24;
/// More slices than pixels are no help.
const MAX_SLICES: u32 = 1000;
const MAX_STRIPS: usize = 6;

/// What one container's variable does over the slices.
type VariableLine = Vec<(f64, f64, f64)>;

/// A line of a strip: the number of its container, which distinguishes those of one name, and its name.
type LineKey = (i64, String);

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let slices = source.options.slices.unwrap_or(400).min(MAX_SLICES);
    let (chosen, mut left_out) = choose(source).await?;
    let condition: Vec<String> = chosen
        .iter()
        .map(|(kind, ids)| {
            let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
            format!("(type = {} AND container_id IN ({}))", quoted(kind), ids.join(", "))
        })
        .collect();
    let condition = if condition.is_empty() { "FALSE".to_string() } else { condition.join(" OR ") };
    let own = format!(
        "SELECT type, container_id, container, slice_start, slice_end, integral / covered AS mean \
         FROM variable_slices((SELECT * FROM variables WHERE {condition}), slices => {slices}, {}) WHERE covered > 0 \
         ORDER BY type, container_id, slice_start",
        source.window()
    );
    let rows = source.view_rows(&own).await?;
    let (types, containers) = (rows.texts("type")?, rows.texts("container")?);
    let ids = if rows.has_column("container_id") { rows.numbers("container_id")? } else { vec![0.0; rows.len()] };
    let (starts, ends, means) = (rows.numbers("slice_start")?, rows.numbers("slice_end")?, rows.numbers("mean")?);
    let mut strips: BTreeMap<String, BTreeMap<LineKey, VariableLine>> = BTreeMap::new();
    for row in 0..rows.len() {
        let key = (ids[row] as i64, containers[row].clone());
        let line = strips.entry(types[row].clone()).or_default().entry(key).or_default();
        line.push((starts[row], ends[row], means[row]));
    }
    left_out += shorten(&mut strips);
    let names: Vec<String> = strips.values().flat_map(|lines| lines.keys().map(|(_, name)| name.clone())).collect();
    let palette = Palette::new(names.iter().map(|name| (name.as_str(), None)));
    let mut legend: Vec<_> = names.iter().map(|name| (name.clone(), palette.of(name))).collect();
    legend.sort_by(|a, b| a.0.cmp(&b.0));
    legend.dedup();
    let note = if left_out > 0 { format!("; {left_out} smaller ones are not drawn") } else { String::new() };
    let page = PictureFrame {
        width: source.width(),
        height: source.height(140.0 * strips.len().max(2) as f64 + 140.0),
        title: "Variables over time",
        note: &source.note(&format!(", means over {slices} slices{note}")),
        left: 64.0,
        axis: Axis::Below,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    if strips.is_empty() {
        draw_empty_note(&mut picture, &area, "no variables in this window");
        return Ok(picture);
    }
    let height = area.height / strips.len() as f64;
    for (index, (name, lines)) in strips.iter().enumerate() {
        let strip = PictureArea { y: area.y + index as f64 * height + 16.0, height: height - 26.0, ..area };
        picture.text(strip.x, strip.y - 4.0, TEXT_SIZE, TextAnchor::Start, name.as_str());
        draw_strip(&mut picture, &strip, lines, &palette, (source.start, source.stop));
    }
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

fn draw_strip(
    picture: &mut Picture,
    strip: &PictureArea,
    lines: &BTreeMap<LineKey, VariableLine>,
    palette: &Palette,
    (start, stop): (f64, f64),
) {
    let values = || lines.values().flatten().map(|(_, _, mean)| *mean);
    let (low, high) = (values().fold(0.0, f64::min), values().fold(f64::MIN_POSITIVE, f64::max));
    y_axis(picture, strip, low, high, "");
    let x = |time: f64| strip.x + (time - start) / (stop - start).max(f64::MIN_POSITIVE) * strip.width;
    let y = |value: f64| strip.bottom() - (value - low) / (high - low) * strip.height;
    for ((_, name), line) in lines {
        let mut steps = vec![];
        let mut at = f64::NEG_INFINITY;
        for (from, to, mean) in line {
            let gap = from - at > 1e-9 * (stop - start);
            steps.push(if gap { PathStep::Move(x(*from), y(*mean)) } else { PathStep::Line(x(*from), y(*mean)) });
            steps.push(PathStep::Line(x(*to), y(*mean)));
            at = *to;
        }
        let most = line.iter().map(|(_, _, mean)| *mean).fold(f64::NEG_INFINITY, f64::max);
        picture.path(steps).stroke(palette.of(name), 1.5).title(format!("{name}: at most {}", quantity(most)));
    }
}

/// Drops strips and lines of a query that a picture has no room for; returns how many.
fn shorten(strips: &mut BTreeMap<String, BTreeMap<LineKey, VariableLine>>) -> usize {
    let count =
        |strips: &BTreeMap<String, BTreeMap<LineKey, VariableLine>>| strips.values().map(BTreeMap::len).sum::<usize>();
    let before = count(strips);
    while strips.len() > MAX_STRIPS {
        strips.pop_last();
    }
    for lines in strips.values_mut() {
        while lines.len() > MAX_LINES {
            lines.pop_last();
        }
    }
    before - count(strips)
}

/// The containers of each type whose variables are drawn, the largest ones, and how many are left out.
async fn choose(source: &DrawSource<'_>) -> Result<(BTreeMap<String, Vec<i64>>, usize)> {
    let mut chosen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    if source.options.query.is_some() {
        return Ok((chosen, 0));
    }
    let kind = source.type_argument();
    let rows = source
        .query(&format!(
            "SELECT type, container_id, abs(integral) AS size FROM variable_slices(slices => 1, {}{kind}) WHERE covered > 0 \
             ORDER BY size DESC, type, container_id",
            source.window()
        ))
        .await?;
    let (types, ids, sizes) = (rows.texts("type")?, rows.numbers("container_id")?, rows.numbers("size")?);
    let mut totals: BTreeMap<&str, f64> = BTreeMap::new();
    for (kind, size) in types.iter().zip(&sizes) {
        *totals.entry(kind).or_default() += size;
    }
    let mut order: Vec<(&str, f64)> = totals.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    order.truncate(MAX_STRIPS);
    let most = (MAX_LINES / order.len().max(1)).max(4);
    for (kind, id) in types.iter().zip(&ids).filter(|(kind, _)| order.iter().any(|(known, _)| known == kind)) {
        let lines = chosen.entry(kind.clone()).or_default();
        if lines.len() < most {
            lines.push(*id as i64);
        }
    }
    let kept: usize = chosen.values().map(Vec::len).sum();
    Ok((chosen, rows.len() - kept))
}
