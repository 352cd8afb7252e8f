//! Broken input and broken imports: nothing panics, nothing is lost without a word.
//!
//! In: the sample traces, mutated by a seeded generator; inputs that are no traces; imports that are
//! killed. Out: every lost line is counted, and a store is as before or as after, never between.

// size: one way to mutate, one to check, for every format.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use ocellus::diagnostics::Severity;
use ocellus::import::{ImportOptions, ImportSummary, TraceSource, Validation, import, validate};
use ocellus::reader::TraceFormat;
use ocellus::store::Store;
use ocellus::synth::{MpiOptions, mpi};
use rayon::prelude::*;

use crate::support::{checkout, sample};

/// Of each sample; `tests/fuzz` runs a million.
const MUTATIONS: u64 = 300;
/// Of the samples that are not text with lines.
const OTHER_MUTATIONS: u64 = 300;
/// One in so many mutated traces is imported too: that costs more than to read it.
const IMPORT_ONE_IN: u64 = 50;
const KILLS: usize = 50;

/// splitmix64: the same mutations in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        ((u128::from(bits) * limit as u128) >> 64) as usize
    }
}

/// Every sample trace, good and bad, in the order of their names.
fn samples() -> Vec<PathBuf> {
    let traces = checkout().join("traces");
    let mut found: Vec<PathBuf> = [traces.clone(), traces.join("bad")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder of samples"))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "trace"))
        .collect();
    found.sort();
    assert!(found.len() > 20, "the samples are missing");
    found
}

fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutated = bytes.to_vec();
    for _ in 0..=random.below(3) {
        if mutated.is_empty() {
            break;
        }
        let mut lines: Vec<Vec<u8>> = mutated.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let (first, second) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(5) {
            0 => {
                let place = random.below(mutated.len());
                mutated[place] ^= 1 << random.below(8);
            }
            1 => mutated.truncate(random.below(mutated.len())),
            2 => {
                let start = random.below(mutated.len());
                let end = (start + 1 + random.below(40)).min(mutated.len());
                mutated.drain(start..end);
            }
            3 => {
                lines.swap(first, second);
                mutated = lines.concat();
            }
            _ => {
                lines.insert(second, lines[first].clone());
                mutated = lines.concat();
            }
        }
    }
    mutated
}

/// Event lines by the obvious rule: what is not blank, no comment and no definition.
fn count_event_lines(bytes: &[u8]) -> u64 {
    let is_event = |line: &[u8]| {
        let start = line.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        start.is_some_and(|byte| !matches!(byte, b'#' | b'%'))
    };
    bytes.split(|byte| *byte == b'\n').filter(|line| is_event(line)).count() as u64
}

fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

fn check_accounts(bytes: &[u8], found: &Validation) {
    let lost: u64 = found
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code.severity() == Severity::Error)
        .map(|diagnostic| diagnostic.occurrences)
        .sum();
    assert_eq!(lost, found.lost_lines, "the diagnostics account for every lost line");
    assert!(found.lost_lines <= found.lines, "{} of {} lines lost", found.lost_lines, found.lines);
    assert!(found.event_lines <= found.lines, "{} of {} lines are events", found.event_lines, found.lines);
    for diagnostic in &found.diagnostics {
        assert!(diagnostic.occurrences > 0 && !diagnostic.message.is_empty(), "{diagnostic:?}");
    }
    if !is_compressed(bytes) {
        assert_eq!(found.event_lines, count_event_lines(bytes), "event lines");
        check_places(bytes, found);
    }
}

/// Every diagnostic about a line names that line's first byte; the line after the last one is the end.
fn check_places(bytes: &[u8], found: &Validation) {
    let mut starts: Vec<u64> = vec![0];
    starts.extend((1_u64..).zip(bytes).filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place));
    // A line without a line end is a line too.
    if !bytes.ends_with(b"\n") {
        starts.push(bytes.len() as u64);
    }
    assert_eq!(found.lines, starts.len() as u64 - 1, "lines");
    for diagnostic in found.diagnostics.iter().filter(|diagnostic| diagnostic.place.line > 0) {
        let start = starts.get(diagnostic.place.line as usize - 1);
        assert_eq!(start, Some(&diagnostic.place.byte), "{diagnostic:?}");
    }
}

