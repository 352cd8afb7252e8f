//! An index of intervals by key, which finds all that overlap a given one.
//!
//! Rows of one key lie together, sorted by start. To find what overlaps [s, e): go to the last row
//! that starts before e, then walk back. A row that ends after s overlaps. One that does not is
//! where the walk may jump: everything back to the nearest row that ends later than it is over too.
//!
//! ```text
//!  row  0  #################      rows by start; the question is ? = [s, e)
//!  row  1   ###     .      .
//!  row  2    #      .      .      walk: 3 overlaps, 2 ended before s and jumps over 1
//!  row  3           . ###  .      (whose end is no later than that of 2's encloser), 0 overlaps
//!  ?                 ######
//! ```
//! It ends where no earlier row reaches s. The walk costs a step per overlap, and one per level of
//! nesting between two overlaps. Where the walk
//! starts is found from where the row before started, so sorted questions find it at once.

use std::ops::Range;

use super::arrange::{IndexEntry, link, sort};
use super::found::{FoundPairs, NO_ROW, Wanted};
use super::keys::NO_KEY;
use super::spans::Spans;

/// The index. Rows are numbered as they were given; places are their order in the index.
#[derive(Debug, Default)]
pub struct IntervalIndex {
    /// Where the rows of each key begin, and an end.
    offsets: Vec<u32>,
    /// Of each place.
    entries: Vec<IndexEntry>,
    /// Which places are empty intervals; none is when the list is empty.
    instants: Vec<bool>,
}

/// Rows: their keys as numbers, and their intervals.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The number of each row's key.
    pub keys: &'a [u32],
    /// The interval of each row.
    pub spans: &'a Spans,
}

impl Asked<'_> {
    /// Calls with stretches of rows of one key that can all overlap something. Rows of one container often
    /// come together, so there are far fewer stretches than rows.
    fn each_stretch(&self, mut call: impl FnMut(u32, Range<usize>)) {
        let mut first = 0;
        for keys in self.keys.chunk_by(|one, other| one == other) {
            let rows = first..first + keys.len();
            first = rows.end;
            match keys[0] {
                NO_KEY => {}
                key if self.spans.is_full => call(key, rows),
                key => {
                    for row in rows.filter(|row| self.spans.starts[*row] < self.spans.ends[*row]) {
                        call(key, row..row + 1);
                    }
                }
            }
        }
    }
}

/// How far the rows of a batch have been answered.
#[derive(Debug, Default)]
pub struct IndexCursor {
    row: usize,
    /// Where the walk of the row goes on, if it has begun.
    walk: Option<IndexWalk>,
    /// Where the last walk of each key began, counted within the key.
    hints: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct IndexWalk {
    position: u32,
    has_partner: bool,
}

impl IndexCursor {
    /// A cursor for a first batch.
    pub fn new(index: &IntervalIndex) -> IndexCursor {
        let keys = index.offsets.len().saturating_sub(1);
        IndexCursor { hints: vec![0; keys], ..IndexCursor::default() }
    }

    /// Goes to the first row of a next batch.
    pub fn rewind(&mut self) {
        self.row = 0;
        self.walk = None;
    }

    /// Bytes that it holds.
    pub fn size(&self) -> usize {
        4 * self.hints.capacity()
    }
}

impl IntervalIndex {
    /// Bytes that a row takes in the index.
    pub const BYTES_PER_ROW: usize = size_of::<IndexEntry>();

