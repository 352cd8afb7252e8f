//! Tests of `store`.

use super::*;

#[test]
fn another_version_is_refused_politely() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_or_create(folder.path()).expect("a store");
    assert_eq!(store.manifest().expect("a manifest").traces.len(), 0);
    for (version, words) in [(FORMAT_VERSION + 1, "or later"), (0, "import its traces again")] {
        fs::write(
            folder.path().join(MANIFEST),
            format!(r#"{{"format_version": {version}, "ocellus_version": "9.9"}}"#),
        )
        .expect("write");
        let error = Store::open(folder.path()).expect_err("another version").to_string();
        assert!(error.contains(words), "{error}");
    }
    fs::write(folder.path().join(MANIFEST), "{").expect("write");
    assert!(Store::open(folder.path()).expect_err("damaged").to_string().contains("damaged"));
}

#[test]
fn a_folder_with_other_things_is_no_store() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("thesis.tex"), "x").expect("write");
    let error = Store::open_or_create(folder.path()).expect_err("foreign").to_string();
    assert!(error.contains("neither a store nor empty"), "{error}");
    assert!(Store::open(folder.path()).expect_err("no store").to_string().contains("is no store"));
}

#[cfg(unix)]
#[test]
fn readers_cannot_lock_writers_out() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    // Who may write to the folder may open the lock, and nobody else.
    for (of_folder, of_lock) in [(0o755, 0o600), (0o700, 0o600), (0o775, 0o660), (0o777, 0o666)] {
        let root = folder.path().join(format!("{of_folder:o}"));
        fs::create_dir(&root).expect("a folder");
        fs::set_permissions(&root, fs::Permissions::from_mode(of_folder)).expect("permissions");
        Store::open_or_create(&root).expect("a store");
        let lock = root.join(LOCK);
        assert_eq!(mode(&lock) & !of_lock, 0, "{of_folder:o}: {:o}", mode(&lock));
        assert_eq!(mode(&lock) & 0o600, 0o600);
        // As an older version left it.
        fs::set_permissions(&lock, fs::Permissions::from_mode(0o644)).expect("permissions");
        drop(Store::open(&root).expect("a store").lock().expect("a lock"));
        assert_eq!(mode(&lock), 0o644 & of_lock, "{of_folder:o}");
    }
}

#[cfg(unix)]
#[test]
fn a_lock_or_manifest_that_is_no_file_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    let pipe = |path: &Path| {
        fs::remove_file(path).expect("a file");
        assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    };
    pipe(&store.root().join(LOCK));
    assert!(store.drop_trace("x").expect_err("a pipe").to_string().contains("a pipe"));
    pipe(&store.root().join(MANIFEST));
    assert!(Store::open(store.root()).expect_err("a pipe").to_string().contains("a pipe"));
    assert!(Store::open_or_create(store.root()).expect_err("a pipe").to_string().contains("a pipe"));
}

#[cfg(unix)]
#[test]
fn pipes_and_links_among_the_folders_stay_as_they_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    let victim = folder.path().join("victim");
    fs::create_dir(&victim).expect("a folder");
    fs::write(victim.join("thesis.tex"), "x").expect("a file");
    std::os::unix::fs::symlink(&victim, store.root().join("t000099")).expect("a link");
    fs::write(folder.path().join("text"), "x").expect("a file");
    std::os::unix::fs::symlink(folder.path().join("text"), store.root().join(".ocellus.json.new")).expect("a link");
    let pipe = store.root().join("t000098");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let manifest = store.manifest().expect("a manifest");
    store.lock().expect("a lock").commit(&manifest).expect("a commit that sweeps");
    assert!(victim.join("thesis.tex").exists() && store.root().join("t000099").exists() && pipe.exists());
    assert_eq!(fs::read_to_string(folder.path().join("text")).expect("a file"), "x");
}

#[test]
fn a_store_is_made_with_the_folders_above_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("a/b/c");
    let new = [root.as_path(), &folder.path().join("a/b"), &folder.path().join("a")];
    let expected = [folder.path().join("a/b"), folder.path().join("a"), folder.path().to_path_buf()];
    assert_eq!(changed_by_creating(&root), expected, "entries of {new:?} are new there");
    Store::open_or_create(&root).expect("a store");
    assert!(changed_by_creating(&root).is_empty());
    assert_eq!(changed_by_creating(Path::new("no_such_store/x")), [Path::new("no_such_store"), Path::new(".")]);
}