fn source(path: &Path) -> TraceSource {
    TraceSource::Path(path.to_path_buf())
}

/// Imports a trace into a store of its own and compares the counts with those of a validation.
fn check_import(folder: &Path, trace: &Path, found: &Validation) {
    let root = folder.join("store");
    let store = Store::open_or_create(&root).expect("a store");
    let summary = import(&source(trace), &store, &ImportOptions::default());
    if found.lost_lines > 0 && found.used_events == 0 {
        let refusal = summary.expect_err("a trace of which nothing is of use is refused").to_string();
        assert!(refusal.contains("nothing in"), "{refusal}");
        assert!(store.manifest().expect("a manifest").traces.is_empty());
        fs::remove_dir_all(&root).expect("the store goes");
        return;
    }
    let summary = summary.expect("what validates is imported");
    assert_eq!(summary.trace.count("lines"), found.lines);
    assert_eq!(summary.trace.count("event_lines"), found.event_lines);
    assert_eq!(summary.trace.count("lost_lines"), found.lost_lines);
    assert_eq!(summary.diagnostics, found.diagnostics);
    assert_eq!(summary.trace.rows("diagnostics"), found.diagnostics.len() as u64);
    store.verify(&summary.trace).expect("the files are as they were written");
    fs::remove_dir_all(&root).expect("the store goes");
}

fn check_mutation(folder: &Path, bytes: &[u8], number: u64) {
    let trace = folder.join("mutated.trace");
    fs::write(&trace, bytes).expect("a temporary file");
    // A file that is no trace at all is refused with a message; all others are read to their end.
    let Ok(found) = validate(&source(&trace), &ImportOptions::default()) else { return };
    check_accounts(bytes, &found);
    if number.is_multiple_of(IMPORT_ONE_IN) {
        check_import(folder, &trace, &found);
    }
}

/// Mutates one sample; gives the first mutation that fails a check.
fn first_failure(sample: &Path, seed: u64) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let original = fs::read(sample).expect("a sample");
    let mut random = Random(seed);
    for number in 0..MUTATIONS {
        let bytes = mutate(&original, &mut random);
        let outcome = catch_unwind(AssertUnwindSafe(|| check_mutation(folder.path(), &bytes, number)));
        if let Err(reason) = outcome {
            let reason = reason.downcast_ref::<String>().cloned().unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            return Some(format!("mutation {number} of {}: {reason}\n{text}", sample.display()));
        }
    }
    None
}

#[test]
fn mutated_samples_are_accounted_for() {
    let seeded: Vec<(u64, PathBuf)> = (1_u64..).zip(samples()).collect();
    let failures: Vec<String> = seeded.par_iter().filter_map(|(seed, sample)| first_failure(sample, *seed)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Checks what holds for every trace, whatever its format.
fn check_told(found: &Validation) {
    let errors = found.diagnostics.iter().filter(|diagnostic| diagnostic.code.severity() == Severity::Error);
    let lost: u64 = errors.map(|diagnostic| diagnostic.occurrences).sum();
    assert_eq!(lost, found.lost_lines, "the diagnostics account for every lost record");
    assert!(found.diagnostics.iter().all(|diagnostic| !diagnostic.message.is_empty()));
}

#[test]
fn mutated_json_ends_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let original = fs::read(sample("events.json")).expect("a sample");
    let trace = folder.path().join("mutated.json");
    let mut random = Random(11);
    for _ in 0..OTHER_MUTATIONS {
        fs::write(&trace, mutate(&original, &mut random)).expect("a temporary file");
        // A file that is no trace at all is refused with a message.
        if let Ok(found) = validate(&source(&trace), &ImportOptions::default()) {
            check_told(&found);
        }
    }
}

#[test]
fn mutated_archives_end_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let traces = checkout().join("traces");
    let files =
        ["ring.otf2", "ring.def", "ring/0.def", "ring/0.evt", "ring/1.def", "ring/1.evt", "ring/2.def", "ring/2.evt"];
    let original: Vec<Vec<u8>> = files.iter().map(|file| fs::read(traces.join(file)).expect("a sample")).collect();
    fs::create_dir(folder.path().join("ring")).expect("a folder");
    let mut random = Random(12);
    let mut damaged = 0;
    for number in 0..OTHER_MUTATIONS {
        let broken = random.below(files.len());
        for (place, file) in files.iter().enumerate() {
            let path = folder.path().join(file);
            let bytes = if place == broken { mutate(&original[place], &mut random) } else { original[place].clone() };
            fs::write(path, bytes).expect("a temporary file");
        }
        if number % 10 == 0 && files[broken].contains('/') {
            fs::remove_file(folder.path().join(files[broken])).expect("a file to remove");
        }
        if let Ok(found) = validate(&source(&folder.path().join("ring.otf2")), &ImportOptions::default()) {
            check_told(&found);
            damaged += u64::from(!found.diagnostics.is_empty());
        }
    }
    assert!(damaged > OTHER_MUTATIONS / 3, "{damaged} of {OTHER_MUTATIONS} mutations are told of");
}

