//! The plan of a table function that slices time.
//!
//! ```text
//!  relation ─► WHERE type, window ─► GROUP BY container_id: series of the container, its name
//!           ─► unnest series ─► unnest cells
//!           ─► slice, slice_start, slice_end, container_id, container, labels, measures
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, plan_err};
use datafusion::functions::core::expr_fn::get_field;
use datafusion::logical_expr::{AggregateUDF, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::slice_cells::{CELLS, SERIES};
use super::slice_names::container_name;
use super::slice_time;
use super::slice_times::{RowTimes, TimeColumn, from_first, until_last};
use super::slice_window::SliceWindow;
use crate::catalog::type_name;
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, OutputColumn};
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::lineage::ticks_of;
use crate::functions::plans::unnest::unnest_lists;
use ocellus_kernels::slices::events::LastInstant;
use ocellus_kernels::slices::{MOST_SLICES, Slicing};

/// The arguments that every function of slices takes.
pub(crate) const SLICES: ConstantParameter = ConstantParameter {
    name: "slices",
    kind: ConstantKind::BigInt,
    default: DefaultValue::BigInt(1),
    accepts: Accepts::Between(1.0, MOST_SLICES as f64),
    doc: "Into how many slices the window is cut.",
};
pub(crate) const START: ConstantParameter = ConstantParameter {
    name: "start",
    kind: ConstantKind::Moment,
    default: DefaultValue::Absent,
    accepts: Accepts::Finite,
    doc: "Start of the window in seconds, or its date; that of the trace when absent.",
};
pub(crate) const STOP: ConstantParameter = ConstantParameter {
    name: "stop",
    kind: ConstantKind::Moment,
    default: DefaultValue::Absent,
    accepts: Accepts::Finite,
    doc: "End of the window in seconds, or its date; that of the trace when absent.",
};
pub(crate) const TYPE: ConstantParameter = ConstantParameter {
    name: "type",
    kind: ConstantKind::Text,
    default: DefaultValue::Absent,
    accepts: Accepts::TypeName,
    doc: "Only rows of this type.",
};
pub(crate) const FILL: ConstantParameter = ConstantParameter {
    name: "fill",
    kind: ConstantKind::Boolean,
    default: DefaultValue::Boolean(false),
    accepts: Accepts::Anything,
    doc: "Gives every slice of what occurs in the window, with zeros where there is nothing.",
};

/// The columns that every function of slices begins with.
pub(crate) const SLICE: OutputColumn = OutputColumn { name: "slice", kind: "BIGINT", doc: "Slice index, from 0." };
pub(crate) const SLICE_START: OutputColumn =
    OutputColumn { name: "slice_start", kind: "DOUBLE", doc: "Start of the slice, in seconds." };
pub(crate) const SLICE_END: OutputColumn =
    OutputColumn { name: "slice_end", kind: "DOUBLE", doc: "End of it; the interval is half-open." };
pub(crate) const CONTAINER_ID: OutputColumn =
    OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container." };
pub(crate) const CONTAINER: OutputColumn =
    OutputColumn { name: "container", kind: "TEXT", doc: "Name of the container." };

/// A relation to be sliced, and the window.
pub(crate) struct Sliced<'a> {
    call: &'a Call<'a>,
    pub(crate) relation: LogicalPlan,
    pub(crate) window: SliceWindow,
}

