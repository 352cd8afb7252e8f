//! Sums per group and labels: an aggregate whose texts are arguments and not keys of the grouping.
//!
//! Grouping by a whole number is cheap in DataFusion, by several columns it costs twice the scan. So rows
//! are grouped by container only, and texts become small numbers here:
//!
//! ```text
//!  (value, label, label…) of a group ─► [{label_0, label_1, …, sum}, …]
//! ```
//! A NULL label is a label. A sum leaves NULL out, and is NULL when nothing else is there.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, AsArray, BooleanArray, LargeListArray, PrimitiveArray,
    StringViewBuilder, StructArray, UInt32Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};

use crate::kernels::labels::{Labels, NO_VIEW};
use crate::kernels::pairs::Pairs;

/// Name of the field that holds a sum.
pub(super) const SUM: &str = "sum";

/// Name of the field that holds a label.
pub(super) fn label(number: usize) -> String {
    format!("label_{number}")
}

/// The aggregate function: `label_sums(value, label, …)` with a BIGINT or DOUBLE and texts.
pub(super) fn label_sums() -> AggregateUDF {
    AggregateUDF::from(LabelSums { signature: Signature::variadic_any(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct LabelSums {
    signature: Signature,
}

impl AggregateUDFImpl for LabelSums {
    fn name(&self) -> &str {
        "label_sums"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [value @ (DataType::Int64 | DataType::Float64), labels @ ..]
                if !labels.is_empty() && labels.iter().all(|label| *label == DataType::Utf8View) =>
            {
                Ok(list_of(cell_fields(labels.len(), value)))
            }
            _ => plan_err!("label_sums takes a BIGINT or DOUBLE and texts, got {arguments:?}"),
        }
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let kind = arguments.return_field.data_type().clone();
        Ok(vec![Arc::new(Field::new(format!("{}[cells]", arguments.name), kind, true))])
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        let labels = arguments.expr_fields.len() - 1;
        match arguments.expr_fields[0].data_type() {
            DataType::Int64 => Ok(Box::new(Groups::<Int64Type>::new(labels))),
            _ => Ok(Box::new(Groups::<Float64Type>::new(labels))),
        }
    }

    fn accumulator(&self, _arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        exec_err!("label_sums is for GROUP BY")
    }
}

fn cell_fields(labels: usize, value: &DataType) -> Fields {
    let labels = (0..labels).map(|number| Field::new(label(number), DataType::Utf8View, true));
    labels.chain([Field::new(SUM, value.clone(), true)]).collect()
}

fn list_of(fields: Fields) -> DataType {
    DataType::LargeList(item(fields))
}

fn item(fields: Fields) -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Struct(fields), false))
}

/// The sums of all groups.
#[derive(Debug)]
struct Groups<T: ArrowPrimitiveType> {
    groups: usize,
    /// Combinations of labels, one column after the other.
    labels: Vec<Labels>,
    /// Cells: a group and the number of its combination of all labels.
    cells: Pairs,
    sums: Vec<T::Native>,
    /// Whether a cell has a sum.
    is_filled: Vec<bool>,
}

impl<T: ArrowPrimitiveType> Groups<T> {
    fn new(labels: usize) -> Groups<T> {
        let labels = (0..labels).map(|_| Labels::default()).collect();
        Groups { groups: 0, labels, cells: Pairs::default(), sums: vec![], is_filled: vec![] }
    }

    /// The number of the combination of labels in each row.
    fn combinations(&mut self, columns: &[ArrayRef], rows: usize) -> Vec<u32> {
        let mut numbers = vec![0; rows];
        for (labels, column) in self.labels.iter_mut().zip(columns) {
            let texts = column.as_string_view();
            let text = |row: usize| texts.is_valid(row).then(|| texts.value(row));
            match texts.nulls() {
                None => labels.combine(&mut numbers, texts.views(), text),
                Some(nulls) => {
                    let view = |(view, is_valid): (&u128, bool)| if is_valid { *view } else { NO_VIEW };
                    let views: Vec<u128> = texts.views().iter().zip(nulls).map(view).collect();
                    labels.combine(&mut numbers, &views, text);
                }
            }
        }
        numbers
    }

    #[inline]
    fn add(&mut self, group: usize, combination: u32, value: Option<T::Native>) {
        let cell = self.cells.number(group as u32, combination) as usize;
        if cell == self.sums.len() {
            self.sums.push(T::Native::default());
            self.is_filled.push(false);
        }
        if let Some(value) = value {
            self.sums[cell] = self.sums[cell].add_wrapping(value);
            self.is_filled[cell] = true;
        }
    }

