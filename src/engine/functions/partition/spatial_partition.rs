//! `spatial_partition(model, …)`: the best partition of the containers, of all time together.

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
        name: "spatial_partition",
        family: "partition",
        form: Form::Table,
        description: "Cuts the tree of containers into the best parts for the whole window.",
        notes: "Slices are averaged into one first, so what differs between them is not seen, and gain and loss are those of \
                that one slice. product => true multiplies the containers with the intervals of temporal_partition: \
                compare its gain and loss with those of spatiotemporal_partition, which is never worse. The rest is as \
                in spatiotemporal_partition.",
        relations: &[MODEL],
        constants: &[SLICES, START, STOP, P, TYPE, MEASURE, TIES, DEPTH, HIERARCHY, PRODUCT, MAX_OPERATIONS],
        columns: PARTITION_COLUMNS,
        examples: &["SELECT container, resources, mode, round(proportion, 6) AS proportion \
             FROM spatial_partition(slices => 20, p => 0.02) ORDER BY area"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let is_product = call.constant(PRODUCT.name) == Some(&Constant::Boolean(true));
    overview::plan(&call, if is_product { PartitionQuestion::Product } else { PartitionQuestion::Space })
}
