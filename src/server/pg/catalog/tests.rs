//! The statements of real clients, and what the catalogs say of a store made by hand.

use std::collections::BTreeMap;
use std::fs;

use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use datafusion::config::Dialect;
use futures::TryStreamExt;
use tempfile::TempDir;

use ocellus_engine::{Engine, EngineOptions, Files};
use ocellus_trace::schema::{ColumnType, ExtraColumn};
use ocellus_trace::store::{FORMAT_VERSION, FileEntry, Manifest, Store, TableEntry, TraceEntry};

/// What clients send.
const STATEMENTS: &str = include_str!("../../../../tests/servers/catalog_queries.sql");

struct Server {
    _folder: TempDir,
    engine: Engine,
}

impl Server {
    /// Traces whose files nobody reads; the first has a field of its own, `line`, in its states.
    fn with(traces: &[&str]) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let extra = ExtraColumn { name: "line".to_string(), kind: ColumnType::BigInt, doc: "Field line.".to_string() };
        let trace = |(place, name): (usize, &&str)| TraceEntry {
            name: name.to_string(),
            folder: format!("t{place}"),
            format: "paje".to_string(),
            source: format!("{name}.trace"),
            bytes: 1,
            resolution_digits: 9,
            start_tick: None,
            end_tick: None,
            origin_ms: None,
            time_unit: None,
            imported_at_ms: 0,
            ocellus_version: "0.1.0".to_string(),
            counts: BTreeMap::new(),
            tables: vec![TableEntry {
                name: "states".to_string(),
                rows: 7,
                extra_columns: if place == 0 { vec![extra.clone()] } else { vec![] },
                files: vec![FileEntry {
                    name: "states.parquet".to_string(),
                    rows: 7,
                    bytes: 1,
                    checksum: String::new(),
                    footer: None,
                }],
                bands: None,
            }],
        };
        for place in 0..traces.len() {
            fs::create_dir(folder.path().join(format!("t{place}"))).expect("a folder");
        }
        let traces = traces.iter().enumerate().map(trace).collect();
        let manifest =
            Manifest { format_version: FORMAT_VERSION, ocellus_version: "0.1.0".to_string(), generation: 1, traces };
        fs::write(folder.path().join("ocellus.json"), serde_json::to_string(&manifest).expect("JSON"))
            .expect("a manifest");
        let options = EngineOptions { trace: Some("lu".to_string()), files: Files::Hidden, ..EngineOptions::default() };
        let engine = Engine::open(Store::open(folder.path()).expect("a store"), options).expect("an engine");
        engine.context().state_ref().write().config_mut().options_mut().sql_parser.dialect = Dialect::PostgreSQL;
        super::install(engine.context()).expect("catalogs");
        Server { _folder: folder, engine }
    }

    async fn batches(&self, text: &str) -> Result<Vec<RecordBatch>, String> {
        let parse = |text: &str| self.engine.split(text).map_err(|error| error.to_string());
        let mut statement = parse(text)?.remove(0);
        if let Some(rewritten) = super::rewrite(&statement).map_err(|error| error.to_string())? {
            statement = parse(&rewritten).map_err(|error| format!("{error}\nrewritten: {rewritten}"))?.remove(0);
        }
        let told = |error: String| format!("{error}\nrewritten: {}", statement.sql());
        let answer = self.engine.run(&statement).await.map_err(|error| told(error.to_string()))?;
        answer.stream.try_collect().await.map_err(|error| told(error.to_string()))
    }

    /// Rows as text: columns joined by a bar, NULL empty.
    async fn rows(&self, text: &str) -> Result<Vec<String>, String> {
        let batches = self.batches(text).await?;
        let row = |batch: &RecordBatch, row: usize| {
            let cells = batch.columns().iter().map(|column| array_value_to_string(column, row).expect("a value"));
            cells.collect::<Vec<_>>().join("|")
        };
        Ok(batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |place| row(batch, place))).collect())
    }

    async fn all(&self, text: &str) -> Vec<String> {
        self.rows(text).await.unwrap_or_else(|error| panic!("{text}\n{error}"))
    }

    async fn number(&self, text: &str) -> String {
        self.all(text).await.concat()
    }
}

/// A statement of the file, with what is said of it.
struct Sent {
    client: String,
    sql: String,
    rows: Option<usize>,
    first: Option<String>,
}

