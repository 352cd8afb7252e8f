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
// size: the index, its building from pieces, and the drawing that explains it belong together.

use super::keys::NO_KEY;
use super::spans::Spans;

/// The row of nothing, beside a row that has no partner.
pub const NO_ROW: u32 = u32::MAX;

/// The index. Rows are numbered as they were given; places are their order in the index.
#[derive(Debug, Default)]
pub struct IntervalIndex {
    /// Where the rows of each key begin, and an end.
    offsets: Vec<u32>,
    /// Of each place, as are all that follow.
    starts: Vec<i64>,
    ends: Vec<i64>,
    /// The latest end of the key's rows up to this one.
    reaches: Vec<i64>,
    /// One beyond the nearest earlier row of the key that ends later, counted within the key; 0 if none.
    resumes: Vec<u32>,
    rows: Vec<u32>,
    /// Which are empty intervals; none is when the list is empty.
    instants: Vec<bool>,
}

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Every pair.
    Pairs,
    /// Every pair, and each asking row without a partner beside [`NO_ROW`].
    PairsAndLonely,
    /// Each asking row that has a partner, once.
    Partnered,
    /// Each asking row that has none.
    Lonely,
}

/// Rows: their keys as numbers, and their intervals.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub keys: &'a [u32],
    pub spans: &'a Spans,
}

impl Asked<'_> {
    /// The rows that can overlap something, with their keys.
    fn indexable(&self) -> impl Iterator<Item = (usize, u32)> {
        let spans = self.spans.starts.iter().zip(&self.spans.ends);
        let rows = self.keys.iter().zip(spans).enumerate();
        rows.filter(|(_, (key, (start, end)))| **key != NO_KEY && start < end).map(|(row, (key, _))| (row, *key))
    }
}

/// What was found: the number of a row that asks, and a place in the index. It is filled again and again
/// without asking for memory.
#[derive(Debug, Default)]
pub struct Found {
    pairs: Vec<(u32, u32)>,
    count: usize,
}

