//! Batches of a query become fewer and larger ones, for those who keep all of its rows.
//!
//! A query makes batches of 8,192 rows. Keeping them as they are takes memory from the system page by page, with a fault for
//! each, which was a third of the cost of a table of 240 MB; copied into blocks of megabytes, it comes in large pages (see
//! [`LargePages`](crate::large_pages::LargePages)), and the small blocks are used again while they are in the processor's cache.

use arrow::array::{Array, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;

/// Rows of a large batch, at most.
const ROWS: usize = 1 << 20;
/// Bytes of small batches that are made a large one: texts of a column stay far below 2 GB, the most that it can hold.
const BYTES: usize = 64 << 20;

/// Batches that are collected.
pub struct LargeBatches {
    schema: SchemaRef,
    large: Vec<RecordBatch>,
    small: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl LargeBatches {
    /// None yet.
    pub fn new(schema: SchemaRef) -> LargeBatches {
        LargeBatches { schema, large: vec![], small: vec![], rows: 0, bytes: 0 }
    }

    /// Adds a batch at the end.
    pub fn push(&mut self, batch: RecordBatch) {
        let (rows, bytes) = (batch.num_rows(), size(&batch));
        if self.rows + rows > ROWS || self.bytes.saturating_add(bytes) > BYTES {
            self.merge();
        }
        self.rows += rows;
        self.bytes = self.bytes.saturating_add(bytes);
        self.small.push(batch);
    }

    /// All of them.
    pub fn finish(mut self) -> Vec<RecordBatch> {
        self.merge();
        self.large
    }

    fn merge(&mut self) {
        (self.rows, self.bytes) = (0, 0);
        let small = std::mem::take(&mut self.small);
        let merged = (small.len() > 1).then(|| concat_batches(&self.schema, &small));
        match merged {
            Some(Ok(batch)) => self.large.push(batch),
            // What cannot be copied stays as it is.
            Some(Err(_)) | None => self.large.extend(small),
        }
    }
}

/// The bytes of the rows; what several batches share counts for each as far as it shows it.
fn size(batch: &RecordBatch) -> usize {
    let sizes = batch.columns().iter().map(|column| column.to_data().get_slice_memory_size());
    // A type whose size nobody knows is not copied.
    sizes.map(|size| size.unwrap_or(BYTES)).fold(0, usize::saturating_add)
}
