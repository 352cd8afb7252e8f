//! Texts as small numbers, for accumulators that see the same few again and again.

use std::collections::HashMap;

use arrow::array::StringViewArray;

/// Texts and their numbers, in the order of first appearance.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    bytes: usize,
}

/// How many texts of a batch are remembered by their views.
const REMEMBERED: usize = 16;

impl Symbols {
    /// A reader of one column. Texts that come from one dictionary page have equal views, which are
    /// compared faster than texts.
    pub(super) fn of_column<'a>(&'a mut self, column: &'a StringViewArray) -> SymbolColumn<'a> {
        SymbolColumn { symbols: self, column, recent: vec![] }
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        self.bytes += 2 * (name.len() + size_of::<String>()) + size_of::<u32>();
        number
    }

    /// All texts, by number.
    pub(super) fn names(&self) -> StringViewArray {
        StringViewArray::from_iter_values(&self.names)
    }

    /// The place of each text in their order.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_by_key(|number| &self.names[*number as usize]);
        let mut ranks = vec![0; order.len()];
        for (rank, number) in order.into_iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        ranks
    }

    /// Bytes on the heap, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// A column of texts that is read as numbers.
pub(super) struct SymbolColumn<'a> {
    symbols: &'a mut Symbols,
    column: &'a StringViewArray,
    recent: Vec<(u128, u32)>,
}

impl SymbolColumn<'_> {
    /// The number of the text in a row that is not NULL.
    pub(super) fn number(&mut self, row: usize) -> u32 {
        let view = self.column.views()[row];
        if let Some((_, number)) = self.recent.iter().find(|(known, _)| *known == view) {
            return *number;
        }
        let number = self.symbols.number(self.column.value(row));
        if self.recent.len() < REMEMBERED {
            self.recent.push((view, number));
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::Array;

    use super::*;

    #[test]
    fn texts_get_numbers_and_ranks() {
        let mut symbols = Symbols::default();
        let long = "a text that is longer than a view holds";
        let column = StringViewArray::from(vec!["b", long, "b", "", long, "c"]);
        let mut reader = symbols.of_column(&column);
        let numbers: Vec<u32> = (0..column.len()).map(|row| reader.number(row)).collect();
        assert_eq!(numbers, [0, 1, 0, 2, 1, 3]);
        assert_eq!(symbols.ranks(), [2, 1, 0, 3]);
        assert_eq!(symbols.names().iter().flatten().collect::<Vec<_>>(), ["b", long, "", "c"]);
    }
}
