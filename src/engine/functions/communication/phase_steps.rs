//! The sweeps behind phase_tree: one finds the merges of messages, the other numbers them.
//!
//! ```text
//!  found     rank  number  left  right         a part is a message, or ~n for the merge that was found as number n
//!            2.0        0     0      1
//!            1.0        1     2      3
//!            3.0        2    ~0     ~1
//!  numbered  step 1 is merge 1, step 2 merge 0, step 3 merge 2: clusters 4, 5 and 6 of 4 messages
//! ```

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array};
use arrow::datatypes::Int64Type;
use datafusion::common::{Result, exec_datafusion_err, internal_err};

use super::comm_sweeps::messages_of;
use crate::functions::plans::table_sweep::{RowSweep, SweepOrder, no_columns};
use ocellus_kernels::commgram::walk::{ClusterContent, NeighborMerge, NeighborWalk};

/// Merges in the order in which they happen.
pub(super) const BY_RANK: SweepOrder = SweepOrder { computed: &[], compute: no_columns, by: &[0, 1, 2] };

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// What a cluster holds, and which one it is: a message, or `!n` for the merge that was found as number n.
#[derive(Debug, Clone, Copy, Default)]
struct PhaseTreeNode {
    part: i64,
    messages: i64,
    start: i64,
    end: i64,
}

impl ClusterContent for PhaseTreeNode {
    fn merged(self, other: PhaseTreeNode, number: u64) -> PhaseTreeNode {
        PhaseTreeNode {
            part: !(number as i64),
            messages: self.messages + other.messages,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A merge, as a row.
#[derive(Debug, Clone, Copy)]
struct PhaseStep {
    rank: i64,
    slot: i64,
    number: i64,
    left: i64,
    right: i64,
    /// In ticks after the first message.
    representative: f64,
    /// In ticks.
    distance: f64,
    messages: i64,
    start: i64,
    end: i64,
}

impl PhaseStep {
    fn new(merge: &NeighborMerge<PhaseTreeNode>) -> PhaseStep {
        let ((rank, slot, number), PhaseTreeNode { messages, start, end, .. }) = (merge.rank(), merge.merged.content);
        PhaseStep {
            rank: rank as i64,
            slot: slot as i64,
            number: number as i64,
            left: merge.left.content.part,
            right: merge.right.content.part,
            representative: merge.merged.representative,
            distance: merge.distance(),
            messages,
            start,
            end,
        }
    }
}

/// Merges as they are found.
#[derive(Debug)]
pub(super) struct FoundMerges {
    ticks_per_second: f64,
    walk: NeighborWalk<PhaseTreeNode>,
    /// Those that were not handed over yet.
    found: Vec<PhaseStep>,
    is_finished: bool,
}

impl FoundMerges {
    pub(super) fn new(ticks_per_second: f64) -> FoundMerges {
        // The room is there from the start: what sorts rows takes all that is left.
        let found = Vec::with_capacity(2 * ROWS_AT_ONCE);
        FoundMerges { ticks_per_second, walk: NeighborWalk::default(), found, is_finished: false }
    }
}

impl RowSweep for FoundMerges {
    fn passes(&self) -> usize {
        1
    }

    fn update(&mut self, _pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let FoundMerges { walk, found, .. } = self;
        for message in messages_of(columns) {
            let part = walk.messages() as i64;
            let node = PhaseTreeNode { part, messages: 1, start: message.start, end: message.end };
            walk.add(message.twice_middle(), node, &mut |merge| found.push(PhaseStep::new(&merge)));
        }
        Ok(())
    }

    fn finish(&mut self, _pass: usize) -> Result<()> {
        let found = &mut self.found;
        self.walk.finish(&mut |merge| found.push(PhaseStep::new(&merge)));
        self.is_finished = true;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        if self.found.is_empty() || (!self.is_finished && self.found.len() < ROWS_AT_ONCE) {
            return Ok(None);
        }
        let (first, rate, found) = (self.walk.first(), self.ticks_per_second, &self.found);
        let big_ints =
            |of: fn(&PhaseStep) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(found.iter().map(of))) };
        let times = found.iter().map(|merge| (first + merge.representative) / rate);
        let rows = vec![
            big_ints(|merge| merge.rank),
            big_ints(|merge| merge.slot),
            big_ints(|merge| merge.number),
            big_ints(|merge| merge.left),
            big_ints(|merge| merge.right),
            Arc::new(Float64Array::from_iter_values(times)),
            Arc::new(Float64Array::from_iter_values(found.iter().map(|merge| merge.distance / rate))),
            big_ints(|merge| merge.messages),
            big_ints(|merge| merge.start),
            big_ints(|merge| merge.end),
        ];
        self.found.clear();
        Ok(Some(rows))
    }

    fn size(&self) -> usize {
        self.walk.bytes() + self.found.capacity() * size_of::<PhaseStep>()
    }
}

/// Merges that come twice: first to be numbered, then with the numbers of their parts.
#[derive(Debug, Default)]
pub(super) struct NumberedMerges {
    /// The step of each merge from 0, by the number as which it was found.
    steps: Vec<u32>,
    /// How many came in the pass.
    count: u32,
    ready: Option<Vec<ArrayRef>>,
}

impl NumberedMerges {
    /// The number of a cluster that is a part of a merge.
    fn cluster(&self, part: i64) -> i64 {
        match usize::try_from(!part) {
            // There is one message more than merges.
            Ok(merge) => self.steps.len() as i64 + 1 + i64::from(self.steps[merge]),
            Err(_) => part,
        }
    }
}

impl RowSweep for NumberedMerges {
    fn passes(&self) -> usize {
        2
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let [numbers, lefts, rights] = [2, 3, 4].map(|index| columns[index].as_primitive::<Int64Type>().values());
        let before = self.count;
        let most = || exec_datafusion_err!("phase_tree: there are more than {} links", u32::MAX);
        self.count = u32::try_from(numbers.len()).ok().and_then(|rows| before.checked_add(rows)).ok_or_else(most)?;
        if pass == 0 {
            for (step, number) in (before..).zip(numbers) {
                let place = *number as usize;
                if place >= self.steps.len() {
                    self.steps.resize(place + 1, 0);
                }
                self.steps[place] = step;
            }
            return Ok(());
        }
        let steps = i64::from(before) + 1..=i64::from(self.count);
        let clusters = |parts: &[i64]| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(parts.iter().map(|part| self.cluster(*part))))
        };
        let mut rows = vec![Arc::new(Int64Array::from_iter_values(steps)), clusters(lefts), clusters(rights)];
        rows.extend(columns[5..].iter().map(Arc::clone));
        if self.ready.replace(rows).is_some() {
            return internal_err!("rows of phase_tree are left");
        }
        Ok(())
    }

    fn finish(&mut self, _pass: usize) -> Result<()> {
        self.count = 0;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        Ok(self.ready.take())
    }

    fn size(&self) -> usize {
        self.steps.capacity() * size_of::<u32>()
    }
}