fn sent(text: &str, numbers: &[(&str, String)]) -> Sent {
    let (mut client, mut rows, mut first) = (String::new(), None, None);
    let (mut lines, mut parameters) = (vec![], vec![]);
    let text =
        numbers.iter().fold(text.to_string(), |text, (name, number)| text.replace(&format!("{{{name}}}"), number));
    for line in text.lines() {
        match line.strip_prefix("-- ") {
            Some(note) if lines.is_empty() => {
                if let Some(name) = note.strip_prefix("client: ") {
                    client = name.to_string();
                } else if let Some(count) = note.strip_prefix("rows: ") {
                    rows = count.parse().ok();
                } else if let Some(row) = note.strip_prefix("first: ") {
                    first = Some(row.to_string());
                } else if note.starts_with('$') {
                    parameters.extend(
                        note.split(", $").filter_map(|part| part.split_once(" = ").map(|(_, value)| value.to_string())),
                    );
                }
            }
            _ => lines.push(line),
        }
    }
    let mut sql = lines.join("\n");
    for (place, value) in parameters.iter().enumerate().rev() {
        sql = sql.replace(&format!("${}", place + 1), value);
    }
    Sent { client, sql, rows, first }
}

#[tokio::test]
async fn statements_of_clients_run() {
    let server = Server::with(&["lu", "ft"]);
    let mut numbers = vec![];
    for relation in ["states", "containers", "flat_profile"] {
        numbers.push((relation, server.number(&format!("SELECT 'lu.{relation}'::regclass::oid")).await));
    }
    numbers.push(("state_slices", server.number("SELECT 'state_slices'::regproc::oid").await));
    numbers.push(("lu", server.number("SELECT oid FROM pg_namespace WHERE nspname = 'lu'").await));
    let mut errors = vec![];
    for text in STATEMENTS.split("\n;\n").filter(|text| !text.trim().is_empty()) {
        let sent = sent(text.trim(), &numbers);
        let wrong = match server.rows(&sent.sql).await {
            Err(error) => Some(error),
            Ok(rows) if sent.rows.is_some_and(|expected| expected != rows.len()) => {
                Some(format!("{} rows", rows.len()))
            }
            Ok(rows) if sent.first.is_some() && sent.first.as_ref() != rows.first() => {
                Some(format!("{:?}", rows.first()))
            }
            Ok(_) => None,
        };
        if let Some(wrong) = wrong {
            errors.push(format!("-- {}\n{}\n==> {wrong}\n", sent.client, sent.sql));
        }
    }
    assert!(errors.is_empty(), "{} statements fail:\n{}", errors.len(), errors.join("\n"));
}

#[tokio::test]
async fn relations_have_columns_types_and_comments() {
    let server = Server::with(&["lu", "ft"]);
    let columns = "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(a.attrelid, a.attnum) \
                   FROM pg_attribute a WHERE a.attrelid = 'lu.states'::regclass AND a.attnum > 0 ORDER BY a.attnum";
    let columns = server.all(columns).await;
    assert_eq!(columns[0], "container_id|integer|true|The container that it belongs to.");
    assert!(columns.contains(&"start_time|double precision|true|When the state began.".to_string()), "{columns:?}");
    assert!(columns.contains(&"line|bigint|false|Field line.".to_string()), "{columns:?}");
    // The other trace has no such field; the union of both has it, after the name of the trace.
    let count = |schema: &str| {
        format!(
            "SELECT count(*) FROM information_schema.columns WHERE table_schema = '{schema}' AND table_name = 'states' AND column_name = 'line'"
        )
    };
    assert_eq!(server.all(&count("ft")).await, ["0"]);
    assert_eq!(server.all(&count("all_traces")).await, ["1"]);
    let first = "SELECT column_name, data_type, udt_name FROM information_schema.columns \
                 WHERE table_schema = 'all_traces' AND table_name = 'states' AND ordinal_position = 1";
    assert_eq!(server.all(first).await, ["trace|text|text"]);
}

