//! Functions that may make values much larger than their arguments, with bounds on what they make.
//!
//! `repeat('a', 4000000000)` is a short text. An allocation that fails ends the process, so that the size is
//! computed from the arguments before the function of DataFusion is called, and refused above
//! [`LARGEST_VALUE`] for one value and above [`ValueLimits::batch`] for the values of one batch. Where only an upper
//! bound is known, a batch whose bound is too large is computed by parts, and what they really have is added up.
//! Constants are made while a statement is planned, all of them before the first row, and plans copy and print them:
//! they are smaller, and share one budget.
//! Functions that may take long are called by parts too, and stop between them when their query is cancelled.

mod growth;
mod known_patterns;
mod row_sizes;
#[cfg(test)]
mod tests;
mod work;

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::expr::Expr;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ExpressionPlacement, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature,
};

use growth::Growth;
use ocellus_planning::check_cancelled;
use row_sizes::RowSizes;
use work::{STEPS_AT_ONCE, Work};

/// Bytes of the largest value that a function may make.
pub(crate) const LARGEST_VALUE: u64 = 32 << 20;
/// Bytes of the values that a function may make for one batch, unless the memory limit is smaller.
const LARGEST_BATCH: u64 = 128 << 20;
/// Bytes of the largest constant that a function may make while a statement is planned.
const LARGEST_CONSTANT: u64 = 4 << 20;
/// Bytes of all constants that functions may make while one statement is planned.
const LARGEST_CONSTANTS: u64 = 32 << 20;
/// Elements of the largest type of fixed size that a cast may name.
const WIDEST_TYPE: usize = 1 << 16;
/// Types within each other that a cast may name: readers of Arrow's messages take no more, and to read, print and drop a
/// type takes stack for each.
const DEEPEST_TYPE: usize = 60;

/// How much the functions of one statement may make.
#[derive(Debug, Clone)]
pub(crate) struct ValueLimits {
    /// Bytes for one batch of one function.
    pub(crate) batch: u64,
    /// Bytes of constants that were made so far.
    constants: Arc<AtomicU64>,
}

impl ValueLimits {
    /// Limits of one statement, in a session that may use some bytes.
    pub(crate) fn new(memory_limit: Option<usize>) -> ValueLimits {
        let batch = memory_limit.map_or(LARGEST_BATCH, |bytes| LARGEST_BATCH.min(bytes as u64));
        ValueLimits { batch, constants: Arc::default() }
    }
}

/// A function of DataFusion whose values and work are bounded.
#[derive(Debug)]
struct BoundedFunction {
    function: Arc<ScalarUDF>,
    /// `None`: its values are not much larger than its arguments.
    growth: Option<Growth>,
    /// `None`: it takes no longer than its arguments and values are.
    work: Option<Work>,
    limits: ValueLimits,
    /// Whether constants count for the statement: not where a function lives longer than one.
    counts_constants: bool,
}

/// The bounded form of a function, for the calls of one statement; `None` if it needs none, or is bounded.
pub(crate) fn bounded(function: &Arc<ScalarUDF>, limits: &ValueLimits) -> Option<Arc<ScalarUDF>> {
    bounded_with(function, limits, true)
}

/// The bounded form of a function for a registry.
pub(crate) fn bounded_for_registry(function: &Arc<ScalarUDF>) -> Option<Arc<ScalarUDF>> {
    bounded_with(function, &ValueLimits::new(None), false)
}

fn bounded_with(function: &Arc<ScalarUDF>, limits: &ValueLimits, counts_constants: bool) -> Option<Arc<ScalarUDF>> {
    let (growth, work) = (Growth::of(function.name()), Work::of(function.name()));
    if growth.is_none() && work.is_none() {
        return None;
    }
    let function = match function.inner().downcast_ref::<BoundedFunction>() {
        Some(bounded) if bounded.counts_constants => return None,
        Some(bounded) => Arc::clone(&bounded.function),
        None => Arc::clone(function),
    };
    let limits = limits.clone();
    Some(Arc::new(ScalarUDF::new_from_impl(BoundedFunction { function, growth, work, limits, counts_constants })))
}

