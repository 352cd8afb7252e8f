//! Arranges the rows of one key for the index: sorted by start, linked for walks back.

/// Sorts the rows of a key by start; equals stay in order. Rows of a trace are nearly sorted, so each is
/// moved back to its place; when that takes too long, a proper sort does it.
pub(super) fn sort(starts: &mut [i64], ends: &mut [i64], rows: &mut [u32]) {
    if !move_back(starts, ends, rows) {
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
        if starts[next - 1] <= starts[next] {
            continue;
        }
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
pub(super) fn link(ends: &[i64], reaches: &mut Vec<i64>, resumes: &mut Vec<u32>) {
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
