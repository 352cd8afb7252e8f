//! Scans of a part of the rows of a table, and of its summary.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::projection::{ProjectionExpr, ProjectionExprs};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{PhysicalExpr, split_conjunction};
use datafusion::physical_plan::ExecutionPlan;

use super::cut_parquet::{CutParquet, GroupTest};
use super::grid::TimeGrid;
use super::shape::{LEVEL, SummaryShape};
use crate::catalog::{CheckedFile, TableSummary};
use ocellus_kernels::slices::CutBands;

/// The files of a scan of a table that has a summary.
pub(super) struct SummarizedScan<'a> {
    pub(super) files: &'a FileScanConfig,
    pub(super) source: &'a ParquetSource,
    pub(super) summary: Arc<TableSummary>,
}

impl<'a> SummarizedScan<'a> {
    /// `None` for a scan without a summary, or of some rows only.
    pub(super) fn of(scan: &'a DataSourceExec) -> Option<SummarizedScan<'a>> {
        let (files, source) = scan.downcast_to_file_source::<ParquetSource>()?;
        let first = files.file_groups.iter().flat_map(|group| group.iter()).next()?;
        let summary = first.extension::<Arc<CheckedFile>>()?.summary.clone()?;
        files.limit.is_none().then_some(SummarizedScan { files, source, summary })
    }
}

/// What the summary of the table has that a scan reads, if it has one.
pub(super) fn summary_shape(scan: &DataSourceExec) -> Option<&'static SummaryShape> {
    SummaryShape::of_table(&SummarizedScan::of(scan)?.summary.table)
}

