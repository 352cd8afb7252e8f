//! Goes over columns from left to right, and finds what each value has of each, and which has most.

use super::screen::{ColumnSpan, ScreenColumns, SpanValue, StatePiece};

/// From here on, a value has more or less weight.
#[derive(Debug, Clone, Copy)]
struct WeightChange {
    column: u32,
    value: u32,
    weight: i64,
    states: i64,
}

/// What a value has in the column of the moment.
#[derive(Debug, Clone, Copy, Default)]
struct ValueLevel {
    weight: i64,
    states: i64,
}

/// Goes over the columns from left to right.
pub(super) struct ColumnSweep<'a> {
    columns: &'a ScreenColumns,
    ranks: &'a [u32],
    /// Of pieces of several columns, by column.
    changes: Vec<WeightChange>,
    /// Pieces of one column, by column.
    cells: Vec<StatePiece>,
    /// By value, those with states in several columns.
    levels: Vec<(u32, ValueLevel)>,
}

impl<'a> ColumnSweep<'a> {
    pub(super) fn new(columns: &'a ScreenColumns, ranks: &'a [u32], pieces: &[StatePiece]) -> ColumnSweep<'a> {
        let mut changes = vec![];
        let mut cells = vec![];
        for piece in pieces {
            if piece.first == piece.last {
                cells.push(*piece);
                continue;
            }
            let (weight, states) = (piece.weight as i64, piece.states as i64);
            changes.push(WeightChange { column: piece.first, value: piece.value, weight, states });
            changes.push(WeightChange { column: piece.last + 1, value: piece.value, weight: -weight, states: -states });
        }
        changes.sort_by_key(|change| change.column);
        ColumnSweep { columns, ranks, changes, cells, levels: vec![] }
    }

    pub(super) fn run(mut self, mut give: impl FnMut(ColumnSpan, &[SpanValue])) {
        let mut values = vec![];
        let (mut changed, mut seen, mut column) = (0, 0, 0);
        loop {
            while let Some(change) = self.changes.get(changed).filter(|change| change.column == column) {
                apply(&mut self.levels, change);
                changed += 1;
            }
            let cells = self.cells[seen..].iter().take_while(|cell| cell.first == column).count();
            let here = &self.cells[seen..seen + cells];
            seen += cells;
            let next_change = self.changes.get(changed).map(|change| change.column);
            let next_cell = self.cells.get(seen).map(|cell| cell.first);
            let end = match next_change.into_iter().chain(next_cell).min() {
                _ if !here.is_empty() => column + 1,
                Some(next) => next,
                None => return,
            };
            if let Some(span) = self.span(column, end, here, &mut values) {
                give(span, &values);
            }
            column = end;
        }
    }

    /// What columns `first` to `end`, without `end`, hold: the levels and some pieces. Each value with what it has goes to
    /// `values`.
    fn span(&self, first: u32, end: u32, cells: &[StatePiece], values: &mut Vec<SpanValue>) -> Option<ColumnSpan> {
        values.clear();
        let ticks = u128::from(self.columns.boundary(end).abs_diff(self.columns.boundary(first)));
        let mut best: Option<(u128, u32)> = None;
        let (mut covered, mut states, mut whole) = (0, 0, 0);
        let mean = |time: u128| time as f64 / ticks as f64;
        let mut consider = |value: u32, time: u128| {
            covered += time;
            values.push(SpanValue { value, amount: mean(time) });
            let is_better = best.is_none_or(|(most, winner)| (time, self.rank(winner)) > (most, self.rank(value)));
            if is_better {
                best = Some((time, value));
            }
        };
        // Cells are sorted by value, and so are levels; a value may be in both.
        let mut levels = self.levels.iter().peekable();
        for cell in cells {
            while let Some((value, level)) = levels.next_if(|(value, _)| *value < cell.value) {
                consider(*value, level.weight as u128 * ticks);
            }
            let level = levels.next_if(|(value, _)| *value == cell.value).map_or(0, |(_, level)| level.weight as u128);
            consider(cell.value, cell.ticks as u128 + (u128::from(cell.weight) + level) * ticks);
            states += cell.states;
            whole += cell.weight;
        }
        for (value, level) in levels {
            consider(*value, level.weight as u128 * ticks);
        }
        for (_, level) in &self.levels {
            states += level.states as u64;
            whole += level.weight as u64;
        }
        let (most, value) = best?;
        let alone = if states == 1 { whole } else { 0 };
        Some(ColumnSpan { first, last: end - 1, value, amount: mean(most), covered: mean(covered), states, alone })
    }

    fn rank(&self, value: u32) -> u32 {
        self.ranks.get(value as usize).copied().unwrap_or(value)
    }
}

/// Keeps levels sorted by value, and only those with states.
fn apply(levels: &mut Vec<(u32, ValueLevel)>, change: &WeightChange) {
    let place = match levels.binary_search_by_key(&change.value, |(value, _)| *value) {
        Ok(place) => place,
        Err(place) => {
            levels.insert(place, (change.value, ValueLevel::default()));
            place
        }
    };
    let level = &mut levels[place].1;
    level.weight += change.weight;
    level.states += change.states;
    if level.states == 0 {
        levels.remove(place);
    }
}
