//! The geometry of a box: which columns are shown, how wide they are, and how its lines are drawn.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A column is not made narrower than this as long as columns can be left out instead.
const NARROW: usize = 12;
/// A type name does not make a column wider than this.
const TYPE_WIDTH: usize = 16;

/// Which side the values of a column line up on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Against the left border: text.
    Left,
    /// Against the right border: numbers.
    Right,
    /// In the middle: headers.
    Center,
}

/// A column of the result.
#[derive(Debug, Clone)]
pub struct BoxColumn {
    /// The name, in the first header line.
    pub name: String,
    /// The SQL type, in the second header line.
    pub type_name: String,
    /// Where its values stand.
    pub align: Align,
}

/// A column of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DrawnColumn {
    /// Its column; `None` stands for the columns that were left out.
    column: Option<usize>,
    width: usize,
}

/// How a box is drawn.
#[derive(Debug)]
pub struct BoxLayout {
    columns: Vec<BoxColumn>,
    slots: Vec<DrawnColumn>,
}

impl BoxLayout {
    /// Measures the rows and fits the columns into `limit`.
    pub fn new<'a>(
        columns: Vec<BoxColumn>,
        rows: impl Iterator<Item = &'a Vec<String>>,
        limit: Option<usize>,
    ) -> BoxLayout {
        let mut widths: Vec<usize> = columns
            .iter()
            .map(|column| text_width(&column.name).max(text_width(&column.type_name).min(TYPE_WIDTH)))
            .collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(text_width(cell));
            }
        }
        let all: Vec<DrawnColumn> = widths
            .iter()
            .enumerate()
            .map(|(index, width)| DrawnColumn { column: Some(index), width: *width })
            .collect();
        let slots = match limit {
            Some(limit) => fit(&without_ticks_and_ids(&all, &columns, limit), limit),
            None => all,
        };
        BoxLayout { columns, slots }
    }

    /// All columns of the result, drawn or left out.
    pub fn columns(&self) -> &[BoxColumn] {
        &self.columns
    }

    /// Widens the last column until the footer fits, within `limit`.
    pub fn make_room(&mut self, footer: &str, limit: Option<usize>) {
        let footer = text_width(&self.with_columns(footer));
        let room = limit.map_or(usize::MAX, |limit| limit.saturating_sub(total(&self.slots)));
        let missing = (footer + 4).saturating_sub(total(&self.slots)).min(room);
        if let Some(slot) = self.slots.last_mut() {
            slot.width += missing;
        }
    }

    /// Writes the upper border and the two header lines.
    pub fn write_top(&self, sink: &mut dyn Write) -> io::Result<()> {
        self.write_rule(sink, ['┌', '┬', '┐'])?;
        self.write_cells(sink, |slot| match slot.column {
            Some(column) => (self.columns[column].name.as_str(), Align::Center),
            None => ("…", Align::Center),
        })?;
        self.write_cells(sink, |slot| match slot.column {
            Some(column) => (self.columns[column].type_name.as_str(), Align::Center),
            None => ("", Align::Center),
        })?;
        self.write_rule(sink, ['├', '┼', '┤'])
    }

    /// Writes a row; a cell with line ends makes it several lines high.
    pub fn write_row(&self, sink: &mut dyn Write, row: &[String]) -> io::Result<()> {
        let height = row.iter().map(|cell| cell.split('\n').count()).max().unwrap_or(1);
        for line in 0..height {
            self.write_cells(sink, |slot| match slot.column {
                Some(column) => (row[column].split('\n').nth(line).unwrap_or(""), self.columns[column].align),
                None if line == 0 => ("…", Align::Center),
                None => ("", Align::Center),
            })?;
        }
        Ok(())
    }

    /// Writes the row that stands for those left out.
    pub fn write_gap(&self, sink: &mut dyn Write) -> io::Result<()> {
        self.write_cells(sink, |slot| match slot.column {
            Some(column) => ("…", self.columns[column].align),
            None => ("…", Align::Center),
        })
    }

    /// Writes the end of the box, with the footer in it when it fits and below when not.
    pub fn write_bottom(&self, sink: &mut dyn Write, footer: &str) -> io::Result<()> {
        let footer = self.with_columns(footer);
        let inside = total(&self.slots).saturating_sub(4);
        if footer.is_empty() || text_width(&footer) > inside {
            self.write_rule(sink, ['└', '┴', '┘'])?;
            return if footer.is_empty() { Ok(()) } else { writeln!(sink, "  {footer}") };
        }
        self.write_rule(sink, ['├', '┴', '┤'])?;
        writeln!(sink, "│ {} │", padded(&footer, inside, Align::Left))?;
        self.write_rule(sink, ['└', '─', '┘'])
    }

    /// The footer, with the number of columns when some are not shown.
    fn with_columns(&self, footer: &str) -> String {
        let shown = self.slots.iter().filter(|slot| slot.column.is_some()).count();
        if shown == self.columns.len() {
            return footer.to_string();
        }
        let columns = format!("{} columns ({shown} shown; \\x or --format line shows all)", self.columns.len());
        if footer.is_empty() { columns } else { format!("{footer}, {columns}") }
    }

    fn write_rule(&self, sink: &mut dyn Write, [left, middle, right]: [char; 3]) -> io::Result<()> {
        let dashes: Vec<String> = self.slots.iter().map(|slot| "─".repeat(slot.width + 2)).collect();
        writeln!(sink, "{left}{}{right}", dashes.join(&middle.to_string()))
    }

    fn write_cells<'a>(
        &'a self,
        sink: &mut dyn Write,
        cell: impl Fn(&DrawnColumn) -> (&'a str, Align),
    ) -> io::Result<()> {
        let mut line = String::from("│");
        for slot in &self.slots {
            let (text, align) = cell(slot);
            line.push(' ');
            line.push_str(&padded(text, slot.width, align));
            line.push_str(" │");
        }
        line.push('\n');
        sink.write_all(line.as_bytes())
    }
}

