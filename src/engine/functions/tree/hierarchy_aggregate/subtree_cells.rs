//! Measures rolled up a tree in memory: an aggregate of all rows, and of the tree, into one list.
//!
//! ```text
//!  rows:    container_id, NULL,      measures, texts ─┐
//!  tree:    container_id, parent_id, NULL,     NULL  ─┴► subtree_sums ─► list of cells ─► unnest
//! ```
//! Grouping by several columns costs DataFusion more than reading them, and a join with all ancestors multiplies
//! rows; [`Rollup`] does without both. What it holds does not spill, so a session with a limit of memory
//! takes the other way.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, LargeListArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{Column, Result, ScalarValue, internal_err};
use datafusion::functions::core::expr_fn::{coalesce, get_field};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Expr, LogicalPlan, LogicalPlanBuilder, Signature, Volatility, lit,
};
use datafusion::prelude::{cast, col};

use super::aggregate_steps::CellMeasures;
use super::measured_relation::{CONTAINER_ID, MEASURED, MeasuredRelation, from};
use crate::functions::plans::table_kernel::union_rows;
use ocellus_kernels::rollup::{MergeRule, ROOT, Rollup, RollupCells, RollupRows};

/// Names of the aggregate functions.
pub(crate) const SUBTREE_FUNCTIONS: [&str; 3] = ["subtree_sums", "subtree_minima", "subtree_maxima"];

const CELLS: &str = "cells";
/// Names of the columns on the way; those of the relation could be the same.
const CONTAINER: &str = "container";
const PARENT: &str = "parent";

/// Rows of container_id, keys and measures of every container whose subtree has rows. Keys are texts.
pub(super) fn rolled_up(
    shape: &MeasuredRelation,
    cells: &CellMeasures,
    containers: LogicalPlan,
) -> Result<LogicalPlan> {
    let measures = &cells.measures;
    let mut of_rows = vec![from(MEASURED, CONTAINER_ID).alias(CONTAINER), lit(ScalarValue::Int32(None)).alias(PARENT)];
    let parent = coalesce(vec![col("parent_id"), lit(ROOT)]);
    let mut of_tree = vec![col(CONTAINER_ID).alias(CONTAINER), parent.alias(PARENT)];
    for (number, measure) in measures.iter().enumerate() {
        of_rows.push(measure.value.clone().alias(measure_name(number)));
        of_tree.push(lit(ScalarValue::try_from(&measure.kind)?).alias(measure_name(number)));
    }
    for (number, key) in shape.keys.iter().enumerate() {
        of_rows.push(from(MEASURED, key).alias(text_name(number)));
        of_tree.push(lit(ScalarValue::Utf8View(None)).alias(text_name(number)));
    }
    let rows = LogicalPlanBuilder::from(shape.rows.clone()).project(of_rows)?.build()?;
    let tree = LogicalPlanBuilder::from(containers).project(of_tree)?.build()?;
    let all = union_rows(rows, tree)?;
    let arguments = all.schema().columns().into_iter().map(Expr::Column).collect();
    let field = |name: &str| get_field(Expr::Column(Column::new_unqualified(CELLS)), name);
    let mut shown = vec![field(CONTAINER).alias(CONTAINER_ID)];
    shown.extend(shape.keys.iter().enumerate().map(|(number, key)| field(&text_name(number)).alias(key)));
    for (number, measure) in measures.iter().enumerate() {
        shown.push(cast(field(&measure_name(number)), measure.result.clone()).alias(&measure.name));
    }
    LogicalPlanBuilder::from(all)
        .aggregate(Vec::<Expr>::new(), vec![subtree_cells(cells.merge).call(arguments).alias(CELLS)])?
        .unnest_column(CELLS)?
        .project(shown)?
        .build()
}