/// Mutates one of the files of a trace at a time; `files[0]` is the trace.
fn mutate_texts(folder: &Path, files: &[&str], seed: u64) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let original: Vec<Vec<u8>> = files.iter().map(|file| fs::read(folder.join(file)).expect("a sample")).collect();
    let mut random = Random(seed);
    let mut damaged = 0;
    for _ in 0..OTHER_MUTATIONS {
        let broken = random.below(files.len());
        for (number, file) in files.iter().enumerate() {
            let bytes = match number == broken {
                true => mutate(&original[number], &mut random),
                false => original[number].clone(),
            };
            fs::write(place.path().join(file), bytes).expect("a temporary file");
        }
        if let Ok(found) = validate(&source(&place.path().join(files[0])), &ImportOptions::default()) {
            check_told(&found);
            damaged += u64::from(!found.diagnostics.is_empty());
        }
    }
    assert!(damaged > OTHER_MUTATIONS / 3, "{damaged} of {OTHER_MUTATIONS} mutations are told of");
}

#[test]
fn mutated_paraver_traces_end_in_words() {
    mutate_texts(&checkout().join("traces/paraver"), &["solver.prv", "solver.pcf", "solver.row"], 13);
}

#[test]
fn mutated_rows_of_pj_dump_end_in_words() {
    mutate_texts(&checkout().join("traces"), &["rows.pj_dump"], 14);
}

#[test]
fn mutated_text_of_linux_tracers_ends_in_words() {
    mutate_texts(&checkout().join("traces"), &["switches.ftrace"], 15);
    mutate_texts(&checkout().join("traces"), &["samples.perf"], 16);
}

#[test]
fn mutated_protocol_buffers_end_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let original = fs::read(sample("tracks.pftrace")).expect("a sample");
    let trace = folder.path().join("mutated.pftrace");
    let mut random = Random(13);
    for _ in 0..OTHER_MUTATIONS {
        fs::write(&trace, mutate(&original, &mut random)).expect("a temporary file");
        let options = ImportOptions { format: Some(TraceFormat::Perfetto), ..ImportOptions::default() };
        if let Ok(found) = validate(&source(&trace), &options) {
            check_told(&found);
        }
    }
}

#[test]
fn mutated_databases_end_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = folder.path().join("mutated.sqlite");
    let mut random = Random(15);
    for name in ["nsight.sqlite", "rocpd.db"] {
        let original = fs::read(sample(name)).expect("a sample");
        for _ in 0..OTHER_MUTATIONS {
            fs::write(&trace, mutate(&original, &mut random)).expect("a temporary file");
            let options = ImportOptions { format: Some(TraceFormat::Nsight), ..ImportOptions::default() };
            if let Ok(found) = validate(&source(&trace), &options) {
                check_told(&found);
            }
        }
    }
}

