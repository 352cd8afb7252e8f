//! `column_pixels(spans, leaves, height)`: spans of columns with the pixels of their values.
//!
//! Plans of `timeline` call it; spans are those of `column_mix`, the values of a span one after the other.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, ListArray, StructArray};
use arrow::datatypes::{DataType, Field, Fields, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use ocellus_kernels::columns::stack_pixels;

use super::column_mix::span_fields;
use crate::functions::plans::accumulators::list_of;

/// The field of the pixels.
pub(super) const PIXELS: &str = "pixels";

/// Adds the field `pixels` to spans; `leaves` is what amounts are divided by.
pub(crate) fn column_pixels() -> ScalarUDF {
    let signature = Signature::new(TypeSignature::Any(3), Volatility::Immutable);
    ScalarUDF::from(ColumnPixels { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ColumnPixels {
    signature: Signature,
}

fn fields() -> Fields {
    let pixels = Arc::new(Field::new(PIXELS, DataType::Int32, false));
    span_fields().iter().cloned().chain([pixels]).collect()
}

impl ScalarUDFImpl for ColumnPixels {
    fn name(&self) -> &str {
        "column_pixels"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(list_of(&fields()))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [spans, leaves, height] = columns.as_slice() else {
            return Err(internal_datafusion_err!("column_pixels takes spans, leaves and height"));
        };
        let (Some(spans), Some(leaves), Some(height)) = (
            spans.as_list_opt::<i32>(),
            leaves.as_primitive_opt::<Float64Type>(),
            height.as_primitive_opt::<Int64Type>(),
        ) else {
            return Err(internal_datafusion_err!("column_pixels takes a list, a DOUBLE and a BIGINT"));
        };
        let items = spans.values().as_struct();
        let (Some(firsts), Some(amounts)) = (
            items.column_by_name("first_column").and_then(|column| column.as_primitive_opt::<Int32Type>()),
            items.column_by_name("amount").and_then(|column| column.as_primitive_opt::<Float64Type>()),
        ) else {
            return Err(internal_datafusion_err!("column_pixels takes the spans of column_mix"));
        };
        // Items before the first list belong to none.
        let before = spans.value_offsets().first().map_or(0, |first| *first as usize);
        let (mut pixels, mut shares) = (vec![0; before], vec![]);
        for row in 0..spans.len() {
            let ends = [spans.value_offsets()[row], spans.value_offsets()[row + 1]].map(|end| end as usize);
            let height = u32::try_from(height.value(row)).unwrap_or(u32::MAX);
            let leaves = leaves.value(row);
            let mut from = ends[0];
            while from < ends[1] {
                shares.clear();
                let first = firsts.value(from);
                shares.extend(
                    (from..ends[1]).take_while(|at| firsts.value(*at) == first).map(|at| amounts.value(at) / leaves),
                );
                stack_pixels(&shares, height, &mut pixels);
                from += shares.len();
            }
        }
        pixels.resize(items.len(), 0);
        let pixels: ArrayRef = Arc::new(Int32Array::from_iter_values(pixels.into_iter().map(|pixels| pixels as i32)));
        let columns = items.columns().iter().cloned().chain([pixels]).collect();
        let items = StructArray::try_new(fields(), columns, items.nulls().cloned())?;
        let item = Arc::new(Field::new_list_field(items.data_type().clone(), true));
        let lists = ListArray::try_new(item, spans.offsets().clone(), Arc::new(items), spans.nulls().cloned())?;
        Ok(ColumnarValue::Array(Arc::new(lists)))
    }
}
