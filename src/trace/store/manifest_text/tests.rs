//! Tests of `manifest_text`.

use super::super::manifest::{FileEntry, FooterEntry, TableEntry, TraceEntry};
use super::*;

fn manifest() -> Manifest {
    let footer = Some(FooterEntry { bytes: 100, checksum: "00ff00ff00ff00ff".to_string() });
    let checksum = "0123456789abcdef".to_string();
    let file = FileEntry { name: "states.parquet".to_string(), rows: 7, bytes: 1000, checksum, footer };
    let table =
        TableEntry { name: "states".to_string(), rows: 7, extra_columns: vec![], files: vec![file], bands: None };
    let trace = TraceEntry {
        name: "lu".to_string(),
        folder: "t000001".to_string(),
        format: "paje".to_string(),
        source: "lu.trace \"checksum\": \",\n".to_string(),
        bytes: 1,
        resolution_digits: 9,
        start_tick: Some(0),
        end_tick: Some(9),
        origin_ms: None,
        time_unit: None,
        imported_at_ms: 0,
        ocellus_version: "0.1.0".to_string(),
        counts: [("lines".to_string(), 3)].into(),
        tables: vec![table],
    };
    let ocellus_version = "0.1.0".to_string();
    Manifest { format_version: FORMAT_VERSION, ocellus_version, generation: 3, traces: vec![trace] }
}

#[test]
fn a_manifest_is_read_as_it_was_written() {
    let text = manifest().to_text().expect("a text");
    assert!(Manifest::has_checksum(&text));
    assert_eq!(Manifest::parse("perf", &text).expect("a manifest"), manifest());
    // Programs that know nothing of the checksum read it too.
    assert_eq!(serde_json::from_str::<Manifest>(&text).expect("JSON"), manifest());
}

#[test]
fn every_flipped_bit_is_seen() {
    let text = manifest().to_text().expect("a text").into_bytes();
    for byte in 0..text.len() {
        for bit in 0..8 {
            let mut flipped = text.clone();
            flipped[byte] ^= 1 << bit;
            let Ok(flipped) = String::from_utf8(flipped) else { continue };
            if let Ok(found) = Manifest::parse("perf", &flipped) {
                panic!("bit {bit} of byte {byte} is not seen: {found:?}");
            }
        }
    }
}

#[test]
fn every_cut_is_seen() {
    let text = manifest().to_text().expect("a text");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(Manifest::parse("perf", &text[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn manifests_of_older_versions_have_no_checksum() {
    let mut old = manifest();
    old.traces[0].tables[0].files[0].footer = None;
    let text = serde_json::to_string_pretty(&old).expect("JSON");
    assert!(!text.contains("footer") && !Manifest::has_checksum(&text));
    assert_eq!(Manifest::parse("perf", &text).expect("a manifest"), old);
    // One that knows of footers has lost its checksum.
    let text = serde_json::to_string_pretty(&manifest()).expect("JSON");
    let error = Manifest::parse("perf", &text).expect_err("damaged").to_string();
    assert!(error.contains("perf/ocellus.json is damaged: it has lost its checksum"), "{error}");
}

#[test]
fn another_format_is_named_before_its_checksum() {
    let newer = Manifest { format_version: FORMAT_VERSION + 1, ocellus_version: "9.9".to_string(), ..manifest() };
    let text = newer.to_text().expect("a text").replace("lu.trace", "other");
    let error = Manifest::parse("perf", &text).expect_err("another format").to_string();
    assert!(error.contains("use ocellus 9.9 or later"), "{error}");
}

#[test]
fn formats_without_summaries_are_read() {
    let old = Manifest { format_version: OLDEST_VERSION, ..manifest() };
    assert_eq!(Manifest::parse("perf", &old.to_text().expect("a text")).expect("a manifest"), old);
    assert!(!old.to_text().expect("a text").contains("bands"));
}
