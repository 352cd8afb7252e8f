//! Runs `tests/sql/**/*.slt` and the cookbook, `sql/queries/*.sql`, and keeps the generated pages up to date.
//!
//! `OCELLUS_BLESS=1` rewrites the generated pages; expected results are never rewritten.

mod comparisons;
mod compositions;
mod cookbook;
mod notes;
mod slt;
mod suite;
mod support;
mod sweeps;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use ocellus_engine::catalog::type_name;
use ocellus_engine::functions::{pages, registry};

use slt::{Expected, Record, plain};
use suite::{engine_on, run_all};
use support::{block_on, checkout, files, read};

#[test]
fn every_slt_file_passes() {
    run_all(|| (), async |_| {});
}

#[test]
fn every_function_has_its_file_and_every_example_is_a_record() {
    let mut families = BTreeSet::new();
    let mut expected = BTreeSet::new();
    for definition in registry::definitions() {
        let path = checkout().join(format!("tests/sql/{}/{}.slt", definition.family, definition.name));
        let records = slt::parse(&path, &read(&path));
        let is_query = |record: &&Record| matches!(record.expected, Expected::Rows { .. });
        let queries: BTreeSet<String> = records.iter().filter(is_query).map(|record| plain(&record.sql)).collect();
        for example in definition.examples {
            assert!(queries.contains(&plain(example)), "{}: no record is the example: {example}", path.display());
        }
        families.insert(definition.family);
        expected.insert(path);
    }
    for family in families {
        for path in files(&checkout().join("tests/sql").join(family), ".slt") {
            assert!(expected.contains(&path), "{} tests nothing that is registered", path.display());
        }
    }
}

#[test]
fn views_give_the_columns_that_they_document() {
    let (_folder, engine) = engine_on(&["traces/paper.trace".to_string()]);
    for view in registry::VIEWS.iter() {
        let table = block_on(engine.table("paper", view.definition.name)).expect("no error").expect("the view");
        let given: Vec<(String, String)> = table.columns.into_iter().map(|c| (c.name, c.kind)).collect();
        let documented: Vec<(String, String)> =
            view.definition.columns.iter().map(|c| (c.name.to_string(), c.kind.to_string())).collect();
        assert_eq!(given, documented, "{}", view.definition.name);
    }
}

#[test]
fn table_functions_give_the_columns_that_they_document() {
    let (_folder, engine) = engine_on(&["traces/paper.trace".to_string()]);
    for function in registry::TABLE_FUNCTIONS {
        let definition = &function.definition;
        let call = match definition.name {
            "at_depth" => "at_depth(1)",
            "dated" => "dated((SELECT start_time FROM states))",
            "events_at" => "events_at(1)",
            "hierarchy_aggregate" => "hierarchy_aggregate((SELECT container_id, duration AS seconds FROM states))",
            "graph_layout" => "graph_layout(links)",
            "inspect" => "inspect('Thread 1', 1)",
            "interval_join" => {
                "interval_join((SELECT container_id, start_time, end_time FROM states), \
                                (SELECT container_id, start_time, end_time FROM states))"
            }
            "overlap_seconds" => "overlap_seconds(states, states)",
            "read_csv" => "read_csv('traces/machines.csv')",
            "read_parquet" => "read_parquet('traces/machines.parquet')",
            "difference_levels" => "difference_levels('paper', 'paper')",
            "difference_model" => "difference_model('paper', 'paper')",
            "difference_partition" => "difference_partition('paper', 'paper')",
            "explain_area" => "explain_area('Thread 1')",
            "run_findings" => "run_findings('paper', 'paper')",
            "run_diff" => "run_diff('paper', 'paper')",
            "subtree" => "subtree(1)",
            "summarize" => "summarize(states)",
            "treemap" => "treemap(states, weight => 'duration')",
            name => &format!("{name}()"),
        };
        let statements = engine.split(&format!("SELECT * FROM {call}")).expect("a statement");
        let answer = block_on(engine.run(&statements[0])).unwrap_or_else(|e| panic!("{call}: {e}"));
        let fields = answer.schema.fields();
        let given: Vec<(&str, String)> = fields.iter().map(|f| (f.name().as_str(), type_name(f.data_type()))).collect();
        let documented: Vec<(&str, String)> =
            definition.columns.iter().map(|column| (column.name, column.kind.to_string())).collect();
        assert_eq!(given, documented, "{call}");
    }
}

#[test]
fn the_generated_pages_are_current() {
    let mut wanted = vec![(checkout().join("schemas/README.md"), ocellus_trace::schema::markdown())];
    for (file, page) in pages() {
        wanted.push((checkout().join("sql/functions").join(file), page));
    }
    let known: BTreeSet<&PathBuf> = wanted.iter().map(|(path, _)| path).collect();
    let on_disk = files(&checkout().join("sql/functions"), ".md");
    let orphans: Vec<&PathBuf> = on_disk.iter().filter(|path| !known.contains(path)).collect();
    if std::env::var_os("OCELLUS_BLESS").is_some_and(|value| value == "1") {
        for orphan in orphans {
            fs::remove_file(orphan).expect("an orphan that can be removed");
        }
        for (path, page) in &wanted {
            fs::write(path, page).expect("a page that can be written");
        }
        return;
    }
    assert!(orphans.is_empty(), "pages of nothing: {orphans:?}; OCELLUS_BLESS=1 removes them");
    for (path, page) in &wanted {
        let current = fs::read_to_string(path).unwrap_or_default();
        assert!(
            &current == page,
            "{} is stale; OCELLUS_BLESS=1 cargo test --release -p ocellus-engine --test sql rewrites it",
            path.display()
        );
    }
}
