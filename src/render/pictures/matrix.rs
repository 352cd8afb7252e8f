//! The communication matrix: who sends how much to whom.

use std::collections::BTreeMap;

use super::frame::{Axis, PictureFrame, TEXT_SIZE, draw_empty_note, label_room, row_labels};
use super::picture::{Picture, TextAnchor};
use super::source::DrawSource;
use super::units::quantity;
use crate::color::Color;
use ocellus_trace::error::Result;

/// Cells on a side; beyond it, neighbors share a cell.
const MAX_CELLS: usize = 100;
const DARKEST: Color = Color::new(8, 48, 107);
/// Shares of the darkest color that the legend explains; a share is the root of the amount, so that small ones show.
const LEGEND: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const LIGHTEST: Color = Color::new(222, 235, 247);

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let by_depth = source.options.depth.map(|depth| {
        let columns = "source_id, target_id, source, target, messages, coalesce(volume, 0) AS volume";
        let links = format!("(SELECT * FROM links WHERE TRUE{})", source.type_condition());
        format!("SELECT {columns} FROM comm_graph({links}, {}, depth => {depth}) WHERE kind = 'edge'", source.window())
    });
    let own = format!(
        "SELECT links.source_id, links.target_id, links.source, links.target, count(*) AS messages, \
                coalesce(sum(links.volume), 0) AS volume \
         FROM links WHERE start_time < {:?} AND end_time >= {:?}{} \
         GROUP BY links.source_id, links.target_id, links.source, links.target",
        source.stop.next_up(),
        source.start,
        source.type_condition()
    );
    let rows = source.view_rows(&by_depth.unwrap_or(own)).await?;
    let (from, to) = (rows.numbers("source_id")?, rows.numbers("target_id")?);
    let (from_names, to_names) = (rows.texts("source")?, rows.texts("target")?);
    let (messages, volumes) = (rows.numbers("messages")?, rows.numbers("volume")?);
    let has_volume = volumes.iter().any(|volume| *volume > 0.0);
    let mut names: BTreeMap<i64, &str> = BTreeMap::new();
    for (ids, labels) in [(&from, &from_names), (&to, &to_names)] {
        names.extend(ids.iter().zip(labels).map(|(id, name)| (*id as i64, name.as_str())));
    }
    let per_cell = names.len().div_ceil(MAX_CELLS).max(1);
    let places: BTreeMap<i64, usize> = names.keys().enumerate().map(|(place, id)| (*id, place / per_cell)).collect();
    let mut cells: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    for row in 0..rows.len() {
        let place = (places[&(from[row] as i64)], places[&(to[row] as i64)]);
        let cell = cells.entry(place).or_default();
        cell.0 += messages[row];
        cell.1 += volumes[row];
    }
    let amount = |cell: &(f64, f64)| if has_volume { cell.1 } else { cell.0 };
    let most = cells.values().map(amount).fold(0.0, f64::max);
    let what = if has_volume { "volume" } else { "messages" };
    let side = names.len().div_ceil(per_cell).max(1);
    let labels: Vec<&str> = names.values().step_by(per_cell).copied().collect();
    let left = label_room(labels.iter().copied(), source.width());
    let merged = if per_cell > 1 { format!(", {per_cell} containers to a cell") } else { String::new() };
    let legend = LEGEND.map(|share: f64| {
        let amount = quantity(share * share * most);
        (if share == 1.0 { format!("{amount} {what}, the most") } else { amount }, LIGHTEST.toward(DARKEST, share))
    });
    let page = PictureFrame {
        width: source.options.width.unwrap_or(720.0),
        height: source.height(720.0),
        title: &format!("Communication: {what} from row to column"),
        note: &source.note(&merged),
        left: left + TEXT_SIZE + 8.0,
        axis: Axis::Below,
        legend: if cells.is_empty() { &[] } else { &legend },
    };
    let (mut picture, area) = page.begin();
    if cells.is_empty() {
        draw_empty_note(&mut picture, &area, "no links in this window");
        return Ok(picture);
    }
    let size = area.width.min(area.height) / side as f64;
    picture.rectangle(area.x, area.y, size * side as f64, size * side as f64).fill(Color::EMPTY);
    for ((row, column), cell) in &cells {
        let share = (amount(cell) / most.max(f64::MIN_POSITIVE)).sqrt();
        let title = format!(
            "{} to {}: {} messages, volume {}",
            labels[*row],
            labels[*column],
            quantity(cell.0),
            quantity(cell.1)
        );
        let (x, y) = (area.x + *column as f64 * size, area.y + *row as f64 * size);
        picture.rectangle(x, y, size, size).fill(LIGHTEST.toward(DARKEST, share)).title(title);
    }
    let rows: Vec<(f64, f64, &str)> =
        labels.iter().enumerate().map(|(at, name)| (area.y + at as f64 * size, size, *name)).collect();
    row_labels(&mut picture, &area, left, &rows);
    let (middle, bottom) = (size * side as f64 / 2.0, area.y + size * side as f64);
    column_labels(&mut picture, &labels, area.x, bottom, size);
    picture.text(area.x + middle, bottom + 30.0, TEXT_SIZE, TextAnchor::Middle, "to").fill(Color::QUIET);
    picture
        .text_upwards(area.x - left - 4.0, area.y + middle, TEXT_SIZE, TextAnchor::Middle, "from")
        .fill(Color::QUIET);
    Ok(picture)
}

/// The names of the first and last column, and of as many between them as have room.
fn column_labels(picture: &mut Picture, labels: &[&str], x: f64, y: f64, size: f64) {
    let mut free_from = f64::NEG_INFINITY;
    for (at, name) in labels.iter().enumerate() {
        let middle = x + (at as f64 + 0.5) * size;
        let width = super::font::width(name, TEXT_SIZE);
        if middle - width / 2.0 > free_from {
            picture.text(middle, y + 14.0, TEXT_SIZE, TextAnchor::Middle, *name);
            free_from = middle + width / 2.0 + 6.0;
        }
    }
}
