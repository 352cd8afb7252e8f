//! Every function and view of the registry, composed with the constructs of SQL: each must plan and run.
//!
//! A function is called as in its first example, on the traces of its test; a new one is in by itself. What comes out
//! is a relation, and is filtered, joined, grouped, sorted, cut, nested, united and asked about. Filters on one value
//! of each column make it constant, which is where knowledge about the order of rows is lost.

use std::collections::BTreeMap;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;
use ocellus_engine::Engine;
use ocellus_engine::functions::{Definition, Form, registry};
use tempfile::TempDir;

use crate::suite::{engine_with, heads};
use crate::support::{checkout, read, runtime};

/// A relation with its columns that can be compared, and a value of each that is not NULL.
struct ComposedRelation {
    /// What stands after FROM.
    sql: String,
    /// By name; the value as SQL.
    columns: Vec<(String, Option<String>)>,
}

/// What stands after FROM: the call of a table function as its example has it, a view, or the example as a query.
fn relation(definition: &Definition) -> String {
    let example = definition.examples.first().unwrap_or_else(|| panic!("{} has no example", definition.name));
    match definition.form {
        Form::View => definition.name.to_string(),
        Form::Table => call_in(example, definition.name)
            .unwrap_or_else(|| panic!("the first example of {} does not call it: {example}", definition.name)),
        Form::Scalar | Form::Aggregate | Form::Window => format!("({example})"),
    }
}

/// The text from the name of a function to the parenthesis that ends its call.
fn call_in(example: &str, name: &str) -> Option<String> {
    let start = example.find(&format!("{name}("))?;
    let mut depth = 0;
    for (place, character) in example[start..].char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(example[start..=start + place].to_string()),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_comparable(kind: &DataType) -> bool {
    !kind.is_nested() && !matches!(kind, DataType::Null | DataType::Binary | DataType::BinaryView)
}

/// A value of a column as SQL; `None` when all of it is NULL, or it cannot be written.
fn literal(batches: &[RecordBatch], column: usize) -> Option<String> {
    for batch in batches {
        let values = batch.column(column);
        let Some(row) = (0..values.len()).find(|row| !values.is_null(*row)) else { continue };
        let text = array_value_to_string(values, row).ok()?;
        return match values.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Some(format!("'{}'", text.replace('\'', "''")))
            }
            kind if kind.is_numeric() => Some(text),
            DataType::Boolean => Some(text),
            _ => None,
        };
    }
    None
}

fn composed_relation(batches: &[RecordBatch], schema: &arrow::datatypes::Schema, sql: String) -> ComposedRelation {
    let fields = schema.fields().iter().enumerate().filter(|(_, field)| is_comparable(field.data_type()));
    let column = |(index, field): (usize, &arrow::datatypes::FieldRef)| {
        (format!("\"{}\"", field.name().replace('"', "\"\"")), literal(batches, index))
    };
    ComposedRelation { sql, columns: fields.map(column).collect() }
}

