//! Runs a pure algorithm over a whole table, as an aggregate function: rows are collected, the algorithm
//! runs once at the end, and its rows come out of a list.
//!
//! ```text
//!  rows ─► aggregate: collect columns, run ─► one list of structs ─► unnest ─► rows
//! ```
//! For algorithms that need all their input at once, such as layouts. What is collected is accounted as
//! memory of the query, and so is, before it is taken, what the algorithm will need beside it. Rows arrive in any order, so an algorithm must not depend on it.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::mem::size_of_val;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, RecordBatch, StructArray, new_empty_array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::concat;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use datafusion::common::metadata::FieldMetadata;
use datafusion::common::{Column, Result, ScalarValue, internal_err};
use datafusion::functions::core::expr_fn::get_field;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, Signature,
    Volatility, lit,
};
use datafusion::prelude::col;

use crate::catalog::COMMENT;

/// An algorithm from a table to a table.
#[derive(Debug)]
pub(crate) struct TableKernel {
    /// Name of the aggregate function, as EXPLAIN shows it.
    pub(crate) name: &'static str,
    /// Types of the columns that are collected.
    pub(crate) columns: &'static [DataType],
    /// Types of the constants that follow.
    pub(crate) constants: &'static [DataType],
    /// Names and types of the columns that come out.
    pub(crate) rows: &'static [(&'static str, DataType)],
    /// The algorithm: collected columns and constants go in, columns of equal length come out.
    pub(crate) run: fn(&[ArrayRef], &[ScalarValue]) -> Result<Vec<ArrayRef>>,
}

const ROW: &str = "row";

/// How often what was collected is there when the algorithm works: as it came, as whole columns, and in its own form.
const COPIES: usize = 3;

impl TableKernel {
    /// The aggregate function that runs it.
    pub(crate) fn aggregate(&'static self) -> AggregateUDF {
        AggregateUDF::from(Collect { kernel: KernelRef(self), signature: self.signature() })
    }

    /// The plan that runs it over all rows of a plan whose columns are those that it collects.
    pub(crate) fn over(&'static self, input: LogicalPlan, constants: Vec<ScalarValue>) -> Result<LogicalPlan> {
        let columns = input.schema().columns().into_iter().map(Expr::Column);
        let arguments = columns.chain(constants.into_iter().map(lit)).collect();
        let rows = self.aggregate().call(arguments).alias(ROW);
        let shown = self.rows.iter().map(|(name, _)| get_field(col(ROW), *name).alias(*name));
        LogicalPlanBuilder::from(input)
            .aggregate(Vec::<Expr>::new(), vec![rows])?
            .unnest_column(ROW)?
            .project(shown.collect::<Vec<Expr>>())?
            .build()
    }

    fn signature(&self) -> Signature {
        let types = [self.columns, self.constants].concat();
        Signature::exact(types, Volatility::Immutable)
    }

    fn fields(&self) -> Fields {
        self.rows.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true)).collect()
    }

    fn item(&self) -> FieldRef {
        Arc::new(Field::new_list_field(DataType::Struct(self.fields()), true))
    }
}

/// The rows of both plans, whose columns are alike. What columns say about themselves is left behind: DataFusion
/// refuses a union where that differs.
pub(crate) fn union_rows(one: LogicalPlan, other: LogicalPlan) -> Result<LogicalPlan> {
    let plain = |plan: LogicalPlan| {
        let no_comment = BTreeMap::from([(COMMENT.to_string(), String::new())]);
        let column = |column: Column| {
            let name = column.name.clone();
            Expr::Column(column).alias_with_metadata(name, Some(FieldMetadata::from(no_comment.clone())))
        };
        let columns: Vec<Expr> = plan.schema().columns().into_iter().map(column).collect();
        LogicalPlanBuilder::from(plan).project(columns)
    };
    plain(one)?.union(plain(other)?.build()?)?.build()
}

