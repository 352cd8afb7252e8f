//! Variables over time, as steps: one strip per type, one line per container.

use std::collections::BTreeMap;

use super::color::Palette;
use super::page::{Area, Axis, Page, TEXT_SIZE, say_empty, time_axis, y_axis};
use super::picture::{Anchor, Picture, Step};
use super::source::Source;
use super::units::quantity;
use crate::error::Result;

/// Lines in a picture; the ones with the largest means are kept.
const MOST_LINES: usize = 24;
const MOST_STRIPS: usize = 6;

/// What one container's variable does over the slices.
type Line = Vec<(f64, f64, f64)>;

pub(super) async fn draw(source: &Source<'_>) -> Result<Picture> {
    let slices = source.options.slices.unwrap_or(400);
    let kind = source.options.type_name.as_ref().map(|name| format!(", type => {}", super::source::quoted(name)));
    let own = format!(
        "SELECT type, container, slice_start, slice_end, integral / covered AS mean \
         FROM variable_slices(slices => {slices}, {}{}) WHERE covered > 0 ORDER BY type, container, slice_start",
        source.window(),
        kind.unwrap_or_default()
    );
    let rows = source.rows(&own).await?;
    let (types, containers) = (rows.texts("type")?, rows.texts("container")?);
    let (starts, ends, means) = (rows.numbers("slice_start")?, rows.numbers("slice_end")?, rows.numbers("mean")?);
    let mut strips: BTreeMap<String, BTreeMap<String, Line>> = BTreeMap::new();
    for row in 0..rows.len() {
        let line = strips.entry(types[row].clone()).or_default().entry(containers[row].clone()).or_default();
        line.push((starts[row], ends[row], means[row]));
    }
    let left_out = keep_largest(&mut strips);
    let names: Vec<String> = strips.values().flat_map(|lines| lines.keys().cloned()).collect();
    let palette = Palette::new(names.iter().map(|name| (name.as_str(), None)));
    let mut legend: Vec<_> = names.iter().map(|name| (name.clone(), palette.of(name))).collect();
    legend.sort_by(|a, b| a.0.cmp(&b.0));
    legend.dedup();
    let note = if left_out > 0 { format!("; {left_out} smaller ones are not drawn") } else { String::new() };
    let page = Page {
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
        say_empty(&mut picture, &area, "no variables in this window");
        return Ok(picture);
    }
    let height = area.height / strips.len() as f64;
    for (index, (name, lines)) in strips.iter().enumerate() {
        let strip = Area { y: area.y + index as f64 * height + 16.0, height: height - 26.0, ..area };
        picture.text(strip.x, strip.y - 4.0, TEXT_SIZE, Anchor::Start, name.as_str());
        draw_strip(&mut picture, &strip, lines, &palette, (source.start, source.stop));
    }
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

fn draw_strip(
    picture: &mut Picture,
    strip: &Area,
    lines: &BTreeMap<String, Line>,
    palette: &Palette,
    (start, stop): (f64, f64),
) {
    let values = || lines.values().flatten().map(|(_, _, mean)| *mean);
    let (low, high) = (values().fold(0.0, f64::min), values().fold(f64::MIN_POSITIVE, f64::max));
    y_axis(picture, strip, low, high, "");
    let x = |time: f64| strip.x + (time - start) / (stop - start).max(f64::MIN_POSITIVE) * strip.width;
    let y = |value: f64| strip.bottom() - (value - low) / (high - low) * strip.height;
    for (name, line) in lines {
        let mut steps = vec![];
        let mut at = f64::NEG_INFINITY;
        for (from, to, mean) in line {
            let gap = from - at > 1e-9 * (stop - start);
            steps.push(if gap { Step::Move(x(*from), y(*mean)) } else { Step::Line(x(*from), y(*mean)) });
            steps.push(Step::Line(x(*to), y(*mean)));
            at = *to;
        }
        let most = line.iter().map(|(_, _, mean)| *mean).fold(f64::NEG_INFINITY, f64::max);
        picture.path(steps).stroke(palette.of(name), 1.5).title(format!("{name}: at most {}", quantity(most)));
    }
}

/// Drops the smallest lines until the picture is readable; tells how many.
fn keep_largest(strips: &mut BTreeMap<String, BTreeMap<String, Line>>) -> usize {
    let before: usize = strips.values().map(BTreeMap::len).sum();
    let mut sizes: Vec<(f64, String)> = strips
        .iter()
        .map(|(name, lines)| (-lines.values().map(|line| sum(line)).sum::<f64>(), name.clone()))
        .collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    for (_, name) in sizes.iter().skip(MOST_STRIPS) {
        strips.remove(name);
    }
    for lines in strips.values_mut() {
        let mut order: Vec<(f64, String)> = lines.iter().map(|(name, line)| (-sum(line), name.clone())).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        for (_, name) in order.iter().skip((MOST_LINES / sizes.len().clamp(1, MOST_STRIPS)).max(4)) {
            lines.remove(name);
        }
    }
    before - strips.values().map(BTreeMap::len).sum::<usize>()
}

fn sum(line: &Line) -> f64 {
    line.iter().map(|(from, to, mean)| (to - from) * mean.abs()).sum()
}
