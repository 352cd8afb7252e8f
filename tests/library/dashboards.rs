//! The dashboards of `sql/dashboards`: every query runs on a sample trace, and the files fit together.
//!
//! What Grafana puts in place of its macros is put there by this test; the dialect is that of PostgreSQL, as
//! it is when they are asked through the server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;
use futures::TryStreamExt;
use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::ImportOptions;
use ocellus::store::Store;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{block_on, checkout, empty_store, import_into, read, sample};

/// Noon of 2024-05-01; the sample lasts ten seconds from there on.
const ORIGIN_MS: i64 = 1_714_564_800_000;
const FROM: &str = "'2024-05-01T12:00:00Z'";
const TO: &str = "'2024-05-01T12:00:10Z'";
const TRACE: &str = "quickstart";

fn root() -> PathBuf {
    checkout().join("sql/dashboards")
}

/// The sample in a store beside another trace, so that no trace is the only one.
fn store() -> (TempDir, Store) {
    let (folder, store) = empty_store();
    for (name, origin_ms) in [("quickstart", Some(ORIGIN_MS)), ("paper", None)] {
        let options = ImportOptions { origin_ms, ..ImportOptions::default() };
        import_into(&store, &sample(&format!("{name}.trace")), &options);
    }
    (folder, store)
}

/// The rows of a query, in the dialect of PostgreSQL.
fn rows(store: &Store, trace: Option<&str>, sql: &str) -> Vec<RecordBatch> {
    let options = EngineOptions { trace: trace.map(str::to_string), threads: Some(2), ..EngineOptions::default() };
    let engine = Engine::open(store.clone(), options).expect("an engine");
    block_on(async {
        engine.sql("SET datafusion.sql_parser.dialect = 'postgresql'").await.expect("a dialect");
        let statements = engine.split(sql).unwrap_or_else(|e| panic!("{e}\n{sql}"));
        assert_eq!(statements.len(), 1, "one query: {sql}");
        let answer = engine.run(&statements[0]).await.unwrap_or_else(|e| panic!("{e}\n{sql}"));
        answer.stream.try_collect().await.unwrap_or_else(|e| panic!("{e}\n{sql}"))
    })
}

/// The query as Grafana sends it.
fn without_macros(sql: &str) -> String {
    let mut text = sql.replace("$__timeFrom()", FROM).replace("$__timeTo()", TO);
    while let Some((before, rest)) = text.split_once("$__timeFilter(") {
        let (column, after) = rest.split_once(')').expect("a closing parenthesis");
        text = format!("{before}{column} BETWEEN {FROM} AND {TO}{after}");
    }
    let text = text.replace("${trace}", TRACE).replace("${slices}", "10");
    assert!(!text.contains('$'), "a macro that the test does not know: {text}");
    text
}

fn dashboard() -> Value {
    serde_json::from_str(&read(&root().join("grafana/ocellus.json"))).expect("JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is no text in {value}"))
}

#[test]
fn every_panel_of_grafana_shows_rows() {
    let (_folder, store) = store();
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().expect("panels");
    for panel in panels {
        let title = text(panel, "title");
        for target in panel["targets"].as_array().expect("targets") {
            let batches = rows(&store, None, &without_macros(text(target, "rawSql")));
            assert!(batches.iter().any(|batch| batch.num_rows() > 0), "{title} shows nothing");
            if text(target, "format") == "time_series" {
                let schema = batches[0].schema();
                let time = schema.field_with_name("time").unwrap_or_else(|_| panic!("{title} has no time"));
                assert!(matches!(time.data_type(), DataType::Timestamp(_, Some(_))), "{title}");
                let is_number = |kind: &DataType| kind.is_numeric();
                assert!(schema.fields().iter().any(|field| is_number(field.data_type())), "{title} has no number");
            }
        }
    }
    assert!(panels.len() >= 8);
}

#[test]
fn variables_of_grafana_give_the_traces() {
    let (_folder, store) = store();
    let dashboard = dashboard();
    let variables = dashboard["templating"]["list"].as_array().expect("variables");
    let names: Vec<&str> = variables.iter().map(|variable| text(variable, "name")).collect();
    assert_eq!(names, ["datasource", "trace", "slices"]);
    let batches = rows(&store, None, text(&variables[1], "query"));
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
}

#[test]
fn panels_of_grafana_do_not_overlap_and_share_the_data_source() {
    let dashboard = dashboard();
    let mut taken = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in dashboard["panels"].as_array().expect("panels") {
        let title = text(panel, "title");
        assert!(ids.insert(panel["id"].as_u64().expect("an id")), "{title}");
        let place = |key: &str| panel["gridPos"][key].as_u64().expect("a place");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(x < 24 && taken.insert((x, y)), "{title} lies on another panel");
            }
        }
        for source in [&panel["datasource"], &panel["targets"][0]["datasource"]] {
            assert_eq!(text(source, "type"), "grafana-postgresql-datasource");
            assert_eq!(text(source, "uid"), "${datasource}");
        }
    }
    assert_eq!(text(&dashboard, "uid"), "ocellus-trace");
}

