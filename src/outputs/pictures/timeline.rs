//! The timeline: a row per container, its states from left to right, nested ones inside their outer
//! ones, links as arrows, variables as steps.
//!
//! What is shorter than a column of the screen comes summarised from `timeline(…)`, so the picture
//! costs the same whatever the length of the trace.

use std::collections::BTreeMap;

use super::color::Color;
use super::page::{Area, Axis, Page, label_room, row_labels, say_empty, time_axis};
use super::picture::{Picture, Step};
use super::source::{Source, quoted};
use super::table::Rows;
use super::units::{percent, quantity, seconds};
use crate::error::Result;

/// Rows in a picture; of more containers, the tree is cut at a depth.
const MOST_ROWS: usize = 160;
/// Rectangles in a picture.
const MOST_SPANS: usize = 9000;
/// Arrows in a picture; of more links, none is drawn and the note tells how many there are.
const MOST_LINKS: usize = 400;
/// Levels of nested states that are told apart.
const MOST_LEVELS: i64 = 5;
const MOST_VARIABLES: usize = 12;

/// A row of the picture: the states of one type of a container, or one of its variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    preorder: i64,
    container_id: i64,
    kind: Kind,
    type_name: String,
    container: String,
}

/// What a row shows; states come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    States,
    Variable,
}

impl Row {
    /// The name of the container, with that of the type where a container has several rows; a variable has its
    /// own name and its largest value too.
    fn label(&self, rows: &[Row], variables: &BTreeMap<Row, Steps>) -> String {
        if let Some(steps) = variables.get(self) {
            return format!("{} {} ≤ {}", self.container, self.type_name, quantity(range(steps).1));
        }
        let alone = rows.iter().filter(|row| row.container_id == self.container_id).count() == 1;
        if alone { self.container.clone() } else { format!("{} {}", self.container, self.type_name) }
    }
}

pub(super) async fn draw(source: &Source<'_>) -> Result<Picture> {
    let cut = Cut::choose(source).await?;
    let columns = (MOST_SPANS / cut.rows.max(1)).clamp(60, source.width() as usize);
    let levels = levels(source, &cut, columns).await?;
    let variables = variables(source, &cut).await?;
    let links = links(source, &cut).await?;
    let mut rows: Vec<Row> = vec![];
    for level in &levels {
        rows.extend(state_rows(level)?);
    }
    rows.extend(variables.keys().cloned());
    rows.sort();
    rows.dedup();
    let dropped = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    let mut legend = legend(source, &levels)?;
    if let Links::Drawn(links) = &links && !links.is_empty() {
        legend.push(("links, as arrows".to_string(), Color::TEXT));
    }
    let names: Vec<String> = rows.iter().map(|row| row.label(&rows, &variables)).collect();
    let left = label_room(names.iter().map(String::as_str), source.width());
    let page = Page {
        width: source.width(),
        height: source.height((rows.len() as f64 * 22.0).clamp(160.0, 900.0) + 150.0),
        title: "Timeline",
        note: &source.note(&notes(&cut, &links, dropped, &levels)?),
        left,
        axis: Axis::Below,
        legend: &legend,
    };
    let (mut picture, area) = page.begin();
    if rows.is_empty() {
        let count = source.ask("SELECT count(*) AS count FROM variables").await?.numbers("count")?;
        let has_variables = count.first().is_some_and(|count| *count > 0.0);
        let text = if has_variables { "no states in this window; the view variables shows the variables" } else { "no states and no variables in this window" };
        say_empty(&mut picture, &area, text);
        return Ok(picture);
    }
    let chart = Chart { area, rows: &rows, start: source.start, stop: source.stop };
    chart.background(&mut picture);
    for (level, spans) in levels.iter().enumerate() {
        chart.states(&mut picture, spans, level, levels.len(), source)?;
    }
    for (row, steps) in &variables {
        chart.variable(&mut picture, row, steps);
    }
    if let Links::Drawn(links) = &links {
        chart.links(&mut picture, links)?;
    }
    let labels: Vec<(f64, f64, &str)> =
        names.iter().enumerate().map(|(at, name)| (chart.top(at), chart.row_height(), name.as_str())).collect();
    row_labels(&mut picture, &area, left, &labels);
    time_axis(&mut picture, &area, source.start, source.stop);
    Ok(picture)
}

