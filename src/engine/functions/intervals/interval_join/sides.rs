//! The two relations of a call, and which of their columns are keys and bounds.

use arrow::datatypes::DataType;
use datafusion::common::{Column, ExprSchema, Result, internal_err, plan_datafusion_err, plan_err};
use datafusion::logical_expr::type_coercion::binary::comparison_coercion;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};

use crate::catalog::{did_you_mean, type_name};
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue};
use crate::functions::intervals::{intervals_overlap, overlap_end, overlap_start};
use crate::functions::plans::lineage::{Ticks, ticks_of};
use crate::functions::time::tick_seconds;
use ocellus_kernels::intervals::Clock;

pub(in crate::functions::intervals) const LEFT_START: ConstantParameter =
    bound("left_start", "start_time", "Column of left where its interval starts.");
pub(in crate::functions::intervals) const LEFT_END: ConstantParameter =
    bound("left_end", "end_time", "Column of left where its interval ends.");
pub(in crate::functions::intervals) const RIGHT_START: ConstantParameter =
    bound("right_start", "start_time", "Column of right where its interval starts.");
pub(in crate::functions::intervals) const RIGHT_END: ConstantParameter =
    bound("right_end", "end_time", "Column of right where its interval ends.");

const fn bound(name: &'static str, column: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter {
        name,
        kind: ConstantKind::Text,
        default: DefaultValue::Text(column),
        accepts: Accepts::Anything,
        doc,
    }
}

const TRACE: &str = "trace";

/// One relation, under the name of its side.
pub(in crate::functions::intervals) struct Side {
    pub(in crate::functions::intervals) plan: LogicalPlan,
    pub(in crate::functions::intervals) keys: Vec<Column>,
    pub(in crate::functions::intervals) start: Column,
    pub(in crate::functions::intervals) end: Column,
}

/// Both relations; their keys pair up.
pub(in crate::functions::intervals) struct Sides {
    pub(in crate::functions::intervals) left: Side,
    pub(in crate::functions::intervals) right: Side,
    /// How many ticks a second has, when all bounds are the ticks behind columns of seconds.
    pub(in crate::functions::intervals) ticks_per_second: Option<i64>,
}

impl Sides {
    /// Reads the relations, `by` and the bounds of a call.
    pub(in crate::functions::intervals) fn of(call: &Call<'_>) -> Result<Sides> {
        let keys = key_names(call)?;
        let left = Side::of(call, 0, keys.iter().map(|(left, _)| left.as_str()), ["left_start", "left_end"])?;
        let right = Side::of(call, 1, keys.iter().map(|(_, right)| right.as_str()), ["right_start", "right_end"])?;
        let sides = Sides { left, right, ticks_per_second: None };
        sides.check(call.definition.name)?;
        sides.check_traces(call.definition.name)?;
        Ok(sides.with_ticks())
    }

    /// Compares stored ticks, which is exact, where both relations still carry those of all bounds.
    fn with_ticks(self) -> Sides {
        let ticks: Vec<Option<Ticks>> =
            self.bounds().iter().map(|(side, bound)| ticks_of(&side.plan, &bound.name)).collect();
        let [Some(a), Some(b), Some(c), Some(d)] = ticks.as_slice() else {
            return self;
        };
        if [b, c, d].iter().any(|other| other.per_second != a.per_second) {
            return self;
        }
        let of = |side: Side, start: &Ticks, end: &Ticks| Side {
            start: start.column.clone(),
            end: end.column.clone(),
            ..side
        };
        Sides { left: of(self.left, a, b), right: of(self.right, c, d), ticks_per_second: Some(a.per_second) }
    }

    /// Keys must be comparable, bounds numbers.
    fn check(&self, function: &str) -> Result<()> {
        for (left, right) in self.left.keys.iter().zip(&self.right.keys) {
            let (one, other) = (self.left.kind(left)?, self.right.kind(right)?);
            if comparison_coercion(&one, &other).is_none() || one.is_numeric() != other.is_numeric() {
                return plan_err!(
                    "{function}: {} is {} in left, but {} is {} in right",
                    left.name,
                    type_name(&one),
                    right.name,
                    type_name(&other)
                );
            }
        }
        for (side, column) in self.bounds() {
            let kind = side.kind(column)?;
            if Clock::of([&kind]).is_none() {
                return plan_err!(
                    "{function}: a bound must be a number, {} is {}",
                    column.flat_name(),
                    type_name(&kind)
                );
            }
        }
        Ok(())
    }