/// A kernel, known by its name.
#[derive(Debug, Clone, Copy)]
struct KernelRef(&'static TableKernel);

impl PartialEq for KernelRef {
    fn eq(&self, other: &KernelRef) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for KernelRef {}

impl Hash for KernelRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Collect {
    kernel: KernelRef,
    signature: Signature,
}

impl AggregateUDFImpl for Collect {
    fn name(&self) -> &str {
        self.kernel.0.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::List(self.kernel.0.item()))
    }

    fn state_fields(&self, _arguments: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let column = |(index, kind): (usize, &DataType)| {
            let item = Arc::new(Field::new_list_field(kind.clone(), true));
            Arc::new(Field::new(format!("column_{index}"), DataType::List(item), true))
        };
        Ok(self.kernel.0.columns.iter().enumerate().map(column).collect())
    }

    fn accumulator(&self, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let nothing = RecordBatch::new_empty(Arc::new(Schema::empty()));
        let mut constants = vec![];
        for expression in arguments.exprs.iter().skip(self.kernel.0.columns.len()) {
            match expression.evaluate(&nothing)? {
                ColumnarValue::Scalar(value) => constants.push(value),
                ColumnarValue::Array(_) => return internal_err!("{} takes constants", self.name()),
            }
        }
        let pieces = vec![vec![]; self.kernel.0.columns.len()];
        Ok(Box::new(KernelCollector { kernel: self.kernel.0, constants, pieces }))
    }
}

/// The rows so far.
#[derive(Debug)]
struct KernelCollector {
    kernel: &'static TableKernel,
    constants: Vec<ScalarValue>,
    /// For each column the arrays that came.
    pieces: Vec<Vec<ArrayRef>>,
}

impl KernelCollector {
    fn columns(&self) -> Result<Vec<ArrayRef>> {
        let whole = |(pieces, kind): (&Vec<ArrayRef>, &DataType)| -> Result<ArrayRef> {
            if pieces.is_empty() {
                return Ok(new_empty_array(kind));
            }
            let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
            Ok(concat(&pieces)?)
        };
        self.pieces.iter().zip(self.kernel.columns).map(whole).collect()
    }
}

fn one_list(item: FieldRef, values: ArrayRef) -> Result<ScalarValue> {
    let offsets = OffsetBuffer::from_lengths([values.len()]);
    Ok(ScalarValue::List(Arc::new(ListArray::try_new(item, offsets, values, None)?)))
}

impl Accumulator for KernelCollector {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for (pieces, column) in self.pieces.iter_mut().zip(values) {
            pieces.push(Arc::clone(column));
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let lists = self
            .columns()?
            .into_iter()
            .map(|column| one_list(Arc::new(Field::new_list_field(column.data_type().clone(), true)), column));
        lists.collect()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for (pieces, lists) in self.pieces.iter_mut().zip(states) {
            let lists = lists.as_list::<i32>();
            pieces.extend((0..lists.len()).filter(|row| lists.is_valid(*row)).map(|row| lists.value(row)));
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let columns = (self.kernel.run)(&self.columns()?, &self.constants)?;
        let rows = StructArray::try_new(self.kernel.fields(), columns, None)?;
        one_list(self.kernel.item(), Arc::new(rows))
    }

    fn size(&self) -> usize {
        let pieces = self.pieces.iter().flatten().map(|piece| piece.get_array_memory_size());
        size_of_val(self) + COPIES * pieces.sum::<usize>()
    }
}

/// A constant of type DOUBLE.
pub(crate) fn double(constants: &[ScalarValue], index: usize) -> Result<f64> {
    match constants.get(index) {
        Some(ScalarValue::Float64(Some(value))) => Ok(*value),
        other => internal_err!("constant {index} is no DOUBLE: {other:?}"),
    }
}

/// A constant of type BIGINT; `None` for NULL.
pub(crate) fn big_int(constants: &[ScalarValue], index: usize) -> Result<Option<i64>> {
    match constants.get(index) {
        Some(ScalarValue::Int64(value)) => Ok(*value),
        other => internal_err!("constant {index} is no BIGINT: {other:?}"),
    }
}

/// A constant of type TEXT.
pub(crate) fn text(constants: &[ScalarValue], index: usize) -> Result<&str> {
    match constants.get(index) {
        Some(ScalarValue::Utf8(Some(value))) => Ok(value),
        other => internal_err!("constant {index} is no TEXT: {other:?}"),
    }
}