    /// Indexes the rows of some pieces, numbered from the first on. Keys are below `key_count`, or
    /// [`NO_KEY`]. There may be 2^32 - 1 rows.
    pub fn new(key_count: usize, pieces: &[Asked<'_>]) -> IntervalIndex {
        let mut offsets = vec![0_u32; key_count + 1];
        for piece in pieces {
            piece.each_stretch(|key, rows| offsets[key as usize + 1] += rows.len() as u32);
        }
        for key in 0..key_count {
            offsets[key + 1] += offsets[key];
        }
        let mut entries = vec![IndexEntry::default(); offsets[key_count] as usize];
        let mut free = offsets.clone();
        let mut first = 0;
        for piece in pieces {
            piece.each_stretch(|key, stretch| {
                let place = free[key as usize] as usize;
                free[key as usize] += stretch.len() as u32;
                let spans = piece.spans.starts[stretch.clone()].iter().zip(&piece.spans.ends[stretch.clone()]);
                let rows = spans.zip(first + stretch.start as u32..);
                for (entry, ((start, end), row)) in entries[place..].iter_mut().zip(rows) {
                    *entry = IndexEntry { start: *start, end: *end, row, ..IndexEntry::default() };
                }
            });
            first += piece.keys.len() as u32;
        }
        for bounds in offsets.windows(2) {
            let of_key = &mut entries[bounds[0] as usize..bounds[1] as usize];
            sort(of_key);
            link(of_key);
        }
        let instants = instants(pieces, &entries);
        IntervalIndex { offsets, entries, instants }
    }

    /// How many rows can overlap something.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the index has no rows.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes that it holds.
    pub fn size(&self) -> usize {
        Self::BYTES_PER_ROW * self.entries.len() + size_of::<u32>() * self.offsets.len() + self.instants.len()
    }

    /// The row at a place.
    pub fn row(&self, place: u32) -> u32 {
        self.entries[place as usize].row
    }

    /// Where the overlap of each pair starts; anything beside [`NO_ROW`].
    pub fn overlap_starts(&self, asked: Asked<'_>, found: &FoundPairs) -> Vec<i64> {
        let pairs = found.pairs().iter();
        pairs
            .map(|(row, place)| {
                let start = asked.spans.starts[*row as usize];
                self.entries.get(*place as usize).map_or(start, |other| start.max(other.start))
            })
            .collect()
    }

    /// Where the overlap of each pair ends; anything beside [`NO_ROW`].
    pub fn overlap_ends(&self, asked: Asked<'_>, found: &FoundPairs) -> Vec<i64> {
        let pairs = found.pairs().iter();
        let ends = pairs.clone().map(|(row, place)| {
            let end = asked.spans.ends[*row as usize];
            self.entries.get(*place as usize).map_or(end, |other| end.min(other.end))
        });
        if self.instants.is_empty() && !asked.spans.has_instants() {
            return ends.collect();
        }
        // As a span, an instant ends one later than it does.
        let is_instant = |(row, place): &(u32, u32)| {
            asked.spans.is_instant(*row as usize) || self.instants.get(*place as usize) == Some(&true)
        };
        ends.zip(pairs).map(|(end, pair)| end.wrapping_sub(i64::from(is_instant(pair)))).collect()
    }

    /// Answers rows from where the cursor stands until there is no more room or the rows end; true at the
    /// end. What was found before is forgotten.
    pub fn answer(&self, asked: Asked<'_>, wanted: Wanted, cursor: &mut IndexCursor, found: &mut FoundPairs) -> bool {
        found.clear();
        match wanted {
            Wanted::Pairs => {
                self.answer_each(asked, cursor, |place, row, start, walk| place.pair(row, start, walk, found))
            }
            Wanted::PairsAndLonely => self.answer_each(asked, cursor, |place, row, start, walk| {
                place.pair(row, start, walk, found) && (walk.has_partner || found.push(row, NO_ROW))
            }),
            Wanted::Partnered => self.answer_each(asked, cursor, |place, row, start, walk| {
                !place.has_partner(start, walk) || found.push(row, NO_ROW)
            }),
            Wanted::Lonely => self.answer_each(asked, cursor, |place, row, start, walk| {
                place.has_partner(start, walk) || found.push(row, NO_ROW)
            }),
        }
    }

    /// Lets `answer` answer each row from its walk, until it says that there is no more room.
    #[inline]
    fn answer_each(
        &self,
        asked: Asked<'_>,
        cursor: &mut IndexCursor,
        mut answer: impl FnMut(&KeyRows<'_>, usize, i64, &mut IndexWalk) -> bool,
    ) -> bool {
        let mut row = cursor.row;
        let mut resumed = cursor.walk.take();
        while row < asked.keys.len() {
            // Rows of one container often come together.
            let key = asked.keys[row];
            let together = asked.keys[row..].iter().take_while(|other| **other == key).count();
            let mut place = self.place(key, &cursor.hints);
            let rows = row..row + together;
            for (start, end) in asked.spans.starts[rows.clone()].iter().zip(&asked.spans.ends[rows]) {
                let mut walk = resumed.take().unwrap_or_else(|| place.begin(*end));
                if !answer(&place, row, *start, &mut walk) {
                    place.remember(key, &mut cursor.hints);
                    (cursor.row, cursor.walk) = (row, Some(walk));
                    return false;
                }
                row += 1;
            }
            place.remember(key, &mut cursor.hints);
        }
        cursor.row = row;
        true
    }

    /// The rows of a key, and where its last walk began.
    fn place(&self, key: u32, hints: &[u32]) -> KeyRows<'_> {
        let Some(hint) = hints.get(key as usize) else {
            return KeyRows { low: 0, entries: &[], hint: 0 };
        };
        let (low, high) = (self.offsets[key as usize], self.offsets[key as usize + 1]);
        KeyRows { low, entries: &self.entries[low as usize..high as usize], hint: *hint as usize }
    }
}

/// The rows of one key.
struct KeyRows<'a> {
    /// Where they begin in the index.
    low: u32,
    entries: &'a [IndexEntry],
    hint: usize,
}

impl KeyRows<'_> {
    /// The walk from the last row that starts before `end`.
    #[inline]
    fn begin(&mut self, end: i64) -> IndexWalk {
        self.hint = first_from(self.entries, self.hint, end);
        IndexWalk { position: self.hint as u32, has_partner: false }
    }

