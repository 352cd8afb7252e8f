//! `lane(start, end)`: rows whose intervals do not overlap share a lane.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err, internal_err, resources_err};
use datafusion::logical_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{
    LimitEffect, PartitionEvaluator, Signature, TypeSignature, Volatility, WindowUDF, WindowUDFImpl,
};
use datafusion::physical_expr::PhysicalExpr;

use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::WindowFunction;
use ocellus_kernels::lanes::LaneAllocator;

pub static FUNCTION: WindowFunction = WindowFunction {
    definition: Definition {
        name: "lane",
        family: "filters",
        form: Form::Window,
        description: "Assigns a lane to each interval such that those that overlap never share one, with as few lanes as possible.",
        notes: "Needs OVER (… ORDER BY start): each row takes the lowest lane that is free at its start, so there are \
                as many lanes as intervals overlap at most. Rows in another order are an error. Intervals are \
                half-open: one that begins where another ends may share its lane. One without length takes \
                its instant. A row with a NULL has no lane. Both arguments are DOUBLE or both BIGINT.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "start",
                kind: ConstantKind::Double,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "When the interval begins.",
            },
            ConstantParameter {
                name: "end",
                kind: ConstantKind::Double,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "When it ends.",
            },
        ],
        columns: &[OutputColumn { name: "lane", kind: "BIGINT", doc: "The lane, counted from 0 in each partition." }],
        examples: &["SELECT container, start_time, end_time, \
             lane(start_time, end_time) OVER (ORDER BY start_time, container_id) AS lane \
             FROM states WHERE value = 'wait' ORDER BY start_time, container_id"],
    },
    make: || WindowUDF::from(LaneFunction::new()),
};

/// The window function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct LaneFunction {
    signature: Signature,
}

impl LaneFunction {
    fn new() -> LaneFunction {
        let two = |kind: DataType| TypeSignature::Exact(vec![kind; 2]);
        let signature = Signature::one_of(vec![two(DataType::Int64), two(DataType::Float64)], Volatility::Immutable);
        LaneFunction { signature }
    }
}

impl WindowUDFImpl for LaneFunction {
    fn name(&self) -> &str {
        FUNCTION.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn partition_evaluator(&self, _arguments: PartitionEvaluatorArgs) -> Result<Box<dyn PartitionEvaluator>> {
        Ok(Box::new(LaneEvaluator))
    }

    fn field(&self, arguments: WindowUDFFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(arguments.name(), DataType::Int64, true)))
    }

    fn limit_effect(&self, _arguments: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        // A lane depends on the rows before only.
        LimitEffect::None
    }
}

/// Rows that may overlap at one time: what is known of each is in memory.
const MOST_LANES: u32 = 1 << 24;

/// Works on a whole partition at once.
#[derive(Debug)]
struct LaneEvaluator;

impl PartitionEvaluator for LaneEvaluator {
    fn evaluate_all(&mut self, values: &[ArrayRef], _rows: usize) -> Result<ArrayRef> {
        let [starts, ends, ..] = values else {
            return internal_err!("lane takes two arguments");
        };
        let (start_keys, end_keys) = (ordered(starts)?, ordered(ends)?);
        let mut lanes = LaneAllocator::default();
        let mut latest = i64::MIN;
        let nulls = NullBuffer::union(starts.nulls(), ends.nulls());
        let mut placed = room_for(starts.len())?;
        for row in 0..starts.len() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                placed.push(0);
                continue;
            }
            let (start, end) = (start_keys[row], end_keys[row]);
            if start < latest {
                return exec_err!("lane: rows must come in the order of start; write OVER (ORDER BY start)");
            }
            latest = start;
            let Some(lane) = lanes.place(start, end, MOST_LANES) else {
                return resources_err!(
                    "lane: there is no memory for rows of which so many overlap; at most {MOST_LANES} may"
                );
            };
            placed.push(i64::from(lane));
        }
        Ok(Arc::new(Int64Array::new(placed.into(), nulls)))
    }
}

/// An empty list with room for the rows of a partition. A partition may have any number of rows, and memory that is not
/// there must be an error of the query, not the end of the program.
fn room_for(rows: usize) -> Result<Vec<i64>> {
    let mut list = vec![];
    match list.try_reserve_exact(rows) {
        Ok(()) => Ok(list),
        Err(_) => resources_err!("lane: there is no memory for {rows} rows in one partition"),
    }
}

/// Times as whole numbers in the same order.
fn ordered(times: &ArrayRef) -> Result<Cow<'_, [i64]>> {
    match times.data_type() {
        DataType::Int64 => Ok(Cow::Borrowed(times.as_primitive::<Int64Type>().values())),
        DataType::Float64 => {
            let mut keys = room_for(times.len())?;
            keys.extend(times.as_primitive::<Float64Type>().values().iter().copied().map(ordered_bits));
            Ok(Cow::Owned(keys))
        }
        other => internal_err!("lane got a column of type {other}"),
    }
}

/// The order of doubles as the order of whole numbers; both zeros are one.
fn ordered_bits(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}
