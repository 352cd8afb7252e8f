//! `partition_levels(model, …, precision)`: which p give another overview, and what each costs.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::partition_plan::{self as overview, DEPTH, MAX_OPERATIONS, MEASURE, MODEL, SLICES, TIES};
use super::partition_settings::PartitionQuestion;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::{START, STOP, TYPE};
use crate::functions::tree::attached_tree::HIERARCHY;

pub(crate) const PRECISION: ConstantParameter = ConstantParameter {
    name: "precision",
    kind: ConstantKind::Double,
    default: DefaultValue::Double(0.001),
    accepts: Accepts::Between(1e-6, 1.0),
    doc: "How close two p may lie before what is between them is omitted.",
};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "partition_levels",
        family: "partition",
        form: Form::Table,
        description: "Lists the values of p that give different partitions, with the gain and loss of each.",
        notes: "Found by halving intervals of p from 0 to 1 until both ends give equal gain and loss, or until they are as \
                close as precision. spatiotemporal_partition with the same p gives the partition of the row. Gain and \
                loss never fall from row to row. Its measures are computed once, only the search is repeated.",
        relations: &[MODEL],
        constants: &[SLICES, START, STOP, TYPE, PRECISION, MEASURE, TIES, DEPTH, HIERARCHY, MAX_OPERATIONS],
        columns: &[
            OutputColumn { name: "p", kind: "DOUBLE", doc: "The smallest p that was tried and gave the partition." },
            OutputColumn { name: "aggregates", kind: "BIGINT", doc: "How many areas the partition has." },
            OutputColumn {
                name: "gain",
                kind: "DOUBLE",
                doc: "Data that it saves, in bits: the more, the simpler the picture.",
            },
            OutputColumn {
                name: "loss",
                kind: "DOUBLE",
                doc: "Information that is lost, in bits: the less, the more accurate.",
            },
            OutputColumn {
                name: "gain_ratio",
                kind: "DOUBLE",
                doc: "gain over that of one area for everything; NULL when that one gains nothing.",
            },
            OutputColumn {
                name: "loss_ratio",
                kind: "DOUBLE",
                doc: "loss over that of one area for everything; NULL when that one loses nothing.",
            },
        ],
        examples: &["SELECT p, aggregates, round(gain, 6) AS gain, round(loss, 6) AS loss \
             FROM partition_levels(slices => 20, precision => 0.25) ORDER BY p"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    overview::plan(&call, PartitionQuestion::Levels(call.double(PRECISION.name)?))
}
