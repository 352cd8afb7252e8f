//! Reads the summary of a table where that says enough, and its rows where it does not.
//!
//! A store keeps, beside the rows of states, their time in bands; see [`ocellus_kernels::bands`]. For slices that are much
//! wider than bands, most of the time of a slice is known from these:
//!
//! ```text
//!  aggregate: state_cells      union
//!    states              ─►      aggregate: state_cells, in the bands that a slice begins in
//!                                  states, of the row groups that touch these bands
//!                                aggregate: state_cells, of the widest bands that lie in one slice
//!                                  states_bands
//! ```
//! Both are sums of whole numbers, so that the result has the same bits. What stands between the aggregate and the files
//! may only ask for what a band knows: container, type, value, depth and whether states were cut. A condition on times
//! counts when it only repeats the window of the slices.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::config::ConfigExtension;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, ScalarValue, extensions_options};
use datafusion::config::ConfigOptions;
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::projection::{ProjectionExpr, ProjectionExprs};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{PhysicalExpr, split_conjunction};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::partial_aggregate::is_partial_of_trace_functions;
use crate::catalog::{CheckedFile, IS_CUT, TableSummary};
use crate::functions::slices::slice_window::{SliceWindow, SlicedRows};
use ocellus_kernels::slices::{CutBands, Slicing};

extensions_options! {
    /// Settings of queries.
    pub struct SummarySettings {
        /// Whether summaries are read in place of rows, where they say enough.
        pub summaries: bool, default = true
    }
}

impl ConfigExtension for SummarySettings {
    const PREFIX: &'static str = "ocellus";
}

/// The aggregate function whose rows have summaries.
const STATE_CELLS: &str = "state_cells";

/// The column of a summary that holds the width of a band, as a power of two.
const LEVEL: &str = "level";

/// What a row of a summary has as a row of the table has it.
const KEYS: [&str; 6] = ["container_id", "container", "type", "value", "depth", IS_CUT];
const TIMES: [&str; 2] = ["start_tick", "end_tick"];

/// How many bands there must be for each boundary of slices: reading rows of one costs as much as that of several.
const BANDS_PER_BOUNDARY: i64 = 2;

/// The rule; see the file's head. It must run when aggregates stand right above the files.
#[derive(Debug, Default)]
pub(crate) struct Summaries;

