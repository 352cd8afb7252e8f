//! Runs `tests/sql/**/*.slt` and `sql/queries/*.sql`, and keeps the generated pages up to date.
//!
//! A file says in its first lines which traces it reads: `# trace: traces/paper.trace`. They are
//! imported into a store of its own; the first is the current one. Lines `# attach: traces/quickstart.dot`
//! attach a network or a hierarchy to the first. Column types are strict: T text,
//! I whole number, R floating point, B boolean, P timestamp, ? anything else.
//! `OCELLUS_BLESS=1` rewrites the generated pages; expected results are never rewritten.

mod slt;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;
use futures::TryStreamExt;
use ocellus::engine::{Engine, EngineOptions};
use ocellus::error::Error;
use ocellus::functions::{pages, registry};
use ocellus::import::attach::{AttachOptions, MachineMap, attach};
use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::writer::Store;
use tempfile::TempDir;

use slt::{Answer, Expected, Record, plain};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The letter of a type.
fn letter(kind: &DataType) -> char {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => 'T',
        kind if kind.is_integer() => 'I',
        kind if kind.is_floating() => 'R',
        DataType::Boolean => 'B',
        DataType::Timestamp(_, _) => 'P',
        _ => '?',
    }
}

/// Runs the one statement of a record.
async fn answer(engine: &Engine, sql: &str) -> Result<Answer, Error> {
    let statements = engine.split(sql)?;
    let [statement] = statements.as_slice() else {
        return Err(Error::Query(format!("a record holds one statement, got {}", statements.len())));
    };
    let answer = engine.run(statement).await?;
    let types = answer.schema.fields().iter().map(|field| letter(field.data_type())).collect();
    let batches: Vec<RecordBatch> =
        answer.stream.try_collect().await.map_err(|e| engine.explain_failure(&e, statement))?;
    let mut rows = vec![];
    for batch in &batches {
        for row in 0..batch.num_rows() {
            rows.push(batch.columns().iter().map(|column| cell(column, row)).collect());
        }
    }
    Ok(Answer { types, rows })
}

fn cell(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return "NULL".to_string();
    }
    let text = array_value_to_string(column, row).expect("every type can be shown");
    if text.is_empty() { "(empty)".to_string() } else { text }
}

/// Imports traces into a store of their own and opens an engine on the first.
fn engine_on(traces: &[String]) -> (TempDir, Engine) {
    engine_with(traces, &[])
}

/// The same, with resources attached to the first trace.
fn engine_with(traces: &[String], resources: &[String]) -> (TempDir, Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_or_create(folder.path()).expect("a store");
    let mut first = None;
    for trace in traces {
        let source = TraceSource::Path(root().join(trace));
        let summary = import(&source, &store, &ImportOptions::default()).unwrap_or_else(|e| panic!("{trace}: {e}"));
        first.get_or_insert(summary.trace.name);
    }
    for resource in resources {
        let file = Some(root().join(resource));
        let (topology, hierarchy) = if resource.ends_with(".dot") { (file, None) } else { (None, file) };
        let options = AttachOptions { trace: first.clone(), topology, hierarchy, map: MachineMap::Name };
        attach(&store, &options).unwrap_or_else(|e| panic!("{resource}: {e}"));
    }
    let options = EngineOptions { trace: first, threads: Some(2), ..EngineOptions::default() };
    let engine = Engine::open(store, options).expect("an engine");
    (folder, engine)
}

