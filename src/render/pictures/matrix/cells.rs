//! The cells of matrices: what was sent from one container, or a few neighbors, to another.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::super::query_rows::QueryRows;
use super::super::units::{bytes, counted};
use ocellus_trace::error::Result;

/// Cells on a side; beyond it, neighbors share a cell.
const MAX_CELLS: usize = 100;

/// What was sent from a row to a column.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairAmount {
    /// How many messages.
    pub messages: f64,
    /// What they carried, in bytes.
    pub volume: f64,
}

/// The cells of one kind of link.
#[derive(Debug, Default)]
pub struct MatrixAmounts {
    /// By row and column.
    pub cells: BTreeMap<(usize, usize), PairAmount>,
    measure: MatrixMeasure,
}

/// What the color of a cell shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum MatrixMeasure {
    #[default]
    Messages,
    Volume,
}

impl MatrixAmounts {
    /// What the color of a cell shows.
    pub fn of(&self, cell: &PairAmount) -> f64 {
        if self.measure == MatrixMeasure::Volume { cell.volume } else { cell.messages }
    }

    /// The largest of all cells.
    pub fn most(&self) -> f64 {
        self.cells.values().map(|cell| self.of(cell)).fold(0.0, f64::max)
    }

    /// All cells together.
    pub fn total(&self) -> f64 {
        self.cells.values().map(|cell| self.of(cell)).sum()
    }

    /// Messages of all cells.
    pub fn messages(&self) -> f64 {
        self.cells.values().map(|cell| cell.messages).sum()
    }
}

/// The cells of all kinds of links, with rows and columns in common.
#[derive(Debug)]
pub struct PairCells {
    /// The name of each row and column: that of its first container.
    pub names: Vec<String>,
    lasts: Vec<String>,
    /// Containers in a cell.
    pub per_cell: usize,
    /// Each kind that occurs with its cells, messages from point to point first.
    pub kinds: Vec<(String, MatrixAmounts)>,
    measure: MatrixMeasure,
}

impl PairCells {
    /// Adds up rows of source_id, target_id, source, target, messages and volume, by kind if they have one.
    pub fn read(rows: &QueryRows) -> Result<PairCells> {
        let (from, to) = (rows.numbers("source_id")?, rows.numbers("target_id")?);
        let (from_names, to_names) = (rows.names("source")?, rows.names("target")?);
        let (messages, volumes) = (rows.numbers("messages")?, rows.numbers("volume")?);
        let kinds = if rows.has_column("kind") { rows.texts("kind")? } else { vec![String::new(); rows.len()] };
        let mut containers: BTreeMap<i64, &str> = BTreeMap::new();
        for (ids, names) in [(&from, &from_names), (&to, &to_names)] {
            containers.extend(ids.iter().zip(names).map(|(id, name)| (*id as i64, name.as_str())));
        }
        let per_cell = containers.len().div_ceil(MAX_CELLS).max(1);
        let order = order(&containers);
        let places: BTreeMap<i64, usize> =
            order.iter().enumerate().map(|(place, (id, _))| (*id, place / per_cell)).collect();
        let has_volume = volumes.iter().any(|volume| *volume > 0.0);
        let measure = if has_volume { MatrixMeasure::Volume } else { MatrixMeasure::Messages };
        let mut amounts: BTreeMap<String, MatrixAmounts> = BTreeMap::new();
        for row in 0..rows.len() {
            let place = (places[&(from[row] as i64)], places[&(to[row] as i64)]);
            let kind = amounts.entry(kinds[row].clone()).or_default();
            kind.measure = measure;
            let cell = kind.cells.entry(place).or_default();
            cell.messages += messages[row];
            cell.volume += if volumes[row].is_finite() { volumes[row] } else { 0.0 };
        }
        let names: Vec<String> = order.into_iter().map(|(_, name)| name.to_string()).collect();
        let groups = || names.chunks(per_cell);
        Ok(PairCells {
            lasts: groups().filter_map(|group| group.last().cloned()).collect(),
            names: groups().filter_map(|group| group.first().cloned()).collect(),
            per_cell,
            // By name, the other way round: messages from point to point come first.
            kinds: amounts.into_iter().rev().collect(),
            measure,
        })
    }

    /// Cells on a side.
    pub fn side(&self) -> usize {
        self.names.len().max(1)
    }

    /// What cells show.
    pub fn what(&self) -> &'static str {
        if self.measure == MatrixMeasure::Volume { "volume" } else { "messages" }
    }

    /// All messages of a kind, with their volume if that is what is drawn.
    pub fn total(&self, amounts: &MatrixAmounts) -> String {
        let messages = counted(amounts.messages(), "message");
        match self.measure {
            MatrixMeasure::Volume => format!("{} in {messages}", bytes(amounts.total())),
            MatrixMeasure::Messages => messages,
        }
    }

    /// The containers of a row or column.
    pub fn range(&self, place: usize) -> String {
        let (first, last) = (&self.names[place], &self.lasts[place]);
        if self.per_cell > 1 && first != last { format!("{first} … {last}") } else { first.clone() }
    }
}

/// Containers in the order of rows: by the number at the end of their names if these differ by that alone, such as ranks,
/// else by their own numbers, in which neighbors of the tree stand together.
fn order<'a>(containers: &BTreeMap<i64, &'a str>) -> Vec<(i64, &'a str)> {
    let split = |name: &'a str| {
        let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
        name[stem.len()..].parse::<u64>().ok().map(|number| (stem, number))
    };
    let mut numbers: Vec<(u64, i64, &str)> = vec![];
    let mut stems: BTreeSet<&str> = BTreeSet::new();
    for (id, name) in containers {
        let Some((stem, number)) = split(name) else {
            return containers.iter().map(|(id, name)| (*id, *name)).collect();
        };
        stems.insert(stem);
        numbers.push((number, *id, name));
    }
    if stems.len() == 1 {
        numbers.sort_unstable();
    }
    numbers.into_iter().map(|(_, id, name)| (id, name)).collect()
}
