//! The container tree against a slow recomputation that walks up from every row, on random trees and
//! rows, for any split into partitions and batches; and aggregates that a program registers itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result as PlanResult, ScalarValue};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Accumulator, AggregateUDF, Volatility, create_udaf};
use ocellus::engine::Engine;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{self, runtime};

/// A tree: the parent of each container, always an earlier one.
#[derive(Debug, Clone)]
struct Tree {
    parents: Vec<Option<usize>>,
    /// Numbers of names: some are shared.
    names: Vec<usize>,
}

/// Deepest container of a random tree.
const DEEPEST: usize = 6;
const NAMES: [&str; 4] = ["node", "a/b", "7", "thread 0"];

impl Tree {
    fn depth(&self, container: usize) -> usize {
        self.up(container).count() - 1
    }

    /// A container and its ancestors.
    fn up(&self, container: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(container), |below| self.parents[*below])
    }

    /// The tree as a trace; types are named by depth.
    fn trace(&self) -> String {
        let mut text = String::from(
            "%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
             %EventDef PajeCreateContainer 5\n% Time date\n% Alias string\n% Type string\n% Container string\n\
             % Name string\n%EndEventDef\n1 T0 0 level-0\n",
        );
        for depth in 1..=DEEPEST {
            let _ = writeln!(text, "1 T{depth} T{} level-{depth}", depth - 1);
        }
        for (container, parent) in self.parents.iter().enumerate() {
            let parent = parent.map_or("0".to_string(), |parent| format!("c{parent}"));
            let name = NAMES[self.names[container]];
            let _ = writeln!(text, "5 {container} c{container} T{} {parent} \"{name}\"", self.depth(container));
        }
        text
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..NAMES.len()), 1..30).prop_map(|picks| {
        let mut tree = Tree { parents: vec![], names: vec![] };
        for (number, (pick, name)) in picks.into_iter().enumerate() {
            // One more place than there are containers: a root.
            let place = pick.index(number + 1);
            let is_root = place == number || tree.depth(place) == DEEPEST;
            tree.parents.push(if is_root { None } else { Some(place) });
            tree.names.push(name);
        }
        tree
    })
}

/// A row that is measured. Amounts are quarters, so that their sums are exact in any order.
#[derive(Debug, Clone)]
struct Row {
    container: Option<i32>,
    phase: Option<u8>,
    quarters: Option<i64>,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (
        prop::option::weighted(0.9, -1..33_i32),
        prop::option::weighted(0.8, 0..3_u8),
        prop::option::weighted(0.8, -40..40_i64),
    )
        .prop_map(|(container, phase, quarters)| Row { container, phase, quarters });
    prop::collection::vec(row, 0..60)
}

/// How the rows are dealt out: rows per batch, partitions, threads.
type Split = (usize, usize, usize);

fn batch(rows: &[Row]) -> RecordBatch {
    let phase = |row: &Row| row.phase.map(|phase| format!("phase {phase}"));
    RecordBatch::try_from_iter_with_nullable([
        ("container_id", Arc::new(rows.iter().map(|row| row.container).collect::<Int32Array>()) as ArrayRef, true),
        ("phase", Arc::new(rows.iter().map(phase).collect::<StringArray>()), true),
        ("whole", Arc::new(rows.iter().map(|row| row.quarters).collect::<Int64Array>()), true),
        (
            "broken",
            Arc::new(rows.iter().map(|row| row.quarters.map(|q| q as f64 / 4.0)).collect::<Float64Array>()),
            true,
        ),
    ])
    .expect("columns of equal length")
}

/// An engine on the tree, with the rows as the table `measured`.
fn engine(tree: &Tree, rows: &[Row], (batch_rows, partitions, threads): Split) -> (TempDir, Engine) {
    let generated = tempfile::tempdir().expect("a temporary folder");
    let trace = generated.path().join("tree.trace");
    std::fs::write(&trace, tree.trace()).expect("a file");
    let (folder, engine) = support::engine_with(&trace, support::threads(threads));
    let mut dealt: Vec<Vec<RecordBatch>> = vec![vec![]; partitions];
    for (number, part) in rows.chunks(batch_rows).enumerate() {
        dealt[number % partitions].push(batch(part));
    }
    let table = MemTable::try_new(batch(&[]).schema(), dealt).expect("a table");
    engine.context().register_table("measured", Arc::new(table)).expect("a new name");
    engine.context().register_udaf(spread());
    (folder, engine)
}

/// The rows of a query, as text.
fn query(runtime: &tokio::runtime::Runtime, engine: &Engine, sql: &str) -> Vec<Vec<String>> {
    let batches = runtime.block_on(engine.sql(sql)).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let mut rows = vec![];
    for batch in &batches {
        let columns: Vec<ArrayRef> =
            batch.columns().iter().map(|column| cast(column, &DataType::Utf8).expect("text")).collect();
        for row in 0..batch.num_rows() {
            let cell = |column: &ArrayRef| match column.is_null(row) {
                true => "NULL".to_string(),
                false => column.as_string::<i32>().value(row).to_string(),
            };
            rows.push(columns.iter().map(cell).collect());
        }
    }
    rows.sort();
    rows
}

