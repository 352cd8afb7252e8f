//! Damaged stores and caches, as the program shows them.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::{SUMS, SUMS_CSV, Sandbox, assert_fails, stdout_of, text};

/// The files of the only trace of a store.
fn files_of(store: PathBuf) -> Vec<PathBuf> {
    let is_trace =
        |path: &PathBuf| path.is_dir() && path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'));
    let entries = fs::read_dir(store).expect("a store").flatten().map(|entry| entry.path());
    let folder = entries.into_iter().find(is_trace).expect("a trace");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).expect("a trace").flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// The only entry of the cache.
fn cached(sandbox: &Sandbox) -> PathBuf {
    let entries = fs::read_dir(sandbox.path("cache")).expect("a cache").flatten().map(|entry| entry.path());
    entries.into_iter().find(|path| path.is_dir()).expect("an entry")
}

fn states_of(store: PathBuf) -> PathBuf {
    files_of(store).into_iter().find(|path| path.ends_with("states.parquet")).expect("states")
}

/// Something that happens to the cache.
type Damage<'a> = &'a dyn Fn(&Sandbox);

const ASK: [&str; 5] = ["sql", "run.trace", SUMS, "--format", "csv"];

#[test]
fn a_damaged_cache_entry_is_imported_again() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.stdout(&ASK), SUMS_CSV);
    let damages: [(&str, Damage<'_>); 8] = [
        ("a missing file", &|sandbox| fs::remove_file(states_of(cached(sandbox))).expect("a file")),
        ("an empty file", &|sandbox| fs::write(states_of(cached(sandbox)), "").expect("a file")),
        ("a cut file", &|sandbox| {
            let path = states_of(cached(sandbox));
            let content = fs::read(&path).expect("a file");
            fs::write(&path, &content[..content.len() / 2]).expect("a file");
        }),
        ("a missing folder", &|sandbox| {
            let states = states_of(cached(sandbox));
            fs::remove_dir_all(states.parent().expect("a folder")).expect("a folder");
        }),
        ("a missing manifest", &|sandbox| fs::remove_file(cached(sandbox).join("ocellus.json")).expect("a file")),
        ("an empty manifest", &|sandbox| fs::write(cached(sandbox).join("ocellus.json"), "").expect("a file")),
        ("a changed manifest", &|sandbox| {
            let path = cached(sandbox).join("ocellus.json");
            let manifest = fs::read_to_string(&path).expect("a manifest");
            fs::write(&path, manifest.replace("\"run\"", "\"ran\"")).expect("a manifest");
        }),
        ("a file for a folder", &|sandbox| {
            let entry = cached(sandbox);
            fs::remove_file(entry.join("ocellus.json")).expect("a manifest");
            fs::create_dir(entry.join("ocellus.json")).expect("a folder");
        }),
    ];
    for (damage, make) in damages {
        make(&sandbox);
        let output = sandbox.run(&ASK);
        assert_eq!(stdout_of(&output), SUMS_CSV, "{damage}");
        let note = text(&output.stderr);
        assert!(note.contains("note: the cached import of ") && note.contains("is made again"), "{damage}: {note}");
        let output = sandbox.run(&ASK);
        assert_eq!((stdout_of(&output), text(&output.stderr)), (SUMS_CSV.to_string(), String::new()), "{damage}");
    }
}

#[test]
fn a_flipped_byte_in_the_cache_is_an_error_once() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.stdout(&ASK), SUMS_CSV);
    for place in [20, usize::MAX] {
        let path = states_of(cached(&sandbox));
        let mut content = fs::read(&path).expect("a file");
        let place = place.min(content.len() - 20);
        content[place] ^= 4;
        fs::write(&path, content).expect("a file");
        let output = sandbox.run(&ASK);
        assert_fails(&output, 1, "states.parquet is damaged");
        assert!(text(&output.stderr).contains("run the command again"), "{}", text(&output.stderr));
        let output = sandbox.run(&ASK);
        assert_eq!(stdout_of(&output), SUMS_CSV);
        assert!(text(&output.stderr).contains("is made again"), "{}", text(&output.stderr));
    }
}

