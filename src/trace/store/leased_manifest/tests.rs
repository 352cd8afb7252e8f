//! Tests of `leased_manifest`.

use std::fs;

use super::super::manifest::TraceEntry;
use super::*;

/// A store with one trace, without tables, in the folder of that number.
fn put(store: &Store, number: u64) {
    let folder = format!("t{number:06}");
    fs::create_dir(store.root().join(&folder)).expect("a folder");
    let mut manifest = store.manifest().expect("a manifest");
    manifest.traces = vec![TraceEntry {
        name: "swap".to_string(),
        folder,
        format: "paje".to_string(),
        source: "swap.trace".to_string(),
        bytes: 1,
        resolution_digits: 9,
        start_tick: None,
        end_tick: None,
        origin_ms: None,
        time_unit: None,
        imported_at_ms: 0,
        ocellus_version: "0.1.0".to_string(),
        counts: Default::default(),
        tables: vec![],
    }];
    store.lock().expect("a lock").commit(&manifest).expect("a commit");
}

#[test]
fn a_trace_that_is_replaced_meanwhile_is_looked_up_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_or_create(folder.path()).expect("a store");
    put(&store, 1);
    let mut looks = 0;
    let (manifest, leases) = store
        .leased_manifest_after(|| {
            looks += 1;
            if looks <= 2 {
                put(&store, 1 + looks);
            }
        })
        .expect("a manifest");
    assert_eq!((looks, manifest.traces[0].folder.as_str()), (3, "t000003"));
    assert!(!folder.path().join("t000001").exists(), "nobody kept it");
    // From now on it is kept.
    put(&store, 4);
    assert!(folder.path().join("t000003").exists());
    drop(leases);
    put(&store, 5);
    assert!(!folder.path().join("t000003").exists());
}

#[test]
fn a_store_that_changes_without_end_is_opened_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_or_create(folder.path()).expect("a store");
    let mut looks = 0;
    let changing = || {
        looks += 1;
        put(&store, looks);
    };
    assert!(store.leased_manifest_after(changing).is_ok());
    assert_eq!(looks, LOOKS as u64);
}
