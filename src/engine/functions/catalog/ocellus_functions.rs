//! `ocellus_functions()`: the functions and views of this program, with their documentation.

use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::col;

use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "ocellus_functions",
        family: "catalog",
        form: Form::Table,
        description: "Lists the functions and views that Ocellus adds to SQL, with an example of each.",
        notes: "Rows come by name. What DataFusion brings is listed by SHOW FUNCTIONS.",
        relations: &[],
        constants: &[],
        columns: &[
            OutputColumn { name: "name", kind: "TEXT", doc: "Name of the function or view." },
            OutputColumn { name: "family", kind: "TEXT", doc: "What it belongs to." },
            OutputColumn {
                name: "kind",
                kind: "TEXT",
                doc: "table function, scalar function, aggregate function, window function or view.",
            },
            OutputColumn { name: "signature", kind: "TEXT", doc: "How it is called." },
            OutputColumn { name: "description", kind: "TEXT", doc: "What it does, in one sentence." },
            OutputColumn { name: "example", kind: "TEXT", doc: "A statement that runs." },
        ],
        examples: &["SELECT name, signature FROM ocellus_functions() WHERE family = 'inspection'"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let rows: Vec<Vec<Expr>> = call.definitions.iter().map(|definition| row(definition)).collect();
    let names = call.definition.columns.iter().enumerate();
    let shown: Vec<Expr> =
        names.map(|(index, column)| col(format!("column{}", index + 1)).alias(column.name)).collect();
    LogicalPlanBuilder::values(rows)?.project(shown)?.build()
}

fn row(definition: &Definition) -> Vec<Expr> {
    let text = |text: &str| lit(ScalarValue::Utf8View(Some(text.to_string())));
    vec![
        text(definition.name),
        text(definition.family),
        text(definition.form.name()),
        text(&definition.signature()),
        text(definition.description),
        text(definition.examples.first().copied().unwrap_or_default()),
    ]
}
