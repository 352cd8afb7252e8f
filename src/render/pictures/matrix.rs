//! The communication matrix: who sends how much to whom, collective operations apart from messages.
//!
//! ```text
//!  point to point          collective operations
//!   rank-0 | cells          | cells          a cell: from its row to its column
//!          +------          +------
//!  scale of the colors     scale of the colors
//! ```

mod cells;
mod scale;

use self::cells::{MatrixAmounts, PairCells};
use self::scale::{color_of, draw_scale};
use super::font;
use super::frame::{Axis, PictureArea, PictureFrame, TEXT_SIZE, draw_empty_note};
use super::picture::{Picture, TextAnchor};
use super::source::DrawSource;
use super::units::{bytes, counted};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Pixels of a page for one matrix, and for two.
const WIDTHS: [f64; 2] = [720.0, 1280.0];
/// Between two matrices.
const GAP: f64 = 28.0;
const CAPTION: f64 = 20.0;
/// Below the names of columns: their heading and the scale.
const FOOT: f64 = 74.0;
/// The part of a page that names of rows may take, and of columns that are read upwards.
const NAME_SHARE: f64 = 0.4;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let cells = PairCells::read(&source.view_rows(&own_query(source)).await?)?;
    let width = source.options.width.unwrap_or(WIDTHS[usize::from(cells.kinds.len() > 1)]);
    let merged = if cells.per_cell > 1 { format!(", {} containers to a cell", cells.per_cell) } else { String::new() };
    let page = PictureFrame {
        width,
        height: source.height(page_height(&cells, width)),
        title: &format!("Communication: {} from row to column", cells.what()),
        note: &source.note(&merged),
        left: 0.0,
        axis: Axis::None,
        legend: &[],
    };
    let (mut picture, area) = page.begin();
    if cells.kinds.is_empty() {
        draw_empty_note(&mut picture, &area, "no links in this window");
        return Ok(picture);
    }
    let layout = MatrixLayout::new(&cells, &area);
    for (place, (kind, amounts)) in cells.kinds.iter().enumerate() {
        let panel = layout.panel(&area, place, cells.side());
        draw_panel(&mut picture, &panel, &cells, kind, amounts);
        label_columns(&mut picture, &panel, &cells, &layout);
        let right = if place + 1 == cells.kinds.len() { area.right() } else { panel.right() };
        draw_scale(&mut picture, &panel, panel.bottom() + layout.foot + 30.0, right, cells.what(), amounts.most());
    }
    label_rows(&mut picture, &area, &cells, &layout);
    Ok(picture)
}

/// Who sent how much to whom, by kind of link, of the window and the type.
fn own_query(source: &DrawSource<'_>) -> String {
    let kind = source.type_condition();
    let Some(depth) = source.options.depth else {
        return format!(
            "SELECT kind, source_id, target_id, source, target, count(*) AS messages, coalesce(sum(volume), 0) AS volume \
             FROM link_kinds WHERE start_time < {:?} AND end_time >= {:?}{kind} \
             GROUP BY kind, source_id, target_id, source, target",
            source.stop.next_up(),
            source.start,
        );
    };
    let part = |name: &str| {
        format!(
            "SELECT '{name}' AS kind, source_id, target_id, source, target, messages, coalesce(volume, 0) AS volume \
             FROM comm_graph((SELECT * FROM link_kinds WHERE kind = '{name}'{kind}), {}, depth => {depth}) \
             WHERE kind = 'edge'",
            source.window()
        )
    };
    format!("{} UNION ALL {}", part("point to point"), part("collective"))
}

/// Sizes that all matrices of a picture have in common.
struct MatrixLayout {
    /// Room for the names of rows.
    left: f64,
    /// Room for the names of columns.
    foot: f64,
    /// Side of a cell.
    size: f64,
    /// Every so-manyth row and column has its name.
    step: usize,
    names: ColumnNames,
}

/// How the names of columns are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnNames {
    Across,
    Upwards,
}

/// Height of a page that matrices fill, at most that of a square one.
fn page_height(cells: &PairCells, width: f64) -> f64 {
    let widest = widest_name(cells);
    let panels = cells.kinds.len().max(1) as f64;
    let across = (width - widest - 70.0 - GAP * (panels - 1.0)) / panels;
    // Title, note and margins are the rest.
    (across + CAPTION + widest + FOOT + 84.0).min(WIDTHS[0])
}

fn widest_name(cells: &PairCells) -> f64 {
    cells.names.iter().map(|name| font::width(name, TEXT_SIZE)).fold(0.0, f64::max)
}

