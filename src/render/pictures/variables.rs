//! Variables over time, as steps: one strip per type, one line per container.
//!
//! Of few containers each has its color. Of many, those that differ most from the others have, are drawn last and named
//! where they are highest; the others are gray lines or, of very many, the range that they lie in with their median.

mod choice;
mod strip;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::choice::{StripChoice, VariableChoice, choose};
use self::strip::{OTHERS, RANGE, RangeSlice, VariableLine, VariableStrip};
use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note, time_axis};
use super::picture::{Picture, TextAnchor};
use super::query_rows::QueryRows;
use super::source::{DrawSource, quoted};
use crate::color::{Color, Palette};
use ocellus_trace::error::Result;

/// More slices than pixels are no help.
const MAX_SLICES: u32 = 1000;
/// Cells that a range is made of.
const MAX_CELLS: usize = 2_000_000;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let slices = source.options.slices.unwrap_or(400).min(MAX_SLICES);
    let choice = choose(source).await?;
    let rows = source.view_rows(&lines_query(source, &choice, slices)).await?;
    let mut strips = read_lines(&rows, &choice)?;
    let left_out = choice.left_out + strip::shorten(&mut strips);
    read_ranges(source, &choice, slices, &mut strips).await?;
    let palette = palette(&strips);
    let note = match left_out {
        0 => String::new(),
        1 => "; 1 more type varies less: --type NAME".to_string(),
        count => format!("; {count} more types vary less: --type NAME"),
    };
    let page = PictureFrame {
        width: source.width(),
        height: source.height(140.0 * strips.len().max(2) as f64 + 140.0),
        title: "Variables over time",
        note: &source.note(&format!(", means over {slices} slices{note}")),
        left: 64.0,
        axis: Axis::Below,
        legend: &legend(&strips, &palette),
    };
    let (mut picture, area) = page.begin();
    if strips.is_empty() {
        draw_empty_note(&mut picture, &area, "no variables in this window");
        return Ok(picture);
    }
    let height = area.height / strips.len() as f64;
    for (index, name) in choice.in_order(strips.keys()).into_iter().enumerate() {
        let strip = &strips[name];
        let place = PictureArea { y: area.y + index as f64 * height + 16.0, height: height - 26.0, ..area };
        let count = match strip.containers {
            0 => String::new(),
            1 => ", 1 container".to_string(),
            count => format!(", {count} containers"),
        };
        picture.text(place.x, place.y - 4.0, TEXT_SIZE, TextAnchor::Start, format!("{name}{count}"));
        strip.draw(&mut picture, &place, &palette, (source.start, source.stop));
    }
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

/// The lines of the chosen containers.
fn lines_query(source: &DrawSource<'_>, choice: &VariableChoice, slices: u32) -> String {
    let part = |(kind, strip): (&String, &StripChoice)| {
        let ids: Vec<String> = strip.lines.keys().map(i64::to_string).collect();
        (!ids.is_empty()).then(|| format!("(type = {} AND container_id IN ({}))", quoted(kind), ids.join(", ")))
    };
    let parts: Vec<String> = choice.strips.iter().filter_map(part).collect();
    let condition = if parts.is_empty() { "FALSE".to_string() } else { parts.join(" OR ") };
    format!(
        "SELECT type, container_id, container, slice_start, slice_end, integral / covered AS mean \
         FROM variable_slices((SELECT * FROM variables WHERE {condition}), slices => {slices}, {}) WHERE covered > 0 \
         ORDER BY type, container_id, slice_start",
        source.window()
    )
}

fn read_lines(rows: &QueryRows, choice: &VariableChoice) -> Result<BTreeMap<String, VariableStrip>> {
    let (types, containers) = (rows.texts("type")?, rows.names("container")?);
    let ids = if rows.has_column("container_id") { rows.numbers("container_id")? } else { vec![0.0; rows.len()] };
    let (starts, ends, means) = (rows.numbers("slice_start")?, rows.numbers("slice_end")?, rows.numbers("mean")?);
    let known = |(kind, strip): (&String, &StripChoice)| {
        (kind.clone(), VariableStrip { containers: strip.containers, ..VariableStrip::default() })
    };
    let mut strips: BTreeMap<String, VariableStrip> = choice.strips.iter().map(known).collect();
    for row in 0..rows.len() {
        let id = ids[row] as i64;
        let role = choice.strips.get(&types[row]).and_then(|strip| strip.lines.get(&id)).copied().unwrap_or_default();
        let lines = &mut strips.entry(types[row].clone()).or_default().lines;
        let line = lines.entry((id, containers[row].clone())).or_insert_with(|| VariableLine { role, steps: vec![] });
        line.steps.push((starts[row], ends[row], means[row]));
    }
    Ok(strips)
}

/// The ranges of types with very many containers.
async fn read_ranges(
    source: &DrawSource<'_>,
    choice: &VariableChoice,
    slices: u32,
    strips: &mut BTreeMap<String, VariableStrip>,
) -> Result<()> {
    for (kind, strip) in choice.strips.iter().filter(|(_, strip)| strip.has_range) {
        let slices = (MAX_CELLS / strip.containers.max(1)).clamp(20, slices.max(20) as usize);
        let rows = source
            .query(&format!(
                "SELECT slice_start, slice_end, min(mean) AS low, median(mean) AS middle, max(mean) AS high FROM \
                 (SELECT slice_start, slice_end, integral / covered AS mean \
                  FROM variable_slices((SELECT * FROM variables WHERE type = {}), slices => {slices}, {}) WHERE covered > 0) \
                 GROUP BY slice_start, slice_end ORDER BY slice_start",
                quoted(kind),
                source.window()
            ))
            .await?;
        let column = |name: &str| rows.numbers(name);
        let (starts, ends) = (column("slice_start")?, column("slice_end")?);
        let (lows, middles, highs) = (column("low")?, column("middle")?, column("high")?);
        let slice = |row: usize| RangeSlice {
            start: starts[row],
            end: ends[row],
            low: lows[row],
            middle: middles[row],
            high: highs[row],
        };
        if let Some(strip) = strips.get_mut(kind) {
            strip.range = (0..rows.len()).map(slice).collect();
        }
    }
    Ok(())
}

/// The colors of all lines that have one.
fn palette(strips: &BTreeMap<String, VariableStrip>) -> Palette {
    let names: Vec<&str> = strips.values().flat_map(VariableStrip::named).collect();
    Palette::new(names.into_iter().map(|name| (name, None)))
}

fn legend(strips: &BTreeMap<String, VariableStrip>, palette: &Palette) -> Vec<(String, Color)> {
    let names = strips.values().flat_map(VariableStrip::named);
    let mut legend: Vec<_> = names.map(|name| (name.to_string(), palette.of(name))).collect();
    legend.sort_by(|a, b| a.0.cmp(&b.0));
    legend.dedup();
    if strips.values().any(VariableStrip::has_gray_lines) {
        legend.push(("other containers".to_string(), OTHERS));
    }
    if strips.values().any(|strip| !strip.range.is_empty()) {
        legend.push(("range and median of all containers".to_string(), RANGE));
    }
    legend
}