/// All files below a folder with that ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a readable folder").path();
        match path.is_dir() {
            true => found.extend(files(&path, ending)),
            false if path.to_string_lossy().ends_with(ending) => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// Plans nest deeply: the threads get a generous stack.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Runs one file; gives the number of records and what failed.
async fn run_file(path: &Path) -> (usize, Vec<String>) {
    let text = read(path);
    let named = |what: &str| -> Vec<String> {
        let head = text.lines().take_while(|line| line.starts_with("# trace: ") || line.starts_with("# attach: "));
        head.filter_map(|line| line.strip_prefix(what)).map(str::to_string).collect()
    };
    let traces = named("# trace: ");
    assert!(!traces.is_empty(), "{} does not begin with `# trace: …`", path.display());
    let (_folder, engine) = engine_with(&traces, &named("# attach: "));
    let records = slt::parse(path, &text);
    let mut failures = vec![];
    for record in &records {
        let given = answer(&engine, &record.sql).await.map_err(|error| error.to_string());
        if let Err(wrong) = record.check(&given) {
            failures.push(format!("{}:{}: {}\n{wrong}", path.display(), record.line, record.sql));
        }
    }
    (records.len(), failures)
}

#[test]
fn every_slt_file_passes() {
    let mut total = 0;
    let mut failures = vec![];
    for path in files(&root().join("tests/sql"), ".slt") {
        let (count, failed) = block_on(run_file(&path));
        if count == 0 {
            failures.push(format!("{} has no records", path.display()));
        }
        total += count;
        failures.extend(failed);
    }
    assert!(total > 0, "no record ran");
    assert!(failures.is_empty(), "{} of {total} records failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_query_of_the_cookbook_gives_rows() {
    let queries = files(&root().join("sql/queries"), ".sql");
    assert!(!queries.is_empty(), "no query was found");
    let (_folder, engine) = engine_on(&["traces/quickstart.trace".to_string()]);
    for path in queries {
        let text = read(&path);
        assert!(text.starts_with("-- "), "{} must begin with a comment", path.display());
        let batches = block_on(engine.sql(&text)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(batches.iter().any(|batch| batch.num_rows() > 0), "{} gives no rows", path.display());
    }
}

#[test]
fn every_view_has_a_query_of_the_cookbook() {
    for view in registry::VIEWS {
        let name = view.definition.name;
        let path = root().join(format!("sql/queries/{name}.sql"));
        let is_asked = path.exists() && read(&path).split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        assert!(is_asked, "{} does not exist, or does not read the view", path.display());
    }
}

#[test]
fn every_function_has_its_file_and_every_example_is_a_record() {
    let mut families = BTreeSet::new();
    let mut expected = BTreeSet::new();
    for definition in registry::definitions() {
        let path = root().join(format!("tests/sql/{}/{}.slt", definition.family, definition.name));
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
        for path in files(&root().join("tests/sql").join(family), ".slt") {
            assert!(expected.contains(&path), "{} tests nothing that is registered", path.display());
        }
    }
}

#[test]
fn views_give_the_columns_that_they_document() {
    let (_folder, engine) = engine_on(&["traces/paper.trace".to_string()]);
    for view in registry::VIEWS {
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
            "hierarchy_aggregate" => {
                "hierarchy_aggregate((SELECT container_id, duration AS seconds FROM states))"
            }
            "graph_layout" => "graph_layout(links)",
            "inspect" => "inspect('Thread 1', 1)",
            "interval_join" => "interval_join((SELECT container_id, start_time, end_time FROM states), \
                                (SELECT container_id, start_time, end_time FROM states))",
            "overlap_seconds" => "overlap_seconds(states, states)",
            "run_diff" => "run_diff('paper', 'paper')",
            "subtree" => "subtree(1)",
            "summarize" => "summarize(states)",
            "treemap" => "treemap(states, weight => 'duration')",
            name => &format!("{name}()"),
        };
        let statements = engine.split(&format!("SELECT * FROM {call}")).expect("a statement");
        let answer = block_on(engine.run(&statements[0])).unwrap_or_else(|e| panic!("{call}: {e}"));
        let fields = answer.schema.fields();
        let given: Vec<(&str, String)> =
            fields.iter().map(|f| (f.name().as_str(), ocellus::catalog::type_name(f.data_type()))).collect();
        let documented: Vec<(&str, String)> =
            definition.columns.iter().map(|column| (column.name, column.kind.to_string())).collect();
        assert_eq!(given, documented, "{call}");
    }
}

#[test]
fn the_generated_pages_are_current() {
    let mut wanted = vec![(root().join("schemas/README.md"), ocellus::schema::markdown())];
    for (file, page) in pages() {
        wanted.push((root().join("sql/functions").join(file), page));
    }
    let known: BTreeSet<&PathBuf> = wanted.iter().map(|(path, _)| path).collect();
    let on_disk = files(&root().join("sql/functions"), ".md");
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
        assert!(&current == page, "{} is stale; OCELLUS_BLESS=1 cargo test --release --test sql rewrites it", path.display());
    }
}