impl BoundedFunction {
    fn refuse<T>(&self, what: &str, bytes: u64, limit: u64) -> Result<T> {
        exec_err!("{} would make {what} of {bytes} bytes; at most {limit} are allowed", self.function.name())
    }

    /// Bytes that each row may have at most; refuses a value that is too large.
    fn bounds(&self, arguments: &ScalarFunctionArgs) -> Result<RowSizes> {
        let Some(growth) = self.growth else { return Ok(RowSizes::Same(0)) };
        let sizes = growth.bound(arguments)?;
        match sizes.largest() {
            largest if largest > LARGEST_VALUE => self.refuse("a value", largest, LARGEST_VALUE),
            _ => Ok(sizes),
        }
    }

    /// Steps that each row may take; refuses a value that would take too many.
    fn steps(&self, arguments: &ScalarFunctionArgs) -> Result<RowSizes> {
        let Some((work, steps)) = self.work.and_then(|work| Some((work, work.steps(arguments)?))) else {
            return Ok(RowSizes::Same(0));
        };
        match steps.largest() {
            largest if largest > work.most() => exec_err!(
                "{} would take about {largest} steps for one value; at most {} are allowed: use shorter texts",
                self.function.name(),
                work.most()
            ),
            _ => Ok(steps),
        }
    }

    fn invoke_constant(&self, arguments: ScalarFunctionArgs, bytes: u64) -> Result<ColumnarValue> {
        if bytes > LARGEST_CONSTANT {
            return self.refuse("a constant", bytes, LARGEST_CONSTANT);
        }
        if self.counts_constants {
            let before = self.limits.constants.fetch_add(bytes, Ordering::Relaxed);
            let total = before.saturating_add(bytes);
            if total > LARGEST_CONSTANTS {
                return self.refuse("constants, with those before it,", total, LARGEST_CONSTANTS);
            }
        }
        self.function.invoke_with_args(arguments)
    }

    fn invoke_at_once(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if self.function.name() == "regexp_like"
            && let Some(found) = known_patterns::matches(&arguments)?
        {
            return Ok(found);
        }
        self.function.invoke_with_args(arguments)
    }

    /// Computes a batch by parts, each of which is small enough.
    fn invoke_by_parts(
        &self,
        arguments: &ScalarFunctionArgs,
        sizes: &RowSizes,
        steps: &RowSizes,
    ) -> Result<ColumnarValue> {
        let mut parts: Vec<ArrayRef> = vec![];
        let mut bytes = 0;
        let mut start = 0;
        while start < arguments.number_rows {
            check_cancelled(&arguments.config_options)?;
            let end = start + sizes.rows_within(start, arguments.number_rows, self.limits.batch / 4);
            let rows = steps.rows_within(start, end, STEPS_AT_ONCE);
            let part = self.function.invoke_with_args(part_of(arguments, start, rows))?.into_array(rows)?;
            bytes += RowSizes::of_array(&part).total(rows);
            if self.growth.is_some() && bytes > self.limits.batch {
                return self.refuse("a batch", bytes, self.limits.batch);
            }
            parts.push(part);
            start += rows;
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        Ok(ColumnarValue::Array(concat(&parts)?))
    }
}

fn part_of(arguments: &ScalarFunctionArgs, start: usize, rows: usize) -> ScalarFunctionArgs {
    let part = |value: &ColumnarValue| match value {
        ColumnarValue::Array(array) => ColumnarValue::Array(array.slice(start, rows)),
        ColumnarValue::Scalar(value) => ColumnarValue::Scalar(value.clone()),
    };
    ScalarFunctionArgs {
        args: arguments.args.iter().map(part).collect(),
        arg_fields: arguments.arg_fields.clone(),
        number_rows: rows,
        return_field: Arc::clone(&arguments.return_field),
        config_options: Arc::clone(&arguments.config_options),
    }
}

/// Refuses the words of a type that is nested too deep, before anybody reads them.
fn check_depth(function: &str, words: &str) -> Result<()> {
    let mut depth = 0_usize;
    for byte in words.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST_TYPE {
            return plan_err!("{function}: a type of more than {DEEPEST_TYPE} types within each other");
        }
    }
    Ok(())
}