/// The aggregate function: container, parent, measures (BIGINT or DOUBLE) that are merged so, and texts.
pub(crate) fn subtree_cells(merge: MergeRule) -> AggregateUDF {
    AggregateUDF::from(SubtreeCells { merge, signature: Signature::variadic_any(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SubtreeCells {
    merge: MergeRule,
    signature: Signature,
}

fn measure_name(number: usize) -> String {
    format!("measure_{number}")
}

fn text_name(number: usize) -> String {
    format!("text_{number}")
}

impl SubtreeCells {
    /// Types of the measures, from those of all arguments, and the number of texts.
    fn split<'a>(&self, kinds: &'a [DataType]) -> Result<(&'a [DataType], usize)> {
        let [DataType::Int32, DataType::Int32, rest @ ..] = kinds else {
            return internal_err!("{} takes container, parent, measures and texts, got {kinds:?}", self.name());
        };
        let measures = rest.iter().take_while(|kind| **kind != DataType::Utf8View).count();
        Ok((&rest[..measures], rest.len() - measures))
    }

    fn fields(&self, kinds: &[DataType]) -> Result<Fields> {
        let (measures, texts) = self.split(kinds)?;
        let of_tree = [(CONTAINER, false), (PARENT, true)];
        let mut fields = of_tree.map(|(name, nullable)| Field::new(name, DataType::Int32, nullable)).to_vec();
        let of_measures = measures.iter().enumerate();
        fields.extend(of_measures.map(|(number, kind)| Field::new(measure_name(number), kind.clone(), true)));
        fields.extend((0..texts).map(|number| Field::new(text_name(number), DataType::Utf8View, true)));
        Ok(fields.into())
    }
}

fn item(fields: Fields) -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Struct(fields), false))
}

impl AggregateUDFImpl for SubtreeCells {
    fn name(&self) -> &str {
        let [sums, minima, maxima] = SUBTREE_FUNCTIONS;
        match self.merge {
            MergeRule::Sum => sums,
            MergeRule::Least => minima,
            MergeRule::Most => maxima,
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, kinds: &[DataType]) -> Result<DataType> {
        Ok(DataType::LargeList(item(self.fields(kinds)?)))
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let kind = arguments.return_field.data_type().clone();
        Ok(vec![Arc::new(Field::new(format!("{}[rows]", arguments.name), kind, true))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let kinds: Vec<DataType> = arguments.expr_fields.iter().map(|field| field.data_type().clone()).collect();
        let (measures, texts) = self.split(&kinds)?;
        let measures: Vec<(MergeRule, DataType)> = measures.iter().map(|kind| (self.merge, kind.clone())).collect();
        let rollup = Rollup::new(texts, &measures);
        Ok(Box::new(CollectedCells { rollup, fields: self.fields(&kinds)?, measures: measures.len() }))
    }
}

/// The cells so far.
#[derive(Debug)]
struct CollectedCells {
    rollup: Rollup,
    fields: Fields,
    measures: usize,
}

impl CollectedCells {
    fn add(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let [containers, parents, rest @ ..] = columns else {
            return internal_err!("a roll-up takes a container and a parent");
        };
        let (measures, texts) = rest.split_at(self.measures);
        let rows =
            RollupRows { containers: containers.as_primitive(), parents: parents.as_primitive(), measures, texts };
        Ok(self.rollup.add(rows)?)
    }

    fn list(&self, cells: RollupCells) -> Result<ScalarValue> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(cells.containers), Arc::new(cells.parents)];
        columns.extend(cells.measures.into_iter().chain(cells.texts));
        let rows = StructArray::try_new(self.fields.clone(), columns, None)?;
        let offsets = OffsetBuffer::from_lengths([rows.len()]);
        let list = LargeListArray::try_new(item(self.fields.clone()), offsets, Arc::new(rows), None)?;
        Ok(ScalarValue::LargeList(Arc::new(list)))
    }
}

impl Accumulator for CollectedCells {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let lists = states[0].as_list::<i64>();
        for row in (0..lists.len()).filter(|row| lists.is_valid(*row)) {
            self.add(lists.value(row).as_struct().columns())?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.list(self.rollup.rows()?)?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.rollup.roll_up();
        self.list(self.rollup.cells()?)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.rollup.size()
    }
}
