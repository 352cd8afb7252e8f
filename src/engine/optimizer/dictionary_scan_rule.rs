//! Reads texts as codes: each text once per batch, and its place in each row.
//!
//! The files hold texts so already. Where a text only tells the rows of an aggregate apart, a code does as
//! well, and is cheaper to read and to look up. So the scan below such an aggregate is told to keep codes:
//!
//! ```text
//!  aggregate ─► [filter on other columns, or new names] ─► scan with a schema of dictionaries
//!                                              files whose footers ask for dictionaries (DictionaryParquet)
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder, FileSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::dictionary_parquet::{DictionaryParquet, FileLocation};
use super::partial_aggregate::{over, takes_codes};

/// The rule; see the file's head. Plans that leave the process lose [`DictionaryParquet`]: there it costs more than it saves.
#[derive(Debug, Default)]
pub struct DictionaryScanRule;

impl DictionaryScanRule {
    /// Its name among the rules of a session.
    pub(super) const NAME: &str = "dictionary_scan_rule";
}

impl PhysicalOptimizerRule for DictionaryScanRule {
    fn name(&self) -> &str {
        DictionaryScanRule::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| {
            let coded = match node.downcast_ref::<AggregateExec>() {
                Some(aggregate) => with_codes(aggregate)?,
                None => None,
            };
            Ok(coded.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }
}

/// The aggregate over codes; `None` when there is nothing to gain.
fn with_codes(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if aggregate.mode().input_mode() != AggregateInputMode::Raw {
        return Ok(None);
    }
    let mut texts = BTreeSet::new();
    let mut others = BTreeSet::new();
    for function in aggregate.aggr_expr() {
        let is_coded = takes_codes(function.fun().name());
        for argument in function.expressions() {
            match argument.downcast_ref::<Column>().filter(|_| is_coded) {
                Some(column) => _ = texts.insert(column.index()),
                None => others.extend(collect_columns(&argument).iter().map(Column::index)),
            }
        }
    }
    let conditions = aggregate.filter_expr().iter().flatten().cloned();
    for expression in conditions.chain(aggregate.group_expr().input_exprs()) {
        others.extend(collect_columns(&expression).iter().map(Column::index));
    }
    texts.retain(|place| !others.contains(place));
    let input = reading_codes(aggregate.input(), texts)?;
    input.map(|input| over(aggregate, aggregate.filter_expr().to_vec(), &input)).transpose()
}

/// A plan that gives those of its columns as codes that are texts of files.
fn reading_codes(plan: &Arc<dyn ExecutionPlan>, mut texts: BTreeSet<usize>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        if let Some(places) = filter.projection() {
            texts = texts.into_iter().filter_map(|place| places.get(place).copied()).collect();
        }
        collect_columns(filter.predicate()).iter().for_each(|column| _ = texts.remove(&column.index()));
        let input = reading_codes(filter.input(), texts)?;
        return match input {
            Some(input) => replace_children_if_necessary(Arc::clone(plan), vec![input]).map(Some),
            None => Ok(None),
        };
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return passing_codes(projection, &texts);
    }
    let Some(scan) = plan.downcast_ref::<DataSourceExec>() else {
        return Ok(None);
    };
    let Some((files, source)) = scan.downcast_to_file_source::<ParquetSource>() else {
        return Ok(None);
    };
    let is_local = files.object_store_url == ObjectStoreUrl::local_filesystem();
    match coded_source(source, &texts, if is_local { FileLocation::Disk } else { FileLocation::Elsewhere })? {
        Some(source) => {
            let files: FileScanConfig = FileScanConfigBuilder::from(files.clone()).with_source(source).build();
            Ok(Some(DataSourceExec::from_data_source(files)))
        }
        None => Ok(None),
    }
}

/// A projection that passes those texts on as codes which it only renames.
fn passing_codes(projection: &ProjectionExec, texts: &BTreeSet<usize>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (mut below, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (place, shown) in projection.expr().iter().enumerate() {
        match renamed(&shown.expr).filter(|_| texts.contains(&place)) {
            Some(column) => _ = below.insert(column.index()),
            None => others.extend(collect_columns(&shown.expr).iter().map(Column::index)),
        }
    }
    below.retain(|place| !others.contains(place));
    let Some(input) = reading_codes(projection.input(), below)? else {
        return Ok(None);
    };
    let schema = input.schema();
    let is_code = |column: &Column| matches!(schema.field(column.index()).data_type(), DataType::Dictionary(..));
    let passed = projection.expr().iter().enumerate().map(|(place, shown)| {
        match renamed(&shown.expr).filter(|column| texts.contains(&place) && is_code(column)) {
            Some(column) => ProjectionExpr { expr: Arc::new(column.clone()), alias: shown.alias.clone() },
            None => shown.clone(),
        }
    });
    let passed = passed.collect::<Vec<_>>();
    Ok(Some(Arc::new(ProjectionExec::try_new(passed, input)?)))
}

/// The column that an expression shows as it is: views of texts may be said to be views.
fn renamed(expression: &Arc<dyn PhysicalExpr>) -> Option<&Column> {
    match expression.downcast_ref::<CastExpr>().filter(|cast| *cast.cast_type() == DataType::Utf8View) {
        Some(cast) => cast.expr().downcast_ref(),
        None => expression.downcast_ref(),
    }
}

/// A source that gives those of its columns as codes that are texts of files and are asked nothing else.
fn coded_source(
    source: &ParquetSource,
    texts: &BTreeSet<usize>,
    place: FileLocation,
) -> Result<Option<Arc<dyn FileSource>>> {
    let schema = source.table_schema();
    let (Some(shown), Some(readers)) = (source.projection(), source.parquet_file_reader_factory()) else {
        return Ok(None);
    };
    let mut coded = BTreeSet::new();
    let mut others: BTreeSet<usize> =
        source.filter().iter().flat_map(collect_columns).map(|column| column.index()).collect();
    for (place, column) in shown.iter().enumerate() {
        match column.expr.downcast_ref::<Column>().filter(|_| texts.contains(&place)) {
            Some(column) => _ = coded.insert(column.index()),
            None => others.extend(collect_columns(&column.expr).iter().map(Column::index)),
        }
    }
    let is_text = |place: &usize| schema.file_schema().fields().get(*place).is_some_and(|field| is_view(field));
    coded.retain(|place| !others.contains(place) && is_text(place));
    let is_plain = schema.table_partition_cols().is_empty() && schema.virtual_columns().is_empty();
    if coded.is_empty() || !is_plain {
        return Ok(None);
    }
    let names = coded.iter().map(|place| schema.file_schema().field(*place).name().clone()).collect();
    let files = DictionaryParquet { readers: Arc::clone(readers), names, place };
    let options = source.table_parquet_options().clone();
    let mut reading = ParquetSource::new(Arc::new(files.coded(schema.file_schema())));
    if let Some(bytes) = options.global.metadata_size_hint {
        reading = reading.with_metadata_size_hint(bytes);
    }
    if let Some(predicate) = source.filter() {
        reading = reading.with_predicate(predicate);
    }
    reading = reading.with_table_parquet_options(options).with_parquet_file_reader_factory(Arc::new(files));
    reading.try_pushdown_projection(shown)
}

fn is_view(field: &Field) -> bool {
    *field.data_type() == DataType::Utf8View
}
