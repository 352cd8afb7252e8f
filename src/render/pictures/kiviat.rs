//! Kiviat diagram: one spoke per container, one line per state, as far out as its share of the container's time in the
//! window. Time in no state is a pale area behind them.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::font;
use super::frame::{Axis, PictureFrame, TEXT_SIZE, draw_empty_note};
use super::labels::PlacedLabels;
use super::picture::{PathStep, Picture, TextAnchor};
use super::source::DrawSource;
use super::units::{percent, steps};
use super::value_colors::{NO_STATE, ValueColors};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Spokes in a picture; of more containers, every so-manyth is shown.
const MAX_SPOKES: usize = 128;
const MAX_LINES: usize = 8;
/// Cosine of the angle from which on a spoke has its name beside it, not above or below.
const SIDE: f64 = 0.1;
/// Pixels that the name of a spoke may take, and those that the usual page has for it.
const MAX_LABEL: f64 = 230.0;
const USUAL_LABEL: f64 = 100.0;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let kind = source.type_argument();
    let own = format!(
        "SELECT container_id, container, value, seconds / sum(seconds) OVER (PARTITION BY container_id) AS share \
         FROM (SELECT container_id, container, value, sum(seconds) AS seconds \
               FROM state_slices({}, {}{kind}) GROUP BY container_id, container, value) WHERE seconds > 0",
        source.states_and_gaps(),
        source.window()
    );
    let rows = source.view_rows(&own).await?;
    let (ids, names) = (rows.numbers("container_id")?, rows.names("container")?);
    let (values, shares) = (rows.texts("value")?, rows.numbers("share")?);
    let mut spokes: BTreeMap<i64, &str> = BTreeMap::new();
    let mut totals: BTreeMap<&str, f64> = BTreeMap::new();
    let mut cells: BTreeMap<(&str, i64), f64> = BTreeMap::new();
    for row in 0..rows.len() {
        spokes.insert(ids[row] as i64, &names[row]);
        *totals.entry(&values[row]).or_default() += shares[row];
        *cells.entry((&values[row], ids[row] as i64)).or_default() += shares[row];
    }
    let step = spokes.len().div_ceil(MAX_SPOKES).max(1);
    let shown: Vec<(i64, &str)> = spokes.iter().step_by(step).map(|(id, name)| (*id, *name)).collect();
    let no_state = totals.remove_entry(NO_STATE);
    let mut order: Vec<(&str, f64)> = totals.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    order.truncate(MAX_LINES);
    let weights: Vec<(String, f64)> =
        order.iter().chain(&no_state).map(|(name, share)| (name.to_string(), *share)).collect();
    let colors = ValueColors::new(&source.palette, &weights);
    let legend = source.legend(colors.legend());
    let left_out = if step > 1 { format!(", {} of {} containers", shown.len(), spokes.len()) } else { String::new() };
    let longest = shown.iter().map(|(_, name)| font::width(name, TEXT_SIZE)).fold(0.0, f64::max).min(MAX_LABEL);
    let page = PictureFrame {
        // Long names make the page wider, not the circles smaller.
        width: source.options.width.unwrap_or(720.0 + 2.0 * (longest - USUAL_LABEL).max(0.0)),
        height: source.height(720.0),
        title: "Share of time in each state, per container",
        note: &source.note(&left_out),
        left: 0.0,
        axis: Axis::None,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    if shown.is_empty() {
        draw_empty_note(&mut picture, &area, "no states in this window");
        return Ok(picture);
    }
    let largest = cells.values().copied().fold(0.0, f64::max).max(1e-6);
    // Circles at round shares, the outermost around everything.
    let step = steps(0.0, largest, 5).get(1).copied().unwrap_or(largest);
    let circles = (largest / step - 1e-9).ceil();
    let most = step * circles;
    let room = longest.min(area.width / 4.0);
    let radius = (area.width / 2.0 - room - 14.0).min(area.height / 2.0 - 26.0).max(10.0);
    let (x, y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
    let angle = |index: usize| index as f64 / shown.len() as f64 * TAU - TAU / 4.0;
    let point = |index: usize, share: f64| {
        let reach = share / most * radius;
        (x + reach * angle(index).cos(), y + reach * angle(index).sin())
    };
    let outline = |name: &str| {
        let reach = |index: usize| cells.get(&(name, shown[index].0)).copied().unwrap_or(0.0);
        let mut path: Vec<PathStep> = (0..shown.len())
            .map(|index| point(index, reach(index)))
            .enumerate()
            .map(|(index, (x, y))| if index == 0 { PathStep::Move(x, y) } else { PathStep::Line(x, y) })
            .collect();
        path.push(PathStep::Close);
        path
    };
    if no_state.is_some() {
        picture.path(outline(NO_STATE)).fill(Color::EMPTY).stroke(Color::QUIET, 0.8).title(NO_STATE);
    }
    for circle in 1..=circles as usize {
        let share = step * circle as f64;
        picture.circle(x, y, radius * share / most).stroke(Color::GRID, 1.0).title(percent(share));
    }
    let every = (shown.len() / 24).max(1);
    let mut labels = PlacedLabels::default();
    for (index, (_, name)) in shown.iter().enumerate() {
        picture.line((x, y), point(index, most)).stroke(Color::GRID, 1.0);
        if index % every == 0 {
            // The first spoke points upwards, where names have the whole width.
            let room = if angle(index).cos().abs() <= SIDE { area.width } else { room };
            let name = font::fit_ends(name, TEXT_SIZE, room + 0.5);
            label(&mut picture, &mut labels, (x, y), radius, angle(index), &name);
        }
    }
    for (name, _) in &order {
        picture.path(outline(name)).stroke(colors.of(name), 2.0).title(name.to_string());
    }
    // Shares are written between two spokes, where lines are fewest.
    let aside = angle(0) + TAU / (2.0 * shown.len() as f64).clamp(6.0, 12.0);
    for circle in 1..=circles as usize {
        let share = step * circle as f64;
        let reach = radius * share / most;
        let place = (x + reach * aside.cos(), y + reach * aside.sin() + 4.0);
        labels.write(&mut picture, place, TextAnchor::Middle, &percent(share));
    }
    Ok(picture)
}

fn label(picture: &mut Picture, labels: &mut PlacedLabels, (x, y): (f64, f64), radius: f64, angle: f64, name: &str) {
    let (px, py) = (x + (radius + 10.0) * angle.cos(), y + (radius + 10.0) * angle.sin() + 4.0);
    let anchor = match angle.cos() {
        side if side > SIDE => TextAnchor::Start,
        side if side < -SIDE => TextAnchor::End,
        _ => TextAnchor::Middle,
    };
    labels.write(picture, (px, py), anchor, name);
}
