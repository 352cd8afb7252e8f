//! The readers of traces, with the simulator behind them; now and then the printer and the store too.

use std::fs;
use std::path::Path;

use ocellus_trace::diagnostics::Severity;
use ocellus_trace::dump::{DumpOptions, dump};
use ocellus_trace::import::{ImportOptions, OnConflict, TraceSource, import, validate};
use ocellus_trace::reader::{Collectives, TraceFormat};
use ocellus_trace::store::Store;

use super::{Sandbox, bundle, files, read};

/// One in so many inputs is printed, and one is stored: that costs more than to read it.
const DUMP_ONE_IN: u64 = 16;
const STORE_ONE_IN: u64 = 1024;

const DUMPI: &[&str] = &["run.meta", "run-0000.bin", "run-0001.bin", "run-0002.bin"];
const DUMPI_TEXT: &[&str] = &["run-0000.txt", "run-0001.txt"];
const OTF2: &[&str] =
    &["ring.otf2", "ring.def", "ring/0.def", "ring/0.evt", "ring/1.def", "ring/1.evt", "ring/2.def", "ring/2.evt"];
const CTF: &[&str] = &["metadata", "channel0_0"];

const PARAVER: &[&str] = &["solver.prv", "solver.pcf", "solver.row"];

pub fn paje(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.trace", Some(input));
    check(sandbox, &path, TraceFormat::Paje);
}

pub fn chrome(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.json", Some(input));
    check(sandbox, &path, TraceFormat::Chrome);
}

pub fn dumpi(sandbox: &mut Sandbox, input: &[u8]) {
    bundle::put(sandbox, DUMPI, input);
    let folder = sandbox.folder().to_path_buf();
    check(sandbox, &folder, TraceFormat::Dumpi);
}

pub fn dumpi_text(sandbox: &mut Sandbox, input: &[u8]) {
    bundle::put(sandbox, DUMPI_TEXT, input);
    let folder = sandbox.folder().to_path_buf();
    check(sandbox, &folder, TraceFormat::DumpiText);
}

pub fn otf2(sandbox: &mut Sandbox, input: &[u8]) {
    bundle::put(sandbox, OTF2, input);
    check(sandbox, &sandbox.folder().join(OTF2[0]), TraceFormat::Otf2);
}

pub fn paraver(sandbox: &mut Sandbox, input: &[u8]) {
    bundle::put(sandbox, PARAVER, input);
    check(sandbox, &sandbox.folder().join(PARAVER[0]), TraceFormat::Paraver);
}

pub fn pj_dump(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.pj_dump", Some(input));
    check(sandbox, &path, TraceFormat::PjDump);
}

pub fn ftrace(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.ftrace", Some(input));
    check(sandbox, &path, TraceFormat::Ftrace);
}

pub fn perf_script(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.perf", Some(input));
    check(sandbox, &path, TraceFormat::PerfScript);
}

pub fn ctf(sandbox: &mut Sandbox, input: &[u8]) {
    bundle::put(sandbox, CTF, input);
    let folder = sandbox.folder().to_path_buf();
    check(sandbox, &folder, TraceFormat::Ctf);
}

pub fn perfetto(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.pftrace", Some(input));
    check(sandbox, &path, TraceFormat::Perfetto);
}

pub fn gpu(sandbox: &mut Sandbox, input: &[u8]) {
    let path = sandbox.put("input.sqlite", Some(input));
    check(sandbox, &path, TraceFormat::Nsight);
}