#[tokio::test]
async fn what_is_listed_is_what_is_there() {
    let server = Server::with(&["lu"]);
    let listed = server.all("SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'lu' ORDER BY 1, ordinal_position").await;
    let mut planned = vec![];
    let mut tables = server.engine.table_names("lu");
    tables.sort();
    for name in tables {
        let table = server.engine.table("lu", &name).await.expect("a table").expect("a table");
        for column in table.columns {
            let kind = match column.kind.as_str() {
                "DOUBLE" => "double precision".to_string(),
                "TIMESTAMP" => "timestamp with time zone".to_string(),
                "BIGINT UNSIGNED" => "numeric".to_string(),
                kind if kind.ends_with("[]") || kind.starts_with("List") => "ARRAY".to_string(),
                kind => kind.to_lowercase(),
            };
            planned.push(format!("{name}|{}|{kind}", column.name));
        }
    }
    assert_eq!(listed, planned);
}

#[tokio::test]
async fn views_have_definitions() {
    let server = Server::with(&["lu"]);
    let view = "SELECT relkind, pg_get_viewdef(oid, true), obj_description(oid, 'pg_class') FROM pg_class WHERE relname = 'flat_profile'";
    let rows = server.all(view).await;
    assert!(rows[0].starts_with("v|-- How long each container"), "{rows:?}");
    assert!(rows.last().is_some_and(|row| row.ends_with("and without it.")), "{rows:?}");
    assert_eq!(server.all("SELECT viewname FROM pg_views WHERE viewname = 'flat_profile'").await, ["flat_profile"]);
}

#[tokio::test]
async fn functions_tell_their_arguments() {
    let server = Server::with(&["lu"]);
    let function = "SELECT proretset, pg_get_function_arguments(oid), pg_get_function_result(oid) FROM pg_proc WHERE proname = 'state_slices'";
    let rows = server.all(function).await;
    assert!(rows[0].starts_with("true|"), "{rows:?}");
    assert!(rows[0].contains("slices bigint DEFAULT 10") || rows[0].contains("slices bigint DEFAULT"), "{rows:?}");
    assert!(rows[0].contains("|TABLE("), "{rows:?}");
    let comment = "SELECT description FROM pg_description WHERE objoid = 'state_slices'::regproc::oid AND classoid = 'pg_proc'::regclass";
    assert_eq!(server.all(comment).await.len(), 1);
}

#[tokio::test]
async fn numbers_of_objects_stay() {
    let (small, large) = (Server::with(&["lu"]), Server::with(&["lu", "ft", "cg"]));
    let number = "SELECT 'lu.states'::regclass::oid";
    assert_eq!(small.all(number).await, large.all(number).await);
    let twice = "SELECT oid FROM pg_class GROUP BY oid HAVING count(*) > 1";
    assert!(large.all(twice).await.is_empty());
}

#[tokio::test]
async fn names_are_seen_from_their_schema() {
    let server = Server::with(&["lu", "ft"]);
    let seen = "SELECT n.nspname, pg_table_is_visible(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                WHERE c.relname IN ('links', 'pg_class') ORDER BY 1";
    assert_eq!(server.all(seen).await, ["all_traces|false", "ft|false", "lu|true", "pg_catalog|true"]);
    assert_eq!(server.all("SELECT 'ft.links'::regclass, 'lu.links'::regclass::text").await, ["ft.links|links"]);
    assert_eq!(server.all("SELECT to_regclass('lu.nothing') IS NULL").await, ["true"]);
    let missing = server.rows("SELECT 'nothing'::regclass").await;
    assert!(missing.is_err_and(|error| error.contains("not found")));
}

#[tokio::test]
async fn a_server_says_what_it_is() {
    let server = Server::with(&["lu"]);
    let version = server.all("SELECT pg_catalog.version()").await.concat();
    assert!(version.starts_with("PostgreSQL 15."), "{version}");
    assert!(version.contains("(ocellus "), "{version}");
    let batches = server.batches("SELECT version(), current_schema(), count(*) FROM pg_class").await;
    let names: Vec<String> =
        batches.expect("rows")[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names[..2], ["version", "current_schema"]);
}

#[tokio::test]
async fn statements_of_users_stay_as_they_are() {
    let server = Server::with(&["lu"]);
    for text in [
        "SELECT * FROM states",
        "SELECT count(*) FROM state_slices(slices => 3)",
        "SELECT name, alias FROM containers WHERE name LIKE 'p%'",
    ] {
        let statement = server.engine.split(text).expect("a statement").remove(0);
        assert_eq!(super::rewrite(&statement).expect("a statement"), None, "{text}");
    }
}
