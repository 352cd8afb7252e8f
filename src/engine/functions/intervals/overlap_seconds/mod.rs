//! `overlap_seconds(left, right, …)`: how long, for each key, both sides were active at once.
//!
//! ```text
//!  left, right ─► union of rows, each with its side ─► aggregate: the union of intervals of each side
//!              ─► lengths: of left, of right, and of what both share
//! ```

mod aggregate;

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result};
use datafusion::functions::core::expr_fn::{get_field, nullif};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col, ident};

use self::aggregate::{BOTH, LEFT, RIGHT};
pub(crate) use self::aggregate::{INTERVAL_LENGTHS, interval_lengths};
use super::interval_join::{LEFT_END, LEFT_START, RIGHT_END, RIGHT_START, Side, Sides};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "overlap_seconds",
        family: "intervals",
        form: Form::Table,
        description: "Measures, for each key, how long intervals of two relations were active at the same time.",
        notes: "Each instant counts once, however many intervals hold it: the measure is that of the intersection of two \
                unions, not the sum over pairs that interval_join gives. So communication that is hidden behind \
                computation is the overlap of messages with states of computing, and share is the part of left that is hidden. \
                A key that only one relation has is shown with zeros for the other; a key that is NULL is not. \
                Empty, reversed, NULL and NaN intervals take no time. by => '' gives one row. \
                The result does not depend on the order or the partitions of the rows. What is held are keys, not \
                intervals; on a cluster, the unions.",
        relations: &[
            RelationParameter { name: "left", default: None, doc: "A table, a view or a query in parentheses." },
            RelationParameter { name: "right", default: None, doc: "What its intervals are measured against." },
        ],
        constants: &[
            ConstantParameter {
                name: "by",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("container_id"),
                accepts: Accepts::Anything,
                doc: "Columns that make up the key, separated by commas; 'a = b' where the names differ.",
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
                doc: "The columns of by, under their names in left.",
            },
            OutputColumn { name: "left_seconds", kind: "DOUBLE", doc: "How long some interval of left was active." },
            OutputColumn { name: "right_seconds", kind: "DOUBLE", doc: "How long some interval of right was active." },
            OutputColumn { name: "overlap_seconds", kind: "DOUBLE", doc: "How long both were." },
            OutputColumn {
                name: "share",
                kind: "DOUBLE",
                doc: "overlap_seconds / left_seconds; NULL when left was never active.",
            },
        ],
        examples: &["SELECT * FROM overlap_seconds(links, (SELECT * FROM states WHERE value = 'compute'), \
             by => 'source_id = container_id') ORDER BY source_id"],
    },
    plan,
};

const START: &str = "interval_start";
const END: &str = "interval_end";
const IS_RIGHT: &str = "is_right";
const LENGTHS: &str = "lengths";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let sides = Sides::of(&call)?;
    let names: Vec<String> = sides.left.keys.iter().map(|key| key.name.clone()).collect();
    let right = side_rows(&sides.right, &names, lit(true))?;
    let lengths = interval_lengths().call(vec![col(IS_RIGHT), col(START), col(END)]).alias(LENGTHS);
    let keys = || names.iter().map(ident);
    // Ticks are summed as doubles, which is exact up to 2^53 of them.
    let unit = sides.ticks_per_second.map_or(1.0, |rate| rate as f64);
    let length = |name: &str| get_field(col(LENGTHS), name) / lit(unit);
    let mut shown: Vec<Expr> = keys().collect();
    shown.push(length(LEFT).alias("left_seconds"));
    shown.push(length(RIGHT).alias("right_seconds"));
    shown.push(length(BOTH).alias("overlap_seconds"));
    let share = get_field(col(LENGTHS), BOTH) / nullif(get_field(col(LENGTHS), LEFT), lit(0.0));
    shown.push(share.alias("share"));
    LogicalPlanBuilder::from(side_rows(&sides.left, &names, lit(false))?)
        .union(right)?
        .aggregate(keys(), vec![lengths])?
        .project(shown)?
        .build()
}

/// The keys, under the names of left, and the intervals of a side.
fn side_rows(side: &Side, names: &[String], is_right: Expr) -> Result<LogicalPlan> {
    let column = |column: &Column| Expr::Column(column.clone());
    let number = |bound: &Column| cast(column(bound), DataType::Float64);
    let mut rows = LogicalPlanBuilder::from(side.plan.clone());
    for key in &side.keys {
        rows = rows.filter(column(key).is_not_null())?;
    }
    let mut shown: Vec<Expr> = side.keys.iter().zip(names).map(|(key, name)| column(key).alias(name)).collect();
    shown.push(number(&side.start).alias(START));
    shown.push(number(&side.end).alias(END));
    shown.push(is_right.alias(IS_RIGHT));
    rows.project(shown)?.build()
}
