//! Manifests that nobody of ours wrote.

use super::super::manifest::{BandGrid, FORMAT_VERSION, FooterEntry};
use super::*;
use crate::schema::{ColumnType, ExtraColumn};

fn manifest() -> Manifest {
    let file = |name: &str, rows| FileEntry {
        name: name.to_string(),
        rows,
        bytes: 1000,
        checksum: String::new(),
        footer: Some(FooterEntry { bytes: 100, checksum: String::new() }),
    };
    let files = vec![file("states.parquet", 3), file("states-0001.parquet", 4)];
    let doc = "Field line.".to_string();
    let extra = ExtraColumn { name: "line".to_string(), kind: ColumnType::BigInt, doc };
    let table = TableEntry { name: "states".to_string(), rows: 7, extra_columns: vec![extra], files, bands: None };
    let trace = |name: &str, folder: &str| TraceEntry {
        name: name.to_string(),
        folder: folder.to_string(),
        format: "paje".to_string(),
        source: "lu.trace".to_string(),
        bytes: 1,
        resolution_digits: 9,
        start_tick: Some(0),
        end_tick: Some(9),
        origin_ms: None,
        time_unit: None,
        imported_at_ms: 0,
        ocellus_version: "0.1.0".to_string(),
        counts: Default::default(),
        tables: vec![table.clone()],
    };
    let traces = vec![trace("lu", "t000001"), trace("cg", "t000002")];
    Manifest { format_version: FORMAT_VERSION, ocellus_version: "0.1.0".to_string(), generation: 3, traces }
}

fn refused(words: &str, change: impl FnOnce(&mut Manifest)) {
    let mut hostile = manifest();
    change(&mut hostile);
    let error = check(&hostile).expect_err(words);
    assert!(error.contains(words), "{error}");
}

#[test]
fn ours_are_accepted() {
    assert_eq!(check(&manifest()), Ok(()));
}

#[test]
fn folders_stay_in_the_store() {
    for folder in [
        "",
        ".",
        "..",
        "/",
        "/etc",
        "../victim",
        "t000001/..",
        "t000001/../../victim",
        "t000001/",
        "./t000001",
        "t",
        "T1",
        "t1 ",
        "t*",
        "t?",
        "t[0-9]",
        "t000001\0",
        "~",
        "t000001\\..",
        "file:///etc",
        "s3://bucket",
        "%2e%2e",
        "t٣",
    ] {
        refused("must be t and digits", |manifest| manifest.traces[0].folder = folder.to_string());
    }
    refused("two traces have the folder t000002", |manifest| manifest.traces[0].folder = "t000002".to_string());
}

#[test]
fn names_of_files_are_plain_and_unique() {
    for name in [
        "",
        ".",
        "..",
        ".parquet",
        "../t000002/states.parquet",
        "/etc/passwd",
        "/x.parquet",
        "a/b.parquet",
        "*.parquet",
        "state?.parquet",
        "[a-z].parquet",
        "{a,b}.parquet",
        "states.parquet/",
        "states.csv",
        "..parquet",
        "a..parquet",
        "%2e%2e%2fx.parquet",
        "a b.parquet",
        "a\0.parquet",
        "a\n.parquet",
        "a\\b.parquet",
        "é.parquet",
        "states.PARQUET",
        "file:x.parquet",
        "-.parquet\u{202e}",
    ] {
        refused("names are letters, digits", |manifest| manifest.traces[0].tables[0].files[0].name = name.to_string());
    }
    let long = format!("{}.parquet", "a".repeat(300));
    refused("names are letters, digits", |manifest| manifest.traces[0].tables[0].files[0].name = long);
    refused("two files have the name states-0001.parquet", |manifest| {
        manifest.traces[0].tables[0].files[0].name = "states-0001.parquet".to_string();
    });
    refused("two files have the name states.parquet", |manifest| {
        let other = TableEntry { name: "links".to_string(), ..manifest.traces[0].tables[0].clone() };
        manifest.traces[0].tables.push(other);
    });
}

#[test]
fn traces_and_tables_have_names_of_their_own() {
    for name in ["", "../x", "A", "all_traces", "pg_catalog", "a\"b", "a.b"] {
        refused("", |manifest| manifest.traces[0].name = name.to_string());
    }
    refused("two traces have the name cg", |manifest| manifest.traces[0].name = "cg".to_string());
    refused("two tables have the name", |manifest| {
        let twice = TableEntry { files: vec![], ..manifest.traces[0].tables[0].clone() };
        manifest.traces[0].tables.push(twice);
    });
    refused("has two columns \"line\"", |manifest| {
        let twice = manifest.traces[0].tables[0].extra_columns[0].clone();
        manifest.traces[0].tables[0].extra_columns.push(twice);
    });
}

#[test]
fn numbers_are_possible() {
    refused("18446744073709551615 changes", |manifest| manifest.generation = u64::MAX);
    refused("no resolution of 8 digits", |manifest| manifest.traces[0].resolution_digits = 8);
    refused("ends before it starts", |manifest| manifest.traces[0].start_tick = Some(10));
    refused("ends before it starts", |manifest| manifest.traces[0].end_tick = None);
    refused("do not have its 8 rows", |manifest| manifest.traces[0].tables[0].rows = 8);
    refused("do not have its 7 rows", |manifest| manifest.traces[0].tables[0].files[0].rows = u64::MAX);
    refused("larger than any disk", |manifest| manifest.traces[0].tables[0].files[0].bytes = u64::MAX);
    for (shift, coarsest) in [(9, 9), (9, 6), (3, 61), (255, 255)] {
        let bands = Some(BandGrid { shift, coarsest, ..BandGrid::default() });
        refused("has no bands", |manifest| manifest.traces[0].tables[0].bands = bands);
    }
    refused("footer of states.parquet is larger", |manifest| manifest.traces[0].tables[0].files[0].bytes = 99);
}
