//! `summarize(relation)`: one row of statistics per column, in one pass over the relation.
//!
//! ```text
//!  scan ─► aggregate: every statistic of every column ─► one row
//!       ─► make_array(struct of column 1, struct of column 2, …) ─► unnest ─► one row per column
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, plan_err};
use datafusion::functions::core::expr_fn::{get_field, named_struct, nullif};
use datafusion::functions_aggregate::expr_fn::{approx_distinct, approx_percentile_cont, avg, count, max, min, stddev};
use datafusion::functions_nested::expr_fn::make_array;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use crate::catalog::type_name;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "summarize",
        family: "catalog",
        form: Form::Table,
        description: "Computes statistics of every column of a relation.",
        notes: "The statement SUMMARIZE t does the same. Statistics leave NULL out, except count and \
                null_percentage. Numbers of text, boolean and nested columns are NULL. Rows come in the order \
                of the columns.",
        relations: &[RelationParameter {
            name: "relation",
            default: None,
            doc: "A table, a view, a query in parentheses, or the name of a table as text.",
        }],
        constants: &[],
        columns: &[
            OutputColumn { name: "column_name", kind: "TEXT", doc: "Name of the column." },
            OutputColumn { name: "column_type", kind: "TEXT", doc: "Type of the column." },
            OutputColumn { name: "min", kind: "TEXT", doc: "Smallest value, as text." },
            OutputColumn { name: "max", kind: "TEXT", doc: "Largest value, as text." },
            OutputColumn { name: "approx_unique", kind: "BIGINT", doc: "About how many different values there are." },
            OutputColumn { name: "avg", kind: "DOUBLE", doc: "Mean." },
            OutputColumn { name: "std", kind: "DOUBLE", doc: "Standard deviation of a sample." },
            OutputColumn { name: "q25", kind: "DOUBLE", doc: "About a quarter of the values are below it." },
            OutputColumn { name: "q50", kind: "DOUBLE", doc: "About half of the values are below it." },
            OutputColumn { name: "q75", kind: "DOUBLE", doc: "About three quarters of the values are below it." },
            OutputColumn { name: "count", kind: "BIGINT", doc: "Rows, NULL included." },
            OutputColumn {
                name: "null_percentage",
                kind: "DOUBLE",
                doc: "How many of a hundred rows are NULL; NULL without rows.",
            },
        ],
        examples: &["SELECT column_name, column_type, min, max FROM summarize('states') LIMIT 4"],
    },
    plan,
};

const ROWS: &str = "rows";
const SUMMARY: &str = "summary";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let input = call.relation(0)?;
    let columns: Vec<Summary> = input
        .schema()
        .iter()
        .enumerate()
        .map(|(index, (qualifier, field))| Summary {
            index,
            name: field.name().clone(),
            kind: field.data_type().clone(),
            source: Expr::Column(Column::new(qualifier.cloned(), field.name())),
        })
        .collect();
    if columns.is_empty() {
        return plan_err!("summarize: the relation has no columns");
    }
    let mut aggregates = vec![count(lit(1)).alias(ROWS)];
    for column in &columns {
        aggregates.extend(column.aggregates());
    }
    let rows = columns.iter().map(Summary::row).collect();
    let shown: Vec<Expr> =
        call.definition.columns.iter().map(|column| get_field(col(SUMMARY), column.name).alias(column.name)).collect();
    LogicalPlanBuilder::from(input)
        .aggregate(Vec::<Expr>::new(), aggregates)?
        .project(vec![make_array(rows).alias(SUMMARY)])?
        .unnest_column(SUMMARY)?
        .project(shown)?
        .build()
}

/// One column to be summarized.
struct Summary {
    index: usize,
    name: String,
    kind: DataType,
    source: Expr,
}

impl Summary {
    /// Name of an aggregate of this column.
    fn aggregate_name(&self, statistic: &str) -> String {
        format!("{statistic}_{}", self.index)
    }

    fn aggregates(&self) -> Vec<Expr> {
        let name = |statistic: &str| self.aggregate_name(statistic);
        let value = || self.source.clone();
        let mut aggregates = vec![count(value()).alias(name("filled"))];
        if self.is_nested() {
            return aggregates;
        }
        // The sketch of distinct values knows no floating point.
        let countable = if self.kind.is_floating() { cast(value(), DataType::Utf8View) } else { value() };
        aggregates.extend([
            min(value()).alias(name("min")),
            max(value()).alias(name("max")),
            approx_distinct(countable).alias(name("unique")),
        ]);
        if self.kind.is_numeric() {
            let number = || cast(value(), DataType::Float64);
            let quantile = |q: f64| approx_percentile_cont(number().sort(true, false), lit(q), None);
            aggregates.extend([
                avg(number()).alias(name("avg")),
                stddev(number()).alias(name("std")),
                quantile(0.25).alias(name("q25")),
                quantile(0.5).alias(name("q50")),
                quantile(0.75).alias(name("q75")),
            ]);
        }
        aggregates
    }

    /// The row of this column, from the aggregates.
    fn row(&self) -> Expr {
        let aggregate = |statistic: &str| col(self.aggregate_name(statistic));
        let text = |text: &str| lit(ScalarValue::Utf8View(Some(text.to_string())));
        let extreme = |statistic: &str| {
            if self.is_nested() {
                lit(ScalarValue::Utf8View(None))
            } else {
                cast(aggregate(statistic), DataType::Utf8View)
            }
        };
        let number = |statistic: &str| {
            if self.kind.is_numeric() { aggregate(statistic) } else { lit(ScalarValue::Float64(None)) }
        };
        let unique =
            if self.is_nested() { lit(ScalarValue::Int64(None)) } else { cast(aggregate("unique"), DataType::Int64) };
        let missing = cast(col(ROWS) - aggregate("filled"), DataType::Float64);
        let null_percentage = lit(100.0) * missing / nullif(cast(col(ROWS), DataType::Float64), lit(0.0));
        let fields = [
            ("column_name", text(&self.name)),
            ("column_type", text(&type_name(&self.kind))),
            ("min", extreme("min")),
            ("max", extreme("max")),
            ("approx_unique", unique),
            ("avg", number("avg")),
            ("std", number("std")),
            ("q25", number("q25")),
            ("q50", number("q50")),
            ("q75", number("q75")),
            ("count", col(ROWS)),
            ("null_percentage", null_percentage),
        ];
        named_struct(fields.into_iter().flat_map(|(name, value)| [lit(name), value]).collect())
    }

    fn is_nested(&self) -> bool {
        self.kind.is_nested() || self.kind == DataType::Null
    }
}