/// Largest less smallest value: an aggregate that no engine has.
#[derive(Debug, Default)]
struct Spread(Option<(i64, i64)>);

impl Spread {
    fn add(&mut self, values: &ArrayRef) {
        for value in values.as_primitive::<Int64Type>().iter().flatten() {
            let (least, most) = self.0.unwrap_or((value, value));
            self.0 = Some((least.min(value), most.max(value)));
        }
    }
}

impl Accumulator for Spread {
    fn update_batch(&mut self, values: &[ArrayRef]) -> PlanResult<()> {
        self.add(&values[0]);
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> PlanResult<()> {
        states.iter().for_each(|state| self.add(state));
        Ok(())
    }

    fn evaluate(&mut self) -> PlanResult<ScalarValue> {
        Ok(ScalarValue::Int64(self.0.map(|(least, most)| most - least)))
    }

    fn state(&mut self) -> PlanResult<Vec<ScalarValue>> {
        let (least, most) = self.0.unzip();
        Ok(vec![ScalarValue::Int64(least), ScalarValue::Int64(most)])
    }

    fn size(&self) -> usize {
        size_of::<Spread>()
    }
}

fn spread() -> AggregateUDF {
    let state = Arc::new(vec![DataType::Int64, DataType::Int64]);
    let make = Arc::new(|_: AccumulatorArgs<'_>| Ok(Box::new(Spread::default()) as Box<dyn Accumulator>));
    create_udaf("spread", vec![DataType::Int64], Arc::new(DataType::Int64), Volatility::Immutable, make, state)
}

/// The values of every container and phase, its whole subtree included, down to a depth.
fn subtree_values(tree: &Tree, rows: &[Row], deepest: usize) -> BTreeMap<(usize, Option<u8>), Vec<Option<i64>>> {
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in rows {
        let Some(container) = row.container.and_then(|id| usize::try_from(id).ok()) else { continue };
        if container >= tree.parents.len() {
            continue;
        }
        for above in tree.up(container).filter(|above| tree.depth(*above) <= deepest) {
            values.entry((above, row.phase)).or_default().push(row.quarters);
        }
    }
    values
}

/// What an aggregate of `whole` (BIGINT) or `broken` (DOUBLE) gives, as text.
fn aggregated(aggregate: &str, measure: &str, values: &[Option<i64>]) -> String {
    let known: Vec<i64> = values.iter().copied().flatten().collect();
    let sum: i64 = known.iter().sum();
    let number = |value: i64| match measure {
        "whole" => value.to_string(),
        _ => format!("{:?}", value as f64 / 4.0),
    };
    let (least, most) = (known.iter().min(), known.iter().max());
    let unit = if measure == "whole" { 1.0 } else { 4.0 };
    match (aggregate, least, most) {
        ("count", ..) => known.len().to_string(),
        ("avg", Some(_), _) => format!("{:?}", sum as f64 / unit / known.len() as f64),
        ("sum", Some(_), _) => number(sum),
        ("min", Some(least), _) => number(*least),
        ("max", _, Some(most)) => number(*most),
        ("spread", Some(least), Some(most)) => (most - least).to_string(),
        (_, None, _) | (.., None) => "NULL".to_string(),
        _ => panic!("no twin of {aggregate}"),
    }
}

fn expected(tree: &Tree, rows: &[Row], aggregate: &str, measure: &str, deepest: usize) -> Vec<Vec<String>> {
    let line = |((container, phase), values): (&(usize, Option<u8>), &Vec<Option<i64>>)| {
        vec![
            container.to_string(),
            NAMES[tree.names[*container]].to_string(),
            format!("level-{}", tree.depth(*container)),
            tree.depth(*container).to_string(),
            phase.map_or("NULL".to_string(), |phase| format!("phase {phase}")),
            aggregated(aggregate, measure, values),
        ]
    };
    let mut lines: Vec<_> = subtree_values(tree, rows, deepest).iter().map(line).collect();
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn aggregates_equal_a_walk_up_from_every_row(
        tree in trees(),
        rows in rows(),
        split in (1..20_usize, 1..4_usize, 1..4_usize),
        batch_size in 1..40_usize,
        deepest in prop::option::of(0..=DEEPEST),
    ) {
        let runtime = runtime();
        let (_folder, engine) = engine(&tree, &rows, split);
        query(&runtime, &engine, &format!("SET datafusion.execution.batch_size = {batch_size}"));
        let depth = deepest.map_or("NULL".to_string(), |deepest| deepest.to_string());
        let calls = [("sum", "whole"), ("sum", "broken"), ("count", "whole"), ("min", "whole"), ("max", "broken"),
            ("avg", "broken"), ("avg", "whole"), ("spread", "whole")];
        for (aggregate, measure) in calls {
            let wanted = expected(&tree, &rows, aggregate, measure, deepest.unwrap_or(DEEPEST));
            // Texts of tables are views, and sums by them go a way of their own.
            for kind in ["Utf8", "Utf8View"] {
                let sql = format!(
                    "SELECT * FROM hierarchy_aggregate((SELECT container_id, arrow_cast(phase, '{kind}') AS phase, {measure} \
                     FROM measured), '{measure}', '{aggregate}', {depth})"
                );
                prop_assert_eq!(query(&runtime, &engine, &sql), wanted.clone(), "{}", sql);
            }
        }
    }

    #[test]
    fn sums_by_several_texts_equal_those_by_other_keys(rows in rows(), split in (1..20_usize, 1..4_usize, 1..4_usize), batch_size in 1..40_usize) {
        let runtime = runtime();
        let tree = Tree { parents: vec![None, Some(0), Some(1), Some(1), Some(0)], names: vec![0; 5] };
        let (_folder, engine) = engine(&tree, &rows, split);
        query(&runtime, &engine, &format!("SET datafusion.execution.batch_size = {batch_size}"));
        let answer = |kind: &str, measure: &str| {
            let labels = format!(
                "arrow_cast(phase, '{kind}') AS phase, arrow_cast('longer than a view holds: ' || (whole % 3), '{kind}') AS long, \
                 arrow_cast(CASE WHEN whole > 0 THEN '' WHEN whole < 0 THEN 'down' END, '{kind}') AS short"
            );
            let relation = format!("SELECT {measure}, {labels}, container_id FROM measured");
            query(&runtime, &engine, &format!("SELECT * FROM hierarchy_aggregate(({relation}), '{measure}')"))
        };
        for measure in ["whole", "broken"] {
            prop_assert_eq!(answer("Utf8View", measure), answer("Utf8", measure));
        }
    }

    #[test]
    fn children_and_own_rows_add_up_to_the_parent(tree in trees(), rows in rows(), split in (1..20_usize, 1..4_usize, 1..4_usize)) {
        let runtime = runtime();
        let (_folder, engine) = engine(&tree, &rows, split);
        let faults = query(&runtime, &engine,
            "WITH totals AS (SELECT container_id, whole FROM hierarchy_aggregate((SELECT container_id, whole FROM measured), 'whole')),
                  parts AS (SELECT container_id, whole FROM measured
                            UNION ALL
                            SELECT c.parent_id, t.whole FROM totals AS t JOIN containers AS c USING (container_id)),
                  added AS (SELECT container_id, sum(whole) AS whole FROM parts GROUP BY container_id)
             SELECT * FROM totals JOIN added USING (container_id) WHERE totals.whole IS DISTINCT FROM added.whole");
        prop_assert!(faults.is_empty(), "{:?}", faults);
    }

    #[test]
    fn ancestors_and_subtrees_equal_walks_up(tree in trees(), threads in 1..4_usize, root in any::<prop::sample::Index>(), name in 0..NAMES.len()) {
        let runtime = runtime();
        let (_folder, engine) = engine(&tree, &[], (1, 1, threads));
        let containers = 0..tree.parents.len();
        let mut pairs = vec![];
        for container in containers.clone() {
            for (distance, above) in tree.up(container).enumerate() {
                pairs.push(vec![container.to_string(), above.to_string(), tree.depth(above).to_string(), distance.to_string()]);
            }
        }
        pairs.sort();
        let sql = "SELECT container_id, ancestor_id, ancestor_depth, distance FROM container_ancestors";
        prop_assert_eq!(query(&runtime, &engine, sql), pairs);

        let root = root.index(tree.parents.len());
        let ids = |condition: &dyn Fn(usize) -> bool| {
            let below = containers.clone().filter(|container| tree.up(*container).any(condition));
            below.map(|container| vec![container.to_string()]).collect::<BTreeSet<_>>()
        };
        // Every container is there once; the name 7 may also be an id, when nobody has it.
        let has_name = |container: usize| tree.names[container] == name;
        let is_named = containers.clone().any(has_name);
        let is_meant = |container: usize| if is_named { has_name(container) } else { NAMES[name] == container.to_string() };
        for (given, wanted) in [(root.to_string(), ids(&|above| above == root)), (format!("'{}'", NAMES[name]), ids(&is_meant))] {
            let sql = format!("SELECT container_id FROM subtree({given})");
            if wanted.is_empty() {
                let refusal = runtime.block_on(engine.sql(&sql)).expect_err("nobody has that name").to_string();
                prop_assert!(refusal.contains("is no name, path, alias or id of a container"), "{}", refusal);
                continue;
            }
            let found = query(&runtime, &engine, &sql);
            prop_assert_eq!(found, wanted.into_iter().collect::<Vec<_>>(), "subtree({})", given);
        }
    }
}
