//! `replay_savings([states], [links], [changes])`: how much shorter the run would be, change by change.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::{cast, col};

use super::comm_messages::{LINKS, column, required, seconds};
use super::comm_waits::COLLECTIVES;
use super::path_rows::BY_PACKED_BEGIN;
use super::replay_inputs::{ChangeParts, REPLAY_STATES, change_rows, replay_inputs};
use super::replay_rows::REPLAY_COLUMNS;
use super::replay_savings_sweep;
use super::replay_scenario::ChangeField;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, union_rows};
use crate::functions::plans::table_sweep::TableSweep;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "replay_savings",
        family: "communication",
        form: Form::Table,
        description: "Replays the trace once for each of several changes, and returns how much shorter the run is with each.",
        notes: "Each row of changes is a replay of its own, with the meaning of the arguments of replay: network, bandwidth, \
                latency, factor, value, balance, container_id for container, start_time and end_time for start and stop. All columns but \
                change may be missing; NULL changes nothing. The trace is read and sorted once for all of them. A run lasts from the first start to \
                the last end of a state or link. Saved times do not add up: what one change saves, another may save too. A change that makes the run \
                longer saves less than nothing. Without states and links there are no rows. At most 1000 changes. Row order is unspecified.",
        relations: &[
            REPLAY_STATES,
            LINKS,
            RelationParameter {
                name: "changes",
                default: Some("replay_changes"),
                doc: "What is tried: change, its name, and columns as in replay_changes.",
            },
        ],
        constants: &[COLLECTIVES],
        columns: &[
            OutputColumn { name: "change", kind: "TEXT", doc: "The change." },
            OutputColumn { name: "measured_seconds", kind: "DOUBLE", doc: "Length of the measured run." },
            OutputColumn { name: "replayed_seconds", kind: "DOUBLE", doc: "Length of the run with the change." },
            OutputColumn { name: "saved_seconds", kind: "DOUBLE", doc: "Measured - replayed." },
            OutputColumn {
                name: "saved_share",
                kind: "DOUBLE",
                doc: "Saved / measured; NULL when the run has no length.",
            },
        ],
        examples: &[
            "SELECT change, measured_seconds, replayed_seconds, saved_seconds FROM replay_savings() ORDER BY saved_seconds DESC, change LIMIT 4",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "replayed_ends",
    columns: &REPLAY_COLUMNS,
    constants: &[],
    rows: &[
        ("change", DataType::Utf8View),
        ("start_tick", DataType::Int64),
        ("old_end_tick", DataType::Int64),
        ("end_tick", DataType::Int64),
    ],
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// Replays rows that are not held.
pub(crate) static SWEEP: TableSweep =
    TableSweep { kernel: &KERNEL, order: BY_PACKED_BEGIN, begin: replay_savings_sweep::begin };

/// Columns of changes: name and type.
const CHANGE_COLUMNS: [(&str, DataType); 9] = [
    ("network", DataType::Utf8),
    ("bandwidth", DataType::Float64),
    ("latency", DataType::Float64),
    ("factor", DataType::Float64),
    ("value", DataType::Utf8),
    ("container_id", DataType::Int64),
    ("start_time", DataType::Float64),
    ("end_time", DataType::Float64),
    ("balance", DataType::Utf8),
];

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (rows, rate) = replay_inputs(&call)?;
    let containers = LogicalPlanBuilder::from(call.table("containers")?).build()?;
    let place = ChangeParts {
        change: col("container_id"),
        field: lit(ChangeField::Place as i8),
        amount: Some(cast(col("preorder"), DataType::Int64)),
        ..ChangeParts::default()
    };
    let rows = union_rows(change_rows(containers, place)?, rows)?;
    let rows = union_rows(fields(&call, rate)?, rows)?;
    let rows = KERNEL.over(rows, vec![])?;
    let ticks = |from: &str, to: &str| seconds(col(to) - col(from), rate);
    let (measured, replayed) = (ticks("start_tick", "old_end_tick"), ticks("start_tick", "end_tick"));
    let saved = ticks("end_tick", "old_end_tick");
    let share = when(col("old_end_tick").gt(col("start_tick")), saved.clone() / measured.clone()).end()?;
    LogicalPlanBuilder::from(rows)
        .project(vec![
            col("change"),
            measured.alias("measured_seconds"),
            replayed.alias("replayed_seconds"),
            saved.alias("saved_seconds"),
            share.alias("saved_share"),
        ])?
        .build()
}

/// The rows that say what the changes are: one per change and field.
fn fields(call: &Call<'_>, rate: i64) -> Result<LogicalPlan> {
    let changes = call.relation(2)?;
    let mut shown = vec![cast(required(call, &changes, "change")?, DataType::Utf8).alias("change")];
    for (name, kind) in &CHANGE_COLUMNS {
        let absent = lit(ScalarValue::try_from(kind)?);
        shown.push(column(&changes, name).map_or(absent, |found| cast(found, kind.clone())).alias(*name));
    }
    let changes = LogicalPlanBuilder::from(changes).project(shown)?.build()?;
    let field = |field: ChangeField| field as i8;
    let text = format!(
        "WITH numbered AS (
            SELECT *, row_number() OVER () AS number FROM given.plans.changes
        ),
        placed AS (
            SELECT numbered.*, containers.preorder, containers.last_descendant
            FROM numbered
            LEFT JOIN containers ON containers.container_id = numbered.container_id
        )
        SELECT
            number,
            field,
            CASE field
                WHEN {start} THEN CAST(round(start_time * {rate}) AS BIGINT)
                WHEN {stop} THEN CAST(round(end_time * {rate}) AS BIGINT)
                WHEN {first} THEN CASE WHEN container_id IS NOT NULL THEN coalesce(preorder, -1) END
                WHEN {last} THEN CASE WHEN container_id IS NOT NULL THEN coalesce(last_descendant, -1) END
                ELSE 0
            END AS amount,
            CASE field
                WHEN {latency} THEN CASE WHEN network = 'ideal' THEN 0 ELSE coalesce(latency, 1) END
                WHEN {transfer} THEN CASE WHEN network = 'ideal' THEN 0 ELSE 1 / coalesce(bandwidth, 1) END
                WHEN {factor} THEN factor
            END AS factor,
            CASE field WHEN {name} THEN change WHEN {value} THEN value END AS text
        FROM placed
        CROSS JOIN (VALUES ({name}), ({latency}), ({transfer}), ({factor}), ({value}), ({start}), ({stop}), ({balance}),
                           ({first}), ({last})) AS fields (field)
        WHERE field <> {balance} OR balance = 'phases'",
        name = field(ChangeField::Name),
        latency = field(ChangeField::Latency),
        transfer = field(ChangeField::Transfer),
        factor = field(ChangeField::Factor),
        value = field(ChangeField::Value),
        start = field(ChangeField::Start),
        stop = field(ChangeField::Stop),
        balance = field(ChangeField::Balance),
        first = field(ChangeField::First),
        last = field(ChangeField::Last),
    );
    let rows = call.tables.plan_text(&call.tables.schema, &text, vec![("changes", changes)])?;
    let rows = LogicalPlanBuilder::from(rows).filter(col("amount").is_not_null())?.build()?;
    let parts = ChangeParts {
        change: col("number"),
        field: col("field"),
        amount: Some(col("amount")),
        number: Some(col("factor")),
        text: Some(col("text")),
    };
    change_rows(rows, parts)
}
