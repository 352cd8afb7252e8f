//! Tests of the machinery of table functions, on a function made for it.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{SessionConfig, SessionContext};

use super::calls::call::Call;
use super::*;

/// Counts the rows of a relation and repeats its constants.
static PROBE: TableFunction = TableFunction {
    definition: Definition {
        name: "probe",
        family: "test",
        form: Form::Table,
        description: "Repeats its arguments.",
        notes: "",
        relations: &[RelationParameter { name: "relation", default: Some("states"), doc: "What to count." }],
        constants: &[
            ConstantParameter {
                name: "slices",
                kind: ConstantKind::BigInt,
                default: DefaultValue::BigInt(30),
                accepts: Accepts::Between(1.0, 1e6),
                doc: "How many.",
            },
            ConstantParameter {
                name: "boundary",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("inside"),
                accepts: Accepts::OneOf(&["inside", "clip"]),
                doc: "Which.",
            },
            ConstantParameter {
                name: "start",
                kind: ConstantKind::Double,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "From when.",
            },
        ],
        columns: &[],
        examples: &[],
    },
    plan: probe,
};

static FUNCTIONS: &[&TableFunction] = &[&PROBE];

fn probe(call: Call<'_>) -> Result<LogicalPlan> {
    let constants: Vec<String> = call.constants.iter().map(|constant| format!("{constant:?}")).collect();
    LogicalPlanBuilder::from(call.relation(0)?)
        .aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("rows")])?
        .project(vec![datafusion::prelude::col("rows"), lit(constants.join(" ")).alias("constants")])?
        .build()
}

async fn session(dialect: &str) -> SessionContext {
    let config = SessionConfig::new().set_str("datafusion.sql_parser.dialect", dialect);
    let context = SessionContext::new_with_config(config);
    let catalogs = Arc::clone(context.state().catalog_list());
    let planner = FunctionPlanner::with_functions(catalogs, FUNCTIONS);
    context.register_relation_planner(Arc::new(planner)).expect("a planner");
    for sql in ["CREATE TABLE states AS VALUES (1), (2), (3)", "CREATE TABLE other AS VALUES (1)"] {
        context.sql(sql).await.expect("a plan").collect().await.expect("a table");
    }
    context
}

async fn answer(sql: &str) -> std::result::Result<String, String> {
    let mut answers = vec![];
    for dialect in ["generic", "postgresql"] {
        let context = session(dialect).await;
        let frame = context.sql(sql).await.map_err(|e| e.strip_backtrace())?;
        let batches = frame.collect().await.map_err(|e| e.strip_backtrace())?;
        let batch = batches.iter().find(|batch| batch.num_rows() > 0).ok_or("no rows")?;
        let cell = |column| arrow::util::display::array_value_to_string(batch.column(column), 0).expect("a value");
        answers.push(format!("{} {}", cell(0), cell(1)));
    }
    assert_eq!(answers[0], answers[1], "the dialects differ");
    Ok(answers.remove(0))
}

async fn refusal(sql: &str) -> String {
    answer(sql).await.expect_err(sql)
}

const DEFAULTS: &str = "Some(BigInt(30)) Some(Text(\"inside\")) None";

#[tokio::test]
async fn relations_come_first_in_every_form() {
    for (relation, count) in [
        ("", 3),
        ("other", 1),
        ("public.other", 1),
        ("OTHER", 1),
        ("(SELECT * FROM states WHERE column1 > 1)", 2),
        ("((SELECT * FROM states LIMIT 1))", 1),
        ("relation => other", 1),
        ("cte", 4),
        ("relation => (SELECT * FROM cte LIMIT 2)", 2),
    ] {
        let sql = format!("WITH cte AS (VALUES (1), (2), (3), (4)) SELECT * FROM probe({relation})");
        assert_eq!(answer(&sql).await.as_deref(), Ok(format!("{count} {DEFAULTS}").as_str()), "{sql}");
    }
}