#[test]
fn damaged_stores_fail_with_a_way_out() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["import", "run.trace", "--store", "perf"]);
    let states = states_of(sandbox.path("perf"));
    let content = fs::read(&states).expect("a file");
    fs::remove_file(&states).expect("a file");
    let ask = ["sql", "perf", SUMS];
    assert_fails(&sandbox.run(&ask), 1, "states.parquet; restore it or import the trace again: No such file");
    assert_fails(&sandbox.run(&["sql", "perf", "SELECT count(*) FROM states"]), 1, "import the trace again");
    fs::write(&states, &content[..100]).expect("a file");
    assert_fails(&sandbox.run(&ask), 1, "states.parquet is damaged: it has 100 bytes, the manifest says");
    assert_eq!(sandbox.run(&["info", "perf", "--verify"]).status.code(), Some(1));
    fs::write(&states, &content).expect("a file");
    sandbox.stdout(&ask);
}

/// What an older version would have written.
#[test]
fn verify_says_what_an_older_version_did_not_record() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["import", "run.trace", "--store", "perf"]);
    let path = sandbox.path("perf/ocellus.json");
    let mut manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("a manifest")).expect("JSON");
    manifest.as_object_mut().expect("an object").remove("checksum").expect("a checksum");
    for table in manifest["traces"][0]["tables"].as_array_mut().expect("tables") {
        for file in table["files"].as_array_mut().expect("files") {
            file.as_object_mut().expect("an object").remove("footer").expect("a footer");
        }
    }
    fs::write(&path, serde_json::to_string_pretty(&manifest).expect("JSON")).expect("a manifest");
    assert_eq!(sandbox.stdout(&["sql", "perf", SUMS, "--format", "csv"]), SUMS_CSV);
    let info = sandbox.stdout(&["info", "perf", "--verify"]);
    assert!(info.contains("trace run: all checksums agree; an older version imported it"), "{info}");
    assert!(info.contains("the manifest has no checksum of its own"), "{info}");
    // The next change writes one.
    sandbox.stdout(&["rename", "perf", "run", "ran"]);
    let info = sandbox.stdout(&["info", "perf", "--verify"]);
    assert!(!info.contains("the manifest has no checksum"), "{info}");
}

#[test]
fn a_manifest_that_points_elsewhere_is_refused_by_every_command() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["import", "run.trace", "--store", "perf"]);
    fs::create_dir(sandbox.path("victim")).expect("a folder");
    for file in files_of(sandbox.path("perf")) {
        fs::copy(&file, sandbox.path("victim").join(file.file_name().expect("a name"))).expect("a copy");
    }
    fs::write(sandbox.path("victim/thesis.parquet"), "thesis").expect("a file");
    let count = || fs::read_dir(sandbox.path("victim")).expect("a folder").count();
    let before = count();
    let path = sandbox.path("perf/ocellus.json");
    let mut manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("a manifest")).expect("JSON");
    manifest.as_object_mut().expect("an object").remove("checksum");
    for table in manifest["traces"][0]["tables"].as_array_mut().expect("tables") {
        for file in table["files"].as_array_mut().expect("files") {
            file.as_object_mut().expect("an object").remove("footer");
        }
    }
    for folder in ["../victim".to_string(), sandbox.path("victim").display().to_string()] {
        manifest["traces"][0]["folder"] = folder.into();
        fs::write(&path, manifest.to_string()).expect("a manifest");
        for command in [
            &["sql", "perf", SUMS][..],
            &["info", "perf", "--verify"],
            &["rename", "perf", "run", "ran"],
            &["drop", "perf", "run"],
            &["import", "run.trace", "--store", "perf", "--name", "other"],
        ] {
            assert_fails(&sandbox.run(command), 1, "must be t and digits");
        }
        assert_eq!(count(), before);
    }
}
