//! Time in each state of a window, and in none: one pie for each container, or for all together.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::font;
use super::frame::{Axis, PictureFrame, TEXT_SIZE, draw_empty_note};
use super::picture::{PathStep, Picture, TextAnchor};
use super::source::DrawSource;
use super::units::{percent, seconds};
use super::value_colors::{ValueColors, is_no_state};
use crate::color::Color;
use ocellus_trace::error::Result;

/// Pies in a picture; beyond it one pie shows all containers.
const MAX_PIES: usize = 64;
/// Height of a line of text.
const LINE: f64 = 14.0;
/// Pixels that a pie may take.
const MAX_WIDTH: f64 = 260.0;

pub(super) async fn draw(source: &DrawSource<'_>) -> Result<Picture> {
    let kind = source.type_argument();
    let own = format!(
        "SELECT container_id, container, value, sum(seconds) AS seconds \
         FROM state_slices({}, {}{kind}) GROUP BY container_id, container, value",
        source.states_and_gaps(),
        source.window()
    );
    let rows = source.view_rows(&own).await?;
    let (ids, names) = (rows.numbers("container_id")?, rows.names("container")?);
    let (values, amounts) = (rows.texts("value")?, rows.numbers("seconds")?);
    let mut pies: BTreeMap<i64, (String, BTreeMap<String, f64>)> = BTreeMap::new();
    for row in 0..rows.len() {
        let pie = pies.entry(ids[row] as i64).or_insert_with(|| (names[row].clone(), BTreeMap::new()));
        *pie.1.entry(values[row].clone()).or_default() += amounts[row];
    }
    let containers = pies.len();
    if containers > MAX_PIES {
        pies = BTreeMap::from([(0, (format!("{containers} containers"), together(&pies)))]);
    }
    let totals: Vec<(String, f64)> = together(&pies).into_iter().collect();
    let colors = ValueColors::new(&source.palette, &totals);
    let legend = source.legend(colors.legend());
    let (rows, columns) = grid(pies.len());
    let cell = (source.width() / columns as f64).min(MAX_WIDTH);
    let names: Vec<&str> = pies.values().map(|(name, _)| name.as_str()).collect();
    let lengths: Vec<String> = pies.values().map(|(_, shares)| seconds(shares.values().sum())).collect();
    let texts = PieTexts::new(&names, &lengths, cell - 8.0);
    let page = PictureFrame {
        width: source.width(),
        height: source.height(rows as f64 * cell + 110.0),
        title: "Time in each state",
        note: &source.note(&texts.note),
        left: 0.0,
        axis: Axis::None,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    if pies.is_empty() {
        draw_empty_note(&mut picture, &area, "no states in this window");
        return Ok(picture);
    }
    let (width, height) = (area.width / columns as f64, area.height / rows as f64);
    let extra = (texts.most_lines() - 1) as f64 * LINE;
    let radius = (width.min(height) / 2.0 - TEXT_SIZE - 4.0 - extra / 2.0).max(4.0);
    for (index, (_, shares)) in pies.values().enumerate() {
        let x = area.x + ((index % columns) as f64 + 0.5) * width;
        let y = area.y + ((index / columns) as f64 + 0.5) * height - (TEXT_SIZE + extra) / 2.0;
        draw_pie(&mut picture, (x, y), radius, shares, &colors);
        for (line, text) in texts.lines[index].iter().enumerate() {
            let y = y + radius + TEXT_SIZE + 3.0 + line as f64 * LINE;
            let text = font::fit_ends(text, TEXT_SIZE, width - 8.0);
            picture.text(x, y, TEXT_SIZE, TextAnchor::Middle, text);
        }
    }
    Ok(picture)
}

/// What is written below pies, and in the note.
#[derive(Debug, PartialEq, Eq)]
struct PieTexts {
    note: String,
    /// The lines below each pie.
    lines: Vec<Vec<String>>,
}

impl PieTexts {
    /// Name and time on a line, or on two where a line has no room for both. A time that all have is said once, in the note.
    fn new(names: &[&str], lengths: &[String], room: f64) -> PieTexts {
        let is_same = lengths.len() > 1 && lengths.windows(2).all(|pair| pair[0] == pair[1]);
        if is_same {
            let lines = names.iter().map(|name| vec![name.to_string()]).collect();
            return PieTexts { note: format!(", {} each", lengths[0]), lines };
        }
        let one = |(name, length): (&&str, &String)| format!("{name}: {length}");
        let fits = names.iter().zip(lengths).map(one).all(|text| font::width(&text, TEXT_SIZE) <= room);
        let text =
            |both: (&&str, &String)| if fits { vec![one(both)] } else { vec![both.0.to_string(), both.1.clone()] };
        PieTexts { note: String::new(), lines: names.iter().zip(lengths).map(text).collect() }
    }

    fn most_lines(&self) -> usize {
        self.lines.iter().map(Vec::len).max().unwrap_or(1)
    }
}

fn together(pies: &BTreeMap<i64, (String, BTreeMap<String, f64>)>) -> BTreeMap<String, f64> {
    let mut total: BTreeMap<String, f64> = BTreeMap::new();
    for (_, shares) in pies.values() {
        for (name, amount) in shares {
            *total.entry(name.clone()).or_default() += amount;
        }
    }
    total
}

/// Rows and columns of pies, such that the rows are about full.
fn grid(count: usize) -> (usize, usize) {
    let most = if count > 24 { 10 } else { 6 };
    let rows = count.div_ceil(most).max(1);
    (rows, count.div_ceil(rows).max(1))
}

fn draw_pie(
    picture: &mut Picture,
    (x, y): (f64, f64),
    radius: f64,
    shares: &BTreeMap<String, f64>,
    colors: &ValueColors,
) {
    let total: f64 = shares.values().sum();
    let mut at = -TAU / 4.0;
    let title = |name: &str, amount: f64| format!("{name}: {} ({})", seconds(amount), percent(amount / total));
    // In the order of the legend; the rest is one gray part.
    let mut parts: BTreeMap<usize, (&str, f64)> = BTreeMap::new();
    for (name, amount) in shares.iter().filter(|(_, amount)| **amount > 0.0) {
        let part = parts.entry(colors.place(name)).or_insert((name, 0.0));
        part.1 += amount;
    }
    let has_pale_part = parts.values().any(|(name, _)| is_no_state(name));
    for (name, amount) in parts.into_values() {
        let title = title(if colors.is_rest(name) { "other values" } else { name }, amount);
        let color = colors.of(name);
        if amount / total > 0.999_999 {
            picture.circle(x, y, radius).fill(color).title(title);
            break;
        }
        let end = at + amount / total * TAU;
        picture.path(sector(x, y, radius, at, end)).fill(color).stroke(Color::WHITE, 0.5).title(title);
        at = end;
    }
    // What is pale needs an edge.
    if has_pale_part {
        picture.circle(x, y, radius).stroke(Color::QUIET, 0.5);
    }
}

/// A sector as a path: curves of at most an eighth of the circle.
fn sector(x: f64, y: f64, radius: f64, from: f64, to: f64) -> Vec<PathStep> {
    let point = |angle: f64, reach: f64| (x + reach * angle.cos(), y + reach * angle.sin());
    let (first_x, first_y) = point(from, radius);
    let mut steps = vec![PathStep::Move(x, y), PathStep::Line(first_x, first_y)];
    let pieces = ((to - from) / (TAU / 8.0)).ceil().max(1.0);
    let turn = (to - from) / pieces;
    let handle = 4.0 / 3.0 * (turn / 4.0).tan() * radius;
    for piece in 0..pieces as usize {
        let (start, end) = (from + piece as f64 * turn, from + (piece + 1) as f64 * turn);
        let ((sx, sy), (ex, ey)) = (point(start, radius), point(end, radius));
        steps.push(PathStep::Curve([
            sx - handle * start.sin(),
            sy + handle * start.cos(),
            ex + handle * end.sin(),
            ey - handle * end.cos(),
            ex,
            ey,
        ]));
    }
    steps.push(PathStep::Close);
    steps
}