/// Refuses types whose every value has many elements.
fn check_width(function: &str, kind: &DataType) -> Result<()> {
    match kind {
        DataType::FixedSizeBinary(width) | DataType::FixedSizeList(_, width)
            if usize::try_from(*width).is_ok_and(|width| width > WIDEST_TYPE) =>
        {
            plan_err!("{function}: a type of {width} elements in each value; at most {WIDEST_TYPE} are allowed")
        }
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            check_width(function, item.data_type())
        }
        DataType::Struct(fields) => fields.iter().try_for_each(|field| check_width(function, field.data_type())),
        DataType::Dictionary(_, values) => check_width(function, values),
        _ => Ok(()),
    }
}

impl ScalarUDFImpl for BoundedFunction {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn aliases(&self) -> &[String] {
        self.function.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.function.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.function.return_type(arg_types)
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let function = Arc::new(self.function.inner().with_updated_config(config)?);
        let BoundedFunction { growth, work, limits, counts_constants, .. } = self;
        let (growth, work, limits, counts_constants) = (*growth, *work, limits.clone(), *counts_constants);
        Some(ScalarUDF::new_from_impl(BoundedFunction { function, growth, work, limits, counts_constants }))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        if let Some(Growth::Cast) = self.growth {
            let words = args.scalar_arguments.iter().flatten().filter_map(|value| value.try_as_str().flatten());
            words.into_iter().try_for_each(|words| check_depth(self.name(), words))?;
        }
        let field = self.function.return_field_from_args(args)?;
        check_width(self.name(), field.data_type())?;
        Ok(field)
    }

    fn is_strict(&self) -> bool {
        self.function.inner().is_strict()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        check_cancelled(&args.config_options)?;
        let (sizes, steps) = (self.bounds(&args)?, self.steps(&args)?);
        if args.args.iter().all(|value| matches!(value, ColumnarValue::Scalar(_))) {
            return self.invoke_constant(args, sizes.largest());
        }
        let is_small = sizes.total(args.number_rows) <= self.limits.batch;
        match is_small && steps.total(args.number_rows) <= STEPS_AT_ONCE {
            true => self.invoke_at_once(args),
            false => self.invoke_by_parts(&args, &sizes, &steps),
        }
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        match self.growth {
            // A cast becomes an expression of its own, whose type was checked.
            Some(Growth::Cast) => self.function.simplify(args, info),
            // What DataFusion writes instead would call functions without bounds.
            _ => Ok(ExprSimplifyResult::Original(args)),
        }
    }

    fn short_circuits(&self) -> bool {
        self.function.short_circuits()
    }

    fn evaluate_bounds(&self, input: &[&Interval]) -> Result<Interval> {
        self.function.evaluate_bounds(input)
    }

    fn propagate_constraints(&self, interval: &Interval, inputs: &[&Interval]) -> Result<Option<Vec<Interval>>> {
        self.function.propagate_constraints(interval, inputs)
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        self.function.output_ordering(inputs)
    }

    fn preserves_lex_ordering(&self, inputs: &[ExprProperties]) -> Result<bool> {
        self.function.preserves_lex_ordering(inputs)
    }

    fn strictly_order_preserving(&self, inputs: &[ExprProperties]) -> Result<bool> {
        self.function.inner().strictly_order_preserving(inputs)
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.function.placement(args)
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.function.coerce_types(arg_types)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.documentation()
    }
}

impl PartialEq for BoundedFunction {
    fn eq(&self, other: &BoundedFunction) -> bool {
        self.function == other.function
    }
}

impl Eq for BoundedFunction {}

impl Hash for BoundedFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

/// Bytes that a literal has.
pub(crate) fn literal_bytes(value: &ScalarValue) -> u64 {
    RowSizes::of_scalar(value)
}

/// Bytes of each value of a column.
pub(crate) fn value_bytes(column: &ArrayRef) -> impl Iterator<Item = u64> {
    let sizes = RowSizes::of_array(column);
    (0..column.len()).map(move |row| sizes.row(row))
}
