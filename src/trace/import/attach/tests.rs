//! Attaching to a store of one small trace.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::import::{ImportOptions, TraceSource, import};

/// A store with the trace `quickstart`: machine-a with rank-0 and rank-1, machine-b with rank-2 and rank-3.
fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/quickstart.trace");
    import(&TraceSource::Path(trace), &store, &ImportOptions::default()).expect("an import");
    (folder, store)
}

fn file(folder: &TempDir, name: &str, text: &str) -> Option<PathBuf> {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    Some(path)
}

fn machines(store: &Store) -> Vec<String> {
    let entry = store.manifest().expect("a manifest").traces[0].clone();
    let rows = store.read_table(&entry, "container_machines").expect("a table");
    rows.map_or(vec![], |rows| {
        let (names, machines) = (rows.column(1).as_string::<i32>(), rows.column(2).as_string::<i32>());
        names
            .iter()
            .zip(machines.iter())
            .map(|(name, machine)| format!("{}={}", name.unwrap_or(""), machine.unwrap_or("")))
            .collect()
    })
}

#[test]
fn a_network_and_a_hierarchy_become_tables() {
    let (folder, store) = store();
    let topology =
        file(&folder, "net.dot", "graph { \"machine-a\" -- s [bandwidth=100, vendor=x]; \"machine-b\" -- s; }");
    let hierarchy = file(&folder, "Sites.json", r#"{"name": "all", "children": ["machine-a", "machine-b"]}"#);
    let options = AttachOptions { trace: None, topology, hierarchy, map: MachineMap::Name };
    let summary = attach(&store, &options).expect("attached");
    let hierarchy = Some("sites".to_string());
    let expected =
        AttachSummary { trace: "quickstart".into(), nodes: 3, edges: 2, hierarchy, matched: 6, unmatched: 0 };
    assert_eq!(summary, expected);
    assert_eq!(
        machines(&store),
        [
            "machine-a=machine-a",
            "machine-b=machine-b",
            "rank-0=machine-a",
            "rank-1=machine-a",
            "rank-2=machine-b",
            "rank-3=machine-b"
        ]
    );
    let entry = store.manifest().expect("a manifest").traces[0].clone();
    assert_eq!((entry.rows("topology_nodes"), entry.rows("topology_edges"), entry.rows("hierarchy_nodes")), (3, 2, 3));
    assert_eq!(entry.table("topology_edges").expect("a table").extra_columns[0].name, "vendor");
    store.verify(&entry).expect("sound files");
    // Another hierarchy comes beside the first; the same one replaces itself; the network stays.
    let again = |name: &str| {
        attach(&store, &AttachOptions { topology: None, hierarchy: file(&folder, name, "[x, y]"), ..options.clone() })
    };
    again("racks.json").expect("attached");
    again("racks.json").expect("attached");
    let entry = store.manifest().expect("a manifest").traces[0].clone();
    assert_eq!((entry.rows("topology_nodes"), entry.rows("hierarchy_nodes")), (3, 5));
    store.verify(&entry).expect("sound files");
}

#[test]
fn expressions_and_tables_find_machines() {
    let (folder, store) = store();
    let topology = file(&folder, "net.dot", "graph { a -- b }");
    let attach_with = |map: MachineMap| {
        attach(&store, &AttachOptions { trace: None, topology: topology.clone(), hierarchy: None, map })
            .expect("attached")
    };
    let summary = attach_with(MachineMap::parse("regex:^machine-(.)$").expect("an expression"));
    assert_eq!((summary.matched, summary.unmatched), (6, 0));
    assert!(machines(&store).contains(&"rank-3=b".to_string()));
    let table = file(&folder, "map.csv", "container,machine\nrank-0,a\n\"rank-3\", b\n").expect("a file");
    let summary = attach_with(MachineMap::parse(&format!("table:{}", table.display())).expect("a table"));
    assert_eq!((summary.matched, summary.unmatched), (2, 2));
    assert_eq!(machines(&store), ["rank-0=a", "rank-3=b"]);
    // Those without a machine are reported, once, whatever was reported before.
    attach_with(MachineMap::Name);
    let entry = store.manifest().expect("a manifest").traces[0].clone();
    let rows = store.read_table(&entry, "diagnostics").expect("a table").expect("rows");
    let messages: Vec<&str> =
        rows.column(4).as_string::<i32>().iter().flatten().filter(|text| text.starts_with("no machine for")).collect();
    assert_eq!(
        messages,
        [
            "no machine for ring of four/machine-a/rank-0, ring of four/machine-a/rank-1, ring of four/machine-b/rank-2, ring of four/machine-b/rank-3; --map sets how containers are matched with machines"
        ]
    );
}

#[test]
fn wrong_input_leaves_the_store_as_it_was() {
    let (folder, store) = store();
    let before = store.manifest().expect("a manifest");
    for (topology, hierarchy, words) in [
        (file(&folder, "bad.dot", "graph {\n a -> b }"), None, "bad.dot:2: edges of a graph are written --"),
        (None, file(&folder, "bad.plist", "{\n name"), "bad.plist:2: expected = after name"),
        (None, file(&folder, "bad.txt", "x"), "a hierarchy is a .plist, .json, .yaml or .yml file"),
        (Some(folder.path().join("none.dot")), None, "none.dot"),
    ] {
        let options = AttachOptions { trace: None, topology, hierarchy, map: MachineMap::Name };
        let error = attach(&store, &options).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
    let options = AttachOptions { trace: Some("lu".into()), topology: None, hierarchy: None, map: MachineMap::Name };
    assert!(attach(&store, &options).expect_err("no trace").to_string().contains("no trace lu"));
    for bad in ["x", "regex:(", "table:/none.csv"] {
        assert!(MachineMap::parse(bad).is_err(), "{bad}");
    }
    assert_eq!(store.manifest().expect("a manifest"), before);
}

/// Everything below a folder, with its content.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = vec![];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            match entry.file_type().expect("a kind").is_dir() {
                true => folders.push(entry.path()),
                false => found.push((entry.path(), fs::read(entry.path()).expect("a file"))),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_manifest_that_points_elsewhere_makes_no_command_write_there() {
    let (folder, store) = store();
    let victim = folder.path().join("victim");
    fs::create_dir(&victim).expect("a folder");
    for name in ["thesis.parquet", "states.parquet", "thesis.tex"] {
        fs::write(victim.join(name), name).expect("a file");
    }
    let before = tree(&victim);
    let hierarchy = file(&folder, "sites.json", r#"{"name": "all", "children": ["machine-a"]}"#);
    let good = store.manifest().expect("a manifest");
    let absolute = victim.display().to_string();
    for place in ["../victim", absolute.as_str(), "t000001/../../victim"] {
        let mut hostile = good.clone();
        hostile.traces[0].folder = place.to_string();
        fs::write(store.root().join("ocellus.json"), hostile.to_text().expect("a text")).expect("a manifest");
        let options =
            AttachOptions { trace: None, topology: None, hierarchy: hierarchy.clone(), map: MachineMap::Name };
        let errors = [
            attach(&store, &options).map(|_| ()),
            store.rename_trace("quickstart", "other"),
            store.drop_trace("quickstart"),
            Store::open(store.root()).map(|_| ()),
        ];
        for error in errors {
            let error = error.expect_err(place).to_string();
            assert!(error.contains("damaged"), "{error}");
        }
        assert_eq!(tree(&victim), before, "{place}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_link_is_left_alone() {
    let (folder, store) = store();
    let victim = folder.path().join("victim");
    let entry = store.manifest().expect("a manifest").traces[0].clone();
    fs::rename(store.folder(&entry), &victim).expect("a folder");
    fs::write(victim.join("thesis.parquet"), "thesis").expect("a file");
    std::os::unix::fs::symlink(&victim, store.folder(&entry)).expect("a link");
    let before = tree(&victim);
    let hierarchy = file(&folder, "sites.json", r#"{"name": "all", "children": ["machine-a"]}"#);
    let options = AttachOptions { trace: None, topology: None, hierarchy, map: MachineMap::Name };
    let error = attach(&store, &options).expect_err("a link").to_string();
    assert!(error.contains("symbolic link"), "{error}");
    assert!(store.verify(&entry).expect_err("a link").to_string().contains("symbolic link"));
    assert!(store.read_table(&entry, "containers").is_err());
    store.rename_trace("quickstart", "other").expect("the manifest alone is changed");
    store.drop_trace("other").expect("the manifest alone is changed");
    assert_eq!(tree(&victim), before);
}
