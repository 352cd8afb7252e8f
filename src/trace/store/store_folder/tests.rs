//! Tests of `store`.

use super::*;

#[test]
fn names_of_traces_fit_sql() {
    for good in ["lu", "lu_s_16", "_x"] {
        assert!(check_trace_name(good).is_ok(), "{good}");
    }
    for bad in ["", "LU", "1a", "a-b", "all_traces", "a.b", "é"] {
        assert!(check_trace_name(bad).is_err(), "{bad}");
    }
    assert_eq!(trace_name_of(Path::new("/x/LU.S-16.trace.gz")), "lu_s_16");
    assert_eq!(trace_name_of(Path::new("16.paje")), "t_16");
    assert_eq!(trace_name_of(Path::new("public.trace")), "public_1");
    assert_eq!(trace_name_of(Path::new("-")), "t__");
}

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