/// How far the rows of a batch have been answered.
#[derive(Debug, Default)]
pub struct Cursor {
    row: usize,
    /// Where the walk of the row goes on, if it has begun.
    walk: Option<Walk>,
    /// Where the last walk of each key began, counted within the key.
    hints: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Walk {
    position: u32,
    has_partner: bool,
}

impl Cursor {
    /// A cursor for a first batch.
    pub fn new(index: &IntervalIndex) -> Cursor {
        let keys = index.offsets.len().saturating_sub(1);
        Cursor { hints: vec![0; keys], ..Cursor::default() }
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

impl Found {
    /// Room for so many.
    pub fn new(limit: usize) -> Found {
        Found { pairs: vec![(0, 0); limit], count: 0 }
    }

    fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs[..self.count]
    }

    /// Numbers of the rows that ask, in their order.
    pub fn asking(&self) -> impl ExactSizeIterator<Item = u32> {
        self.pairs().iter().map(|pair| pair.0)
    }

    /// Places in the index, or [`NO_ROW`]. They mean nothing when only asking rows were wanted.
    pub fn places(&self) -> impl ExactSizeIterator<Item = u32> {
        self.pairs().iter().map(|pair| pair.1)
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a pair; false when there is no room for it.
    #[inline]
    fn push(&mut self, asking: usize, place: u32) -> bool {
        let Some(next) = self.pairs.get_mut(self.count) else {
            return false;
        };
        *next = (asking as u32, place);
        self.count += 1;
        true
    }
}

impl IntervalIndex {
    /// Bytes that a row takes in the index.
    pub const BYTES_PER_ROW: usize = 3 * size_of::<i64>() + 2 * size_of::<u32>();

    /// Indexes the rows of some pieces, numbered from the first on. Keys are below `key_count`, or
    /// [`NO_KEY`]. There may be 2^32 - 1 rows.
    pub fn new(key_count: usize, pieces: &[Asked<'_>]) -> IntervalIndex {
        let mut offsets = vec![0_u32; key_count + 1];
        for key in pieces.iter().flat_map(Asked::indexable).map(|(_, key)| key) {
            offsets[key as usize + 1] += 1;
        }
        for key in 0..key_count {
            offsets[key + 1] += offsets[key];
        }
        let total = offsets[key_count] as usize;
        let (mut starts, mut ends, mut rows) = (vec![0; total], vec![0; total], vec![0; total]);
        let mut free = offsets.clone();
        let mut first = 0;
        for piece in pieces {
            for (row, key) in piece.indexable() {
                let place = free[key as usize] as usize;
                free[key as usize] += 1;
                starts[place] = piece.spans.starts[row];
                ends[place] = piece.spans.ends[row];
                rows[place] = (first + row) as u32;
            }
            first += piece.keys.len();
        }
        let (mut reaches, mut resumes) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for bounds in offsets.windows(2) {
            let range = bounds[0] as usize..bounds[1] as usize;
            sort(&mut starts[range.clone()], &mut ends[range.clone()], &mut rows[range.clone()]);
            link(&ends[range], &mut reaches, &mut resumes);
        }
        let instants = instants(pieces, &rows);
        IntervalIndex { offsets, starts, ends, reaches, resumes, rows, instants }
    }

    /// How many rows can overlap something.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that it holds.
    pub fn size(&self) -> usize {
        Self::BYTES_PER_ROW * self.rows.len() + size_of::<u32>() * self.offsets.len() + self.instants.len()
    }

    /// The row at a place.
    pub fn row(&self, place: u32) -> u32 {
        self.rows[place as usize]
    }

    /// Where the overlap of each pair starts; anything beside [`NO_ROW`].
    pub fn overlap_starts(&self, asked: Asked<'_>, found: &Found) -> Vec<i64> {
        let pairs = found.pairs().iter();
        pairs
            .map(|(row, place)| {
                let start = asked.spans.starts[*row as usize];
                self.starts.get(*place as usize).map_or(start, |other| start.max(*other))
            })
            .collect()
    }

    /// Where the overlap of each pair ends; anything beside [`NO_ROW`].
    pub fn overlap_ends(&self, asked: Asked<'_>, found: &Found) -> Vec<i64> {
        let pairs = found.pairs().iter();
        let ends = pairs.clone().map(|(row, place)| {
            let end = asked.spans.ends[*row as usize];
            self.ends.get(*place as usize).map_or(end, |other| end.min(*other))
        });
        if self.instants.is_empty() && !asked.spans.has_instants() {
            return ends.collect();
        }
        // As a span, an instant ends one later than it does.
        let is_instant = |(row, place): &(u32, u32)| {
            asked.spans.is_instant(*row as usize) || self.instants.get(*place as usize) == Some(&true)
        };
        ends.zip(pairs).map(|(end, pair)| end - i64::from(is_instant(pair))).collect()
    }

    /// Answers rows from where the cursor stands until there is no more room or the rows end; true at the
    /// end. What was found before is forgotten.
    pub fn answer(&self, asked: Asked<'_>, wanted: Wanted, cursor: &mut Cursor, found: &mut Found) -> bool {
        found.count = 0;
        match wanted {
            Wanted::Pairs => self.answer_each(asked, cursor, |place, row, start, walk| place.pair(row, start, walk, found)),
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
        cursor: &mut Cursor,
        mut answer: impl FnMut(&Place<'_>, usize, i64, &mut Walk) -> bool,
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
    fn place(&self, key: u32, hints: &[u32]) -> Place<'_> {
        let Some(hint) = hints.get(key as usize) else {
            return Place { low: 0, starts: &[], ends: &[], reaches: &[], resumes: &[], hint: 0 };
        };
        let (low, high) = (self.offsets[key as usize], self.offsets[key as usize + 1]);
        let range = low as usize..high as usize;
        Place {
            low,
            starts: &self.starts[range.clone()],
            ends: &self.ends[range.clone()],
            reaches: &self.reaches[range.clone()],
            resumes: &self.resumes[range],
            hint: *hint as usize,
        }
    }
}

/// The rows of one key.
struct Place<'a> {
    /// Where they begin in the index.
    low: u32,
    starts: &'a [i64],
    ends: &'a [i64],
    reaches: &'a [i64],
    resumes: &'a [u32],
    hint: usize,
}

impl Place<'_> {
    /// The walk from the last row that starts before `end`.
    #[inline]
    fn begin(&mut self, end: i64) -> Walk {
        self.hint = first_from(self.starts, self.hint, end);
        Walk { position: self.hint as u32, has_partner: false }
    }

    /// Goes on with a walk, pairing a row with all that end after its start; false when there is no room.
    #[inline]
    fn pair(&self, row: usize, start: i64, walk: &mut Walk, found: &mut Found) -> bool {
        while walk.position > 0 {
            let place = walk.position as usize - 1;
            if self.reaches[place] <= start {
                break;
            }
            if self.ends[place] <= start {
                walk.position = self.resumes[place];
                continue;
            }
            if !found.push(row, self.low + walk.position - 1) {
                return false;
            }
            *walk = Walk { position: walk.position - 1, has_partner: true };
        }
        true
    }

    /// Whether some row of a walk ends after `start`.
    #[inline]
    fn has_partner(&self, start: i64, walk: &Walk) -> bool {
        walk.position > 0 && self.reaches[walk.position as usize - 1] > start
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
fn first_from(starts: &[i64], hint: usize, time: i64) -> usize {
    let mut place = hint;
    for _ in 0..NEAR {
        if place < starts.len() && starts[place] < time {
            place += 1;
        } else if place > 0 && starts[place - 1] >= time {
            place -= 1;
        } else {
            return place;
        }
    }
    far_from(starts, place, time)
}

/// The same in steps that double, for a place that is not near.
fn far_from(starts: &[i64], hint: usize, time: i64) -> usize {
    let mut step = NEAR;
    // What is left of `from` starts before the time; what is at `to`, or right of it, does not.
    let (mut from, mut to) = (hint, hint);
    if starts.get(hint).is_some_and(|start| *start < time) {
        while from + step < starts.len() && starts[from + step] < time {
            from += step;
            step *= 2;
        }
        to = starts.len().min(from + step);
    } else {
        while to >= step && starts[to - step] >= time {
            to -= step;
            step *= 2;
        }
        from = to.saturating_sub(step);
    }
    from + starts[from..to].partition_point(|start| *start < time)
}

/// Sorts the rows of a key by start; equals stay in order.
fn sort(starts: &mut [i64], ends: &mut [i64], rows: &mut [u32]) {
    let falls = starts.windows(2).filter(|pair| pair[0] > pair[1]).count();
    // Few falls between long rises, as of several types in one container, are for a sort that merges
    // rises. Many small ones, as of links in the order of their ends, are mended by moving rows.
    if falls > 0 && (falls < starts.len() / 16 || !move_back(starts, ends, rows)) {
        let mut order: Vec<(i64, i64, u32)> =
            starts.iter().zip(&*ends).zip(&*rows).map(|((start, end), row)| (*start, *end, *row)).collect();
        order.sort_by_key(|(start, _, _)| *start);
        for (place, row) in order.into_iter().enumerate() {
            (starts[place], ends[place], rows[place]) = row;
        }
    }
}

/// Moves each row back to its place; false when that takes too long.
fn move_back(starts: &mut [i64], ends: &mut [i64], rows: &mut [u32]) -> bool {
    let mut moves = 8 * starts.len();
    for next in 1..starts.len() {
        let (start, end, row) = (starts[next], ends[next], rows[next]);
        let mut place = next;
        while place > 0 && starts[place - 1] > start {
            (starts[place], ends[place], rows[place]) = (starts[place - 1], ends[place - 1], rows[place - 1]);
            place -= 1;
        }
        (starts[place], ends[place], rows[place]) = (start, end, row);
        moves = moves.saturating_sub(next - place);
        if moves == 0 {
            return false;
        }
    }
    true
}

/// Tells each row of a sorted key how far its predecessors reach, and where a walk may jump to.
fn link(ends: &[i64], reaches: &mut Vec<i64>, resumes: &mut Vec<u32>) {
    let low = resumes.len();
    let mut reach = i64::MIN;
    for (place, end) in ends.iter().enumerate() {
        let mut resume = place;
        while resume > 0 && ends[resume - 1] <= *end {
            resume = resumes[low + resume - 1] as usize;
        }
        reach = reach.max(*end);
        reaches.push(reach);
        resumes.push(resume as u32);
    }
}

/// Tells which places hold instants; nothing when none does.
fn instants(pieces: &[Asked<'_>], rows: &[u32]) -> Vec<bool> {
    if !pieces.iter().any(|piece| piece.spans.has_instants()) {
        return vec![];
    }
    let of_rows: Vec<bool> =
        pieces.iter().flat_map(|piece| (0..piece.keys.len()).map(|row| piece.spans.is_instant(row))).collect();
    rows.iter().map(|row| of_rows[*row as usize]).collect()
}
