//! Floating-point numbers that are equal in SQL and differ in their bits, and numbers that are not finite.
//!
//! ```text
//! x IN (0.0, 1.0, …)              ──►   x IN (0.0, 1.0, …, 0.0, -0.0)
//! CASE x WHEN 0.0 THEN a …        ──►   CASE x WHEN 0.0 THEN a WHEN -0.0 THEN a …
//! min(x), max(x), in groups       ──►   the same with infinities and NaN
//! ```
//! DataFusion compares zeros as numbers, except in tables of constants, which it looks up by their bits.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::expr::{AggregateFunction, Case, Cast, InList};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, lit};
use datafusion::optimizer::{AnalyzerRule, ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::functions::plans::float_extremes::float_extreme;

/// The rule for constants that are looked up; see the file's head. Types must have been made equal.
#[derive(Debug)]
pub(crate) struct CarefulComparisons;

impl AnalyzerRule for CarefulComparisons {
    fn name(&self) -> &str {
        "careful_comparisons"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| {
            let names = NamePreserver::new(&node);
            let mut inputs = merge_schema(&node.inputs());
            if let LogicalPlan::TableScan(scan) = &node {
                inputs.merge(&scan.projected_schema);
            }
            node.map_expressions(|expression| {
                let name = names.save(&expression);
                let changed = expression.transform_up(|part| with_all_forms(part, &inputs))?;
                Ok(if changed.transformed { changed.update_data(|data| name.restore(data)) } else { changed })
            })
        })
        .data()
    }
}

fn with_all_forms(expression: Expr, inputs: &DFSchema) -> Result<Transformed<Expr>> {
    match expression {
        Expr::InList(InList { expr, mut list, negated }) => {
            let forms: Vec<Expr> = match is_float(&expr, inputs) {
                true => list.iter().flat_map(other_forms).collect(),
                false => vec![],
            };
            let is_changed = !forms.is_empty();
            list.extend(forms);
            let changed = Expr::InList(InList { expr, list, negated });
            Ok(if is_changed { Transformed::yes(changed) } else { Transformed::no(changed) })
        }
        Expr::Case(Case { expr: Some(base), when_then_expr, else_expr }) if is_float(&base, inputs) => {
            let mut branches = vec![];
            let before = when_then_expr.len();
            for (when, then) in when_then_expr {
                let forms = other_forms(&when).into_iter().map(|form| (Box::new(form), then.clone()));
                let forms: Vec<(Box<Expr>, Box<Expr>)> = forms.collect();
                branches.push((when, then));
                branches.extend(forms);
            }
            let is_changed = branches.len() > before;
            let changed = Expr::Case(Case { expr: Some(base), when_then_expr: branches, else_expr });
            Ok(if is_changed { Transformed::yes(changed) } else { Transformed::no(changed) })
        }
        other => Ok(Transformed::no(other)),
    }
}

fn is_float(expression: &Expr, inputs: &DFSchema) -> bool {
    expression.get_type(inputs).is_ok_and(|kind| matches!(kind, DataType::Float32 | DataType::Float64))
}

/// All forms of a constant that has several: zero and NaN have a sign.
fn other_forms(constant: &Expr) -> Vec<Expr> {
    match constant_float(constant) {
        Some((0.0, kind)) => forms(0.0, &kind),
        Some((number, kind)) if number.is_nan() => forms(f64::NAN, &kind),
        _ => vec![],
    }
}

fn forms(number: f64, kind: &DataType) -> Vec<Expr> {
    let signs = [number, -number];
    match kind {
        #[expect(clippy::cast_possible_truncation, reason = "zero and NaN are in both types")]
        DataType::Float32 => signs.iter().map(|number| lit(*number as f32)).collect(),
        _ => signs.iter().map(|number| lit(*number)).collect(),
    }
}

/// The number and the type of a constant, which may be written with casts and a sign.
fn constant_float(expression: &Expr) -> Option<(f64, DataType)> {
    match expression {
        Expr::Literal(value, _) => match value.cast_to(&DataType::Float64) {
            Ok(ScalarValue::Float64(Some(number))) => Some((number, value.data_type())),
            _ => None,
        },
        Expr::Cast(Cast { expr, field }) => Some((constant_float(expr)?.0, field.data_type().clone())),
        Expr::Negative(inner) => constant_float(inner).map(|(number, kind)| (-number, kind)),
        Expr::Alias(named) => constant_float(&named.expr),
        _ => None,
    }
}

/// The rule for the least and the largest of groups; see the file's head.
#[derive(Debug)]
pub(crate) struct CarefulExtremes;

impl OptimizerRule for CarefulExtremes {
    fn name(&self) -> &str {
        "careful_extremes"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Aggregate(aggregate) = &plan else { return Ok(Transformed::no(plan)) };
        let input = Arc::clone(aggregate.input.schema());
        plan.map_expressions(|expression| {
            expression.transform_up(|part| {
                let Expr::AggregateFunction(AggregateFunction { func, params }) = part else {
                    return Ok(Transformed::no(part));
                };
                let careful = match params.args.first() {
                    Some(argument) if is_float(argument, &input) => float_extreme(&func),
                    _ => None,
                };
                Ok(match careful {
                    Some(func) => Transformed::yes(Expr::AggregateFunction(AggregateFunction { func, params })),
                    None => Transformed::no(Expr::AggregateFunction(AggregateFunction { func, params })),
                })
            })
        })
    }
}