/// The queries about a relation.
fn compositions(of: &ComposedRelation) -> Vec<String> {
    let from = format!("{} AS f", of.sql);
    let [a, m, b] = [0, of.columns.len() / 2, of.columns.len() - 1].map(|place| of.columns[place].0.as_str());
    let mut queries = vec![
        format!("SELECT * FROM {from} WHERE f.{a} IS NOT NULL"),
        format!("SELECT * FROM {from} ORDER BY f.{b}, f.{a}"),
        format!("SELECT * FROM {from} ORDER BY f.{a} DESC, f.{m} LIMIT 3"),
        format!("SELECT * FROM {from} LIMIT 2 OFFSET 1"),
        format!("SELECT {a}, count(*) AS n FROM {from} GROUP BY {a} ORDER BY {a}"),
        format!(
            "SELECT {b} AS p, {m} AS q, count(*) AS n FROM {from} GROUP BY {b}, {m} HAVING count(*) > 0 ORDER BY n, p, q"
        ),
        format!("SELECT {a} AS p, count(*) AS n, count({m}) AS k FROM {from} GROUP BY ROLLUP ({a})"),
        format!("SELECT DISTINCT {m} FROM {from} ORDER BY {m}"),
        format!("SELECT * FROM (SELECT * FROM {from}) AS t WHERE t.{b} IN (SELECT g.{b} FROM {} AS g)", of.sql),
        format!(
            "WITH t AS (SELECT * FROM {from}) SELECT x.{a}, y.{b} AS other FROM t AS x JOIN t AS y ON x.{a} = y.{a} ORDER BY x.{b}, y.{m}"
        ),
        format!("SELECT f.{a}, t.kind FROM {from} CROSS JOIN types AS t ORDER BY t.kind, f.{a} LIMIT 5"),
        format!(
            "SELECT c.name, f.{b} FROM containers AS c LEFT JOIN {from} ON f.{a} IS NOT NULL AND c.depth = 0 ORDER BY c.name, f.{b}"
        ),
        format!("SELECT {a}, row_number() OVER (PARTITION BY {a} ORDER BY {b}) AS n FROM {from} ORDER BY {a}, n"),
        format!("SELECT {a}, lag({b}) OVER (ORDER BY {a}, {b}) AS before FROM {from} WHERE {a} IS NOT NULL"),
        format!("SELECT {a} FROM {from} UNION SELECT g.{a} FROM {} AS g ORDER BY 1", of.sql),
        format!("SELECT {a} FROM {from} UNION ALL SELECT g.{a} FROM {} AS g ORDER BY 1 LIMIT 4", of.sql),
        format!("SELECT {a} FROM {from} EXCEPT ALL SELECT g.{a} FROM {} AS g", of.sql),
        format!("SELECT * FROM {from} WHERE EXISTS (SELECT 1 FROM {} AS g WHERE g.{a} = f.{a})", of.sql),
        format!("SELECT f.{a}, EXISTS (SELECT 1 FROM {} AS g WHERE g.{a} > f.{a}) AS later FROM {from}", of.sql),
        format!("SELECT f.{a}, (SELECT count(*) FROM {} AS g WHERE g.{b} = f.{b}) AS n FROM {from}", of.sql),
        format!("SELECT count(*) FROM {from} WHERE f.{b} >= ALL (SELECT g.{b} FROM {} AS g)", of.sql),
    ];
    let has_container = of.columns.iter().any(|(name, _)| name == "\"container_id\"");
    let join = format!("{from} JOIN containers AS c ON c.container_id = f.container_id");
    for (place, (column, value)) in of.columns.iter().enumerate() {
        let Some(value) = value else { continue };
        queries.push(match (place % 2, has_container) {
            (0, true) => format!(
                "SELECT f.*, c.path AS p FROM {join} WHERE f.{column} = {value} ORDER BY f.{column}, c.name, f.{b}"
            ),
            (0, false) => format!("SELECT * FROM {from} WHERE f.{column} = {value} ORDER BY f.{column}, f.{b}, f.{a}"),
            _ => format!("SELECT * FROM {from} WHERE f.{column} = {value} ORDER BY f.{a}, f.{column}, f.{m}"),
        });
    }
    if has_container {
        queries
            .push(format!("SELECT f.{b}, c.depth AS d FROM {join} WHERE c.depth = 1 ORDER BY c.depth, c.name, f.{b}"));
        queries.push(format!("SELECT c.name, count(*) AS n FROM {join} GROUP BY c.name ORDER BY c.name"));
        queries.push(format!("SELECT f.{b}, c.type FROM {join} WHERE c.is_leaf ORDER BY c.type, c.preorder, f.{m}"));
    }
    queries
}

/// Runs a query; what is wrong with it, if anything is.
async fn failure(engine: &Engine, sql: &str) -> Option<String> {
    engine.sql(sql).await.err().map(|error| format!("{sql}\n  {error}"))
}

/// Composes every second function and view, from one of the first two on.
fn compose(first: usize) {
    let runtime = runtime();
    let mut engines: BTreeMap<(Vec<String>, Vec<String>), (TempDir, Engine)> = BTreeMap::new();
    let (mut total, mut failures) = (0, vec![]);
    for definition in registry::definitions().skip(first).step_by(2) {
        let path = checkout().join(format!("tests/sql/{}/{}.slt", definition.family, definition.name));
        let (_, engine) =
            engines.entry(heads(&read(&path))).or_insert_with_key(|(traces, resources)| engine_with(traces, resources));
        let sql = relation(definition);
        let plain = format!("SELECT * FROM {sql} AS f");
        let statements = engine.split(&plain).unwrap_or_else(|error| panic!("{plain}: {error}"));
        let answer = runtime.block_on(engine.run(&statements[0])).unwrap_or_else(|error| panic!("{plain}: {error}"));
        let batches = runtime.block_on(engine.sql(&plain)).unwrap_or_else(|error| panic!("{plain}: {error}"));
        let relation = composed_relation(&batches, &answer.schema, sql);
        if relation.columns.is_empty() {
            continue;
        }
        for query in compositions(&relation) {
            total += 1;
            failures.extend(runtime.block_on(failure(engine, &query)));
        }
    }
    assert!(failures.is_empty(), "{} of {total} compositions failed:\n{}", failures.len(), failures.join("\n"));
    assert!(total >= 543, "only {total} compositions ran");
}

// Two tests, which run at once.
#[test]
fn every_function_and_view_composes() {
    compose(0);
}

#[test]
fn every_other_function_and_view_composes() {
    compose(1);
}
