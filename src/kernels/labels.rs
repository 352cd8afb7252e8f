//! Rows of texts become single numbers, one column after the other.
//!
//! ```text
//!  column 0  ("run", "wait", "run", …)  ─► 0 1 0 …
//!  column 1  ("a",   "a",    "b",   …)  with the numbers so far ─► 0 1 2 …      one per combination
//! ```
//! Columnar formats hand texts out as 16-byte views: texts of up to 12 bytes lie in the view itself,
//! longer ones are a place in a buffer. Two equal views of one batch are equal texts; across batches
//! that holds for short texts only. So a small table remembers views, and forgets the long ones when a
//! batch begins; only what it does not know is hashed.

#[cfg(test)]
mod tests;

use arrow::array::{Array, AsArray, DictionaryArray, StringViewArray};
use arrow::datatypes::Int32Type;
use hashbrown::hash_table::{Entry, HashTable};

/// Longest text that lies in its view.
const INLINE: u32 = 12;

/// The view of NULL: no text is that long.
pub const NO_VIEW: u128 = u128::MAX;

const REMEMBERED: usize = 256;

/// More combinations of a number and a code than this have no place each.
const MOST_PLACES: usize = 1 << 12;

const NO_NUMBER: u32 = u32::MAX;

/// A view that was seen lately, after a number.
#[derive(Debug, Clone, Copy)]
struct RecentView {
    view: u128,
    before: u32,
    number: u32,
}

/// No text has this view, and NULL has not either.
const NOTHING: RecentView = RecentView { view: u128::MAX - 1, before: 0, number: 0 };

/// A text, or NULL, after the number of the columns before.
#[derive(Debug)]
struct Label {
    before: u32,
    text: Option<Box<str>>,
}

/// The combinations of the texts of a column with the numbers of the columns before it.
#[derive(Debug)]
pub struct LabelTable {
    labels: Vec<Label>,
    numbers: HashTable<u32>,
    recent: Vec<RecentView>,
    has_long: bool,
    bytes: usize,
}

impl Default for LabelTable {
    fn default() -> LabelTable {
        let recent = vec![NOTHING; REMEMBERED];
        LabelTable { labels: vec![], numbers: HashTable::new(), recent, has_long: false, bytes: 0 }
    }
}

