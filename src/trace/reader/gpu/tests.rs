//! The samples, whole and damaged.

use std::io::Write;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces").join(name)).expect("a sample")
}

/// How many states and links were emitted, and the codes of the faults; what is refused.
fn counted(bytes: &[u8]) -> Result<(usize, usize, Vec<&'static str>)> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a trace");
    let (mut states, mut links, mut faults) = (0, 0, vec![]);
    let mut consume = |batch: &EventBatch| {
        states += batch.events.iter().filter(|event| event.kind == EventKind::PushState).count();
        links += batch.events.iter().filter(|event| event.kind == EventKind::EndLink).count();
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    GpuReader::new(&ReaderOptions::default()).read(&origin, &mut consume)?;
    Ok((states, links, faults))
}

#[test]
fn samples_are_whole() {
    assert_eq!(counted(&sample("nsight.sqlite")).expect("read"), (8, 2, vec![]));
    assert_eq!(counted(&sample("rocpd.db")).expect("read"), (3, 2, vec![]));
}

#[test]
fn compressed_databases_are_read() {
    let mut packed = vec![];
    let mut encoder = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
    encoder.write_all(&sample("nsight.sqlite")).expect("packed");
    encoder.finish().expect("packed");
    assert_eq!(counted(&packed).expect("read").0, 8);
}

#[test]
fn a_page_that_is_damaged_costs_itself() {
    let mut bytes = sample("rocpd.db");
    let mut found = vec![];
    // The kind of each page but the first, one after the other.
    for page in 1..bytes.len() / 512 {
        let kind = std::mem::replace(&mut bytes[page * 512], 0xff);
        if let Ok((states, _, faults)) = counted(&bytes) {
            assert!(states <= 3);
            found.extend(faults);
        }
        bytes[page * 512] = kind;
    }
    assert!(found.contains(&"damaged-file"), "{found:?}");
}

#[test]
fn other_databases_are_refused() {
    let mut bytes = sample("rocpd.db");
    while let Some(at) = memchr::memmem::find(&bytes, b"rocpd_metadata") {
        bytes[at] = b'x';
    }
    let refusal = counted(&bytes).expect_err("no trace").to_string();
    assert!(refusal.contains("rocpd_string"), "{refusal}");
}
