//! Numbers of flows: both ends of a link get the same.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::packed_row::RowBody;
use crate::reader::ChromeRecord;

/// What both ends of a link have in common: container, type, ends, the time of its end, and its key.
type FlowKey = (u32, u32, u32, u32, i64, Vec<u8>);

/// Numbers the flows.
#[derive(Debug, Default)]
pub(super) struct FlowNumbers {
    /// Flows of which one end came: which one, and their numbers.
    waiting: HashMap<FlowKey, (u8, VecDeque<u64>)>,
    last: u64,
}

impl FlowNumbers {
    /// The number of a link, given one of its ends: that of the other end, when it came before.
    pub fn number(&mut self, record: &ChromeRecord<'_>, body: &RowBody) -> u64 {
        let key = (record.thread, record.name, body.source, body.target, record.end, record.id.to_vec());
        match self.waiting.entry(key) {
            Entry::Occupied(mut entry) if entry.get().0 != record.phase => {
                let numbers = &mut entry.get_mut().1;
                let number = numbers.pop_front();
                if numbers.is_empty() {
                    entry.remove();
                }
                number.unwrap_or_default()
            }
            entry => {
                self.last += 1;
                entry.or_insert_with(|| (record.phase, VecDeque::new())).1.push_back(self.last);
                self.last
            }
        }
    }
}