impl LabelTable {
    /// Replaces the number of each row by that of its combination with the text of this column, in a
    /// batch of its own. The numbers of rows before the first column are all the same.
    pub fn combine<'a>(&mut self, numbers: &mut [u32], views: &[u128], text: impl Fn(usize) -> Option<&'a str>) {
        if std::mem::take(&mut self.has_long) {
            self.recent.fill(NOTHING);
        }
        // A column often says the same in all rows of a batch.
        if let (Some(&view), Some(&before)) = (views.first(), numbers.first())
            && views.iter().all(|other| *other == view)
            && numbers.iter().all(|other| *other == before)
        {
            let known = self.recall(view, before, || text(0));
            return numbers.fill(known);
        }
        for (row, (number, &view)) in numbers.iter_mut().zip(views).enumerate() {
            *number = self.recall(view, *number, || text(row));
        }
    }

    /// The same for a column of texts: views, or codes of texts that are kept once. Numbers are below `count`.
    pub fn combine_column(&mut self, numbers: &mut [u32], count: usize, column: &dyn Array) {
        match column.as_dictionary_opt::<Int32Type>() {
            Some(codes) => self.combine_codes(numbers, count, codes),
            None => self.combine_texts(numbers, column.as_string_view()),
        }
    }

    fn combine_codes(&mut self, numbers: &mut [u32], count: usize, column: &DictionaryArray<Int32Type>) {
        let (codes, texts) = (column.keys().values(), column.values().as_string::<i32>());
        let has_nulls = column.null_count() > 0;
        let text = |row: usize| column.is_valid(row).then(|| texts.value(codes[row] as usize));
        let places = count * texts.len();
        if has_nulls || places > MOST_PLACES {
            let view = |row: usize| if column.is_valid(row) { codes[row] as u128 } else { NO_VIEW };
            let views: Vec<u128> = (0..codes.len()).map(view).collect();
            // Codes are views of this batch only.
            self.has_long = true;
            self.combine(numbers, &views, text);
            self.has_long = true;
            return;
        }
        if places == 1 && !codes.is_empty() {
            return numbers.fill(self.number(0, text(0)));
        }
        // One look per row finds the number of a text after a number.
        let mut known = vec![NO_NUMBER; places];
        for (row, (number, &code)) in numbers.iter_mut().zip(codes).enumerate() {
            let place = &mut known[*number as usize * texts.len() + code as usize];
            if *place == NO_NUMBER {
                *place = self.number(*number, text(row));
            }
            *number = *place;
        }
    }

    /// The same for a column of views.
    pub fn combine_texts(&mut self, numbers: &mut [u32], texts: &StringViewArray) {
        let text = |row: usize| texts.is_valid(row).then(|| texts.value(row));
        match texts.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => self.combine(numbers, texts.views(), text),
            Some(nulls) => {
                let view = |(view, is_valid): (&u128, bool)| if is_valid { *view } else { NO_VIEW };
                let views: Vec<u128> = texts.views().iter().zip(nulls).map(view).collect();
                self.combine(numbers, &views, text);
            }
        }
    }

    /// The numbers of the texts of a column that no other comes before.
    pub fn numbers(&mut self, texts: &StringViewArray) -> Vec<u32> {
        let mut numbers = vec![0; texts.len()];
        self.combine_texts(&mut numbers, texts);
        numbers
    }

    #[inline]
    fn recall<'a>(&mut self, view: u128, before: u32, text: impl FnOnce() -> Option<&'a str>) -> u32 {
        let known = self.recent[place(view, before)];
        if known.view == view && known.before == before {
            return known.number;
        }
        self.remember(view, before, text())
    }

    #[inline(never)]
    fn remember(&mut self, view: u128, before: u32, text: Option<&str>) -> u32 {
        let number = self.number(before, text);
        self.recent[place(view, before)] = RecentView { view, before, number };
        self.has_long |= view != NO_VIEW && view as u32 > INLINE;
        number
    }

    /// The number of a text after a number of the columns before.
    pub fn number(&mut self, before: u32, text: Option<&str>) -> u32 {
        let labels = &mut self.labels;
        let is_same = |number: &u32| {
            let label = &labels[*number as usize];
            label.before == before && label.text.as_deref() == text
        };
        let hash_of = |number: &u32| {
            let label = &labels[*number as usize];
            hash(label.before, label.text.as_deref())
        };
        match self.numbers.entry(hash(before, text), is_same, hash_of) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = labels.len() as u32;
                entry.insert(number);
                self.bytes += text.map_or(0, str::len);
                labels.push(Label { before, text: text.map(Box::from) });
                number
            }
        }
    }

    /// The number of the columns before, and the text of this one, of a number that was given out.
    pub fn label(&self, number: u32) -> (u32, Option<&str>) {
        let label = &self.labels[number as usize];
        (label.before, label.text.as_deref())
    }

    /// The texts of this column, by number.
    pub fn texts(&self) -> StringViewArray {
        self.labels.iter().map(|label| label.text.as_deref()).collect()
    }

    /// The place of each text in their order, by number; NULL is the first. For a column that no other comes before.
    pub fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.labels.len() as u32).collect();
        order.sort_by_key(|number| &self.labels[*number as usize].text);
        let mut ranks = vec![0; order.len()];
        for (rank, number) in (0..).zip(order) {
            ranks[number as usize] = rank;
        }
        ranks
    }

    /// How many combinations there are.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.bytes
            + self.labels.capacity() * size_of::<Label>()
            + self.numbers.allocation_size()
            + self.recent.capacity() * size_of::<RecentView>()
    }
}

#[inline]
fn place(view: u128, before: u32) -> usize {
    let folded = (view as u64) ^ ((view >> 64) as u64) ^ (u64::from(before) << 17);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
}

fn hash(before: u32, text: Option<&str>) -> u64 {
    let text = text.map_or(0, |text| twox_hash::XxHash3_64::oneshot(text.as_bytes()));
    (text ^ u64::from(before)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
