//! How many values columns have at most, so that the planner knows small results from large ones.
//!
//! In: what footers say of the columns of a table, and how many names the trace has. Out: the same with numbers of distinct
//! values where something bounds them: containers, types and values are names of the trace, a column of integers has no more
//! values than lie between its least and its largest. With them the planner knows that states by container and value are few,
//! and joins states to them instead of the other way round.

#[cfg(test)]
mod tests;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, ScalarValue, Statistics};
use ocellus_trace::store::TraceEntry;

/// How many names a trace has; 0 of a kind whose number is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct NameCounts {
    containers: u64,
    types: u64,
    values: u64,
}

impl NameCounts {
    pub(super) fn of(trace: &TraceEntry) -> NameCounts {
        NameCounts {
            containers: trace.rows("containers"),
            types: trace.rows("types"),
            values: trace.rows("entity_values"),
        }
    }

    /// How many names a column of texts can have.
    fn of_column(self, name: &str) -> Option<u64> {
        let count = match name {
            "container" | "source" | "target" => self.containers,
            "type" => self.types,
            "value" => self.values,
            _ => 0,
        };
        (count > 0).then_some(count)
    }
}

/// Statistics of a table with the numbers of values that its columns have at most.
pub(super) fn with_distinct(mut statistics: Statistics, schema: &Schema, names: NameCounts) -> Statistics {
    let rows = statistics.num_rows.get_value().map_or(u64::MAX, |rows| *rows as u64);
    for (field, column) in schema.fields().iter().zip(&mut statistics.column_statistics) {
        let most = match field.data_type() {
            DataType::Int32 => integers_between(column),
            kind if is_text(kind) => names.of_column(field.name()),
            _ => None,
        };
        let most = most.filter(|most| *most < rows).and_then(|most| usize::try_from(most).ok());
        if let Some(most) = most {
            column.distinct_count = Precision::Inexact(most);
        }
    }
    statistics
}

fn integers_between(column: &ColumnStatistics) -> Option<u64> {
    let (ScalarValue::Int32(Some(least)), ScalarValue::Int32(Some(largest))) =
        (column.min_value.get_value()?, column.max_value.get_value()?)
    else {
        return None;
    };
    let between = i64::from(*largest) - i64::from(*least);
    u64::try_from(between).ok().map(|between| between + 1)
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        kind => matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}
