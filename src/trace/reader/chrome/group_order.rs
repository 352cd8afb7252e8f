//! The order of events of one time.

use hashbrown::HashMap;

use super::record::RecordGroup;

/// Arranges groups of events; keeps its memory from one to the next.
#[derive(Debug, Default)]
pub(in crate::reader) struct GroupOrder {
    /// By thread: how many slices began and did not end.
    begun: HashMap<u32, u32>,
    ranked: Vec<(u8, i64, usize)>,
}

impl GroupOrder {
    /// The places of the events in the order in which they happened: ends of what began before, begins, complete slices
    /// from the longest to the shortest, then what happens inside them. Ends of what begins at this very time stay
    /// behind their begins.
    pub fn arrange(&mut self, group: &RecordGroup<'_>) -> impl Iterator<Item = usize> {
        self.begun.clear();
        self.ranked.clear();
        for place in 0..group.len() {
            let record = group.record(place);
            let rank = match record.phase {
                b'E' => match self.begun.get_mut(&record.thread) {
                    Some(open) if *open > 0 => {
                        *open -= 1;
                        1
                    }
                    _ => 0,
                },
                b'B' => {
                    *self.begun.entry(record.thread).or_default() += 1;
                    1
                }
                b'X' => 2,
                _ => 3,
            };
            let length = if rank == 2 { record.end.saturating_neg() } else { 0 };
            self.ranked.push((rank, length, place));
        }
        if self.ranked.len() > 1 {
            self.ranked.sort_unstable();
        }
        self.ranked.iter().map(|(_, _, place)| *place)
    }
}