/// At which depth the tree is cut, and about how many rows that gives.
struct Cut {
    depth: Option<i64>,
    rows: usize,
}

impl Cut {
    async fn choose(source: &Source<'_>) -> Result<Cut> {
        let counts = source
            .ask("SELECT depth, count(*) AS containers, count(*) FILTER (WHERE is_leaf) AS leaves FROM containers GROUP BY depth ORDER BY depth")
            .await?;
        let (containers, leaves) = (counts.numbers("containers")?, counts.numbers("leaves")?);
        let total: f64 = containers.iter().sum();
        if let Some(depth) = source.options.depth {
            let rows = containers.get(depth as usize).copied().unwrap_or(total);
            return Ok(Cut { depth: Some(i64::from(depth)), rows: rows as usize });
        }
        if total as usize <= 2 * MOST_ROWS {
            return Ok(Cut { depth: None, rows: total as usize });
        }
        // The containers of a depth, and the leaves above them.
        let frontier = |depth: usize| containers[depth] + leaves[..depth].iter().sum::<f64>();
        let depth = (0..containers.len()).rev().find(|depth| frontier(*depth) as usize <= MOST_ROWS).unwrap_or(0);
        Ok(Cut { depth: Some(depth as i64), rows: frontier(depth) as usize })
    }

    fn argument(&self) -> String {
        self.depth.map(|depth| format!(", depth => {depth}")).unwrap_or_default()
    }
}

/// The spans of each level of nesting, outermost first; of all levels at once when the tree is cut.
async fn levels(source: &Source<'_>, cut: &Cut, columns: usize) -> Result<Vec<Rows>> {
    let kind = source.options.type_name.as_ref().map(|name| format!(", type => {}", quoted(name))).unwrap_or_default();
    let spans = |relation: &str| {
        format!(
            "SELECT spans.*, containers.preorder FROM timeline({relation}, {}, width => {columns}{kind}{}) AS spans \
             JOIN containers ON containers.container_id = spans.container_id",
            source.window(),
            cut.argument()
        )
    };
    if let Some(query) = &source.options.query {
        return Ok(vec![source.ask(&spans(&format!("({query})"))).await?]);
    }
    let deepest = source.ask("SELECT coalesce(max(depth), 0) AS depth FROM states").await?.numbers("depth")?;
    let deepest = deepest.first().map_or(0, |depth| *depth as i64);
    if deepest == 0 || cut.depth.is_some() {
        return Ok(vec![source.ask(&spans("state_segments")).await?]);
    }
    let mut levels = vec![];
    for level in 0..=deepest.min(MOST_LEVELS - 1) {
        levels.push(source.ask(&spans(&format!("(SELECT * FROM states WHERE depth = {level})"))).await?);
    }
    Ok(levels)
}

fn state_rows(spans: &Rows) -> Result<Vec<Row>> {
    let (ids, orders) = (spans.numbers("container_id")?, spans.numbers("preorder")?);
    let (names, types) = (spans.texts("container")?, spans.texts("type")?);
    Ok((0..spans.len())
        .map(|row| Row {
            preorder: orders[row] as i64,
            container_id: ids[row] as i64,
            kind: Kind::States,
            type_name: types[row].clone(),
            container: names[row].clone(),
        })
        .collect())
}

/// Start, end and value of the pieces of a variable.
type Steps = Vec<(f64, f64, f64)>;

/// The variables of the window, unless they are too many to be read.
async fn variables(source: &Source<'_>, cut: &Cut) -> Result<BTreeMap<Row, Steps>> {
    let mut found: BTreeMap<Row, Steps> = BTreeMap::new();
    if cut.depth.is_some() || source.options.query.is_some() {
        return Ok(found);
    }
    let own = format!(
        "SELECT slices.container_id, slices.container, slices.type, slices.slice_start, slices.slice_end, \
                slices.integral / slices.covered AS mean, containers.preorder \
         FROM variable_slices(slices => 300, {}) AS slices \
         JOIN containers ON containers.container_id = slices.container_id \
         WHERE slices.covered > 0 ORDER BY slices.container_id, slices.type, slices.slice_start",
        source.window()
    );
    let count = source.ask("SELECT count(*) AS count FROM (SELECT DISTINCT container_id, type FROM variables)").await?;
    if count.numbers("count")?.first().is_none_or(|count| *count > MOST_VARIABLES as f64) {
        return Ok(found);
    }
    let rows = source.ask(&own).await?;
    let (ids, orders) = (rows.numbers("container_id")?, rows.numbers("preorder")?);
    let (names, types) = (rows.texts("container")?, rows.texts("type")?);
    let (starts, ends, means) = (rows.numbers("slice_start")?, rows.numbers("slice_end")?, rows.numbers("mean")?);
    for row in 0..rows.len() {
        let key = Row {
            preorder: orders[row] as i64,
            container_id: ids[row] as i64,
            kind: Kind::Variable,
            type_name: types[row].clone(),
            container: names[row].clone(),
        };
        found.entry(key).or_default().push((starts[row], ends[row], means[row]));
    }
    Ok(found)
}

