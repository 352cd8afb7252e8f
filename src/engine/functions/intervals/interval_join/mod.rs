//! `interval_join(left, right, …)`: every pair of rows whose keys are equal and whose intervals overlap.
//!
//! ```text
//!  plan:       project ◄─ join on keys and intervals_overlap(…) ◄─ left, right      (stock nodes)
//!  execution:  IntervalJoinExec: one side in an index of intervals, the other asks it
//!          or  IntervalSweepExec: both sides sorted by start, when the index would not fit
//! ```
//! The logical plan is a plain join, so filters, projections and outer joins are optimized as in any
//! other. [`crate::optimizer::interval_join`] then replaces the physical join, wherever its condition holds
//! `intervals_overlap`: a generic join tries every pair of a key, which took seconds where this takes
//! a twentieth.

mod sides;

pub(super) use sides::{LEFT_END, LEFT_START, RIGHT_END, RIGHT_START, Side, Sides};

use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder};

use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;

pub(crate) const OVERLAP_START: &str = "overlap_start";
pub(crate) const OVERLAP_END: &str = "overlap_end";

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "interval_join",
        family: "intervals",
        form: Form::Table,
        description: "Pairs the rows of two relations whose keys are equal and whose intervals overlap.",
        notes: "Intervals are half-open: those that touch do not overlap. An empty interval [t, t) is the instant t: it \
                overlaps [a, b) when a <= t < b, and another instant when both are equal. NULL keys, NULL or NaN bounds \
                and reversed intervals match nothing. \
                kind => 'left' keeps a left row without a partner, with NULL in the columns of right and in the overlap; \
                kind => 'anti' gives only those, with the columns of left. \
                A key that has another name on the right is written by => 'source_id = container_id'; by => '' joins by \
                time alone. Instants, such as events, give one column twice: left_start => 'time', left_end => 'time'. \
                Row order is unspecified. Times of tables are compared as the ticks that are stored, exactly. Other bounds that are all \
                whole numbers give a BIGINT overlap. \
                One relation is held in memory, the smaller one for an inner join, else right; \
                SET datafusion.optimizer.prefer_hash_join = false sorts both on disk instead.",
        relations: &[
            RelationParameter { name: "left", default: None, doc: "A table, a view or a query in parentheses." },
            RelationParameter { name: "right", default: None, doc: "What its rows are paired with." },
        ],
        constants: &[
            ConstantParameter {
                name: "by",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("container_id"),
                accepts: Accepts::Anything,
                doc: "Columns that must be equal, separated by commas; 'a = b' where the names differ.",
            },
            ConstantParameter {
                name: "kind",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("inner"),
                accepts: Accepts::OneOf(&["inner", "left", "anti"]),
                doc: "Pairs only, or also left rows without a partner, or only those.",
            },
            LEFT_START,
            LEFT_END,
            RIGHT_START,
            RIGHT_END,
        ],
        columns: &[
            OutputColumn {
                name: "container_id",
                kind: "INTEGER",
                doc: "The columns of left under their names; those of by come once.",
            },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "So also its interval." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "The end of it." },
            OutputColumn {
                name: "start_time_right",
                kind: "DOUBLE",
                doc: "Then those of right; _right is added to a name that left has.",
            },
            OutputColumn { name: "end_time_right", kind: "DOUBLE", doc: "So here." },
            OutputColumn {
                name: OVERLAP_START,
                kind: "DOUBLE",
                doc: "The later start. Columns of this name in the relations are omitted.",
            },
            OutputColumn { name: OVERLAP_END, kind: "DOUBLE", doc: "The earlier end; likewise." },
        ],
        examples: &["SELECT value, key, overlap_start, overlap_end \
             FROM interval_join(states, links, by => 'container_id = source_id') ORDER BY key, overlap_start"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let sides = Sides::of(&call)?;
    let join_type = match call.constant("kind") {
        Some(Constant::Text(kind)) if kind == "left" => JoinType::Left,
        Some(Constant::Text(kind)) if kind == "anti" => JoinType::LeftAnti,
        _ => JoinType::Inner,
    };
    let keys = (sides.left.keys.clone(), sides.right.keys.clone());
    let shown = match join_type {
        JoinType::LeftAnti => names(&sides.left.plan).into_iter().map(Expr::Column).collect(),
        _ => both_columns(&sides),
    };
    LogicalPlanBuilder::from(sides.left.plan.clone())
        .join(sides.right.plan.clone(), join_type, keys, Some(sides.overlap_test()))?
        .project(shown)?
        .build()
}

fn names(plan: &LogicalPlan) -> Vec<Column> {
    plan.schema().columns()
}

/// The columns of left, those of right that are no keys, and the overlap.
fn both_columns(sides: &Sides) -> Vec<Expr> {
    let mut taken = vec![OVERLAP_START.to_string(), OVERLAP_END.to_string()];
    let mut shown = vec![];
    for column in names(&sides.left.plan).into_iter().filter(|column| !is_overlap(column)) {
        taken.push(column.name.clone());
        shown.push(Expr::Column(column));
    }
    for column in names(&sides.right.plan) {
        if is_overlap(&column) || sides.right.keys.contains(&column) {
            continue;
        }
        let mut name = column.name.clone();
        while taken.contains(&name) {
            name.push_str("_right");
        }
        taken.push(name.clone());
        let is_renamed = name != column.name;
        let column = Expr::Column(column);
        shown.push(if is_renamed { column.alias(name) } else { column });
    }
    let [start, end] = sides.overlap();
    shown.push(start.alias(OVERLAP_START));
    shown.push(end.alias(OVERLAP_END));
    shown
}

fn is_overlap(column: &Column) -> bool {
    column.name == OVERLAP_START || column.name == OVERLAP_END
}