#[test]
fn mutated_ctf_ends_in_words() {
    let traces = checkout().join("traces");
    let mut random = Random(14);
    let mut damaged = 0;
    for (name, stream) in [("ctf", "channel0_0"), ("ctf2", "stream")] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = ["metadata", stream];
        let original = files.map(|file| fs::read(traces.join(name).join(file)).expect("a sample"));
        for _ in 0..OTHER_MUTATIONS {
            let broken = random.below(files.len());
            for (place, file) in files.iter().enumerate() {
                let bytes =
                    if place == broken { mutate(&original[place], &mut random) } else { original[place].clone() };
                fs::write(folder.path().join(file), bytes).expect("a temporary file");
            }
            let options = ImportOptions { format: Some(TraceFormat::Ctf), ..ImportOptions::default() };
            if let Ok(found) = validate(&source(folder.path()), &options) {
                check_told(&found);
                damaged += u64::from(!found.diagnostics.is_empty());
            }
        }
    }
    assert!(damaged > OTHER_MUTATIONS / 3, "{damaged} mutations are told of");
}

/// What each broken sample must lose, counted by hand, and a code that must be among its diagnostics.
const EXPECTED: [(&str, u64, &str); 31] = [
    ("backwards_time", 1, "out-of-order"),
    ("bad_field", 0, "bad-field"),
    ("bad_number", 2, "bad-number"),
    ("bad_time", 4, "bad-time"),
    ("bad_time", 4, "time-out-of-range"),
    ("destroyed_container", 2, "destroyed-container"),
    ("duplicate_container", 1, "duplicate-container"),
    ("empty_stack", 1, "empty-stack"),
    ("event_before_definition", 1, "undefined-event"),
    ("extra_fields", 0, "extra-fields"),
    ("incomplete_definition", 2, "incomplete-definition"),
    ("invalid_utf8", 0, "invalid-utf8"),
    ("many_fields", 0, "too-many-fields"),
    ("missing_field", 2, "missing-field"),
    ("no_final_newline", 0, "truncated-line"),
    ("nul_byte", 1, "nul-byte"),
    ("only_comments", 0, "empty-trace"),
    ("open_at_end", 0, "open-state"),
    ("redefined_id", 0, "redefined-event"),
    ("truncated_last_line", 1, "truncated-line"),
    ("type_mismatch", 0, "type-mismatch"),
    ("unknown_container", 2, "unknown-container"),
    ("unknown_event", 2, "unknown-event"),
    ("unknown_parent", 2, "unknown-container"),
    ("unknown_type", 2, "unknown-type"),
    ("unknown_value", 0, "undeclared-value"),
    ("unmatched_links", 2, "unmatched-link-start"),
    ("unmatched_links", 2, "link-value-mismatch"),
    ("unreadable_line", 3, "unreadable-line"),
    ("unset_variable", 0, "unset-variable"),
    ("unterminated_quote", 0, "unterminated-quote"),
];

#[test]
fn broken_samples_lose_what_they_should() {
    let folder = sample("bad");
    for (name, lost, code) in EXPECTED {
        let path = folder.join(format!("{name}.trace"));
        let found = validate(&source(&path), &ImportOptions::default()).expect(name);
        let codes: Vec<&str> = found.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        assert_eq!(found.lost_lines, lost, "{name}: {codes:?}");
        assert!(codes.contains(&code), "{name}: {codes:?} lacks {code}");
        check_accounts(&fs::read(&path).expect("a sample"), &found);
    }
}

#[test]
fn broken_definitions_and_streams_are_told() {
    let folder = sample("bad");
    for (name, code) in
        [("bad_definition", "bad-definition"), ("definition_cut", "open-definition"), ("cut_gzip", "damaged-stream")]
    {
        let found = validate(&source(&folder.join(format!("{name}.trace"))), &ImportOptions::default()).expect(name);
        assert!(found.diagnostics.iter().any(|diagnostic| diagnostic.code.name() == code), "{name}: {found:?}");
    }
}

