//! The manifest of a store.

use std::path::Path;

use ocellus_trace::import::{ImportOptions, TraceSource, import};
use ocellus_trace::store::{MANIFEST, Manifest, Store};
use twox_hash::XxHash3_64;

use super::{Sandbox, read};

const CHECKSUM: &str = ",\n  \"checksum\": \"";

/// Reads a text as it is, and once more as if whoever changed it had made its checksum anew.
pub fn manifest(_: &mut Sandbox, input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    check(text);
    if let Some(end) = text.rfind(CHECKSUM) {
        let body = &text[..end];
        check(&format!("{body}{CHECKSUM}{:016x}\"\n}}", XxHash3_64::oneshot(body.as_bytes())));
    }
}

/// What is believed names nothing outside the store, and is the same once written and read again.
fn check(text: &str) {
    let Ok(manifest) = Manifest::parse("store", text) else { return };
    for trace in &manifest.traces {
        let number = trace.folder.strip_prefix('t').expect("folders are t and digits");
        assert!(!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()), "{}", trace.folder);
        for file in trace.tables.iter().flat_map(|table| &table.files) {
            assert!(!file.name.contains(['/', '\\', '*', '\0']) && !file.name.starts_with('.'), "{}", file.name);
        }
    }
    let again = manifest.to_text().expect("what was read can be written");
    assert_eq!(Manifest::parse("store", &again).expect("what was written can be read"), manifest);
}

/// The manifest of a store of two samples.
pub fn samples(checkout: &Path) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    for name in ["extra_fields.trace", "paper.trace"] {
        let source = TraceSource::Path(checkout.join("traces").join(name));
        import(&source, &store, &ImportOptions::default()).expect("a sample is imported");
    }
    let whole = read(&folder.path().join("store").join(MANIFEST));
    let small = br#"{"format_version": 1, "ocellus_version": "0.1.0", "generation": 3, "traces": []}"#;
    vec![whole, small.to_vec()]
}
