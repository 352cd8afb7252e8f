//! Time in each state per slice, as stacked areas, with time in no state on top: what the whole program did over time.

use std::collections::BTreeMap;

use super::frame::{Axis, PictureFrame, draw_empty_note, time_axis, y_axis};
use super::picture::Picture;
use super::source::DrawSource;
use super::units::{percent, seconds};
use super::value_colors::NO_STATE;
use crate::color::{Color, OTHER_STATES};
use ocellus_trace::error::Result;

/// More slices than pixels are no help.
const MAX_SLICES: u32 = 1000;
/// States that are told apart, and shapes in a picture: the rest is one state.
const MAX_STATES: usize = 40;
const MAX_SHAPES: usize = 10_000;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let slices = source.options.slices.unwrap_or(100).min(MAX_SLICES);
    let kind = source.type_argument();
    let rows = source
        .view_rows(&format!(
            "SELECT slice, value, sum(seconds) AS seconds FROM state_slices({}, slices => {slices}, {}{kind}) \
             GROUP BY slice, value",
            source.states_and_gaps(),
            source.window()
        ))
        .await?;
    let mut amounts: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let (slice, value, amount) = (rows.numbers("slice")?, rows.texts("value")?, rows.numbers("seconds")?);
    for ((slice, value), amount) in slice.iter().zip(value).zip(amount) {
        let cells = amounts.entry(value).or_insert_with(|| vec![0.0; slices as usize]);
        if let Some(cell) = cells.get_mut(*slice as usize) {
            *cell += amount;
        }
    }
    let no_state = amounts.remove_entry(NO_STATE);
    gather_others(&mut amounts, (MAX_SHAPES / slices as usize).clamp(4, MAX_STATES));
    let mut order: Vec<(String, f64)> =
        amounts.iter().map(|(name, cells)| (name.clone(), cells.iter().sum())).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    // On top of all others.
    if let Some((name, cells)) = no_state {
        order.push((name.clone(), cells.iter().sum()));
        amounts.insert(name, cells);
    }
    let color = |name: &str| if name == NO_STATE { Color::EMPTY } else { source.palette.of(name) };
    let legend = source.legend(order.iter().map(|(name, _)| (name.clone(), color(name))).collect());
    let totals: Vec<f64> = (0..slices as usize).map(|at| amounts.values().map(|cells| cells[at]).sum()).collect();
    let length = (source.stop - source.start) / f64::from(slices);
    let most = totals.iter().copied().fold(0.0, f64::max) / length.max(f64::MIN_POSITIVE);
    let page = PictureFrame {
        width: source.width(),
        height: source.height(420.0),
        title: "Containers in each state over time",
        note: &source.note(&format!(", {slices} slices of {}", seconds(length))),
        left: 58.0,
        axis: Axis::Below,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    if order.is_empty() {
        draw_empty_note(&mut picture, &area, "no states in this window");
        return Ok(picture);
    }
    y_axis(&mut picture, &area, 0.0, most, "containers");
    let column = area.width / f64::from(slices);
    let mut heights = vec![0.0; slices as usize];
    for (name, _) in &order {
        for (at, amount) in amounts[name].iter().enumerate().filter(|(_, amount)| **amount > 0.0) {
            let height = amount / length / most * area.height;
            heights[at] += height;
            let (x, y) = (area.x + at as f64 * column, area.bottom() - heights[at]);
            let title = format!("{name}: {} ({})", seconds(*amount), percent(amount / totals[at]));
            // A hair wider, so that no seam shows between neighbors.
            picture.rectangle(x, y, column + 0.5, height).fill(color(name)).title(title);
        }
    }
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

/// Keeps the states with the most time; the others become one.
fn gather_others(amounts: &mut BTreeMap<String, Vec<f64>>, most: usize) {
    if amounts.len() <= most {
        return;
    }
    let mut order: Vec<(f64, String)> =
        amounts.iter().map(|(name, cells)| (cells.iter().sum(), name.clone())).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    for (_, name) in order.split_off(most - 1) {
        let Some(cells) = amounts.remove(&name) else { continue };
        let others = amounts.entry(OTHER_STATES.to_string()).or_insert_with(|| vec![0.0; cells.len()]);
        others.iter_mut().zip(cells).for_each(|(sum, amount)| *sum += amount);
    }
}
