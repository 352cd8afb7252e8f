//! How an aggregate over a subtree is put together from aggregates over single containers.
//!
//! | aggregate | per container | over the subtree |
//! |---|---|---|
//! | sum, min, max, bool_*, bit_* | the same | the same |
//! | count | count | sum |
//! | avg | sum and count | sum of sums over sum of counts |
//! | any other | nothing: rows stay as they are | the aggregate |
//!
//! One sum by texts, which is what analysts ask for, goes through [`label_sums`].

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, plan_datafusion_err};
use datafusion::functions::core::expr_fn::get_field;
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::bit_and_or_xor::{bit_and_udaf, bit_or_udaf, bit_xor_udaf};
use datafusion::functions_aggregate::bool_and_or::{bool_and_udaf, bool_or_udaf};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::{AggregateUDF, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::cast;

use super::from;
use super::label_sums::{SUM, label, label_sums};
use super::shape::{CONTAINER_ID, MEASURED, Shape};

/// An aggregate of all measures, in steps.
pub(super) struct Pieces {
    /// Aggregates per container; none when rows stay as they are.
    partial: Vec<Expr>,
    /// Names of what the partial step gives.
    pub(super) columns: Vec<String>,
    /// Aggregates of these columns per ancestor, under the same names.
    pub(super) merged: Vec<Expr>,
    /// One per measure.
    finish: Vec<Finish>,
    /// The type to sum in, when the one measure is a sum by texts.
    labelled: Option<DataType>,
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

impl Pieces {
    /// Takes an aggregate apart; an error when it does not accept a measure.
    pub(super) fn of(aggregate: &Arc<AggregateUDF>, shape: &Shape) -> Result<Pieces> {
        let mut kinds = vec![];
        for measure in &shape.measures {
            kinds.push(kind_of(measure, aggregate, shape)?);
        }
        let ways: Vec<Way> = kinds.iter().map(|kind| way(aggregate, kind)).collect();
        let stays_whole = ways.contains(&Way::Whole);
        let labelled = if **aggregate == *sum_udaf() { sum_by_texts(&kinds, shape) } else { None };
        let mut pieces = Pieces { partial: vec![], columns: vec![], merged: vec![], finish: vec![], labelled };
        for (measure, way) in shape.measures.iter().zip(ways) {
            pieces.add(aggregate, measure, if stays_whole { Way::Whole } else { way });
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
                let values = format!("values of {measure}");
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
    pub(super) fn per_container(&self, shape: &Shape) -> Result<LogicalPlan> {
        if self.partial.is_empty() {
            return Ok(shape.rows.clone());
        }
        if let Some(kind) = &self.labelled {
            return labelled(shape, kind);
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

/// The type to sum in, when there is one measure, a number, and all keys are texts.
fn sum_by_texts(kinds: &[DataType], shape: &Shape) -> Option<DataType> {
    let is_text = |key: &String| from(MEASURED, key).get_type(shape.rows.schema()).is_ok_and(|kind| kind == DataType::Utf8View);
    match kinds {
        [_] if shape.keys.is_empty() || !shape.keys.iter().all(is_text) => None,
        [kind] if kind.is_signed_integer() => Some(DataType::Int64),
        [kind] if kind.is_floating() => Some(DataType::Float64),
        _ => None,
    }
}

/// The rows of the relation summed per container and keys, by way of [`label_sums`].
fn labelled(shape: &Shape, kind: &DataType) -> Result<LogicalPlan> {
    const CELLS: &str = "cells";
    let mut arguments = vec![];
    for measure in &shape.measures {
        arguments.push(cast(from(MEASURED, measure), kind.clone()));
    }
    arguments.extend(shape.keys.iter().map(|key| from(MEASURED, key)));
    let field = |name: &str, shown: &str| get_field(Expr::Column(Column::new_unqualified(CELLS)), name).alias(shown);
    let mut shown = vec![from(MEASURED, CONTAINER_ID)];
    shown.extend(shape.keys.iter().enumerate().map(|(number, key)| field(&label(number), key)));
    shown.extend(shape.measures.iter().map(|measure| field(SUM, measure)));
    LogicalPlanBuilder::from(shape.rows.clone())
        .aggregate(vec![from(MEASURED, CONTAINER_ID)], vec![label_sums().call(arguments).alias(CELLS)])?
        .unnest_column(CELLS)?
        .project(shown)?
        .alias(MEASURED)?
        .build()
}

/// The type of a measure that the aggregate accepts.
fn kind_of(measure: &str, aggregate: &Arc<AggregateUDF>, shape: &Shape) -> Result<DataType> {
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