#[test]
fn good_samples_lose_nothing() {
    for path in samples().iter().filter(|path| path.parent().is_some_and(|folder| folder.ends_with("traces"))) {
        let found = validate(&source(path), &ImportOptions::default()).expect("a good sample");
        assert_eq!(found.lost_lines, 0, "{}: {:?}", path.display(), found.diagnostics);
    }
}

/// Reads an input that is no trace; gives the message of its refusal.
fn refusal(path: &Path) -> String {
    match validate(&source(path), &ImportOptions::default()) {
        Ok(found) => panic!("{} was taken for a trace: {found:?}", path.display()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_no_trace_is_refused_with_its_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bad = sample("bad");
    for (path, words) in [
        (folder.path().to_path_buf(), "directory"),
        (folder.path().join("missing.trace"), "missing.trace"),
        (bad.join("empty.trace"), "empty"),
        (bad.join("png.trace"), "png.trace"),
    ] {
        let message = refusal(&path);
        assert!(message.contains(words), "{message}");
    }
}

/// Imports a text as a trace.
fn import_text(folder: &Path, text: &str) -> ocellus::error::Result<ImportSummary> {
    let trace = folder.join("x.trace");
    fs::write(&trace, text).expect("a temporary file");
    let store = Store::open_or_create(folder.join("store")).expect("a store");
    import(&source(&trace), &store, &ImportOptions { name: Some("x".to_string()), ..ImportOptions::default() })
}

#[test]
fn a_trace_of_which_every_line_is_lost_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paper = fs::read_to_string(sample("paper.trace")).expect("a sample");
    let header: String = paper.lines().filter(|line| line.starts_with('%')).flat_map(|line| [line, "\n"]).collect();
    // Commas in the place of blanks: no line begins with the id of an event.
    let message =
        import_text(folder.path(), &format!("{header}10,0.5,S,T1,run\n12,0.7,S,T1\n12,1.7,S,T1\n12,2,S,T1\n"))
            .expect_err("refused")
            .to_string();
    assert!(message.contains("nothing in") && message.contains("4 lines were lost"), "{message}");
    assert!(message.contains("10,0.5,S,T1,run"), "the first fault is shown: {message}");
    assert!(message.contains("ocellus validate"), "{message}");
    // Every line has the id of an event, and names what is not there.
    let message = import_text(folder.path(), &format!("{header}10 0.5 S T1 run\n")).expect_err("refused").to_string();
    assert!(message.contains("1 line was lost"), "{message}");
    let store = Store::open(folder.path().join("store")).expect("a store");
    assert!(store.manifest().expect("a manifest").traces.is_empty(), "the store stays as it was");
    // Definitions alone are a trace, and one line of use is enough.
    let empty = import_text(folder.path(), &header).expect("a trace without events");
    assert!(empty.diagnostics.iter().any(|diagnostic| diagnostic.code.name() == "empty-trace"));
    store.drop_trace("x").expect("a trace to drop");
    let one = import_text(folder.path(), &paper.replacen("\n10 ", "\n10,", 1)).expect("a trace");
    assert_eq!(one.trace.count("lost_lines"), 1);
}

#[test]
fn a_file_of_nothing_but_nul_bytes_ends_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("nul.trace");
    fs::write(&path, vec![0; 5_000_000]).expect("a temporary file");
    match validate(&source(&path), &ImportOptions::default()) {
        Ok(found) => assert_eq!((found.lines, found.event_lines, found.lost_lines), (1, 1, 1)),
        Err(error) => assert!(error.to_string().contains("nul.trace"), "{error}"),
    }
}

