//! How an aggregate over a subtree is put together from aggregates over single containers.
//!
//! | aggregate | per container | over the subtree |
//! |---|---|---|
//! | sum, min, max, bool_*, bit_* | the same | the same |
//! | count | count | sum |
//! | avg | sum and count | sum of sums over sum of counts |
//! | any other | nothing: rows stay as they are | the aggregate |
//!
//! Sums, counts, means and extremes of numbers by texts, which is what analysts ask for, can also be rolled up
//! in memory, without the join: see [`CellMeasures`].

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, plan_datafusion_err};
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::bit_and_or_xor::{bit_and_udaf, bit_or_udaf, bit_xor_udaf};
use datafusion::functions_aggregate::bool_and_or::{bool_and_udaf, bool_or_udaf};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::{AggregateUDF, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::cast;

use super::from;
use super::measured_relation::{CONTAINER_ID, MEASURED, MeasuredRelation};
use ocellus_kernels::rollup::Merge;

/// An aggregate of all measures, in steps.
pub(super) struct AggregateSteps {
    /// Aggregates per container; none when rows stay as they are.
    partial: Vec<Expr>,
    /// Names of what the partial step gives.
    pub(super) columns: Vec<String>,
    /// Aggregates of these columns per ancestor, under the same names.
    pub(super) merged: Vec<Expr>,
    /// One per measure.
    finish: Vec<Finish>,
    /// The same as `columns`, for a roll-up in memory; `None` when that is not possible.
    pub(super) cells: Option<CellMeasures>,
}

/// The measures of a roll-up in memory.
pub(super) struct CellMeasures {
    pub(super) merge: Merge,
    pub(super) measures: Vec<CellMeasure>,
}

#[derive(Debug, Clone)]
pub(super) struct CellMeasure {
    pub(super) name: String,
    /// What is taken from a row, as a BIGINT or DOUBLE.
    pub(super) value: Expr,
    pub(super) kind: DataType,
    /// The type of the aggregate.
    pub(super) result: DataType,
}

/// How the value of a measure is made from the merged columns.
enum Finish {
    Column(String),
    /// The first over the second.
    Ratio(String, String),
}

/// The way to take an aggregate apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Whole,
    Again,
    Count,
    Mean,
}

impl AggregateSteps {
    /// Takes an aggregate apart; an error when it does not accept a measure.
    pub(super) fn of(aggregate: &Arc<AggregateUDF>, shape: &MeasuredRelation) -> Result<AggregateSteps> {
        let mut kinds = vec![];
        for measure in &shape.measures {
            kinds.push(kind_of(measure, aggregate, shape)?);
        }
        let ways: Vec<Way> = kinds.iter().map(|kind| way(aggregate, kind)).collect();
        let stays_whole = ways.contains(&Way::Whole);
        let mut pieces =
            AggregateSteps { partial: vec![], columns: vec![], merged: vec![], finish: vec![], cells: None };
        for (measure, way) in shape.measures.iter().zip(&ways) {
            pieces.add(aggregate, measure, if stays_whole { Way::Whole } else { *way });
        }
        if let Some(merge) = merge_of(aggregate).filter(|_| shape.keys.iter().all(|key| is_text(key, shape))) {
            let measures = shape.measures.iter().zip(&kinds).zip(&ways);
            let measures = measures.map(|((measure, kind), way)| cells(aggregate, measure, kind, *way, shape));
            let measures = measures.collect::<Option<Vec<_>>>();
            pieces.cells = measures.map(|measures| CellMeasures { merge, measures: measures.concat() });
        }
        Ok(pieces)
    }

    fn add(&mut self, aggregate: &Arc<AggregateUDF>, measure: &str, way: Way) {
        let value = from(MEASURED, measure);
        let mut step = |partial: Option<Expr>, merge: &Arc<AggregateUDF>, name: &str| {
            self.partial.extend(partial.map(|expr| expr.alias(name)));
            self.merged.push(merge.call(vec![from(MEASURED, name)]).alias(name));
            self.columns.push(name.to_string());
        };
        match way {
            Way::Whole => step(None, aggregate, measure),
            Way::Again => step(Some(aggregate.call(vec![value])), aggregate, measure),
            Way::Count => step(Some(aggregate.call(vec![value])), &sum_udaf(), measure),
            Way::Mean => {
                let values = values_of(measure);
                let number = cast(value.clone(), DataType::Float64);
                step(Some(sum_udaf().call(vec![number])), &sum_udaf(), measure);
                step(Some(count_udaf().call(vec![value])), &sum_udaf(), &values);
                self.finish.push(Finish::Ratio(measure.to_string(), values));
                return;
            }
        }
        self.finish.push(Finish::Column(measure.to_string()));
    }