/// Columns of the screen that a box takes.
fn total(slots: &[DrawnColumn]) -> usize {
    slots.iter().map(|slot| slot.width + 3).sum::<usize>() + 1
}

/// A column that is no wider than it has to be.
fn narrow(slot: &DrawnColumn) -> DrawnColumn {
    DrawnColumn { column: slot.column, width: slot.width.min(NARROW) }
}

/// Whether columns fit when they are narrow.
fn fits(slots: &[DrawnColumn], limit: usize) -> bool {
    total(&slots.iter().map(narrow).collect::<Vec<_>>()) <= limit
}

/// Leaves out what stands beside in a better form, the last first, as long as the columns do not fit: ticks, whose
/// seconds are there, then the ids of things whose names are there.
fn without_ticks_and_ids(all: &[DrawnColumn], columns: &[BoxColumn], limit: usize) -> Vec<DrawnColumn> {
    let name_of = |slot: &DrawnColumn| slot.column.map_or("", |column| columns[column].name.as_str());
    let is_tick = |slot: &DrawnColumn| name_of(slot) == "tick" || name_of(slot).ends_with("_tick");
    let is_id = |slot: &DrawnColumn| {
        let thing = name_of(slot).strip_suffix("_id");
        thing.is_some_and(|thing| columns.iter().any(|column| column.name == thing))
    };
    let mut slots = all.to_vec();
    while !fits(&slots, limit) && slots.len() > 1 {
        let Some(last) = slots.iter().rposition(is_tick).or_else(|| slots.iter().rposition(is_id)) else { break };
        slots.remove(last);
    }
    slots
}

/// Makes the widest columns narrower, and leaves columns in the middle out when that is not enough.
fn fit(all: &[DrawnColumn], limit: usize) -> Vec<DrawnColumn> {
    let mut slots = all.to_vec();
    if !fits(all, limit) {
        slots = outer_slots(all, limit);
    }
    while total(&slots) > limit {
        let Some(widest) = slots.iter_mut().filter(|slot| slot.width > 1).max_by_key(|slot| slot.width) else { break };
        widest.width -= 1;
    }
    slots
}

/// As many columns from both ends as fit when they are narrow, with a gap between them.
fn outer_slots(all: &[DrawnColumn], limit: usize) -> Vec<DrawnColumn> {
    let gap = DrawnColumn { column: None, width: 1 };
    let (mut left, mut right) = (1, 0);
    let slots_of = |left: usize, right: usize| {
        let mut slots = all[..left].to_vec();
        slots.push(gap);
        slots.extend_from_slice(&all[all.len() - right..]);
        slots
    };
    while left + right < all.len() - 1 {
        let (next_left, next_right) = if right < left { (left, right + 1) } else { (left + 1, right) };
        if !fits(&slots_of(next_left, next_right), limit) {
            break;
        }
        (left, right) = (next_left, next_right);
    }
    if left + right == all.len() { all.to_vec() } else { slots_of(left, right) }
}

/// Width of the widest line of a text.
fn text_width(text: &str) -> usize {
    text.split('\n').map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// The text with spaces around it, or cut with an ellipsis, at exactly `width`.
fn padded(text: &str, width: usize, align: Align) -> String {
    let natural = text.width();
    if natural > width {
        return cut(text, width);
    }
    let space = width - natural;
    let before = match align {
        Align::Left => 0,
        Align::Center => space / 2,
        Align::Right => space,
    };
    format!("{}{text}{}", " ".repeat(before), " ".repeat(space - before))
}

fn cut(text: &str, width: usize) -> String {
    let mut shown = String::new();
    let mut used = 0;
    for character in text.chars() {
        let next = character.width().unwrap_or(0);
        if used + next > width.saturating_sub(1) {
            break;
        }
        shown.push(character);
        used += next;
    }
    shown.push('…');
    // A wide character that did not fit leaves a column empty.
    shown.push_str(&" ".repeat(width.saturating_sub(used + 1)));
    shown
}