#[test]
fn a_line_of_100_megabytes_is_one_lost_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sound = fs::read(sample("paper.trace")).expect("a sample");
    let path = folder.path().join("long.trace");
    let mut file = BufWriter::new(File::create(&path).expect("a temporary file"));
    // In the middle: the lines before it and after it must arrive.
    let middle = sound.windows(4).position(|bytes| bytes == b"\n10 ").expect("an event") + 1;
    file.write_all(&sound[..middle]).expect("room for a temporary file");
    file.write_all(b"10 1.0 S T1 ").expect("room for a temporary file");
    for _ in 0..100 {
        file.write_all(&vec![b'x'; 1_000_000]).expect("room for a temporary file");
    }
    file.write_all(b"\n").expect("room for a temporary file");
    file.write_all(&sound[middle..]).expect("room for a temporary file");
    file.flush().expect("room for a temporary file");
    let found = validate(&source(&path), &ImportOptions::default()).expect("a trace");
    // The example of the paper has 17 event lines.
    assert_eq!((found.event_lines, found.lost_lines), (18, 1), "{:?}", found.diagnostics);
    assert_eq!(found.diagnostics.iter().filter(|d| d.code.name() == "line-too-long").count(), 1);
}

fn ocellus_import(trace: &Path, store: &Path, name: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocellus"));
    command.arg("import").arg(trace).arg("--store").arg(store).args(["--name", name]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn run_import(trace: &Path, store: &Path, name: &str) {
    let output = ocellus_import(trace, store, name).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Rows of every table of a trace.
fn rows(store: &Store, name: &str) -> Option<BTreeMap<String, u64>> {
    let manifest = store.manifest().expect("a manifest");
    let trace = manifest.trace(name)?;
    Some(trace.tables.iter().map(|table| (table.name.clone(), table.rows)).collect())
}

fn verify_all(store: &Store) {
    for trace in store.manifest().expect("a manifest").traces {
        store.verify(&trace).expect("every file of a listed trace is whole");
    }
}

#[test]
fn a_killed_import_leaves_the_store_as_before_or_after() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = folder.path().join("new.trace");
    let mut file = File::create(&trace).expect("a temporary file");
    mpi(&MpiOptions { events: 200_000, ranks: 16, seed: 1 }, &mut file).expect("a generated trace");
    let root = folder.path().join("store");
    run_import(&sample("quickstart.trace"), &root, "old");
    let store = Store::open(&root).expect("a store");
    let old = rows(&store, "old").expect("the old trace");

    let started = Instant::now();
    run_import(&trace, &root, "new");
    let whole_import = started.elapsed();
    let whole = rows(&store, "new").expect("the new trace");
    store.drop_trace("new").expect("a trace to drop");

    let mut random = Random(6);
    for _ in 0..KILLS {
        let mut child = ocellus_import(&trace, &root, "new").spawn().expect("the program starts");
        // A little beyond the whole, so that some die after their commit.
        std::thread::sleep(whole_import.mul_f64(random.below(1150) as f64 / 1000.0));
        // It may have ended by itself: that is one of the instants.
        let _ = child.kill();
        child.wait().expect("the program ends");

        let store = Store::open(&root).expect("the store opens");
        assert_eq!(rows(&store, "old").as_ref(), Some(&old));
        verify_all(&store);
        if let Some(found) = rows(&store, "new") {
            assert_eq!(found, whole, "all of the new trace or nothing");
            store.drop_trace("new").expect("a trace to drop");
        }
    }
    run_import(&trace, &root, "new");
    assert_eq!(rows(&store, "new"), Some(whole));
    verify_all(&store);
    assert_rubbish_goes(&store);
}

/// What dead imports left is swept away by the next writer, once it is old enough to be dead for sure.
fn assert_rubbish_goes(store: &Store) {
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    for folder in folders(store) {
        File::open(folder).and_then(|file| file.set_modified(long_ago)).expect("a folder can be aged");
    }
    store.rename_trace("new", "newer").expect("a trace to rename");
    let manifest = store.manifest().expect("a manifest");
    let named: Vec<PathBuf> = manifest.traces.iter().map(|trace| store.folder(trace)).collect();
    for folder in folders(store) {
        assert!(named.contains(&folder), "{} was left over", folder.display());
    }
}

fn folders(store: &Store) -> Vec<PathBuf> {
    let entries = fs::read_dir(store.root()).expect("a store");
    entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
