//! An aggregate function of DataFusion of which some accumulators are replaced, and nothing else.
//!
//! Name, types, order and defaults are those of the function, so that a plan that travels by names means the function
//! itself.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunctionParams, WindowFunctionParams};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF, SetMonotonicity,
    Signature, StatisticsArgs,
};

/// What is replaced in an aggregate function.
pub(crate) trait AggregateChange: Debug + Clone + Send + Sync + Any {
    /// The accumulator of rows that only come.
    fn accumulator(&self, function: &AggregateUDF, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        function.accumulator(arguments)
    }

    /// The accumulator of rows that come and go.
    fn sliding(&self, function: &AggregateUDF, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        function.create_sliding_accumulator(arguments)
    }

    /// The accumulator of many groups.
    fn groups(&self, function: &AggregateUDF, arguments: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        function.create_groups_accumulator(arguments)
    }
}

/// A function with its change.
#[derive(Debug)]
struct ChangedAggregate<C> {
    function: Arc<AggregateUDF>,
    change: C,
}

/// A function of DataFusion with a change.
pub(crate) fn changed<C: AggregateChange>(function: &Arc<AggregateUDF>, change: C) -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::new_from_impl(ChangedAggregate { function: Arc::clone(function), change }))
}

/// The change of a function, if it has one of this kind.
pub(crate) fn change_of<C: AggregateChange>(function: &AggregateUDF) -> Option<&C> {
    function.inner().downcast_ref::<ChangedAggregate<C>>().map(|changed| &changed.change)
}

impl<C> PartialEq for ChangedAggregate<C> {
    fn eq(&self, other: &ChangedAggregate<C>) -> bool {
        self.function == other.function
    }
}

impl<C> Eq for ChangedAggregate<C> {}

impl<C> Hash for ChangedAggregate<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl<C: AggregateChange> AggregateUDFImpl for ChangedAggregate<C> {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn aliases(&self) -> &[String] {
        self.function.aliases()
    }

    fn schema_name(&self, params: &AggregateFunctionParams) -> Result<String> {
        self.function.schema_name(params)
    }

    fn human_display(&self, params: &AggregateFunctionParams) -> Result<String> {
        self.function.human_display(params)
    }

    fn window_function_schema_name(&self, params: &WindowFunctionParams) -> Result<String> {
        self.function.window_function_schema_name(params)
    }

    fn display_name(&self, params: &AggregateFunctionParams) -> Result<String> {
        self.function.display_name(params)
    }

    fn window_function_display_name(&self, params: &WindowFunctionParams) -> Result<String> {
        self.function.window_function_display_name(params)
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.function.return_type(arg_types)
    }

    fn return_field(&self, arg_fields: &[FieldRef]) -> Result<FieldRef> {
        self.function.return_field(arg_fields)
    }

    fn is_nullable(&self) -> bool {
        self.function.is_nullable()
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.change.accumulator(&self.function, args)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.function.state_fields(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.function.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        self.change.groups(&self.function, args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.change.sliding(&self.function, args)
    }

    fn with_beneficial_ordering(
        self: Arc<Self>,
        beneficial_ordering: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        let function = AggregateUDF::clone(&self.function).with_beneficial_ordering(beneficial_ordering)?;
        let change = self.change.clone();
        Ok(function.map(|function| Arc::new(ChangedAggregate { function: Arc::new(function), change }) as _))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.function.order_sensitivity()
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        match self.function.reverse_udf() {
            ReversedUDAF::Reversed(function) => ReversedUDAF::Reversed(changed(&function, self.change.clone())),
            other => other,
        }
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.function.coerce_types(arg_types)
    }

    fn is_descending(&self) -> Option<bool> {
        self.function.is_descending()
    }

    fn value_from_stats(&self, statistics: &StatisticsArgs) -> Option<ScalarValue> {
        self.function.value_from_stats(statistics)
    }

    fn default_value(&self, data_type: &DataType) -> Result<ScalarValue> {
        self.function.default_value(data_type)
    }

    fn supports_null_handling_clause(&self) -> bool {
        self.function.supports_null_handling_clause()
    }

    fn supports_within_group_clause(&self) -> bool {
        self.function.supports_within_group_clause()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.function.inner().set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.documentation()
    }
}
