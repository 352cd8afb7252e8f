//! `difference_levels(mapping, left, right, slices, align, precision, by, depth)`: which p tell more of a difference.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::difference_model::{ALIGN, SLICES};
use super::difference_partition::{OF, partition};
use super::run_pairs::{BY, DEPTH, LEFT, MAPPING, RIGHT};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::partition::partition_levels::PRECISION;
use crate::functions::partition::partition_plan::MAX_OPERATIONS;
use crate::functions::partition::partition_settings::PartitionQuestion;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "difference_levels",
        family: "comparison",
        form: Form::Table,
        description: "Lists the values of p that give different partitions of the difference of two runs.",
        notes: "As partition_levels: found by halving intervals of p from 0 to 1 until both ends give equal gain and loss, \
                or until they are as close as precision. difference_partition with the same p gives the partition of \
                the row. Gain and loss never fall from row to row, and are those of difference_partition. The \
                level before the last one, which is one area, is the shortest answer to where two runs differ.",
        relations: &[MAPPING],
        constants: &[LEFT, RIGHT, SLICES, ALIGN, OF, PRECISION, BY, DEPTH, MAX_OPERATIONS],
        columns: &[
            column("p", "The smallest p that was tried and gave the partition."),
            OutputColumn { name: "aggregates", kind: "BIGINT", doc: "How many areas the partition has." },
            column("gain", "What need not be told."),
            column("loss", "Sum of the squared deviations of all cells from the means of their areas."),
            column("gain_ratio", "gain over that of one area for everything; NULL when that one gains nothing."),
            column("loss_ratio", "loss over that of one area for everything; NULL when that one loses nothing."),
        ],
        examples: &["SELECT round(p, 2) AS p, aggregates, round(gain, 6) AS gain, round(loss, 6) AS loss \
             FROM difference_levels('rounds', 'rounds_again', slices => 10) ORDER BY p"],
    },
    plan,
};

const fn column(name: &'static str, doc: &'static str) -> OutputColumn {
    OutputColumn { name, kind: "DOUBLE", doc }
}

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    partition(&call, PartitionQuestion::Levels(call.double(PRECISION.name)?))
}