    /// The rows of the relation, aggregated per container and keys where that is possible.
    pub(super) fn per_container(&self, shape: &MeasuredRelation) -> Result<LogicalPlan> {
        if self.partial.is_empty() {
            return Ok(shape.rows.clone());
        }
        let mut groups = vec![from(MEASURED, CONTAINER_ID)];
        groups.extend(shape.keys.iter().map(|key| from(MEASURED, key)));
        LogicalPlanBuilder::from(shape.rows.clone()).aggregate(groups, self.partial.clone())?.alias(MEASURED)?.build()
    }

    /// The values of the measures, from the merged columns of a relation.
    pub(super) fn finished(&self, relation: &str) -> Vec<Expr> {
        let column = |name: &str| Expr::Column(Column::new(Some(relation), name));
        let value = |finish: &Finish| match finish {
            Finish::Column(name) => column(name),
            Finish::Ratio(sum, count) => column(sum) / cast(column(count), DataType::Float64),
        };
        self.finish.iter().map(value).collect()
    }
}

fn is_text(key: &str, shape: &MeasuredRelation) -> bool {
    from(MEASURED, key).get_type(shape.rows.schema()).is_ok_and(|kind| kind == DataType::Utf8View)
}

/// The measures of a roll-up that an aggregate of a measure is made of.
fn cells(
    aggregate: &AggregateUDF,
    measure: &str,
    kind: &DataType,
    way: Way,
    shape: &MeasuredRelation,
) -> Option<Vec<CellMeasure>> {
    let value = from(MEASURED, measure);
    let number = |kind: DataType, result: DataType| CellMeasure {
        name: measure.to_string(),
        value: cast(value.clone(), kind.clone()),
        kind,
        result,
    };
    match way {
        Way::Whole => None,
        Way::Again => {
            let result = aggregate.call(vec![value.clone()]).get_type(shape.rows.schema()).ok()?;
            match kind {
                kind if kind.is_signed_integer() => Some(vec![number(DataType::Int64, result)]),
                kind if kind.is_floating() => Some(vec![number(DataType::Float64, result)]),
                _ => None,
            }
        }
        Way::Count => Some(vec![cell_count(measure, value)]),
        Way::Mean => {
            let sum = number(DataType::Float64, DataType::Float64);
            Some(vec![sum, cell_count(&values_of(measure), value)])
        }
    }
}

/// The name of the number of values of a measure.
fn values_of(measure: &str) -> String {
    format!("values of {measure}")
}

/// How a roll-up merges what an aggregate gives.
fn merge_of(aggregate: &AggregateUDF) -> Option<Merge> {
    let is = |stock: &AggregateUDF| aggregate == stock;
    if is(&sum_udaf()) || is(&count_udaf()) || is(&avg_udaf()) {
        return Some(Merge::Sum);
    }
    if is(&min_udaf()) {
        return Some(Merge::Least);
    }
    is(&max_udaf()).then_some(Merge::Most)
}

/// How many values there are, as a sum.
fn cell_count(name: &str, value: Expr) -> CellMeasure {
    let kind = DataType::Int64;
    let value = cast(value.is_not_null(), kind.clone());
    CellMeasure { name: name.to_string(), value, kind: kind.clone(), result: kind }
}

/// The type of a measure that the aggregate accepts.
fn kind_of(measure: &str, aggregate: &Arc<AggregateUDF>, shape: &MeasuredRelation) -> Result<DataType> {
    let schema = shape.rows.schema();
    let value = from(MEASURED, measure);
    let kind = value.get_type(schema)?;
    // What DataFusion says of the types that a function takes is long, and of no help with one measure.
    aggregate.call(vec![value]).get_type(schema).map_err(|_| {
        plan_datafusion_err!(
            "hierarchy_aggregate: agg must be an aggregate function of one argument that takes {measure}, a {}, got '{}'",
            crate::catalog::type_name(&kind),
            aggregate.name()
        )
    })?;
    Ok(kind)
}

fn way(aggregate: &AggregateUDF, kind: &DataType) -> Way {
    let is = |stock: &AggregateUDF| aggregate == stock;
    let is_plain_number = kind.is_integer() || kind.is_floating();
    if is(&count_udaf()) {
        return Way::Count;
    }
    if is(&min_udaf()) || is(&max_udaf()) || is(&bool_and_udaf()) || is(&bool_or_udaf()) {
        return Way::Again;
    }
    if is(&bit_and_udaf()) || is(&bit_or_udaf()) || is(&bit_xor_udaf()) {
        return Way::Again;
    }
    // A sum of decimals has more digits than they have, and a sum of sums more again.
    match is_plain_number {
        true if is(&sum_udaf()) => Way::Again,
        true if is(&avg_udaf()) => Way::Mean,
        _ => Way::Whole,
    }
}