/// Least and largest value of a variable, with 0 between them.
fn range(steps: &Steps) -> (f64, f64) {
    let values = || steps.iter().map(|(_, _, value)| *value);
    (values().fold(0.0, f64::min), values().fold(f64::MIN_POSITIVE, f64::max))
}

enum Links {
    Drawn(Rows),
    TooMany(f64),
}

async fn links(source: &Source<'_>, cut: &Cut) -> Result<Links> {
    let within = format!("start_time < {:?} AND end_time > {:?}", source.stop, source.start);
    let count = source.ask(&format!("SELECT count(*) AS count FROM links WHERE {within}")).await?.numbers("count")?;
    let count = count.first().copied().unwrap_or(0.0);
    if count > MOST_LINKS as f64 || cut.depth.is_some() || source.options.query.is_some() {
        return Ok(Links::TooMany(count));
    }
    let own = format!("SELECT source_id, target_id, value, volume, start_time, end_time FROM links WHERE {within}");
    Ok(Links::Drawn(source.ask(&own).await?))
}

fn notes(cut: &Cut, links: &Links, dropped: usize, levels: &[Rows]) -> Result<String> {
    let mut text = String::new();
    if let Some(depth) = cut.depth {
        text.push_str(&format!(", containers down to depth {depth}"));
    }
    if let Links::TooMany(count) = links && *count > 0.0 {
        text.push_str(&format!(", {} links are not drawn", quantity(*count)));
    }
    if dropped > 0 {
        text.push_str(&format!(", {dropped} more rows are not drawn"));
    }
    for level in levels {
        if level.numbers("share")?.iter().any(|share| *share < 0.99) {
            text.push_str(", pale where several states meet");
            break;
        }
    }
    Ok(text)
}

fn legend(source: &Source<'_>, levels: &[Rows]) -> Result<Vec<(String, Color)>> {
    let mut time: BTreeMap<String, f64> = BTreeMap::new();
    for level in levels {
        let (values, starts, ends) = (level.texts("value")?, level.numbers("start_time")?, level.numbers("end_time")?);
        for row in 0..level.len() {
            *time.entry(values[row].clone()).or_default() += ends[row] - starts[row];
        }
    }
    let mut order: Vec<(String, f64)> = time.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(order.into_iter().map(|(name, _)| { let color = source.palette.of(&name); (name, color) }).collect())
}

/// Where rows and times lie.
struct Chart<'a> {
    area: Area,
    rows: &'a [Row],
    start: f64,
    stop: f64,
}

