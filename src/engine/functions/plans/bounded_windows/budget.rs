//! What the window functions of one statement hold.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::ArrayRef;
use datafusion::common::{Result, ScalarValue, exec_err, resources_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use ocellus_planning::QueryControl;

use crate::functions::plans::bounded_values::{literal_bytes, value_bytes};

/// Bytes that the values of all windows of a statement may hold at once, those of small values aside.
const LARGEST_WINDOWS: u64 = 256 << 20;

/// Bytes of a value that is no larger than a text of a trace: such values grow with the rows, as other columns do.
const SMALL_VALUE: u64 = 256;

/// Bytes of a value beside its content: it is an array of its own until all are put together.
const BYTES_OF_A_VALUE: u64 = 128;

/// Times that a value is there at once: by itself, and in the column.
const COPIES: u64 = 2;

/// How much the window functions of a statement may hold, and how much they do.
#[derive(Debug)]
pub(crate) struct WindowBudget {
    limit: u64,
    /// Of the query; `None` where a query cannot be cancelled.
    control: Option<QueryControl>,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    bytes: HeldBytes,
    /// All of these bytes in the memory of the query, once one of its operators has started.
    reservation: Option<MemoryReservation>,
    /// Operators that run.
    users: usize,
}

/// Bytes that values hold.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct HeldBytes {
    all: u64,
    /// Those of values that are not small.
    large: u64,
}

impl HeldBytes {
    /// What a value holds that has some bytes.
    fn of_value(bytes: u64) -> HeldBytes {
        let all = bytes.saturating_add(BYTES_OF_A_VALUE).saturating_mul(COPIES);
        HeldBytes { all, large: if bytes > SMALL_VALUE { all } else { 0 } }
    }

    fn of_column(column: &ArrayRef) -> HeldBytes {
        value_bytes(column).map(HeldBytes::of_value).fold(HeldBytes::default(), HeldBytes::plus)
    }

    fn plus(self, other: HeldBytes) -> HeldBytes {
        HeldBytes { all: self.all.saturating_add(other.all), large: self.large.saturating_add(other.large) }
    }

    fn times(self, rows: u64) -> HeldBytes {
        HeldBytes { all: self.all.saturating_mul(rows), large: self.large.saturating_mul(rows) }
    }

    fn minus(self, other: HeldBytes) -> HeldBytes {
        HeldBytes { all: self.all.saturating_sub(other.all), large: self.large.saturating_sub(other.large) }
    }
}

impl WindowBudget {
    /// The budget of a statement, in a session that may use some bytes.
    pub(crate) fn new(memory_limit: Option<usize>, control: Option<&QueryControl>) -> WindowBudget {
        let limit = memory_limit.map_or(LARGEST_WINDOWS, |bytes| LARGEST_WINDOWS.min(bytes as u64));
        WindowBudget { limit, control: control.cloned(), held: Mutex::default() }
    }

    /// An error if the query is cancelled.
    pub(super) fn check(&self) -> Result<()> {
        match &self.control {
            Some(control) if control.cancel.is_set() => exec_err!("the query was cancelled"),
            _ => Ok(()),
        }
    }

    /// Counts a value that a function made for some rows.
    pub(super) fn take_value(&self, function: &str, value: &ScalarValue, rows: u64) -> Result<()> {
        self.take(function, HeldBytes::of_value(literal_bytes(value)).times(rows))
    }

    /// Counts a column of values that a function made.
    pub(super) fn take_column(&self, function: &str, column: &ArrayRef) -> Result<()> {
        self.take(function, HeldBytes::of_column(column))
    }

    /// Refuses a constant that a function would copy to some rows, before it does.
    pub(super) fn check_copies(&self, function: &str, bytes: u64, rows: usize) -> Result<()> {
        let bytes = HeldBytes::of_value(bytes).times(rows as u64);
        let total = self.held().bytes.plus(bytes);
        match total.large > self.limit {
            true => self.refuse(function, total.large),
            false => Ok(()),
        }
    }

    fn take(&self, function: &str, bytes: HeldBytes) -> Result<()> {
        let mut held = self.held();
        let total = held.bytes.plus(bytes);
        if total.large > self.limit {
            drop(held);
            return self.refuse(function, total.large);
        }
        if let Some(reservation) = &held.reservation {
            reservation.try_grow(usize::try_from(bytes.all).unwrap_or(usize::MAX))?;
        }
        held.bytes = total;
        Ok(())
    }

    fn refuse<T>(&self, function: &str, bytes: u64) -> Result<T> {
        resources_err!(
            "{function} OVER (…) would hold {bytes} bytes for the rows of its windows; at most {} are \
             allowed: use smaller partitions or a smaller frame, or GROUP BY",
            self.limit
        )
    }

    fn give_back(&self, bytes: HeldBytes) {
        let mut held = self.held();
        held.bytes = held.bytes.minus(bytes);
        if let Some(reservation) = &held.reservation {
            reservation.shrink(usize::try_from(bytes.all).unwrap_or(usize::MAX).min(reservation.size()));
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An operator that makes values; when the last one has ended, nothing is held any more.
#[derive(Debug)]
pub(crate) struct BudgetUser(Arc<WindowBudget>);

impl BudgetUser {
    /// Starts to count values in the memory of a query.
    pub(crate) fn start(budget: &Arc<WindowBudget>, memory: &Arc<dyn MemoryPool>) -> BudgetUser {
        let mut held = budget.held();
        held.users += 1;
        held.reservation.get_or_insert_with(|| MemoryConsumer::new("window functions").register(memory));
        drop(held);
        BudgetUser(Arc::clone(budget))
    }

    /// Notes that the rows of a column were emitted.
    pub(crate) fn emitted(&self, column: &ArrayRef) {
        self.0.give_back(HeldBytes::of_column(column));
    }
}

impl Drop for BudgetUser {
    fn drop(&mut self) {
        let mut held = self.0.held();
        held.users -= 1;
        if held.users == 0 {
            *held = Held::default();
        }
    }
}
