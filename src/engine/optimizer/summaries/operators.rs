//! The operators between an aggregate and the files: those that leave rows as they are, or out.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_expr::{PhysicalExpr, conjunction, split_conjunction};
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

/// The scan of files below operators that leave rows as they are.
pub(super) fn leaf(plan: &Arc<dyn ExecutionPlan>) -> Option<&DataSourceExec> {
    match child(plan) {
        Some(child) => leaf(child),
        None => plan.downcast_ref::<DataSourceExec>(),
    }
}

/// All scans of files below operators that leave rows as they are, and unions of such.
pub(super) fn leaves(plan: &Arc<dyn ExecutionPlan>) -> Vec<&DataSourceExec> {
    match plan.downcast_ref::<UnionExec>() {
        Some(union) => union.inputs().iter().flat_map(leaves).collect(),
        None => leaf(plan).into_iter().collect(),
    }
}

/// What is below an operator that leaves rows as they are, or out.
pub(super) fn child(plan: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        return filter.fetch().is_none().then(|| filter.input());
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return Some(projection.input());
    }
    plan.downcast_ref::<RepartitionExec>().map(|repartition| repartition.input())
}

/// The same operators over another scan.
pub(super) fn replace_leaf(
    plan: &Arc<dyn ExecutionPlan>,
    leaf: &Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    match child(plan) {
        Some(input) => replace_children_if_necessary(Arc::clone(plan), vec![replace_leaf(input, leaf)?]),
        None => Ok(Arc::clone(leaf)),
    }
}

/// The same operators with those conditions alone that `is_kept` says, of a condition and the operator that it is about.
pub(super) fn with_conditions(
    plan: &Arc<dyn ExecutionPlan>,
    is_kept: &impl Fn(&Arc<dyn PhysicalExpr>, &Arc<dyn ExecutionPlan>) -> bool,
) -> Result<Arc<dyn ExecutionPlan>> {
    let Some(input) = child(plan) else {
        return Ok(Arc::clone(plan));
    };
    let changed = with_conditions(input, is_kept)?;
    let Some(filter) = plan.downcast_ref::<FilterExec>() else {
        return replace_children_if_necessary(Arc::clone(plan), vec![changed]);
    };
    let mut kept = split_conjunction(filter.predicate());
    kept.retain(|condition| is_kept(condition, input));
    let places = filter.projection().as_ref().map(|places| places.to_vec());
    if kept.is_empty() {
        let Some(places) = places else {
            return Ok(changed);
        };
        let schema = changed.schema();
        let shown = places.into_iter().map(|place| column(schema.field(place).name(), place)).collect::<Vec<_>>();
        return Ok(Arc::new(ProjectionExec::try_new(shown, changed)?));
    }
    let kept = conjunction(kept.into_iter().cloned());
    Ok(Arc::new(FilterExecBuilder::new(kept, changed).apply_projection(places)?.build()?))
}

/// The same operators over a scan with more columns, which come last.
pub(super) fn over_wider(
    plan: &Arc<dyn ExecutionPlan>,
    more: &[&str],
    leaf: &mut impl FnMut(&DataSourceExec) -> Result<Option<Arc<dyn ExecutionPlan>>>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(union) = plan.downcast_ref::<UnionExec>() {
        let inputs =
            union.inputs().iter().map(|input| over_wider(input, more, leaf)).collect::<Result<Option<Vec<_>>>>()?;
        return inputs.map(UnionExec::try_new).transpose();
    }
    let Some(input) = child(plan) else {
        return plan.downcast_ref::<DataSourceExec>().map_or(Ok(None), leaf);
    };
    let Some(input) = over_wider(input, more, leaf)? else {
        return Ok(None);
    };
    let count = input.schema().fields().len();
    let last = count - more.len()..count;
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let places = filter.projection().as_ref().map(|places| places.iter().copied().chain(last).collect());
        let filter = FilterExecBuilder::new(Arc::clone(filter.predicate()), input).apply_projection(places)?;
        return Ok(Some(Arc::new(filter.build()?)));
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let last = more.iter().zip(last).map(|(name, place)| column(name, place));
        let shown = projection.expr().iter().cloned().chain(last).collect::<Vec<_>>();
        return Ok(Some(Arc::new(ProjectionExec::try_new(shown, input)?)));
    }
    // A summary is small: it needs no second thread.
    Ok(Some(input))
}

/// A column that is shown by its name.
pub(super) fn column(name: &str, place: usize) -> ProjectionExpr {
    ProjectionExpr { expr: Arc::new(Column::new(name, place)), alias: name.to_string() }
}
