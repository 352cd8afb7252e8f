//! The extra fields of the event at hand, which are still in its batch.

use crate::model::{EventBatch, Extra, OwnedExtra, OwnedExtras, RecentTexts, add_missing};

/// Extra fields that are copied where they are needed.
pub(super) struct EventExtras<'a> {
    pub batch: &'a EventBatch,
    pub values: &'a [Extra],
    pub recent: &'a mut RecentTexts,
}

impl EventExtras<'_> {
    /// A copy that outlives the batch.
    #[inline]
    pub fn owned(self) -> OwnedExtras {
        match self.values {
            [] => OwnedExtras::NONE,
            values => OwnedExtras::copy_from(self.batch, values, self.recent),
        }
    }

    /// Copies the fields behind others.
    #[inline(always)]
    pub fn append_to(self, all: &mut Vec<OwnedExtra>) {
        if !self.values.is_empty() {
            all.extend(self.values.iter().map(|extra| OwnedExtra::copy_from(self.batch, extra, self.recent)));
        }
    }

    /// Copies those fields that are not among others from a place on.
    #[inline(always)]
    pub fn add_missing_to(self, all: &mut Vec<OwnedExtra>, start: usize) {
        if !self.values.is_empty() {
            let copies = self.values.iter().map(|extra| OwnedExtra::copy_from(self.batch, extra, self.recent));
            add_missing(all, start, copies);
        }
    }
}
