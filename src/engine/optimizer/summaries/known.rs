//! What a summary knows of the rows of its table, and whether a plan asks for more.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::datasource::physical_plan::{FileSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr, split_conjunction};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;

use super::grid::TimeGrid;
use super::operators::child;
use super::shape::SummaryShape;

/// The origin of a column that shows how long rows last: what they last together, in a summary.
const LENGTH: &str = "length";

/// What the columns of a plan show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origins {
    shape: &'static SummaryShape,
    /// By column: the column of the files that it shows as it is.
    columns: Vec<String>,
}

impl Origins {
    fn get(&self, place: usize) -> Option<&str> {
        self.columns.get(place).map(String::as_str)
    }

    /// What some expressions over these columns show. What they compute may only be made of keys.
    fn shown<'a>(&self, shown: impl Iterator<Item = &'a ProjectionExpr>) -> Option<Origins> {
        let origin = |shown: &ProjectionExpr| match shown.expr.downcast_ref::<Column>() {
            Some(column) => self.get(column.index()).filter(|name| self.shape.is_shared(name) || *name == LENGTH),
            None if is_row_length(&shown.expr, self) => Some(LENGTH),
            // Made of keys, it is as good as one.
            None => self.shape.keys.first().copied().filter(|_| uses_keys(&shown.expr, self)),
        };
        let columns = shown.map(|shown| origin(shown).map(str::to_string)).collect::<Option<_>>()?;
        Some(Origins { shape: self.shape, columns })
    }
}

/// The origins of the columns of a plan; `None` when something in it asks for what a summary does not know. Conditions on
/// times may only repeat the window, if there is one.
pub(super) fn origins(
    plan: &Arc<dyn ExecutionPlan>,
    shape: &'static SummaryShape,
    window: Option<&TimeGrid>,
) -> Option<Origins> {
    if let Some(union) = plan.downcast_ref::<UnionExec>() {
        let mut inputs = union.inputs().iter().map(|input| origins(input, shape, window));
        let first = inputs.next()??;
        return inputs.all(|other| other.as_ref() == Some(&first)).then_some(first);
    }
    let Some(input) = child(plan) else {
        let (_, source) = plan.downcast_ref::<DataSourceExec>()?.downcast_to_file_source::<ParquetSource>()?;
        let fields = source.table_schema().file_schema().fields();
        // Columns that summaries lack have no origin, whatever their names.
        let origin = |name: &str| if shape.is_shared(name) { name.to_string() } else { String::new() };
        let files = Origins { shape, columns: fields.iter().map(|field| origin(field.name())).collect() };
        let is_known = source.filter().iter().all(|condition| is_condition_known(condition, &files, window));
        return is_known.then(|| source.projection().and_then(|shown| files.shown(shown.iter())))?;
    };
    let below = origins(input, shape, window)?;
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        if !is_condition_known(filter.predicate(), &below, window) {
            return None;
        }
        let Some(places) = filter.projection() else {
            return Some(below);
        };
        let columns = places.iter().map(|place| below.columns.get(*place).cloned()).collect::<Option<_>>()?;
        return Some(Origins { shape, columns });
    }
    match plan.downcast_ref::<ProjectionExec>() {
        Some(projection) => below.shown(projection.expr().iter()),
        None => Some(below),
    }
}

/// Whether an expression is made of keys alone, and of classes where it asks nothing but what tells them apart.
pub(super) fn uses_keys(expression: &Arc<dyn PhysicalExpr>, origins: &Origins) -> bool {
    !is_volatile(expression) && has_only_keys(expression, origins)
}

fn has_only_keys(expression: &Arc<dyn PhysicalExpr>, origins: &Origins) -> bool {
    if let Some(column) = expression.downcast_ref::<Column>() {
        return origins.get(column.index()).is_some_and(|name| origins.shape.keys.contains(&name));
    }
    asks_class(expression, origins) || expression.children().into_iter().all(|part| has_only_keys(part, origins))
}

/// `regexp_like(column, pattern)` of a column of which a summary knows whether it matches this pattern.
fn asks_class(expression: &Arc<dyn PhysicalExpr>, origins: &Origins) -> bool {
    let Some(call) = expression.downcast_ref::<ScalarFunctionExpr>().filter(|call| call.name() == "regexp_like") else {
        return false;
    };
    let [text, pattern] = call.args() else {
        return false;
    };
    let column = text.downcast_ref::<Column>().and_then(|column| origins.get(column.index()));
    let class = column.and_then(|name| origins.shape.class(name));
    let pattern = pattern.downcast_ref::<Literal>().and_then(|pattern| pattern.value().try_as_str().flatten());
    class.is_some() && class == pattern
}

/// Whether a condition asks for keys, or for times that all rows have which count in the slices.
pub(super) fn is_condition_known(
    condition: &Arc<dyn PhysicalExpr>,
    origins: &Origins,
    window: Option<&TimeGrid>,
) -> bool {
    let is_known = |part: &&Arc<dyn PhysicalExpr>| uses_keys(part, origins) || repeats_window(part, origins, window);
    split_conjunction(condition).iter().all(is_known)
}

fn repeats_window(condition: &Arc<dyn PhysicalExpr>, origins: &Origins, window: Option<&TimeGrid>) -> bool {
    let (Some(comparison), Some(window)) = (condition.downcast_ref::<BinaryExpr>(), window) else {
        return false;
    };
    let column = comparison.left().downcast_ref::<Column>();
    let name = column.and_then(|column| origins.get(column.index()));
    let Some(ScalarValue::Int64(Some(tick))) = comparison.right().downcast_ref::<Literal>().map(Literal::value) else {
        return false;
    };
    let counted = window.counted();
    match (name, comparison.op()) {
        (Some("end_tick"), Operator::GtEq) => *tick <= counted.least_end,
        (Some("end_tick"), Operator::Gt) => *tick < counted.least_end,
        (Some("start_tick"), Operator::GtEq) => *tick <= counted.first_start,
        (Some("end_tick"), Operator::LtEq) => *tick >= counted.last_end,
        (Some("start_tick"), Operator::LtEq) => *tick >= counted.latest_start,
        (Some("start_tick"), Operator::Lt) => *tick > counted.latest_start,
        (Some("tick"), Operator::GtEq) => *tick <= counted.first_instant,
        (Some("tick"), Operator::Gt) => *tick < counted.first_instant,
        (Some("tick"), Operator::LtEq) => *tick >= counted.last_instant,
        (Some("tick"), Operator::Lt) => *tick > counted.last_instant,
        _ => false,
    }
}

/// Whether an expression is that column of the files.
pub(super) fn is_column(expression: &Arc<dyn PhysicalExpr>, name: &str, origins: &Origins) -> bool {
    let place = expression.downcast_ref::<Column>().map(Column::index);
    place.is_some_and(|place| origins.get(place) == Some(name))
}

/// `end_tick - start_tick`, or a column that shows it.
pub(super) fn is_row_length(expression: &Arc<dyn PhysicalExpr>, origins: &Origins) -> bool {
    let [start, end] = origins.shape.times else {
        return false;
    };
    match expression.downcast_ref::<BinaryExpr>() {
        Some(length) => {
            *length.op() == Operator::Minus
                && is_column(length.left(), end, origins)
                && is_column(length.right(), start, origins)
        }
        None => is_column(expression, LENGTH, origins),
    }
}
