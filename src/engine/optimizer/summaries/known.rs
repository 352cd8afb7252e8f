//! What a summary knows of the rows of its table, and whether a plan asks for more.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::datasource::physical_plan::{FileSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{PhysicalExpr, split_conjunction};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;

use super::operators::child;
use crate::catalog::IS_CUT;
use ocellus_kernels::slices::Slicing;

/// What a row of a summary has as a row of the table has it.
pub(super) const KEYS: [&str; 6] = ["container_id", "container", "type", "value", "depth", IS_CUT];
/// What differs: a band begins, and lasts as long as the states in it together.
pub(super) const TIMES: [&str; 2] = ["start_tick", "end_tick"];

/// By column: the column of the files that it shows as it is.
pub(super) type Origins = Vec<Option<String>>;

/// The origins of the columns of a plan; `None` when something in it asks for what a summary does not know. Conditions on
/// times may only repeat the window, if there is one.
pub(super) fn origins(plan: &Arc<dyn ExecutionPlan>, window: Option<&Slicing>) -> Option<Origins> {
    if let Some(union) = plan.downcast_ref::<UnionExec>() {
        let mut inputs = union.inputs().iter().map(|input| origins(input, window));
        let first = inputs.next()??;
        return inputs.all(|other| other.as_ref() == Some(&first)).then_some(first);
    }
    let Some(input) = child(plan) else {
        let (_, source) = plan.downcast_ref::<DataSourceExec>()?.downcast_to_file_source::<ParquetSource>()?;
        let fields = source.table_schema().file_schema().fields();
        let names: Origins = fields.iter().map(|field| Some(field.name().clone())).collect();
        let is_known = source.filter().iter().all(|condition| is_condition_known(condition, &names, window));
        return is_known.then(|| source.projection().and_then(|shown| shown_origins(shown.iter(), &names)))?;
    };
    let names = origins(input, window)?;
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        if !is_condition_known(filter.predicate(), &names, window) {
            return None;
        }
        return Some(match filter.projection() {
            Some(places) => places.iter().map(|place| names.get(*place).cloned().flatten()).collect(),
            None => names,
        });
    }
    match plan.downcast_ref::<ProjectionExec>() {
        Some(projection) => shown_origins(projection.expr().iter(), &names),
        None => Some(names),
    }
}

/// What a projection shows as it is. What it computes may only be made of keys.
fn shown_origins<'a>(shown: impl Iterator<Item = &'a ProjectionExpr>, names: &[Option<String>]) -> Option<Origins> {
    let origin = |shown: &ProjectionExpr| match shown.expr.downcast_ref::<Column>() {
        Some(column) => {
            let name = names.get(column.index())?.as_deref()?;
            (KEYS.contains(&name) || TIMES.contains(&name)).then(|| Some(name.to_string()))
        }
        // Made of keys, it is as good as one.
        None => uses_keys(&shown.expr, names).then(|| Some(KEYS[0].to_string())),
    };
    shown.map(origin).collect()
}

/// Whether an expression is made of keys alone.
pub(super) fn uses_keys(expression: &Arc<dyn PhysicalExpr>, origins: &[Option<String>]) -> bool {
    let is_key = |column: &Column| {
        let origin = origins.get(column.index()).and_then(Option::as_deref);
        origin.is_some_and(|name| KEYS.contains(&name))
    };
    !is_volatile(expression) && collect_columns(expression).iter().all(is_key)
}

/// Whether a condition asks for keys, or for times that all rows have which count in the slices.
pub(super) fn is_condition_known(
    condition: &Arc<dyn PhysicalExpr>,
    origins: &[Option<String>],
    window: Option<&Slicing>,
) -> bool {
    let is_known = |part: &&Arc<dyn PhysicalExpr>| uses_keys(part, origins) || repeats_window(part, origins, window);
    split_conjunction(condition).iter().all(is_known)
}

fn repeats_window(condition: &Arc<dyn PhysicalExpr>, origins: &[Option<String>], window: Option<&Slicing>) -> bool {
    let (Some(comparison), Some(slicing)) = (condition.downcast_ref::<BinaryExpr>(), window) else {
        return false;
    };
    let column = comparison.left().downcast_ref::<Column>();
    let name = column.and_then(|column| origins.get(column.index())).and_then(Option::as_deref);
    let Some(ScalarValue::Int64(Some(tick))) = comparison.right().downcast_ref::<Literal>().map(Literal::value) else {
        return false;
    };
    let (first, last) = slicing.asked();
    let least_end = slicing.boundary_ticks(first).0.saturating_add(1);
    let latest_start = slicing.boundary_ticks(last.saturating_add(1)).1.saturating_sub(1);
    match (name, comparison.op()) {
        (Some("end_tick"), Operator::GtEq) => *tick <= least_end,
        (Some("end_tick"), Operator::Gt) => *tick < least_end,
        (Some("start_tick"), Operator::LtEq) => *tick >= latest_start,
        (Some("start_tick"), Operator::Lt) => *tick > latest_start,
        _ => false,
    }
}

/// Whether an expression is that column of the files.
pub(super) fn is_column(expression: &Arc<dyn PhysicalExpr>, name: &str, origins: &[Option<String>]) -> bool {
    let place = expression.downcast_ref::<Column>().map(Column::index);
    place.and_then(|place| origins.get(place)).is_some_and(|origin| origin.as_deref() == Some(name))
}
