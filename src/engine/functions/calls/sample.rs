//! `TABLESAMPLE`: a random part of a relation, which DataFusion parses and then ignores.
//!
//! `BERNOULLI (p)`, `(p PERCENT)` and `p PERCENT` keep each row with a chance of p in a hundred,
//! independently: a filter on `random()`. Every other form is refused.

use datafusion::common::{DFSchema, Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::functions::math::expr_fn::random;
use datafusion::logical_expr::planner::{PlannedRelation, RelationPlannerContext, RelationPlanning};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, lit};
use sqlparser::ast::{
    TableFactor, TableSample, TableSampleKind, TableSampleMethod, TableSampleQuantity, TableSampleUnit,
};

/// Whether a relation has a sample clause.
pub(crate) fn is_sampled(relation: &TableFactor) -> bool {
    matches!(relation, TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. })
}

/// Plans a sampled relation as a filter over the whole one.
pub(crate) fn plan(mut relation: TableFactor, context: &mut dyn RelationPlannerContext) -> Result<RelationPlanning> {
    let (sample, alias) = match &mut relation {
        TableFactor::Table { sample, alias, .. } | TableFactor::Derived { sample, alias, .. } => {
            (sample.take(), alias.take())
        }
        _ => (None, None),
    };
    let Some(TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) = sample else {
        return Ok(RelationPlanning::Original(Box::new(relation)));
    };
    let percent = percentage(*sample, context)?;
    let whole = context.plan(relation)?;
    let plan = LogicalPlanBuilder::from(whole).filter(random().lt(lit(percent / 100.0)))?.build()?;
    Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, alias))))
}

fn percentage(sample: TableSample, context: &mut dyn RelationPlannerContext) -> Result<f64> {
    let refusal = "TABLESAMPLE accepts BERNOULLI (p) and p PERCENT, with p from 0 to 100";
    if sample.seed.is_some() {
        return plan_err!("{refusal}; a sample cannot be repeated, so REPEATABLE is not supported");
    }
    if sample.bucket.is_some() || sample.offset.is_some() {
        return plan_err!("{refusal}; got {sample}");
    }
    let TableSampleQuantity { value, unit, .. } =
        sample.quantity.ok_or_else(|| plan_datafusion_err!("{refusal}; got no p"))?;
    match (sample.name, unit) {
        (Some(TableSampleMethod::Bernoulli), None | Some(TableSampleUnit::Percent))
        | (None, Some(TableSampleUnit::Percent)) => {}
        (Some(method @ (TableSampleMethod::System | TableSampleMethod::Block)), _) => {
            return plan_err!("{refusal}; {method} would sample whole pages and is refused");
        }
        _ => return plan_err!("{refusal}; ROWS is refused: use ORDER BY random() LIMIT n"),
    }
    let expression = context.sql_to_expr(ocellus_planning::copy_expression(&value), &DFSchema::empty())?;
    let percent = match expression {
        Expr::Literal(literal, _) => match literal.cast_to(&arrow::datatypes::DataType::Float64) {
            Ok(ScalarValue::Float64(Some(percent))) => Some(percent),
            _ => None,
        },
        _ => None,
    };
    match percent {
        Some(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => plan_err!("{refusal}; got {value}"),
    }
}
