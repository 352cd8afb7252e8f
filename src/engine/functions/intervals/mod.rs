//! Intervals against intervals: joins and measures of what overlaps.
//!
//! All follow the rules of [`ocellus_kernels::intervals`]: half-open, an empty interval is an instant,
//! and NULL, NaN and reversed bounds overlap nothing. Here is what the scalar functions share.

pub mod interval_join;
pub mod intervals_overlap;
pub mod overlap_end;
pub mod overlap_seconds;
pub mod overlap_start;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, internal_err, plan_datafusion_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

use super::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue};
use crate::catalog::type_name;
use ocellus_kernels::intervals::{Clock, shared};

/// What is asked of two intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum OverlapQuestion {
    /// Whether they overlap.
    Overlap,
    /// Where their overlap starts.
    Start,
    /// Where their overlap ends.
    End,
}

/// The bounds of two intervals, as every scalar function of the family takes them.
const BOUNDS: &[ConstantParameter] = &[
    bound("first_start", "Start of the first interval."),
    bound("first_end", "End of the first interval."),
    bound("second_start", "Start of the second interval."),
    bound("second_end", "End of the second interval."),
];

const fn bound(name: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter {
        name,
        kind: ConstantKind::Double,
        default: DefaultValue::Required,
        accepts: Accepts::Anything,
        doc,
    }
}

/// A scalar function of two intervals.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct OfTwoIntervals {
    name: &'static str,
    pub(crate) question: OverlapQuestion,
    signature: Signature,
}

impl OfTwoIntervals {
    fn make(name: &'static str, question: OverlapQuestion) -> ScalarUDF {
        let names: Vec<&str> = BOUNDS.iter().map(|bound| bound.name).collect();
        let signature = Signature::any(BOUNDS.len(), Volatility::Immutable)
            .with_parameter_names(names)
            .expect("four names for four arguments");
        ScalarUDF::from(OfTwoIntervals { name, question, signature })
    }

    /// Whether this is the test for an overlap.
    pub(crate) fn is_test(&self) -> bool {
        self.question == OverlapQuestion::Overlap
    }

    fn clock(&self, kinds: &[DataType]) -> Result<Clock> {
        Clock::of(kinds).ok_or_else(|| {
            let given: Vec<String> = kinds.iter().map(type_name).collect();
            plan_datafusion_err!("{}: all four bounds must be numbers, got {}", self.name, given.join(", "))
        })
    }
}

impl ScalarUDFImpl for OfTwoIntervals {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, kinds: &[DataType]) -> Result<DataType> {
        let clock = self.clock(kinds)?;
        Ok(if self.is_test() { DataType::Boolean } else { clock.data_type() })
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = arguments.number_rows;
        let kinds: Vec<DataType> = arguments.args.iter().map(ColumnarValue::data_type).collect();
        let clock = self.clock(&kinds)?;
        let mut bounds = vec![];
        for argument in &arguments.args {
            bounds.push(cast(&argument.to_array(rows)?, &clock.data_type())?);
        }
        let [a, b, c, d] = bounds.as_slice() else {
            return internal_err!("{} takes four arguments", self.name);
        };
        Ok(ColumnarValue::Array(match clock {
            Clock::Ticks => answer::<Int64Type>(self.question, [a, b, c, d]),
            Clock::Seconds => answer::<Float64Type>(self.question, [a, b, c, d]),
        }))
    }
}

/// The answers, row by row; NULL where a bound is.
fn answer<T: ArrowPrimitiveType>(question: OverlapQuestion, bounds: [&ArrayRef; 4]) -> ArrayRef {
    let nulls = bounds.iter().fold(None, |nulls, bound| NullBuffer::union(nulls.as_ref(), bound.nulls()));
    let [a, b, c, d] = bounds.map(|bound| bound.as_primitive::<T>().values().as_ref());
    let rows = a.iter().zip(b).zip(c.iter().zip(d));
    // No branch, so that whole vectors are compared at once: most often all rows are of a join.
    let all_overlap = rows.fold(true, |all, ((a, b), (c, d))| all & (a < b) & (c < d) & (a < d) & (c < b));
    let overlaps = match all_overlap {
        true => BooleanBuffer::new_set(a.len()),
        false => BooleanBuffer::collect_bool(a.len(), |row| shared((a[row], b[row]), (c[row], d[row])).is_some()),
    };
    if question == OverlapQuestion::Overlap {
        return Arc::new(BooleanArray::new(overlaps, nulls));
    }
    let values: Vec<T::Native> = match question {
        OverlapQuestion::Start => a.iter().zip(c).map(|(one, other)| if one < other { *other } else { *one }).collect(),
        _ => b.iter().zip(d).map(|(one, other)| if other < one { *other } else { *one }).collect(),
    };
    // Where nothing overlaps there is nothing to show.
    let nulls = match all_overlap {
        true => nulls,
        false => NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::new(overlaps))),
    };
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls))
}