    /// Gives the first groups as lists of cells, and forgets them; the rest are counted from 0 on.
    fn emit(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        match emit_to {
            EmitTo::All => {
                let lists = self.lists(self.groups)?;
                *self = Groups::new(self.labels.len());
                Ok(lists)
            }
            EmitTo::First(end) => {
                let lists = self.lists(end)?;
                self.forget(end);
                Ok(lists)
            }
        }
    }

    fn lists(&self, end: usize) -> Result<ArrayRef> {
        let group_of = |cell: &u32| self.cells.pair(*cell).0 as usize;
        let mut order: Vec<u32> = (0..self.cells.count() as u32).filter(|cell| group_of(cell) < end).collect();
        order.sort_by_key(group_of);
        let mut lengths = vec![0_usize; end];
        order.iter().for_each(|cell| lengths[group_of(cell)] += 1);
        let mut columns = self.label_columns(&order)?;
        let sums = order.iter().map(|cell| self.sums[*cell as usize]);
        let filled: NullBuffer = order.iter().map(|cell| self.is_filled[*cell as usize]).collect();
        columns.push(Arc::new(PrimitiveArray::<T>::new(sums.collect(), Some(filled))));
        let fields = cell_fields(self.labels.len(), &T::DATA_TYPE);
        let cells = StructArray::try_new(fields.clone(), columns, None)?;
        Ok(Arc::new(LargeListArray::try_new(item(fields), OffsetBuffer::from_lengths(lengths), Arc::new(cells), None)?))
    }

    /// The columns of labels of some cells, the last column first found.
    fn label_columns(&self, cells: &[u32]) -> Result<Vec<ArrayRef>> {
        let mut columns: Vec<ArrayRef> = vec![];
        let mut numbers: UInt32Array = cells.iter().map(|cell| Some(self.cells.pair(*cell).1)).collect();
        for labels in self.labels.iter().rev() {
            let mut texts = StringViewBuilder::with_capacity(labels.count());
            (0..labels.count() as u32).for_each(|number| texts.append_option(labels.label(number).1));
            columns.push(take(&texts.finish(), &numbers, None)?);
            numbers = numbers.unary(|number| labels.label(number).0);
        }
        columns.reverse();
        Ok(columns)
    }

    fn forget(&mut self, end: usize) {
        let cells = std::mem::take(&mut self.cells);
        let sums = std::mem::take(&mut self.sums);
        let is_filled = std::mem::take(&mut self.is_filled);
        for (cell, (sum, is_filled)) in (0..).zip(sums.into_iter().zip(is_filled)) {
            let (group, combination) = cells.pair(cell);
            if let Some(group) = (group as usize).checked_sub(end) {
                self.add(group, combination, is_filled.then_some(sum));
            }
        }
        self.groups -= end;
    }
}

impl<T: ArrowPrimitiveType> GroupsAccumulator for Groups<T> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.groups = total_num_groups;
        let amounts = values[0].as_primitive::<T>();
        let combinations = self.combinations(&values[1..], group_indices.len());
        let rows = group_indices.iter().zip(combinations);
        if amounts.null_count() == 0 && opt_filter.is_none() {
            rows.zip(amounts.values()).for_each(|((group, labels), amount)| self.add(*group, labels, Some(*amount)));
            return Ok(());
        }
        for (row, (group, labels)) in rows.enumerate() {
            if opt_filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row)) {
                self.add(*group, labels, amounts.is_valid(row).then(|| amounts.value(row)));
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.groups = total_num_groups;
        let lists = values[0].as_list::<i64>();
        let cells = lists.values().as_struct();
        let (labels, sums) = cells.columns().split_at(self.labels.len());
        let sums = sums[0].as_primitive::<T>();
        let combinations = self.combinations(labels, cells.len());
        for (row, group) in group_indices.iter().enumerate().filter(|(row, _)| lists.is_valid(*row)) {
            for cell in lists.value_offsets()[row] as usize..lists.value_offsets()[row + 1] as usize {
                self.add(*group, combinations[cell], sums.is_valid(cell).then(|| sums.value(cell)));
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        self.emit(emit_to)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.emit(emit_to)?])
    }

    /// Each row by itself: for groups so many that collecting them does not pay.
    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let count = values.first().map_or(0, |array| array.len());
        let groups: Vec<usize> = (0..count).collect();
        let mut single = Groups::<T>::new(self.labels.len());
        single.update_batch(values, &groups, opt_filter, count)?;
        single.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        let labels: usize = self.labels.iter().map(Labels::size).sum();
        labels + self.cells.size() + self.sums.capacity() * size_of::<T::Native>() + self.is_filled.capacity()
    }
}
