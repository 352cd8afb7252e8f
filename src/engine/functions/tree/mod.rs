//! The container tree: functions that add up along it and select from it.

pub mod at_depth;
pub(crate) mod attached_tree;
pub(crate) mod chosen_containers;
pub mod hierarchy_aggregate;
pub mod subtree;

use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::LogicalPlan;

use super::calls::call::{Call, SchemaChoice};
use super::calls::definition::OutputColumn;
use super::calls::scanned_schemas::schemas;

/// Depths are INTEGER.
const MOST_DEPTH: f64 = i32::MAX as f64;

/// The columns of every function that gives containers: those of the table.
const CONTAINERS: &[OutputColumn] = &[
    OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container." },
    OutputColumn { name: "name", kind: "TEXT", doc: "Its name; not unique." },
    OutputColumn { name: "alias", kind: "TEXT", doc: "Short name that the trace uses for it." },
    OutputColumn { name: "type", kind: "TEXT", doc: "Name of its container type." },
    OutputColumn { name: "parent_id", kind: "INTEGER", doc: "The container that holds it; NULL for a root." },
    OutputColumn { name: "path", kind: "TEXT", doc: "Names from the root down to it, joined by a slash." },
    OutputColumn { name: "depth", kind: "INTEGER", doc: "Distance from the root; 0 for a root." },
    OutputColumn { name: "start_time", kind: "DOUBLE", doc: "When it was created, in seconds." },
    OutputColumn { name: "end_time", kind: "DOUBLE", doc: "When it was destroyed, or the end of the trace." },
    OutputColumn { name: "is_leaf", kind: "BOOLEAN", doc: "Whether no container lies below it." },
    OutputColumn { name: "leaves", kind: "INTEGER", doc: "How many leaves lie below it; 1 for a leaf." },
    OutputColumn { name: "preorder", kind: "INTEGER", doc: "Place in a depth-first walk of the tree." },
    OutputColumn { name: "last_descendant", kind: "INTEGER", doc: "Largest preorder below it." },
    OutputColumn { name: "start_tick", kind: "BIGINT", doc: "start_time as stored." },
    OutputColumn { name: "end_tick", kind: "BIGINT", doc: "end_time as stored." },
];

/// The trace whose containers the rows of a relation mean: the one that it reads. When it reads
/// none or several, the call must say which; reading none, the current one will do.
fn trace_of(plan: &LogicalPlan, call: &Call<'_>) -> Result<String> {
    let mut traces = schemas(plan)?;
    traces.retain(|schema| call.tables.spans.contains_key(schema));
    match (traces.first(), traces.len(), call.tables.choice) {
        (Some(trace), 1, _) => Ok(trace.clone()),
        (None, ..) | (.., SchemaChoice::Named) => Ok(call.tables.schema.clone()),
        (Some(first), ..) => {
            let name = call.definition.name;
            let traces = traces.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            plan_err!(
                "{name}: the relation reads several traces ({traces}), which number their containers alike; \
                 read one of them, or name the trace of its container_id: {first}.{name}(…)"
            )
        }
    }
}
