//! `difference_partition(mapping, left, right, slices, p, align, by, depth)`: where and when two runs differ.

use datafusion::common::{Result, internal_err};
use datafusion::functions::math::expr_fn::abs;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::col;

use super::difference_model::{ALIGN, ROUNDING, SLICES, counts, model};
use super::run_pairs::{BY, DEPTH, LEFT, LEFT_CONTAINERS, MAPPING, MATCHED, RIGHT, RIGHT_CONTAINERS};
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, column,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::partition::partition_plan::{
    AREA, AREA_DEPTH, CONTAINER, CONTAINER_ID, END_TIME, FIRST_SLICE, LAST_SLICE, MAX_OPERATIONS, P, RESOURCES,
    START_TIME, plan_of_model,
};
use crate::functions::partition::partition_settings::{PartitionQuestion, PartitionSettings};
use ocellus_kernels::partition::{PartitionMeasure, Ties};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "difference_partition",
        family: "comparison",
        form: Form::Table,
        description: "Cuts space and time into the areas in which two runs differ alike: where, when and by how much one \
                      is unlike the other.",
        notes: "A cell is a container of the baseline during a slice; d(x) is the difference of the proportions of state x \
                in it, from difference_model: that of the other run minus that of the baseline, between −1 and 1. \
                An area replaces its cells by their mean m(x). Its loss is the sum over its cells and over x of (d(x) − \
                m(x))², which is 0 when all cells differ alike, and with the same sign. Its gain is (N − 1) · u: of N \
                cells, N − 1 need not be told, and each is worth u = L / (M − 1), where L is the loss of one \
                area for all M cells, so that this one area gains and loses L. Both add up over areas, and the \
                areas maximize p · gain − (1 − p) · loss over all partitions of the tree and of time, as in \
                spatiotemporal_partition: of equal partitions, one with the fewest areas. So a cut must explain at least \
                p / (1 − p) times what a cell varies on average: 9 cells with the usual p of 0.9, which single \
                cells of noise do not. p = 0 tells every difference, p = 1 gives one area; a run is one area \
                with itself at every p. difference_levels lists the p that matter. Containers without partner are in no \
                area: matched, left_containers and right_containers tell how many there are, and difference_model lists \
                them. The tree is that of the baseline. Cost as in spatiotemporal_partition.",
        relations: &[MAPPING],
        constants: &[LEFT, RIGHT, SLICES, LARGE_P, ALIGN, OF, BY, DEPTH, MAX_OPERATIONS],
        columns: &[
            AREA,
            CONTAINER_ID,
            CONTAINER,
            AREA_DEPTH,
            FIRST_SLICE,
            LAST_SLICE,
            START_TIME,
            END_TIME,
            column("right_start_time", "DOUBLE", "When what it is compared with begins in the other run, in seconds."),
            column("right_end_time", "DOUBLE", "When that ends."),
            RESOURCES,
            column("value", "TEXT", "The state whose proportion differs most; NULL when none differs."),
            column(
                "difference",
                "DOUBLE",
                "By how much: positive when the other run is more in that state. 0 when none differs.",
            ),
            column(
                "changed",
                "DOUBLE",
                "Share of the time that is spent otherwise: the sum of the differences of one sign, whichever is larger; NULL \
                 when none differs.",
            ),
            column("gain", "DOUBLE", "(N − 1) · u of its N cells: what need not be told."),
            column("loss", "DOUBLE", "Sum of the squared deviations of its cells from their mean."),
            column(
                "differences",
                "STRUCT(value TEXT, proportion DOUBLE)[]",
                "Every state that differs with the difference of its proportion, the largest first.",
            ),
            column("y", "DOUBLE", "Resources above it, in the order of the tree."),
            MATCHED,
            LEFT_CONTAINERS,
            RIGHT_CONTAINERS,
        ],
        examples: &["SELECT container, first_slice, last_slice, value, difference \
             FROM difference_partition('rounds', 'rounds_again', slices => 10) ORDER BY area"],
    },
    plan,
};

/// A cut must explain more than nine average cells.
pub(super) const LARGE_P: ConstantParameter = ConstantParameter { default: DefaultValue::Double(0.9), ..P };

/// What the cells of a difference are.
pub(super) const OF: ConstantParameter = ConstantParameter {
    name: "of",
    kind: ConstantKind::Text,
    default: DefaultValue::Text("proportions"),
    accepts: Accepts::OneOf(&["proportions", "seconds"]),
    doc: "What differs: proportions of slices; or seconds, over the length of a slice of the baseline, which with align \
          => 'phases' tell what takes longer.",
};

/// What a number of a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DifferenceOf {
    Proportions,
    Seconds,
}

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    partition(&call, PartitionQuestion::Areas)
}

/// The plan of a call that asks about the difference of two runs, in the columns of its definition.
pub(super) fn partition(call: &Call<'_>, question: PartitionQuestion) -> Result<LogicalPlan> {
    let of = if call.text(OF.name) == Some("seconds") { DifferenceOf::Seconds } else { DifferenceOf::Proportions };
    let shown = call.definition.columns;
    let is_count =
        |column: &&OutputColumn| [MATCHED.name, LEFT_CONTAINERS.name, RIGHT_CONTAINERS.name].contains(&column.name);
    let counted = shown.iter().filter(is_count).count();
    let rows = areas(call, question, of, &shown[..shown.len() - counted])?;
    let shown: Vec<Expr> = shown.iter().map(|column| col(column.name)).collect();
    // Runs without a common container are an error, whichever columns are read.
    LogicalPlanBuilder::from(counts(call)?).cross_join(rows)?.project(shown)?.build()
}

/// The areas or levels of a difference, in these columns.
pub(super) fn areas(
    call: &Call<'_>,
    question: PartitionQuestion,
    of: DifferenceOf,
    columns: &[OutputColumn],
) -> Result<LogicalPlan> {
    let left = call.text(LEFT.name).unwrap_or(&call.tables.schema);
    let rho = match of {
        DifferenceOf::Proportions => col("difference"),
        DifferenceOf::Seconds => {
            let longer = (col("right_seconds") - col("left_seconds")) / (col("slice_end") - col("slice_start"));
            when(abs(longer.clone()).lt_eq(lit(ROUNDING)), lit(0.0)).otherwise(longer)?
        }
    };
    let cells = LogicalPlanBuilder::from(model(call)?)
        .filter(col("difference").is_not_null())?
        .project([
            col("container_id"),
            col("slice"),
            col("slice_start"),
            col("slice_end"),
            col("right_start"),
            col("right_end"),
            col("type"),
            col("value"),
            rho.alias("rho"),
        ])?
        .build()?;
    plan_of_model(call, columns, &settings(call, question)?, left, cells)
}

/// What the search is told.
fn settings(call: &Call<'_>, question: PartitionQuestion) -> Result<PartitionSettings> {
    let slices = call.big_int(SLICES.name).and_then(|slices| usize::try_from(slices).ok());
    if slices.is_none() {
        return internal_err!("{} has no slices", call.definition.name);
    }
    Ok(PartitionSettings {
        function: call.definition.name.to_string(),
        question,
        p: call.constant(P.name).and_then(Constant::as_double).unwrap_or(0.0),
        measure: PartitionMeasure::Deviation,
        ties: Ties::Fewest,
        threads: call.limits.threads,
        slices,
        // The containers of the model are those of the depth already.
        depth: None,
        window: None,
        memory: call.limits.memory,
        operations: call.double(MAX_OPERATIONS.name)?,
    })
}