impl PhysicalOptimizerRule for Summaries {
    fn name(&self) -> &str {
        "summaries"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if config.extensions.get::<SummarySettings>().is_some_and(|settings| !settings.summaries) {
            return Ok(plan);
        }
        plan.transform_down(|node| {
            let summed = match node.downcast_ref::<AggregateExec>() {
                Some(aggregate) => summed(aggregate)?,
                None => None,
            };
            Ok(summed.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }
}

/// The aggregate of rows and sums; `None` where rows have no summary, or more is asked for than it knows.
fn summed(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if !is_partial_of_trace_functions(aggregate) {
        return Ok(None);
    }
    let Some(window) = window_of(aggregate) else {
        return Ok(None);
    };
    let Some((files, source)) =
        leaf(aggregate.input()).and_then(|scan| scan.downcast_to_file_source::<ParquetSource>())
    else {
        return Ok(None);
    };
    if files.limit.is_some() {
        return Ok(None);
    }
    let first = files.file_groups.iter().flat_map(|group| group.iter()).next();
    let checked = first.and_then(|file| file.extension::<Arc<CheckedFile>>());
    let Some(summary) = checked.and_then(|file| file.summary.clone()) else {
        return Ok(None);
    };
    let shift = u32::from(summary.bands.shift);
    if !pays(&window.slicing, shift) || !is_known(aggregate, source, &window.slicing) {
        return Ok(None);
    }
    let cut = CutBands::new(&window.slicing, shift);
    let Some(rows) = rows_of(files, source, &cut)? else {
        return Ok(None);
    };
    let Some(sums) = sums_of(files, source, &summary, &window.slicing)? else {
        return Ok(None);
    };
    let rows = replace_leaf(aggregate.input(), &rows)?;
    let rows = over(aggregate, &rows, SliceWindow { rows: SlicedRows::InCutBands { shift }, ..window }, None)?;
    let Some(sums) = with_level(aggregate.input(), &sums)? else {
        return Ok(None);
    };
    let level = sums.schema().fields().len() - 1;
    let coarsest = u32::from(summary.bands.coarsest);
    let sums = over(aggregate, &sums, SliceWindow { rows: SlicedRows::BandSums { coarsest }, ..window }, Some(level))?;
    UnionExec::try_new(vec![rows, sums]).map(Some)
}

/// The window of the only function of states.
fn window_of(aggregate: &AggregateExec) -> Option<SliceWindow> {
    let mut calls = aggregate.aggr_expr().iter().filter(|function| function.fun().name() == STATE_CELLS);
    let (call, None) = (calls.next()?, calls.next()) else {
        return None;
    };
    let arguments = call.expressions();
    let window = SliceWindow::from_scalar(arguments.first()?.downcast_ref::<Literal>()?.value())?;
    (arguments.len() == 5 && window.rows == SlicedRows::All).then_some(window)
}

/// Whether there are enough bands for each boundary.
fn pays(slicing: &Slicing, shift: u32) -> bool {
    let (first, last) = slicing.asked();
    if first > last {
        return false;
    }
    let (begin, end) = (slicing.boundary_ticks(first).0, slicing.boundary_ticks(last + 1).1);
    let bands = end.saturating_sub(begin) >> shift;
    i64::from(last - first).saturating_add(2).saturating_mul(BANDS_PER_BOUNDARY) <= bands
}

/// The scan of files below operators that leave rows as they are.
fn leaf(plan: &Arc<dyn ExecutionPlan>) -> Option<&DataSourceExec> {
    match child(plan) {
        Some(child) => leaf(child),
        None => plan.downcast_ref::<DataSourceExec>(),
    }
}

/// What is below an operator that leaves rows as they are, or out.
fn child(plan: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        return filter.fetch().is_none().then(|| filter.input());
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return Some(projection.input());
    }
    plan.downcast_ref::<RepartitionExec>().map(|repartition| repartition.input())
}

/// Whether everything from the aggregate to the files asks for what a summary knows.
fn is_known(aggregate: &AggregateExec, source: &ParquetSource, slicing: &Slicing) -> bool {
    let Some(origins) = origins(aggregate.input(), source, slicing) else {
        return false;
    };
    let conditions = aggregate.filter_expr().iter().flatten();
    let is_column = |place: usize, name: &str| origins.get(place).is_some_and(|origin| origin.as_deref() == Some(name));
    let is_plain = |expression: &Arc<dyn PhysicalExpr>, name: &str| {
        expression.downcast_ref::<Column>().is_some_and(|column| is_column(column.index(), name))
    };
    let mut groups = aggregate.group_expr().expr().iter();
    // Times are those of the rows themselves; all else only tells rows apart.
    let is_call_known = |function: &Arc<AggregateFunctionExpr>| {
        let arguments = function.expressions();
        match arguments.as_slice() {
            [_, labels @ .., start, end] if function.fun().name() == STATE_CELLS => {
                is_plain(start, TIMES[0])
                    && is_plain(end, TIMES[1])
                    && labels.iter().all(|label| uses_keys(label, &origins))
            }
            others => others.iter().all(|other| uses_keys(other, &origins)),
        }
    };
    aggregate.aggr_expr().iter().all(is_call_known)
        && groups.all(|(group, _)| uses_keys(group, &origins))
        && conditions.into_iter().all(|condition| is_condition_known(condition, &origins, slicing))
}

/// The column of the files that each column of a plan shows as it is; `None` in all when something in between asks for
/// what a summary does not know.
fn origins(plan: &Arc<dyn ExecutionPlan>, source: &ParquetSource, slicing: &Slicing) -> Option<Vec<Option<String>>> {
    let Some(input) = child(plan) else {
        let names: Vec<Option<String>> =
            source.table_schema().file_schema().fields().iter().map(|field| Some(field.name().clone())).collect();
        let is_condition_known = |condition| is_condition_known(condition, &names, slicing);
        return match source.filter().iter().all(is_condition_known) {
            true => source.projection().map_or(Some(names.clone()), |shown| shown_origins(shown.iter(), &names)),
            false => None,
        };
    };
    let names = origins(input, source, slicing)?;
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        if !is_condition_known(filter.predicate(), &names, slicing) {
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
fn shown_origins<'a>(
    shown: impl Iterator<Item = &'a ProjectionExpr>,
    names: &[Option<String>],
) -> Option<Vec<Option<String>>> {
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

fn uses_keys(expression: &Arc<dyn PhysicalExpr>, origins: &[Option<String>]) -> bool {
    let is_key = |column: &Column| {
        let origin = origins.get(column.index()).and_then(Option::as_deref);
        origin.is_some_and(|name| KEYS.contains(&name))
    };
    !is_volatile(expression) && collect_columns(expression).iter().all(is_key)
}

/// Whether a condition asks for keys, or for times that all rows have which count in the slices.
fn is_condition_known(condition: &Arc<dyn PhysicalExpr>, origins: &[Option<String>], slicing: &Slicing) -> bool {
    let is_known = |part: &&Arc<dyn PhysicalExpr>| uses_keys(part, origins) || repeats_window(part, origins, slicing);
    split_conjunction(condition).iter().all(is_known)
}

fn repeats_window(condition: &Arc<dyn PhysicalExpr>, origins: &[Option<String>], slicing: &Slicing) -> bool {
    let Some(comparison) = condition.downcast_ref::<BinaryExpr>() else {
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

/// The scan of the row groups that touch bands.
fn rows_of(files: &FileScanConfig, source: &ParquetSource, cut: &CutBands) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let schema = source.table_schema().file_schema();
    let column =
        |name: &str| -> Result<Arc<dyn PhysicalExpr>> { Ok(Arc::new(Column::new_with_schema(name, schema.as_ref())?)) };
    let [start, end] = [column(TIMES[0])?, column(TIMES[1])?];
    let touches = cut
        .intervals()
        .iter()
        .map(|(first, stop)| both(compare(&start, Operator::Lt, *stop), compare(&end, Operator::GtEq, *first)));
    let Some(touches) = any(touches.collect()) else {
        return Ok(None);
    };
    let predicate = match source.filter() {
        Some(known) => both(known, touches),
        None => touches,
    };
    let source = source.clone().with_predicate(predicate);
    let files = FileScanConfigBuilder::from(files.clone()).with_source(Arc::new(source)).build();
    Ok(Some(DataSourceExec::from_data_source(files)))
}

/// The scan of the summary: what the scan of the rows shows, and the width of the band.
fn sums_of(
    files: &FileScanConfig,
    source: &ParquetSource,
    summary: &TableSummary,
    slicing: &Slicing,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let of_rows = source.table_schema().file_schema();
    let mut fields: Vec<Arc<Field>> = vec![];
    let mut places = BTreeMap::new();
    for (place, field) in of_rows.fields().iter().enumerate() {
        if KEYS.contains(&field.name().as_str()) || TIMES.contains(&field.name().as_str()) {
            places.insert(place, fields.len());
            fields.push(Arc::clone(field));
        }
    }
    let level = Column::new(LEVEL, fields.len());
    fields.push(Arc::new(Field::new(LEVEL, DataType::Int32, false)));
    let schema = Arc::new(Schema::new(fields));
    let rebound = |expression: &Arc<dyn PhysicalExpr>| {
        Arc::clone(expression)
            .transform(|node| {
                let place =
                    node.downcast_ref::<Column>().and_then(|column| Some((column, *places.get(&column.index())?)));
                Ok(match place {
                    Some((column, place)) => Transformed::yes(Arc::new(Column::new(column.name(), place)) as _),
                    None => Transformed::no(node),
                })
            })
            .data()
    };
    let (Some(shown), Some(readers)) = (source.projection(), source.parquet_file_reader_factory()) else {
        return Ok(None);
    };
    let mut projection = vec![];
    for shown in shown.iter() {
        projection.push(ProjectionExpr { expr: rebound(&shown.expr)?, alias: shown.alias.clone() });
    }
    projection.push(ProjectionExpr { expr: Arc::new(level.clone()), alias: LEVEL.to_string() });
    let start: Arc<dyn PhysicalExpr> = Arc::new(Column::new_with_schema(TIMES[0], &schema)?);
    let (first, last) = slicing.asked();
    let (begin, end) = (slicing.boundary_ticks(first).1, slicing.boundary_ticks(last + 1).0);
    let mut predicate = both(compare(&start, Operator::GtEq, begin), compare(&start, Operator::Lt, end));
    if let Some(known) = source.filter() {
        predicate = both(rebound(&known)?, predicate);
    }
    let reading = ParquetSource::new(schema)
        .with_table_parquet_options(source.table_parquet_options().clone())
        .with_predicate(predicate)
        .with_parquet_file_reader_factory(Arc::clone(readers));
    let Some(reading) = reading.try_pushdown_projection(&ProjectionExprs::new(projection))? else {
        return Ok(None);
    };
    let group = FileGroup::new(summary.described()?);
    let scan = FileScanConfigBuilder::new(files.object_store_url.clone(), reading).with_file_groups(vec![group]);
    Ok(Some(DataSourceExec::from_data_source(scan.build())))
}

fn compare(column: &Arc<dyn PhysicalExpr>, operator: Operator, tick: i64) -> Arc<dyn PhysicalExpr> {
    Arc::new(BinaryExpr::new(Arc::clone(column), operator, Arc::new(Literal::new(ScalarValue::from(tick)))))
}

fn both(one: Arc<dyn PhysicalExpr>, other: Arc<dyn PhysicalExpr>) -> Arc<dyn PhysicalExpr> {
    Arc::new(BinaryExpr::new(one, Operator::And, other))
}

/// Whether any of the conditions holds, as a tree that is not deep; `None` without conditions.
fn any(mut conditions: Vec<Arc<dyn PhysicalExpr>>) -> Option<Arc<dyn PhysicalExpr>> {
    while conditions.len() > 1 {
        let pairs = conditions.chunks(2).map(|pair| match pair {
            [one, other] => Arc::new(BinaryExpr::new(Arc::clone(one), Operator::Or, Arc::clone(other))) as _,
            others => Arc::clone(&others[0]),
        });
        conditions = pairs.collect();
    }
    conditions.pop()
}

/// The same operators over another scan.
fn replace_leaf(plan: &Arc<dyn ExecutionPlan>, leaf: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    match child(plan) {
        Some(input) => replace_children_if_necessary(Arc::clone(plan), vec![replace_leaf(input, leaf)?]),
        None => Ok(Arc::clone(leaf)),
    }
}

/// The same operators over a scan with one more column, which comes last.
fn with_level(plan: &Arc<dyn ExecutionPlan>, leaf: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(input) = child(plan) else {
        return Ok(Some(Arc::clone(leaf)));
    };
    let Some(input) = with_level(input, leaf)? else {
        return Ok(None);
    };
    let level = input.schema().fields().len() - 1;
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let places = filter.projection().as_ref().map(|places| places.iter().copied().chain([level]).collect());
        let filter = FilterExecBuilder::new(Arc::clone(filter.predicate()), input).apply_projection(places)?;
        return Ok(Some(Arc::new(filter.build()?)));
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let last = ProjectionExpr { expr: Arc::new(Column::new(LEVEL, level)), alias: LEVEL.to_string() };
        let shown = projection.expr().iter().cloned().chain([last]).collect::<Vec<_>>();
        return Ok(Some(Arc::new(ProjectionExec::try_new(shown, input)?)));
    }
    // A summary is small: it needs no second thread.
    Ok(Some(input))
}

/// The aggregate of other rows, with another window and perhaps with the width of bands.
fn over(
    aggregate: &AggregateExec,
    input: &Arc<dyn ExecutionPlan>,
    window: SliceWindow,
    level: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let changed = |function: &Arc<AggregateFunctionExpr>| -> Result<Arc<AggregateFunctionExpr>> {
        if function.fun().name() != STATE_CELLS {
            return Ok(Arc::clone(function));
        }
        let mut arguments = function.expressions();
        arguments[0] = Arc::new(Literal::new(window.to_scalar()));
        if let Some(level) = level {
            arguments.push(Arc::new(Column::new(LEVEL, level)));
        }
        let call = AggregateExprBuilder::new(Arc::new(function.fun().clone()), arguments);
        Ok(Arc::new(call.schema(input.schema()).alias(function.name()).build()?))
    };
    let functions = aggregate.aggr_expr().iter().map(changed).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(AggregateExec::try_new(
        *aggregate.mode(),
        aggregate.group_expr().clone(),
        functions,
        aggregate.filter_expr().to_vec(),
        Arc::clone(input),
        input.schema(),
    )?))
}
