//! What a replay reads: states, cut into what containers follow, links, and changes, in one table.
//!
//! ```text
//!  states ─► followed, carried ─┐
//!  links  ──────────────────────┼─► in the order of time ─► replay
//!  changes ─────────────────────┘
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::cast;

use super::comm_waits::{LinkDetail, StateSelection, states_beside_links};
use super::replay_leading::{self, is_one_at_a_time};
use super::replay_rows::{CHANGE_TICK, REPLAY_COLUMNS, part_number};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::RelationParameter;
use crate::functions::plans::table_kernel::union_rows;
use ocellus_kernels::replay::ReplayPart;

pub(crate) const REPLAY_STATES: RelationParameter = RelationParameter {
    name: "states",
    default: Some("state_segments"),
    doc: "States, nested ones too, with container_id, value, start_time and end_time; with type, where there are several; \
          and activity, if it is not that of state_activities for their type and value.",
};

/// The states and links of a call in one table of [`REPLAY_COLUMNS`], and how many ticks make a second.
pub(crate) fn replay_inputs(call: &Call<'_>) -> Result<(LogicalPlan, i64)> {
    let rows = states_beside_links(call, StateSelection::WithoutLength, LinkDetail::KeyVolumeAndType)?;
    let states = match is_one_at_a_time(call, &call.relation(0)?)? {
        true => whole(rows.states)?,
        false => replay_leading::KERNEL.over(rows.states, vec![])?,
    };
    Ok((union_rows(states, whole(rows.links)?)?, rows.rate))
}

/// Rows that are followed as they are.
fn whole(rows: LogicalPlan) -> Result<LogicalPlan> {
    let mut columns: Vec<Expr> = rows.schema().columns().into_iter().map(Expr::Column).collect();
    columns.push(lit(part_number(ReplayPart::Whole)).alias("part"));
    LogicalPlanBuilder::from(rows).project(columns)?.build()
}

/// What a row of a change is made of: its number, the field, and one of amount, number or text.
pub(crate) struct ChangeParts {
    pub(crate) change: Expr,
    pub(crate) field: Expr,
    pub(crate) amount: Option<Expr>,
    pub(crate) number: Option<Expr>,
    pub(crate) text: Option<Expr>,
}

impl Default for ChangeParts {
    fn default() -> ChangeParts {
        ChangeParts { change: lit(0_i32), field: lit(0_i8), amount: None, number: None, text: None }
    }
}

/// Rows of changes, before all others.
pub(crate) fn change_rows(plan: LogicalPlan, parts: ChangeParts) -> Result<LogicalPlan> {
    let names = replay_leading::KERNEL.rows.iter().map(|(name, _)| *name);
    let mut columns = vec![];
    for (place, (name, kind)) in names.zip(&REPLAY_COLUMNS).enumerate() {
        let given = match place {
            0 => Some(parts.change.clone()),
            2 => Some(lit(CHANGE_TICK)),
            3 => Some(parts.amount.clone().unwrap_or(lit(CHANGE_TICK))),
            4 => parts.text.clone(),
            5 => Some(parts.field.clone()),
            6 => Some(lit(false)),
            8 => parts.number.clone(),
            _ => None,
        };
        let absent = lit(ScalarValue::try_from(kind)?);
        columns.push(given.map_or(absent, |given| cast(given, DataType::clone(kind))).alias(name));
    }
    LogicalPlanBuilder::from(plan).project(columns)?.build()
}
