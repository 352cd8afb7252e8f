//! `states_of_links([states], [links])`: in which states links leave and arrive.
//!
//! ```text
//!  states, links ─► one table ─► in the order of time ─► a row per link, when no state can touch its ends any more
//! ```

use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::col;

use super::comm_messages::{LINKS, shown};
use super::comm_waits::{LinkDetail, StateSelection, states_and_links};
use super::link_state_sweep::{BY_LINK_BEGIN, LinkStateRows};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::TableSweep;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "states_of_links",
        family: "communication",
        form: Form::Table,
        description: "Finds the state in which each link leaves its source, and the state in which it arrives.",
        notes: "Every state that touches the instant is looked at: one that covers it, starts there, ends there, or has no \
                length there. States of communication or waiting come before others. Of those left, a link leaves in the \
                one without length, else in the one that starts there, else in the one that covers the instant, else in \
                the one that ends there; it arrives in the one that ends there, else in the one without length, else in \
                the one that covers the instant, else in the one that starts there. Of several such, the deepest counts, \
                then the one that starts last, then the last by type and value. One row per link whose ends and times are \
                known; the states are NULL where none touches the instant. What is held are states and links under way. \
                The view link_states is this function over the whole trace. Row order is unspecified.",
        relations: &[
            RelationParameter {
                name: "states",
                default: Some("state_segments"),
                doc: "States with container_id, value, start_time and end_time, and type and depth where they have them; \
                      and activity, if it is not that of state_activities for their type and value.",
            },
            LINKS,
        ],
        constants: &[],
        columns: &[
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the link." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of the link." },
            OutputColumn { name: "key", kind: "TEXT", doc: "What matched its start to its end." },
            OutputColumn { name: "source_id", kind: "INTEGER", doc: "The container where it started." },
            OutputColumn { name: "source", kind: "TEXT", doc: "Name of that container." },
            OutputColumn { name: "target_id", kind: "INTEGER", doc: "The container where it ended." },
            OutputColumn { name: "target", kind: "TEXT", doc: "Name of that container." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "When it left, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "When it arrived, in seconds." },
            OutputColumn {
                name: "volume",
                kind: "DOUBLE",
                doc: "What it carried; NULL when not recorded in the trace.",
            },
            OutputColumn { name: "source_state_type", kind: "TEXT", doc: "Type of the state in which it left." },
            OutputColumn { name: "source_state", kind: "TEXT", doc: "State of the source in which it left." },
            OutputColumn { name: "target_state_type", kind: "TEXT", doc: "Type of the state in which it arrived." },
            OutputColumn { name: "target_state", kind: "TEXT", doc: "State of the target in which it arrived." },
            OutputColumn { name: "start_tick", kind: "BIGINT", doc: "start_time in ticks." },
            OutputColumn { name: "end_tick", kind: "BIGINT", doc: "end_time in ticks." },
        ],
        examples: &[
            "SELECT key, source, source_state, target, target_state FROM states_of_links() ORDER BY start_tick, key",
            "SELECT source_state, count(*) AS messages FROM states_of_links((SELECT * FROM state_segments WHERE depth = 0)) \
             GROUP BY source_state ORDER BY messages DESC, source_state",
        ],
    },
    plan,
};

/// Finds the states of links; its columns are container or source, target, start and end, value, activity, key, volume,
/// type and depth.
pub static KERNEL: TableKernel = TableKernel {
    name: "link_end_states",
    columns: &[
        DataType::Int32,
        DataType::Int32,
        DataType::Int64,
        DataType::Int64,
        DataType::Utf8View,
        DataType::Int8,
        DataType::Utf8View,
        DataType::Float64,
        DataType::Utf8View,
        DataType::Int32,
    ],
    constants: &[],
    rows: &[
        ("type", DataType::Utf8View),
        ("value", DataType::Utf8View),
        ("key", DataType::Utf8View),
        ("source_id", DataType::Int32),
        ("target_id", DataType::Int32),
        ("start_tick", DataType::Int64),
        ("end_tick", DataType::Int64),
        ("volume", DataType::Float64),
        ("source_state_type", DataType::Utf8View),
        ("source_state", DataType::Utf8View),
        ("target_state_type", DataType::Utf8View),
        ("target_state", DataType::Utf8View),
    ],
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// Finds them as rows come.
pub(crate) static SWEEP: TableSweep =
    TableSweep { kernel: &KERNEL, order: BY_LINK_BEGIN, begin: |_| Ok(Box::new(LinkStateRows::default())) };

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (rows, rate) = states_and_links(&call, StateSelection::WithoutLength, LinkDetail::KeyVolumeTypeAndDepth)?;
    let wanted = rows.schema().columns().into_iter().filter(|column| column.name != "collective").map(Expr::Column);
    let wanted: Vec<Expr> = wanted.collect();
    let found = KERNEL.over(LogicalPlanBuilder::from(rows).project(wanted)?.build()?, vec![])?;
    let mut columns: Vec<Expr> = KERNEL.rows.iter().map(|(name, _)| col(*name)).collect();
    columns.extend([col("start_tick").alias("start_time"), col("end_tick").alias("end_time")]);
    let found = LogicalPlanBuilder::from(found).project(columns)?.build()?;
    shown(&call, found, rate, &[("source_id", "source"), ("target_id", "target")])
}
