//! `temporal_partition(model, …)`: the best partition of time, of all containers together.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::partition_plan::{
    self as overview, DEPTH, MAX_OPERATIONS, MEASURE, MODEL, P, PARTITION_COLUMNS, PRODUCT, SLICES, TIES,
};
use super::partition_settings::PartitionQuestion;
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{Definition, Form};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::{START, STOP, TYPE};
use crate::functions::tree::attached_tree::HIERARCHY;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "temporal_partition",
        family: "partition",
        form: Form::Table,
        description: "Cuts time into the best intervals for all containers together.",
        notes: "The leaves are averaged into one resource first, so what differs between them is not seen, and gain and loss \
                are those of that one resource. product => true multiplies the intervals with the containers of \
                spatial_partition: compare its gain and loss with those of spatiotemporal_partition, which is never \
                worse. The rest is as in spatiotemporal_partition.",
        relations: &[MODEL],
        constants: &[SLICES, START, STOP, P, TYPE, MEASURE, TIES, DEPTH, HIERARCHY, PRODUCT, MAX_OPERATIONS],
        columns: PARTITION_COLUMNS,
        examples: &["SELECT first_slice, last_slice, start_time, end_time, mode, round(proportion, 6) AS proportion \
             FROM temporal_partition(slices => 20, p => 0.02) ORDER BY area"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let is_product = call.constant(PRODUCT.name) == Some(&Constant::Boolean(true));
    overview::plan(&call, if is_product { PartitionQuestion::Product } else { PartitionQuestion::Time })
}