/// A file of the Superset bundle: its top-level lines `key: value`, and its query.
struct BundleFile {
    path: PathBuf,
    values: BTreeMap<String, String>,
    sql: String,
    text: String,
}

fn bundle_file(path: PathBuf) -> BundleFile {
    let text = read(&path);
    let mut values = BTreeMap::new();
    let mut sql = String::new();
    let mut is_sql = false;
    for line in text.lines() {
        assert!(!line.contains('\t'), "YAML knows no tabs: {}", path.display());
        match line.split_once(':') {
            Some((key, value)) if !key.starts_with([' ', '-']) => {
                is_sql = key == "sql";
                let is_new = values.insert(key.to_string(), value.trim().to_string()).is_none();
                assert!(is_new, "{key} twice in {}", path.display());
            }
            _ if is_sql => {
                sql.push_str(line);
                sql.push('\n');
            }
            _ => {}
        }
    }
    BundleFile { path, values, sql, text }
}

/// The files below a folder of the bundle.
fn bundle_files(folder: &str) -> Vec<BundleFile> {
    let folder = root().join("superset/ocellus").join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.into_iter().map(bundle_file).collect()
}

impl BundleFile {
    fn get(&self, key: &str) -> &str {
        self.values.get(key).unwrap_or_else(|| panic!("{} has no {key}", self.path.display()))
    }
}

#[test]
fn every_dataset_of_superset_gives_its_columns() {
    let (_folder, store) = store();
    let datasets = bundle_files("datasets/Ocellus");
    assert!(datasets.len() >= 5);
    for dataset in &datasets {
        let name = dataset.get("table_name");
        assert_eq!(dataset.path.file_stem().expect("a name").to_string_lossy(), name);
        // Superset sets the search path to the schema of the dataset.
        assert_eq!(dataset.get("schema"), TRACE, "{name}");
        let batches = rows(&store, Some(TRACE), &dataset.sql);
        assert!(batches.iter().any(|batch| batch.num_rows() > 0), "{name} gives nothing");
        let given: Vec<String> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        let listed: Vec<&str> = dataset.text.lines().filter_map(|line| line.strip_prefix("- column_name: ")).collect();
        assert_eq!(given, listed, "{name}");
        // A chart puts the query below an alias and adds up a metric.
        for metric in
            dataset.text.lines().filter_map(|line| line.strip_prefix("  expression: ")).filter(|text| *text != "null")
        {
            rows(&store, Some(TRACE), &format!("SELECT {metric} AS m FROM ({}) AS virtual_table", dataset.sql));
        }
        let time = dataset.get("main_dttm_col");
        if time != "null" {
            let sql = format!(
                "SELECT DATE_TRUNC('second', {time}) AS t, count(*) FROM ({}) AS virtual_table \
                               WHERE {time} >= {FROM} AND {time} < {TO} GROUP BY 1 ORDER BY 1",
                dataset.sql
            );
            assert!(rows(&store, Some(TRACE), &sql).iter().any(|batch| batch.num_rows() > 0), "{name}");
        }
    }
}

#[test]
fn parts_of_superset_refer_to_each_other() {
    let databases = bundle_files("databases");
    let uuids =
        |files: &[BundleFile]| -> BTreeSet<String> { files.iter().map(|file| file.get("uuid").to_string()).collect() };
    let datasets = bundle_files("datasets/Ocellus");
    let charts = bundle_files("charts");
    for dataset in &datasets {
        assert!(uuids(&databases).contains(dataset.get("database_uuid")), "{}", dataset.path.display());
    }
    for chart in &charts {
        assert!(uuids(&datasets).contains(chart.get("dataset_uuid")), "{}", chart.path.display());
    }
    let [dashboard] = &bundle_files("dashboards")[..] else { panic!("one dashboard") };
    let shown: BTreeSet<String> = dashboard
        .text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("uuid: \""))
        .map(|uuid| uuid.trim_end_matches('"').to_string())
        .collect();
    assert_eq!(shown, uuids(&charts));
    let all = [&databases, &datasets, &charts].map(|files| files.len()).iter().sum::<usize>();
    let every: BTreeSet<String> = [uuids(&databases), uuids(&datasets), uuids(&charts)].into_iter().flatten().collect();
    assert_eq!(every.len(), all, "each file has a uuid of its own");
    let metadata = bundle_file(root().join("superset/ocellus/metadata.yaml"));
    assert_eq!((metadata.get("version"), metadata.get("type")), ("1.0.0", "Dashboard"));
}
