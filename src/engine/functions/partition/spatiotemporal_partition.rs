//! `spatiotemporal_partition(model, slices, start, stop, p, type)`: the overview of a trace.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::partition_plan::{
    self as overview, DEPTH, MAX_OPERATIONS, MEASURE, MODEL, P, PARTITION_COLUMNS, SLICES, TIES,
};
use super::partition_settings::PartitionQuestion;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::{START, STOP, TYPE};
use crate::functions::tree::attached_tree::HIERARCHY;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "spatiotemporal_partition",
        family: "partition",
        form: Form::Table,
        description: "Cuts space and time into the areas that give the best overview: each a container during an interval, \
                      in which everything below it behaves alike.",
        notes: "The areas cover every leaf and slice once and maximize p · gain − (1 − p) · loss (Dosimont et al., IEEE \
                Cluster 2014, equations 1 to 4). Leaves are the containers that have something in the model; one that has \
                children too is a leaf beside them, and a chain of containers with one child each is one place: an area \
                is named after its top when it is not cut in time, else after its bottom. Values within \
                1e-12 of the sums that they come from are equal, and of equal partitions the one with the fewest areas \
                is taken: neighbors that are alike are never cut. ties => 'order' takes the paper's instead: no cut, then \
                the cut in space, then the earliest cut in time. \
                partition_levels lists the p that matter. Without a type, states of all types count together. A model \
                without times (slice_start, slice_end) covers start to stop, or the whole trace. No rows give no areas. \
                Memory: 16 bytes per container and interval of slices. Cost: for each container of the tree, slices³ / 6 additions \
                and slices² / 2 logarithms for each state; more than max_operations are refused before the search, with \
                the figure.",
        relations: &[MODEL],
        constants: &[SLICES, START, STOP, P, TYPE, MEASURE, TIES, DEPTH, HIERARCHY, MAX_OPERATIONS],
        columns: PARTITION_COLUMNS,
        examples: &["SELECT container, first_slice, last_slice, mode, round(proportion, 6) AS proportion \
             FROM spatiotemporal_partition(slices => 20, p => 0.7) ORDER BY area"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    overview::plan(&call, PartitionQuestion::Areas)
}