impl SummarizedScan<'_> {
    /// Whether the summary has the number of rows: those of variables by older versions lack it.
    pub(super) fn has_counts(&self, shape: &SummaryShape) -> bool {
        shape.always_counts() || self.summary.bands.counts_rows
    }

    /// The scan of the row groups that touch bands; `None` without bands.
    pub(super) fn rows(
        &self,
        shape: &SummaryShape,
        cut: CutBands,
        way: RowGroupChoice,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let (RowGroupChoice::Footers, Some(readers)) = (way, self.source.parquet_file_reader_factory()) else {
            return self.rows_by_condition(shape, &cut);
        };
        let groups = Arc::new(GroupTest::Rows { times: shape.times, cut });
        let readers = CutParquet { readers: Arc::clone(readers), groups };
        let source = self.source.clone().with_parquet_file_reader_factory(Arc::new(readers));
        let files = FileScanConfigBuilder::from(self.files.clone()).with_source(Arc::new(source)).build();
        Ok(Some(DataSourceExec::from_data_source(files)))
    }

    fn rows_by_condition(&self, shape: &SummaryShape, cut: &CutBands) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let schema = self.source.table_schema().file_schema();
        let column = |name: &str| -> Result<Arc<dyn PhysicalExpr>> {
            Ok(Arc::new(Column::new_with_schema(name, schema.as_ref())?))
        };
        let (Some(start), Some(end)) = (shape.times.first(), shape.times.last()) else {
            return Ok(None);
        };
        let [start, end] = [column(start)?, column(end)?];
        let touches = cut.intervals().iter().map(|(first, stop)| {
            both(
                compare(&start, Operator::Lt, ScalarValue::from(*stop)),
                compare(&end, Operator::GtEq, ScalarValue::from(*first)),
            )
        });
        let Some(touches) = any(touches.collect()) else {
            return Ok(None);
        };
        let predicate = match self.source.filter() {
            Some(known) => both(known, touches),
            None => touches,
        };
        let source = self.source.clone().with_predicate(predicate);
        let files = FileScanConfigBuilder::from(self.files.clone()).with_source(Arc::new(source)).build();
        Ok(Some(DataSourceExec::from_data_source(files)))
    }

    /// The scan of the summary: what the scan of the rows shows, then some of the columns that summaries alone have. Row groups
    /// are left out in which no band can be such as `wanted` says; others may stay.
    pub(super) fn sums(
        &self,
        shape: &SummaryShape,
        more: &[&str],
        wanted: &WantedBands<'_>,
        way: RowGroupChoice,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let of_rows = self.source.table_schema().file_schema();
        let mut fields: Vec<Arc<Field>> = vec![];
        let mut places = BTreeMap::new();
        for (place, field) in of_rows.fields().iter().enumerate() {
            if shape.is_shared(field.name()) {
                places.insert(place, fields.len());
                fields.push(Arc::clone(field));
            }
        }
        let count = (!shape.always_counts() && self.has_counts(shape)).then_some(&shape.count);
        for name in shape.more.iter().chain(count) {
            let kind = match *name {
                LEVEL => DataType::Int32,
                name if name == shape.count => DataType::Int64,
                _ => DataType::Float64,
            };
            fields.push(Arc::new(Field::new(*name, kind, false)));
        }
        let schema = Arc::new(Schema::new(fields));
        let rebound = |expression: &Arc<dyn PhysicalExpr>| {
            Arc::clone(expression)
                .transform(|node| {
                    let column = node.downcast_ref::<Column>();
                    let moved =
                        column.and_then(|column| Some(Column::new(column.name(), *places.get(&column.index())?)));
                    Ok(moved.map_or_else(|| Transformed::no(node), |column| Transformed::yes(Arc::new(column) as _)))
                })
                .data()
        };
        let (Some(shown), Some(readers)) = (self.source.projection(), self.source.parquet_file_reader_factory()) else {
            return Ok(None);
        };
        let column = |name: &str| -> Result<Arc<dyn PhysicalExpr>> {
            Ok(Arc::new(Column::new_with_schema(name, schema.as_ref())?))
        };
        let mut projection = vec![];
        for shown in shown.iter() {
            projection.push(ProjectionExpr { expr: rebound(&shown.expr)?, alias: shown.alias.clone() });
        }
        for name in more {
            projection.push(ProjectionExpr { expr: column(name)?, alias: name.to_string() });
        }
        let (Some(begin), Some(end)) = (shape.times.first(), shape.times.last()) else {
            return Ok(None);
        };
        let mut predicate = match wanted {
            // One that crosses a boundary may begin before all others.
            WantedBands::Between { grid, .. } if shape.rows_are_whole => {
                let (first, last) = grid.asked();
                both(
                    compare(&column(end)?, Operator::GtEq, ScalarValue::from(first)),
                    compare(&column(begin)?, Operator::LtEq, ScalarValue::from(last)),
                )
            }
            _ => wanted.condition(&column(LEVEL)?, &column(begin)?),
        };
        // Conditions on times are about rows; what remains of them in a summary is what is wanted.
        let is_key = |column: &Column| !shape.times.contains(&column.name());
        for known in self.source.filter().iter().flat_map(split_conjunction) {
            if collect_columns(known).iter().all(is_key) {
                predicate = both(rebound(known)?, predicate);
            }
        }
        let reading = ParquetSource::new(Arc::clone(&schema))
            .with_table_parquet_options(self.source.table_parquet_options().clone())
            .with_predicate(predicate)
            .with_parquet_file_reader_factory(match (way, wanted) {
                (RowGroupChoice::Footers, WantedBands::Between { grid, coarsest }) => {
                    let groups = GroupTest::sums(begin, grid, (self.summary.bands.shift.into(), *coarsest));
                    Arc::new(CutParquet { readers: Arc::clone(readers), groups: Arc::new(groups) })
                }
                _ => Arc::clone(readers),
            });
        let Some(reading) = reading.try_pushdown_projection(&ProjectionExprs::new(projection))? else {
            return Ok(None);
        };
        let group = FileGroup::new(self.summary.described()?);
        let place = self.files.object_store_url.clone();
        let scan = FileScanConfigBuilder::new(place, reading).with_file_groups(vec![group]);
        Ok(Some(DataSourceExec::from_data_source(scan.build())))
    }
}

/// How row groups are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowGroupChoice {
    /// By whoever opens the files, which must be in this process.
    Footers,
    /// By a condition, which a plan carries anywhere.
    Condition,
}

/// Which bands are wanted.
pub(super) enum WantedBands<'a> {
    /// The widest that lie between boundaries; there are none wider than `2^coarsest` ticks.
    Between { grid: &'a TimeGrid, coarsest: u32 },
    /// Those of one width.
    Width { shift: u8 },
}

impl WantedBands<'_> {
    /// A condition that they fulfill, and perhaps others do.
    pub(super) fn condition(
        &self,
        level: &Arc<dyn PhysicalExpr>,
        start: &Arc<dyn PhysicalExpr>,
    ) -> Arc<dyn PhysicalExpr> {
        match self {
            WantedBands::Between { grid, .. } => {
                let (begin, end) = grid.asked();
                both(
                    compare(start, Operator::GtEq, ScalarValue::from(begin)),
                    compare(start, Operator::Lt, ScalarValue::from(end)),
                )
            }
            WantedBands::Width { shift } => compare(level, Operator::Eq, ScalarValue::from(i32::from(*shift))),
        }
    }
}

fn compare(column: &Arc<dyn PhysicalExpr>, operator: Operator, value: ScalarValue) -> Arc<dyn PhysicalExpr> {
    Arc::new(BinaryExpr::new(Arc::clone(column), operator, Arc::new(Literal::new(value))))
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