impl MatrixLayout {
    fn new(cells: &PairCells, area: &PictureArea) -> MatrixLayout {
        let widest = widest_name(cells);
        let left = (widest + 10.0).min(area.width * NAME_SHARE) + TEXT_SIZE + 6.0;
        let panels = cells.kinds.len() as f64;
        let across = (area.width - left - GAP * (panels - 1.0)) / panels;
        let size = |foot: f64| across.min(area.height - CAPTION - foot - FOOT).max(20.0) / cells.side() as f64;
        let fits = widest + 8.0 <= step_of(size(16.0)) as f64 * size(16.0);
        let upwards = (widest + 8.0).min(area.height * NAME_SHARE);
        let (foot, names) = if fits { (16.0, ColumnNames::Across) } else { (upwards, ColumnNames::Upwards) };
        MatrixLayout { left, foot, size: size(foot), step: step_of(size(foot)), names }
    }

    /// The place of a matrix.
    fn panel(&self, area: &PictureArea, place: usize, side: usize) -> PictureArea {
        let length = self.size * side as f64;
        let x = area.x + self.left + place as f64 * (length + GAP);
        PictureArea { x, y: area.y + CAPTION, width: length, height: length }
    }
}

/// Names stand at every so-manyth cell: the least round number that keeps them apart.
fn step_of(size: f64) -> usize {
    let steps = [1, 2, 5, 10, 20, 50];
    steps.into_iter().find(|step| *step as f64 * size >= TEXT_SIZE + 2.0).unwrap_or(100)
}

fn draw_panel(picture: &mut Picture, panel: &PictureArea, cells: &PairCells, kind: &str, amounts: &MatrixAmounts) {
    let name = match kind {
        "collective" => "collective operations: ",
        "" => "",
        kind => &format!("{kind}: "),
    };
    let total = format!("{name}{}", cells.total(amounts));
    if let Some(text) = font::fit(&total, TEXT_SIZE, panel.width) {
        picture.text(panel.x, panel.y - 6.0, TEXT_SIZE, TextAnchor::Start, text);
    }
    picture.rectangle(panel.x, panel.y, panel.width, panel.height).fill(Color::EMPTY);
    let size = panel.width / cells.side() as f64;
    let most = amounts.most();
    for ((row, column), cell) in &amounts.cells {
        let mut title =
            format!("{} to {}: {}", cells.range(*row), cells.range(*column), counted(cell.messages, "message"));
        if cell.volume > 0.0 {
            title.push_str(&format!(", {}", bytes(cell.volume)));
        }
        let (x, y) = (panel.x + *column as f64 * size, panel.y + *row as f64 * size);
        picture.rectangle(x, y, size, size).fill(color_of(amounts.of(cell), most)).title(title);
    }
    picture.rectangle(panel.x, panel.y, panel.width, panel.height).stroke(Color::GRID, 1.0);
}

fn label_rows(picture: &mut Picture, area: &PictureArea, cells: &PairCells, layout: &MatrixLayout) {
    let panel = layout.panel(area, 0, cells.side());
    let room = layout.left - TEXT_SIZE - 12.0;
    for (at, name) in cells.names.iter().enumerate().step_by(layout.step) {
        let middle = panel.y + (at as f64 + 0.5) * layout.size;
        let name = font::fit_ends(name, TEXT_SIZE, room);
        picture.text(panel.x - 6.0, middle + 4.0, TEXT_SIZE, TextAnchor::End, name);
    }
    let middle = panel.y + panel.height / 2.0;
    picture.text_upwards(area.x + TEXT_SIZE - 2.0, middle, TEXT_SIZE, TextAnchor::Middle, "from").fill(Color::QUIET);
}

fn label_columns(picture: &mut Picture, panel: &PictureArea, cells: &PairCells, layout: &MatrixLayout) {
    for (at, name) in cells.names.iter().enumerate().step_by(layout.step) {
        let middle = panel.x + (at as f64 + 0.5) * layout.size;
        match layout.names {
            ColumnNames::Across => {
                // The first and the last stay within the page.
                let half = font::width(name, TEXT_SIZE) / 2.0;
                let middle = middle.clamp(half + 2.0, (picture.width - half - 2.0).max(half + 2.0));
                picture.text(middle, panel.bottom() + 14.0, TEXT_SIZE, TextAnchor::Middle, name.as_str())
            }
            ColumnNames::Upwards => {
                let name = font::fit_ends(name, TEXT_SIZE, layout.foot - 6.0);
                picture.text_upwards(middle + 4.0, panel.bottom() + 5.0, TEXT_SIZE, TextAnchor::End, name)
            }
        };
    }
    let (middle, y) = (panel.x + panel.width / 2.0, panel.bottom() + layout.foot + 14.0);
    picture.text(middle, y, TEXT_SIZE, TextAnchor::Middle, "to").fill(Color::QUIET);
}
