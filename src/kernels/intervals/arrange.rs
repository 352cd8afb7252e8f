//! Arranges the rows of one key for the index: sorted by start, linked for walks back.

/// A row in the index.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IndexEntry {
    pub(super) start: i64,
    pub(super) end: i64,
    /// The latest end of the key's rows up to this one.
    pub(super) reach: i64,
    /// One beyond the nearest earlier row of the key that ends later, counted within the key; 0 if none.
    pub(super) resume: u32,
    /// The number of the row.
    pub(super) row: u32,
}

/// Sorts the rows of a key by start; equals stay in order. Rows of a trace are nearly sorted, so each is
/// moved back to its place; when that takes too long, a proper sort does it.
pub(super) fn sort(entries: &mut [IndexEntry]) {
    if !move_back(entries) {
        entries.sort_by_key(|entry| entry.start);
    }
}

/// Moves each row back to its place; false when that takes too long.
fn move_back(entries: &mut [IndexEntry]) -> bool {
    let mut moves = 8 * entries.len();
    for next in 1..entries.len() {
        let entry = entries[next];
        if entries[next - 1].start <= entry.start {
            continue;
        }
        let mut place = next;
        while place > 0 && entries[place - 1].start > entry.start {
            entries[place] = entries[place - 1];
            place -= 1;
        }
        entries[place] = entry;
        moves = moves.saturating_sub(next - place);
        if moves == 0 {
            return false;
        }
    }
    true
}

/// Tells each row of a sorted key how far its predecessors reach, and where a walk may jump to.
pub(super) fn link(entries: &mut [IndexEntry]) {
    let mut reach = i64::MIN;
    for place in 0..entries.len() {
        let end = entries[place].end;
        let mut resume = place;
        while resume > 0 && entries[resume - 1].end <= end {
            resume = entries[resume - 1].resume as usize;
        }
        reach = reach.max(end);
        entries[place].reach = reach;
        entries[place].resume = resume as u32;
    }
}