/// Reads a trace. What is no trace is refused with a message; of all others, every lost record is reported.
fn check(sandbox: &mut Sandbox, path: &Path, format: TraceFormat) {
    sandbox.count += 1;
    let source = TraceSource::Path(path.to_path_buf());
    let collectives = if sandbox.count.is_multiple_of(4) { Collectives::Events } else { Collectives::Links };
    let options = ImportOptions { format: Some(format), collectives, ..ImportOptions::default() };
    match validate(&source, &options) {
        Ok(found) => {
            let errors = found.diagnostics.iter().filter(|found| found.code.severity() == Severity::Error);
            let lost: u64 = errors.map(|diagnostic| diagnostic.occurrences).sum();
            assert_eq!(lost, found.lost_lines, "the diagnostics account for every lost record");
            assert!(found.diagnostics.iter().all(|diagnostic| !diagnostic.message.is_empty()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if sandbox.count.is_multiple_of(DUMP_ONE_IN) {
        let _ = dump(&source, &options, &DumpOptions::default(), &mut std::io::sink());
    }
    if sandbox.count.is_multiple_of(STORE_ONE_IN) {
        store(sandbox, &source, options);
    }
}

/// Imports a trace; what was stored is as it was written.
fn store(sandbox: &Sandbox, source: &TraceSource, options: ImportOptions) {
    // Not below the folder of the input, which is the trace.
    let root = sandbox.folder().with_extension("store");
    let store = Store::open_or_create(&root).expect("a store");
    let options = ImportOptions { name: Some("fuzzed".to_string()), on_conflict: OnConflict::Replace, ..options };
    if let Ok(summary) = import(source, &store, &options) {
        store.verify(&summary.trace).expect("the files are as they were written");
    }
    drop(store);
    fs::remove_dir_all(&root).expect("the store goes");
}

pub fn paje_samples(checkout: &Path) -> Vec<Vec<u8>> {
    let traces = checkout.join("traces");
    let paths = [files(&traces), files(&traces.join("bad"))].concat();
    let is_trace = |path: &&std::path::PathBuf| path.extension().is_some_and(|extension| extension == "trace");
    paths.iter().filter(is_trace).map(|path| read(path)).collect()
}

pub fn chrome_samples(checkout: &Path) -> Vec<Vec<u8>> {
    ["events.json", "processes.json"].map(|name| read(&checkout.join("traces").join(name))).to_vec()
}

pub fn dumpi_samples(checkout: &Path) -> Vec<Vec<u8>> {
    let folder = checkout.join("traces/dumpi");
    vec![bundle::join(&DUMPI[..3].iter().map(|name| read(&folder.join(name))).collect::<Vec<_>>())]
}

pub fn dumpi_text_samples(checkout: &Path) -> Vec<Vec<u8>> {
    let folder = checkout.join("traces/dumpi_text");
    let parts: Vec<Vec<u8>> = DUMPI_TEXT.iter().map(|name| read(&folder.join(name))).collect();
    vec![bundle::join(&parts), parts[0].clone()]
}

pub fn otf2_samples(checkout: &Path) -> Vec<Vec<u8>> {
    let folder = checkout.join("traces");
    vec![bundle::join(&OTF2.iter().map(|name| read(&folder.join(name))).collect::<Vec<_>>())]
}

pub fn paraver_samples(checkout: &Path) -> Vec<Vec<u8>> {
    let folder = checkout.join("traces/paraver");
    vec![bundle::join(&PARAVER.iter().map(|name| read(&folder.join(name))).collect::<Vec<_>>())]
}

pub fn pj_dump_samples(checkout: &Path) -> Vec<Vec<u8>> {
    vec![read(&checkout.join("traces/rows.pj_dump")), read(&checkout.join("tests/oracles/nested.pj_dump"))]
}

pub fn ftrace_samples(checkout: &Path) -> Vec<Vec<u8>> {
    vec![read(&checkout.join("traces/switches.ftrace"))]
}

pub fn perf_script_samples(checkout: &Path) -> Vec<Vec<u8>> {
    vec![read(&checkout.join("traces/samples.perf"))]
}

pub fn ctf_samples(checkout: &Path) -> Vec<Vec<u8>> {
    let bundle_of = |folder: &str, stream: &str| {
        let folder = checkout.join("traces").join(folder);
        bundle::join(&["metadata", stream].map(|name| read(&folder.join(name))))
    };
    vec![bundle_of("ctf", "channel0_0"), bundle_of("ctf2", "stream")]
}

pub fn perfetto_samples(checkout: &Path) -> Vec<Vec<u8>> {
    vec![read(&checkout.join("traces/tracks.pftrace"))]
}

pub fn gpu_samples(checkout: &Path) -> Vec<Vec<u8>> {
    ["nsight.sqlite", "rocpd.db"].map(|name| read(&checkout.join("traces").join(name))).to_vec()
}
