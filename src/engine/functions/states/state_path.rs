//! `state_path(value, depth) OVER (…)`: the states that a state lies in, as a path.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringViewBuilder};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, exec_err, internal_err};
use datafusion::logical_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{LimitEffect, PartitionEvaluator, Signature, Volatility, WindowUDF, WindowUDFImpl};
use datafusion::physical_plan::PhysicalExpr;

use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::WindowFunction;
use crate::functions::plans::bounded_values::LARGEST_VALUE;
use ocellus_kernels::call_path::CallPath;

pub static FUNCTION: WindowFunction = WindowFunction {
    definition: Definition {
        name: "state_path",
        family: "states",
        form: Form::Window,
        description: "Returns the path of a state: the values of the states around it and its own, joined by slashes.",
        notes: "Written with OVER (PARTITION BY container_id, type ORDER BY start_tick, depth, end_tick): a \
                state must come after those that it lies in, and all of them must be there: filter outside, not \
                within. NULL gives NULL, and counts for no other row. \
                A state of no length may be given a parent of its own instant that it did not lie in, since the \
                order of what happens at one instant is not stored. \
                A path has at most 32 MiB, and 8192 rows in a row 128 MiB. \
                The view call_tree adds up the times of each path.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "value",
                kind: ConstantKind::Text,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "Name of the state.",
            },
            ConstantParameter {
                name: "depth",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Required,
                accepts: Accepts::Between(0.0, i64::MAX as f64),
                doc: "How many states lie beneath it on the stack; at least 0.",
            },
        ],
        columns: &[OutputColumn { name: "path", kind: "TEXT", doc: "The values from the outermost state down to it." }],
        examples: &["SELECT start_time, end_time, state_path(value, depth) OVER (PARTITION BY container_id, type \
             ORDER BY start_tick, depth, end_tick) AS path FROM states WHERE container = 'process 1' \
             ORDER BY start_time, depth"],
    },
    make: || WindowUDF::from(StatePath::new()),
};

/// The window function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct StatePath {
    signature: Signature,
}

impl StatePath {
    fn new() -> StatePath {
        let signature = Signature::exact(vec![DataType::Utf8View, DataType::Int64], Volatility::Immutable)
            .with_parameter_names(vec!["value", "depth"])
            .expect("two names for two arguments");
        StatePath { signature }
    }
}

impl WindowUDFImpl for StatePath {
    fn name(&self) -> &str {
        FUNCTION.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn partition_evaluator(&self, _arguments: PartitionEvaluatorArgs) -> Result<Box<dyn PartitionEvaluator>> {
        Ok(Box::<Paths>::default())
    }

    fn field(&self, arguments: WindowUDFFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(arguments.name(), DataType::Utf8View, true)))
    }

    // A row needs those before it only.
    fn limit_effect(&self, _arguments: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        LimitEffect::None
    }
}

/// Rows whose paths are in memory together, and the bytes that they may have.
const BATCH_ROWS: usize = 8192;
const LARGEST_BATCH: u64 = 4 * LARGEST_VALUE;

/// The paths of one partition, row after row.
#[derive(Debug, Default)]
struct Paths {
    path: CallPath,
    /// Rows and bytes of paths since the last batch began.
    rows: usize,
    bytes: u64,
}

impl Paths {
    /// The path of a row; `None` when its value or depth is NULL.
    fn at(&mut self, values: &[ArrayRef], row: usize) -> Result<Option<&str>> {
        let [names, depths] = values else {
            return internal_err!("state_path takes two arguments");
        };
        if names.is_null(row) || depths.is_null(row) {
            return Ok(None);
        }
        let depth = depths.as_primitive::<Int64Type>().value(row);
        let depth = usize::try_from(depth)
            .map_err(|_| exec_datafusion_err!("state_path: depth must be at least 0, got {depth}"))?;
        let length = self.path.enter(depth, names.as_string_view().value(row)).len() as u64;
        self.count(length)?;
        Ok(Some(self.path.text()))
    }

    /// Refuses paths that fit nowhere: each is as long as all names around it, so that they grow with the square of
    /// the depth.
    fn count(&mut self, length: u64) -> Result<()> {
        if self.rows == BATCH_ROWS {
            (self.rows, self.bytes) = (0, 0);
        }
        self.rows += 1;
        self.bytes += length;
        if length > LARGEST_VALUE || self.bytes > LARGEST_BATCH {
            return exec_err!(
                "state_path: the paths are too long: one may have {} MiB, and {BATCH_ROWS} in a row {} MiB",
                LARGEST_VALUE >> 20,
                LARGEST_BATCH >> 20
            );
        }
        Ok(())
    }
}

impl PartitionEvaluator for Paths {
    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> Result<ScalarValue> {
        let path = self.at(values, range.start)?;
        Ok(ScalarValue::Utf8View(path.map(str::to_string)))
    }

    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let mut paths = StringViewBuilder::with_capacity(rows).with_deduplicate_strings();
        for row in 0..rows {
            paths.append_option(self.at(values, row)?);
        }
        Ok(Arc::new(paths.finish()))
    }

    fn is_causal(&self) -> bool {
        true
    }

    fn supports_bounded_execution(&self) -> bool {
        true
    }
}