#[tokio::test]
async fn constants_are_named_or_positional() {
    let expected = "1 Some(BigInt(5)) Some(Text(\"clip\")) Some(Double(1.5))";
    for arguments in [
        "other, 5, 'clip', 1.5",
        "other, slices => 5, boundary => 'clip', start => 1.5",
        "other, 5, start => 3.0 / 2, boundary => 'clip'",
        "START => 1.5, relation => other, Boundary => lower('CLIP'), slices => 2 + 3",
    ] {
        let sql = format!("SELECT * FROM PROBE({arguments})");
        assert_eq!(answer(&sql).await.as_deref(), Ok(expected), "{sql}");
    }
    // A constant may come first where the relation has a default.
    assert!(answer("SELECT * FROM probe(5)").await.is_ok_and(|answer| answer.starts_with("3 Some(BigInt(5))")));
    let negative = answer("SELECT * FROM probe(start => -2)").await.expect("an answer");
    assert!(negative.ends_with("Some(Double(-2.0))"), "{negative}");
    let absent = answer("SELECT * FROM probe(start => NULL)").await.expect("an answer");
    assert!(absent.ends_with("None"), "{absent}");
}

#[tokio::test]
async fn wrong_arguments_are_told_apart() {
    for (arguments, words) in [
        (
            "slice => 3",
            "probe: unknown argument slice; accepted: relation, slices, boundary, start; did you mean slices?",
        ),
        ("slices => 3, slices => 4", "probe: slices is given twice"),
        ("other, 3, slices => 4", "probe: slices is given twice"),
        ("slices => 3, 'clip'", "probe: 'clip' has no name and comes after a named argument"),
        ("other, 3, 'clip', 1, 2", "probe: one argument too many: 2"),
        ("slices => 0", "probe: slices must be between 1 and 1000000, got 0"),
        ("slices => 'many'", "probe: slices must be a BIGINT, got 'many'"),
        ("slices => 2.5", "probe: slices must be a BIGINT, got 2.5"),
        ("slices => NULL", "probe: slices must be a BIGINT, got NULL"),
        ("slices => x", "probe: slices must be a constant of type BIGINT, got x"),
        ("boundary => 'inn'", "probe: boundary must be one of 'inside', 'clip', got 'inn'"),
        ("boundary => 'insid'", "'clip' (did you mean inside?), got 'insid'"),
        ("start => 'NaN'::double", "probe: start must be a finite number"),
        ("othr", "probe: no table othr; did you mean other?"),
        ("nowhere.other", "probe: no schema nowhere"),
        ("relation => 3", "probe: relation must be a table, a view or a query in parentheses, got 3"),
        ("*", "probe: * is not an argument"),
    ] {
        let sql = format!("SELECT * FROM probe({arguments})");
        let message = refusal(&sql).await;
        assert!(message.contains(words), "{sql}: {message}");
    }
}

#[tokio::test]
async fn functions_have_aliases_and_join() {
    let sql = "SELECT p.rows, probe.constants FROM probe(other) AS p CROSS JOIN probe(slices => 1)";
    assert_eq!(answer(sql).await.as_deref(), Ok("1 Some(BigInt(1)) Some(Text(\"inside\")) None"));
    let sql = "SELECT a, b FROM LATERAL probe(other) AS p (a, b)";
    assert!(answer(sql).await.is_ok_and(|answer| answer.starts_with('1')));
    assert!(refusal("SELECT * FROM prob(other)").await.contains("prob"));
}

#[test]
fn definitions_are_complete() {
    for definition in registry::definitions() {
        let name = definition.name;
        assert!(definition.description.ends_with('.'), "{name}: the description is no sentence");
        assert!(!definition.examples.is_empty(), "{name} has no example");
        assert!(!definition.columns.is_empty(), "{name} documents no columns");
        assert_eq!(name, name.to_lowercase());
    }
    assert_eq!(
        PROBE.definition.signature(),
        "probe(relation RELATION = states, slices BIGINT = 30, boundary TEXT = 'inside', start DOUBLE = NULL)"
    );
}

#[test]
fn our_names_are_nobody_elses() {
    let context = SessionContext::new();
    let state = context.state();
    // Functions of DuckDB and PostgreSQL that DataFusion lacks and whose names come near.
    let elsewhere =
        ["generate_series", "unnest", "range", "read_json", "duckdb_functions", "pragma_table_info", "histogram"];
    for definition in registry::definitions() {
        let name = definition.name;
        let taken = state.scalar_functions().contains_key(name)
            || state.aggregate_functions().contains_key(name)
            || state.window_functions().contains_key(name)
            || state.table_functions().contains_key(name)
            || elsewhere.contains(&name);
        assert!(!taken, "{name} is taken");
    }
}