    /// Goes on with a walk, pairing a row with all that end after its start; false when there is no room.
    #[inline]
    fn pair(&self, row: usize, start: i64, walk: &mut IndexWalk, found: &mut FoundPairs) -> bool {
        while walk.position > 0 {
            let entry = &self.entries[walk.position as usize - 1];
            if entry.reach <= start {
                break;
            }
            if entry.end <= start {
                walk.position = entry.resume;
                continue;
            }
            if !found.push(row, self.low + walk.position - 1) {
                return false;
            }
            *walk = IndexWalk { position: walk.position - 1, has_partner: true };
        }
        true
    }

    /// Whether some row of a walk ends after `start`.
    #[inline]
    fn has_partner(&self, start: i64, walk: &IndexWalk) -> bool {
        walk.position > 0 && self.entries[walk.position as usize - 1].reach > start
    }

    fn remember(&self, key: u32, hints: &mut [u32]) {
        if let Some(hint) = hints.get_mut(key as usize) {
            *hint = self.hint as u32;
        }
    }
}

/// How many places around a hint are tried one by one.
const NEAR: usize = 4;

/// The first place that starts at `time` or later, looked for around a hint.
#[inline(always)]
fn first_from(entries: &[IndexEntry], hint: usize, time: i64) -> usize {
    let mut place = hint;
    for _ in 0..NEAR {
        if place < entries.len() && entries[place].start < time {
            place += 1;
        } else if place > 0 && entries[place - 1].start >= time {
            place -= 1;
        } else {
            return place;
        }
    }
    far_from(entries, place, time)
}

/// The same in steps that double, for a place that is not near.
fn far_from(entries: &[IndexEntry], hint: usize, time: i64) -> usize {
    let mut step = NEAR;
    // What is left of `from` starts before the time; what is at `to`, or right of it, does not.
    let (mut from, mut to) = (hint, hint);
    if entries.get(hint).is_some_and(|entry| entry.start < time) {
        while from + step < entries.len() && entries[from + step].start < time {
            from += step;
            step *= 2;
        }
        to = entries.len().min(from + step);
    } else {
        while to >= step && entries[to - step].start >= time {
            to -= step;
            step *= 2;
        }
        from = to.saturating_sub(step);
    }
    from + entries[from..to].partition_point(|entry| entry.start < time)
}

/// Tells which places hold instants; nothing when none does.
fn instants(pieces: &[Asked<'_>], entries: &[IndexEntry]) -> Vec<bool> {
    if !pieces.iter().any(|piece| piece.spans.has_instants()) {
        return vec![];
    }
    let of_rows: Vec<bool> =
        pieces.iter().flat_map(|piece| (0..piece.keys.len()).map(|row| piece.spans.is_instant(row))).collect();
    entries.iter().map(|entry| of_rows[entry.row as usize]).collect()
}