impl<'a> Sliced<'a> {
    /// The relation of a call, with its filters on type and time.
    pub(crate) fn new(call: &'a Call<'a>, relation: LogicalPlan) -> Result<Sliced<'a>> {
        let window = TimeWindow::of_call(call, &relation)?;
        let slices = call.big_int(SLICES.name).and_then(|slices| u32::try_from(slices).ok()).unwrap_or(1);
        let per_second = window.resolution.ticks_per_second();
        let Some(slicing) = Slicing::new(window.start_tick, window.stop_tick, slices, per_second) else {
            return plan_err!("{}: the window from start to stop is longer than 2^63 ticks", call.definition.name);
        };
        let last_instant = if window.reaches_end { LastInstant::Within } else { LastInstant::Outside };
        let fill = call.constant(FILL.name) == Some(&Constant::Boolean(true));
        let window = SliceWindow { fill, last_instant, ..SliceWindow::new(slicing) };
        let mut sliced = Sliced { call, relation, window };
        if let Some(name) = call.text(TYPE.name) {
            let is_type = sliced.required("type")?.eq(lit(name));
            sliced.relation = LogicalPlanBuilder::from(sliced.relation).filter(is_type)?.build()?;
        }
        Ok(sliced)
    }

    /// Keeps the rows that can lie in the window, where the call gave one.
    pub(crate) fn within(mut self, times: RowTimes) -> Result<Sliced<'a>> {
        let (begins, ends) = match times {
            RowTimes::Instants => (self.time("time")?, self.time("time")?),
            RowTimes::Intervals | RowTimes::Links => (self.time("start_time")?, self.time("end_time")?),
        };
        let mut conditions = vec![];
        if self.call.constant(START.name).is_some() {
            conditions.push(from_first(&self.window, times, &begins, &ends));
        }
        if self.call.constant(STOP.name).is_some() {
            conditions.push(until_last(&self.window, times, &begins, &ends));
        }
        for condition in conditions {
            self.relation = LogicalPlanBuilder::from(self.relation).filter(condition)?.build()?;
        }
        Ok(self)
    }

    /// A column of the relation.
    pub(crate) fn column(&self, name: &str) -> Option<Expr> {
        let field = self.relation.schema().qualified_field_with_unqualified_name(name).ok()?;
        Some(Expr::Column(Column::from(field)))
    }

    /// A column that the relation must have.
    pub(crate) fn required(&self, name: &str) -> Result<Expr> {
        if let Some(column) = self.column(name) {
            return Ok(column);
        }
        let known: Vec<&str> = self.relation.schema().fields().iter().map(|field| field.name().as_str()).collect();
        plan_err!("{}: the relation has no column {name}; it has {}", self.call.definition.name, known.join(", "))
    }

    /// A column of text; NULL when the relation has none of that name.
    pub(crate) fn text(&self, name: &str) -> Result<Expr> {
        let Some(column) = self.column(name) else {
            return Ok(lit(ScalarValue::Utf8View(None)));
        };
        self.cast(column, &DataType::Utf8View)
    }

    /// A column of numbers.
    pub(crate) fn number(&self, name: &str) -> Result<Expr> {
        self.cast(self.required(name)?, &DataType::Float64)
    }

    fn cast(&self, column: Expr, wanted: &DataType) -> Result<Expr> {
        let found = column.get_type(self.relation.schema())?;
        Ok(if &found == wanted { column } else { cast(column, wanted.clone()) })
    }

    /// A column of times: the stored ticks behind it, or its seconds.
    pub(crate) fn time(&self, name: &str) -> Result<TimeColumn> {
        let column = self.required(name)?;
        let stored = ticks_of(&self.relation, name);
        if let Some(ticks) = stored.filter(|ticks| ticks.per_second == self.window.slicing.per_second()) {
            return Ok(TimeColumn { column: Expr::Column(ticks.column), kind: DataType::Int64 });
        }
        let found = column.get_type(self.relation.schema())?;
        if !found.is_numeric() {
            return plan_err!(
                "{}: {name} must be a number of seconds, got {}",
                self.call.definition.name,
                type_name(&found)
            );
        }
        Ok(TimeColumn { column: self.cast(column, &DataType::Float64)?, kind: DataType::Float64 })
    }

    /// Groups the relation by container, takes series and cells apart and shows them.
    ///
    /// `arguments` come after the window; `measures` are shown after `labels`.
    pub(crate) fn plan(
        self,
        function: &AggregateUDF,
        arguments: Vec<Expr>,
        labels: &[&str],
        measures: Vec<Expr>,
    ) -> Result<LogicalPlan> {
        let mut keys: Vec<Expr> = self.column("trace").into_iter().collect();
        keys.push(self.required("container_id")?);
        let mut all = vec![self.window.literal()];
        all.extend(arguments);
        let name = container_name().call(vec![self.text("container")?]);
        let key_count = keys.len();
        let groups = vec![function.call(all).alias(SERIES), name.alias(CONTAINER.name)];
        let grouped = LogicalPlanBuilder::from(self.relation).aggregate(keys, groups)?;
        let series = unnest_lists(grouped, SERIES, &["container_id"])?;
        let key =
            |plan: &LogicalPlanBuilder, place: usize| Expr::Column(Column::from(plan.schema().qualified_field(place)));
        let mut kept: Vec<Expr> = (0..key_count).map(|place| key(&series, place)).collect();
        kept.push(col(CONTAINER.name));
        kept.extend(labels.iter().chain([&CELLS]).map(|field| get_field(col(SERIES), *field).alias(*field)));
        let cells = series.project(kept)?.unnest_column(CELLS)?;
        let mut shown: Vec<Expr> = (0..key_count - 1).map(|place| key(&cells, place).alias("trace")).collect();
        shown.extend([
            cell(SLICE.name).alias(SLICE.name),
            slice_time::boundary(cell(SLICE.name), &self.window.slicing).alias(SLICE_START.name),
            slice_time::boundary(cell(SLICE.name) + lit(1_i64), &self.window.slicing).alias(SLICE_END.name),
            key(&cells, key_count - 1).alias(CONTAINER_ID.name),
            col(CONTAINER.name),
        ]);
        shown.extend(labels.iter().map(|label| col(*label)));
        shown.extend(measures);
        cells.project(shown)?.build()
    }
}

/// A field of the cells, after they were taken apart.
pub(crate) fn cell(name: &str) -> Expr {
    get_field(col(CELLS), name)
}