    /// Containers of different traces have the same ids: where both sides tell the trace, it must be among the keys.
    fn check_traces(&self, function: &str) -> Result<()> {
        let has_trace = |side: &Side| side.plan.schema().has_column_with_unqualified_name(TRACE);
        let is_key = |side: &Side| side.keys.iter().any(|key| key.name == TRACE);
        let (left, right) = (&self.left, &self.right);
        let Some((one, other)) = left.keys.first().zip(right.keys.first()) else {
            return Ok(());
        };
        if !has_trace(left) || !has_trace(right) || is_key(left) || is_key(right) {
            return Ok(());
        }
        let key = if one.name == other.name { one.name.clone() } else { format!("{} = {}", one.name, other.name) };
        plan_err!(
            "{function}: left and right have a column trace, and containers of different traces have the same ids; \
             join within traces with by => 'trace, {key}', or leave the column out of one relation"
        )
    }

    fn bounds(&self) -> [(&Side, &Column); 4] {
        let (left, right) = (&self.left, &self.right);
        [(left, &left.start), (left, &left.end), (right, &right.start), (right, &right.end)]
    }

    fn bound_columns(&self) -> Vec<Expr> {
        self.bounds().into_iter().map(|(_, column)| Expr::Column(column.clone())).collect()
    }

    /// Whether the intervals of two rows overlap.
    pub(in crate::functions::intervals) fn overlap_test(&self) -> Expr {
        (intervals_overlap::FUNCTION.make)().call(self.bound_columns())
    }

    /// Start and end of what two rows share, in seconds if they are known.
    pub(in crate::functions::intervals) fn overlap(&self) -> [Expr; 2] {
        [overlap_start::FUNCTION.make, overlap_end::FUNCTION.make].map(|make| {
            let bound = make().call(self.bound_columns());
            match self.ticks_per_second {
                Some(rate) => (tick_seconds::FUNCTION.make)().call(vec![bound, lit(rate)]),
                None => bound,
            }
        })
    }
}

impl Side {
    fn of<'a>(
        call: &Call<'_>,
        index: usize,
        keys: impl Iterator<Item = &'a str>,
        bounds: [&'static str; 2],
    ) -> Result<Side> {
        let name = call.definition.relations.get(index).map_or("", |relation| relation.name);
        let plan = LogicalPlanBuilder::from(call.relation(index)?).alias(name)?.build()?;
        let find = |wanted: &str, argument: &str| find(call.definition.name, &plan, name, wanted, argument);
        let keys = keys.map(|key| find(key, "by")).collect::<Result<Vec<Column>>>()?;
        let [start, end] = bounds;
        let (start, end) = (find(text(call, start)?, start)?, find(text(call, end)?, end)?);
        Ok(Side { plan, keys, start, end })
    }

    fn kind(&self, column: &Column) -> Result<DataType> {
        Ok(self.plan.schema().field_from_column(column)?.data_type().clone())
    }
}

fn text<'a>(call: &'a Call<'_>, name: &str) -> Result<&'a str> {
    match call.constant(name) {
        Some(Constant::Text(text)) => Ok(text),
        _ => internal_err!("{} has no TEXT {name}", call.definition.name),
    }
}

/// The pairs of key columns that `by` names: `'a, b = c'`.
fn key_names(call: &Call<'_>) -> Result<Vec<(String, String)>> {
    let by = text(call, "by")?;
    if by.trim().is_empty() {
        return Ok(vec![]);
    }
    let mut keys = vec![];
    for key in by.split(',') {
        let (left, right) = key.split_once('=').unwrap_or((key, key));
        let (left, right) = (left.trim(), right.trim());
        if left.is_empty() || right.is_empty() || right.contains('=') {
            return plan_err!(
                "{}: by must list columns, such as 'container_id, type' or 'source_id = container_id', got '{by}'",
                call.definition.name
            );
        }
        keys.push((left.to_string(), right.to_string()));
    }
    Ok(keys)
}

/// A column of a side, by its name or by its name in lower case.
fn find(function: &str, plan: &LogicalPlan, side: &str, wanted: &str, argument: &str) -> Result<Column> {
    let columns = plan.schema().columns();
    let named = |name: &str| columns.iter().find(|column| column.name == name).cloned();
    named(wanted).or_else(|| named(&wanted.to_lowercase())).ok_or_else(|| {
        let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let suggestion = match did_you_mean(wanted, known.iter().copied()) {
            nothing if nothing.is_empty() => format!("; there are: {}", known.join(", ")),
            suggestion => suggestion,
        };
        plan_datafusion_err!("{function}: {side} has no column {wanted}, as {argument} wants{suggestion}")
    })
}