impl Chart<'_> {
    fn row_height(&self) -> f64 {
        self.area.height / self.rows.len() as f64
    }

    fn top(&self, row: usize) -> f64 {
        self.area.y + row as f64 * self.row_height()
    }

    fn x(&self, time: f64) -> f64 {
        let share = (time - self.start) / (self.stop - self.start).max(f64::MIN_POSITIVE);
        self.area.x + share.clamp(0.0, 1.0) * self.area.width
    }

    fn gap(&self) -> f64 {
        if self.row_height() >= 6.0 { 1.0 } else { 0.0 }
    }

    fn background(&self, picture: &mut Picture) {
        for row in 0..self.rows.len() {
            let height = self.row_height() - 2.0 * self.gap();
            picture.rectangle(self.area.x, self.top(row) + self.gap(), self.area.width, height).fill(Color::EMPTY);
        }
    }

    /// The spans of one level: each level a little lower and thinner than the one around it.
    fn states(&self, picture: &mut Picture, spans: &Rows, level: usize, levels: usize, source: &Source<'_>) -> Result<()> {
        let states = self.rows.iter().enumerate().filter(|(_, row)| row.kind == Kind::States);
        let places: BTreeMap<(i64, &str), usize> =
            states.map(|(place, row)| ((row.container_id, row.type_name.as_str()), place)).collect();
        let (ids, types, values) = (spans.numbers("container_id")?, spans.texts("type")?, spans.texts("value")?);
        let (starts, ends) = (spans.numbers("start_time")?, spans.numbers("end_time")?);
        let (shares, counts) = (spans.numbers("share")?, spans.numbers("states")?);
        let full = self.row_height() - 2.0 * self.gap();
        let inset = full * 0.6 * level as f64 / levels as f64;
        for row in 0..spans.len() {
            let Some(place) = places.get(&(ids[row] as i64, types[row].as_str())) else { continue };
            let (x, right) = (self.x(starts[row]), self.x(ends[row]));
            let title = format!(
                "{}: {} to {}, {} of the time, {} states",
                values[row],
                seconds(starts[row]),
                seconds(ends[row]),
                percent(shares[row]),
                quantity(counts[row])
            );
            // A hair wider, so that no seam shows between neighbours.
            picture
                .rectangle(x, self.top(*place) + self.gap() + inset, right - x + 0.2, full - inset)
                .fill(source.palette.of(&values[row]))
                .opacity(0.35 + 0.65 * shares[row])
                .title(title);
        }
        Ok(())
    }

    fn variable(&self, picture: &mut Picture, row: &Row, steps: &Steps) {
        let Some(place) = self.rows.iter().position(|known| known == row) else { return };
        let (low, high) = range(steps);
        let (top, height) = (self.top(place) + self.gap(), self.row_height() - 2.0 * self.gap());
        let y = |value: f64| top + height - (value - low) / (high - low) * height;
        let mut path = vec![];
        for (index, (start, end, value)) in steps.iter().enumerate() {
            let step = (self.x(*start), y(*value));
            path.push(if index == 0 { Step::Move(step.0, step.1) } else { Step::Line(step.0, step.1) });
            path.push(Step::Line(self.x(*end), y(*value)));
        }
        picture.path(path).stroke(Color::TEXT, 1.2).title(format!("{} {}: {} to {}", row.container, row.type_name, quantity(low), quantity(high)));
    }

    fn links(&self, picture: &mut Picture, links: &Rows) -> Result<()> {
        let places = self.places();
        let (sources, targets) = (links.numbers("source_id")?, links.numbers("target_id")?);
        let (starts, ends) = (links.numbers("start_time")?, links.numbers("end_time")?);
        let (values, volumes) = (links.texts("value")?, links.numbers("volume")?);
        for row in 0..links.len() {
            let place = |id: f64| places.get(&(id as i64)).map(|place| self.top(*place) + self.row_height() / 2.0);
            let (Some(from), Some(to)) = (place(sources[row]), place(targets[row])) else { continue };
            let (start, end) = ((self.x(starts[row]), from), (self.x(ends[row]), to));
            let volume = if volumes[row].is_nan() { String::new() } else { format!(", volume {}", quantity(volumes[row])) };
            let title = format!("{} from {} to {}{volume}", values[row], seconds(starts[row]), seconds(ends[row]));
            picture.line(start, end).stroke(Color::TEXT, 0.8).opacity(0.7).title(title);
            arrow_head(picture, start, end);
        }
        Ok(())
    }

    /// The first row of each container.
    fn places(&self) -> BTreeMap<i64, usize> {
        let mut places = BTreeMap::new();
        for (place, row) in self.rows.iter().enumerate() {
            places.entry(row.container_id).or_insert(place);
        }
        places
    }
}

fn arrow_head(picture: &mut Picture, from: (f64, f64), to: (f64, f64)) {
    const SIZE: f64 = 5.0;
    let angle = (to.1 - from.1).atan2(to.0 - from.0);
    let corner = |turn: f64| (to.0 - SIZE * (angle + turn).cos(), to.1 - SIZE * (angle + turn).sin());
    let (left, right) = (corner(0.4), corner(-0.4));
    let steps = vec![Step::Move(to.0, to.1), Step::Line(left.0, left.1), Step::Line(right.0, right.1), Step::Close];
    picture.path(steps).fill(Color::TEXT).opacity(0.7);
}
