//! Damaged stores: every query gives an error or the right rows, never others.
//!
//! In: a store of small traces with all kinds of tables and of one with many blocks, damaged in every way, one at a time.
//! The right rows are those of the same store before.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};
use tempfile::TempDir;
use url::Url;

use crate::session::{Engine, EngineOptions};
use ocellus_trace::error::{Error, QueryErrorKind, Result};
use ocellus_trace::import::attach::{AttachOptions, MachineMap, attach};
use ocellus_trace::import::{ImportOptions, TraceSource, import};
use ocellus_trace::store::{FileEntry, Manifest, Store};
use ocellus_trace::synth::{MpiOptions, mpi};

/// Flipped bytes in the files of traces; those of the manifest come in addition.
const FLIPS: usize = 2000;

/// A file of the store, and the table that it belongs to.
struct StoredPath {
    path: PathBuf,
    table: String,
    entry: FileEntry,
    rows: Vec<RecordBatch>,
}

struct Damaged {
    folder: TempDir,
    files: Vec<StoredPath>,
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces").join(name)
}

impl Damaged {
    /// The store before anything happens to it.
    async fn new() -> Damaged {
        let folder = tempfile::tempdir().expect("a folder");
        let large = folder.path().join("large.trace");
        let mut file = File::create(&large).expect("a file");
        mpi(&MpiOptions { events: 30_000, ranks: 8, seed: 7 }, &mut file).expect("a trace");
        file.flush().expect("a file");
        let store = Store::open_or_create(folder.path().join("store")).expect("a store");
        let traces = ["quickstart.trace", "extra_fields.trace", "links.trace", "variables.trace"].map(sample);
        for trace in traces.into_iter().chain([large]) {
            import(&TraceSource::Path(trace), &store, &ImportOptions::default()).expect("an import");
        }
        let options = AttachOptions {
            trace: Some("quickstart".to_string()),
            topology: Some(sample("quickstart.dot")),
            hierarchy: Some(sample("quickstart.plist")),
            map: MachineMap::Name,
        };
        attach(&store, &options).expect("attached");
        let mut damaged = Damaged { folder, files: vec![] };
        let mut files = vec![];
        let engine = damaged.engine().expect("an engine");
        for trace in store.manifest().expect("a manifest").traces {
            for table in &trace.tables {
                for entry in table.files.iter().cloned() {
                    let name = format!("{}.{}", trace.name, table.name);
                    let rows = rows(&engine, &name).await.expect("rows");
                    files.push(StoredPath { path: store.folder(&trace).join(&entry.name), table: name, entry, rows });
                }
            }
        }
        assert!(files.len() >= 40, "{} files", files.len());
        assert!(files.iter().any(|file| file.entry.bytes > 3 * (16 << 10)), "one has several blocks");
        damaged.files = files;
        damaged
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn engine(&self) -> Result<Engine> {
        let options = EngineOptions { threads: Some(1), ..EngineOptions::default() };
        Engine::open(Store::open(self.root())?, options)
    }

    async fn fresh_rows(&self, table: &str) -> Result<Vec<RecordBatch>> {
        rows(&self.engine()?, table).await
    }

    /// Whether a damaged file is an error; rows that are not the right ones never are.
    async fn is_error(&self, file: &StoredPath, damage: &str) -> bool {
        match self.fresh_rows(&file.table).await {
            Ok(rows) => {
                assert!(rows == file.rows, "{damage} of {}: other rows", file.path.display());
                false
            }
            Err(Error::Query(error)) => {
                let is_damage = error.kind == QueryErrorKind::DamagedStore;
                assert!(is_damage, "{damage} of {}: {:?} {error}", file.path.display(), error.kind);
                true
            }
            Err(error) => panic!("{damage} of {}: {error}", file.path.display()),
        }
    }

    async fn assert_error(&self, file: &StoredPath, damage: &str) {
        assert!(self.is_error(file, damage).await, "{damage} of {} is not seen", file.path.display());
    }
}

/// What queries say of a table: by its footers, by its columns, and by its texts as codes.
async fn rows(engine: &Engine, table: &str) -> Result<Vec<RecordBatch>> {
    let mut found = vec![];
    let mut asked = vec!["count(*)", "*"];
    if table.ends_with("states") {
        asked.push("count(DISTINCT value)");
    }
    for shown in asked {
        let batches = engine.sql(&format!("SELECT {shown} FROM {table}")).await?;
        if let Some(first) = batches.first() {
            found.push(concat_batches(&first.schema(), &batches).expect("batches of one schema"));
        }
    }
    Ok(found)
}

/// splitmix64: the same flips in every run.
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

#[tokio::test]
async fn flipped_bytes_are_errors_or_the_right_rows() {
    let damaged = Damaged::new().await;
    let mut random = Random(16);
    let per_file = FLIPS.div_ceil(damaged.files.len());
    let (mut flips, mut errors) = (0, 0);
    for file in &damaged.files {
        let content = fs::read(&file.path).expect("a file");
        for _ in 0..per_file {
            let mut flipped = content.clone();
            flipped[random.below(content.len())] ^= 1 << random.below(8);
            fs::write(&file.path, &flipped).expect("a damaged file");
            flips += 1;
            errors += usize::from(damaged.is_error(file, "a flipped byte").await);
        }
        fs::write(&file.path, &content).expect("the file as it was");
        assert!(!damaged.is_error(file, "nothing").await);
    }
    // Bytes that no query above reads: a column that SQL does not show.
    assert!(flips >= FLIPS && errors * 100 >= flips * 95, "{errors} of {flips} are seen");
}

#[tokio::test]
async fn missing_empty_cut_and_longer_files_are_errors() {
    let damaged = Damaged::new().await;
    for file in &damaged.files {
        let content = fs::read(&file.path).expect("a file");
        let length = content.len();
        fs::remove_file(&file.path).expect("a file");
        damaged.assert_error(file, "loss").await;
        for end in [0, 1, 8, length / 2, length - 8, length - 1] {
            fs::write(&file.path, &content[..end]).expect("a shorter file");
            damaged.assert_error(file, "a cut").await;
        }
        fs::write(&file.path, [&content[..], b"x"].concat()).expect("a longer file");
        damaged.assert_error(file, "another byte").await;
        fs::write(&file.path, vec![0; length]).expect("a file of zeros");
        damaged.assert_error(file, "zeros").await;
        fs::write(&file.path, &content).expect("the file as it was");
    }
}

#[tokio::test]
async fn files_in_the_place_of_others_are_errors() {
    let damaged = Damaged::new().await;
    for (place, file) in damaged.files.iter().enumerate() {
        let own = fs::read(&file.path).expect("a file");
        // The next of the store, and the one of the same name of other traces.
        let next = &damaged.files[(place + 1) % damaged.files.len()];
        let same = damaged.files.iter().filter(|other| other.entry.name == file.entry.name);
        for other in same.chain([next]).filter(|other| other.path != file.path) {
            let content = fs::read(&other.path).expect("a file");
            fs::write(&file.path, &content).expect("another file");
            // Empty tables of two traces are the same file.
            assert!(damaged.is_error(file, "an exchange").await || content == own, "{}", file.path.display());
        }
        fs::write(&file.path, &own).expect("the file as it was");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn pipes_links_and_folders_are_errors() {
    let damaged = Damaged::new().await;
    let aside = damaged.folder.path().join("aside");
    for file in &damaged.files {
        fs::rename(&file.path, &aside).expect("a file");
        assert!(std::process::Command::new("mkfifo").arg(&file.path).status().expect("mkfifo").success());
        damaged.assert_error(file, "a pipe in the place").await;
        fs::remove_file(&file.path).expect("a pipe");
        std::os::unix::fs::symlink(&aside, &file.path).expect("a link");
        damaged.assert_error(file, "a link in the place").await;
        fs::remove_file(&file.path).expect("a link");
        fs::create_dir(&file.path).expect("a folder");
        damaged.assert_error(file, "a folder in the place").await;
        fs::remove_dir(&file.path).expect("a folder");
        fs::rename(&aside, &file.path).expect("a file");
    }
    let file = &damaged.files[0];
    let folder = file.path.parent().expect("a folder").to_path_buf();
    fs::rename(&folder, &aside).expect("a folder");
    damaged.assert_error(file, "loss of the folder").await;
    std::os::unix::fs::symlink(&aside, &folder).expect("a link");
    damaged.assert_error(file, "a link to the folder").await;
    fs::remove_file(&folder).expect("a link");
    assert!(std::process::Command::new("mkfifo").arg(&folder).status().expect("mkfifo").success());
    damaged.assert_error(file, "a pipe in the place of the folder").await;
}

#[tokio::test]
async fn files_that_vanish_while_a_session_is_open_are_errors() {
    let damaged = Damaged::new().await;
    let engine = damaged.engine().expect("an engine");
    engine.sql("SELECT * FROM quickstart.states").await.expect("rows");
    let file = damaged.files.iter().find(|file| file.table == "quickstart.states").expect("states");
    fs::remove_file(&file.path).expect("a file");
    let error = engine.sql("SELECT * FROM quickstart.states").await.expect_err("it is gone").to_string();
    assert!(error.contains("states.parquet") && error.contains("import the trace again"), "{error}");
}

#[tokio::test]
async fn a_damaged_manifest_is_an_error() {
    let damaged = Damaged::new().await;
    let path = damaged.root().join("ocellus.json");
    let text = fs::read(&path).expect("a manifest");
    let right = Store::open(damaged.root()).and_then(|store| store.manifest()).expect("a manifest");
    let mut random = Random(4);
    let manifest_of = |content: &[u8]| {
        fs::write(&path, content).expect("a manifest");
        Store::open(damaged.root()).and_then(|store| store.manifest())
    };
    for _ in 0..300 {
        let mut flipped = text.clone();
        flipped[random.below(text.len())] ^= 1 << random.below(8);
        assert!(manifest_of(&flipped).is_err(), "a flipped byte is not seen");
        assert!(manifest_of(&text[..random.below(text.len())]).is_err(), "a cut is not seen");
    }
    assert!(damaged.engine().is_err());
    assert_eq!(manifest_of(&text).expect("as it was"), right);
    // The manifest of another store, whose files these are not.
    let mut other = right.clone();
    for file in other.traces.iter_mut().flat_map(|trace| &mut trace.tables).flat_map(|table| &mut table.files) {
        file.footer.iter_mut().for_each(|footer| footer.checksum = "0".repeat(16));
    }
    manifest_of(other.to_text().expect("a text").as_bytes()).expect("a manifest");
    for file in &damaged.files {
        damaged.assert_error(file, "the manifest of another store").await;
    }
}

/// What older versions wrote has neither footers nor checksums of blocks nor one of the manifest.
#[tokio::test]
async fn stores_of_older_versions_are_read_and_their_sizes_and_rows_compared() {
    let damaged = Damaged::new().await;
    let mut old: Manifest = Store::open(damaged.root()).and_then(|store| store.manifest()).expect("a manifest");
    let files = |manifest: &mut Manifest, change: &dyn Fn(&mut FileEntry)| {
        let tables = manifest.traces.iter_mut().flat_map(|trace| &mut trace.tables);
        tables.flat_map(|table| &mut table.files).for_each(change);
    };
    files(&mut old, &|file| file.footer = None);
    let write = |manifest: &Manifest| {
        let text = serde_json::to_string_pretty(manifest).expect("JSON");
        fs::write(damaged.root().join("ocellus.json"), text).expect("a manifest");
    };
    write(&old);
    for file in &damaged.files {
        assert!(!damaged.is_error(file, "age").await);
    }
    let file = &damaged.files[0];
    let content = fs::read(&file.path).expect("a file");
    fs::write(&file.path, &content[1..]).expect("a shorter file");
    damaged.assert_error(file, "a cut").await;
    fs::write(&file.path, &content).expect("the file as it was");
    for table in old.traces.iter_mut().flat_map(|trace| &mut trace.tables) {
        table.files.iter_mut().for_each(|file| file.rows += 1);
        table.rows += table.files.len() as u64;
    }
    write(&old);
    for file in &damaged.files {
        damaged.assert_error(file, "another number of rows").await;
    }
}

#[tokio::test]
async fn a_table_with_rows_and_without_files_is_an_error() {
    let damaged = Damaged::new().await;
    let mut manifest = Store::open(damaged.root()).and_then(|store| store.manifest()).expect("a manifest");
    manifest.traces.iter_mut().flat_map(|trace| &mut trace.tables).for_each(|table| table.files.clear());
    fs::write(damaged.root().join("ocellus.json"), manifest.to_text().expect("a text")).expect("a manifest");
    for file in damaged.files.iter().filter(|file| file.entry.rows > 0) {
        damaged.assert_error(file, "loss of the names").await;
    }
}

/// The same store in object storage, where nothing is known of a file before it is read.
#[tokio::test]
async fn damaged_objects_are_errors() {
    let damaged = Damaged::new().await;
    let store = Store::open(damaged.root()).expect("a store");
    let manifest = store.manifest().expect("a manifest");
    let objects: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let object = |file: &StoredPath| {
        let below = file.path.strip_prefix(damaged.root()).expect("a file of the store");
        ObjectPath::from(format!("perf/{}", below.display()))
    };
    for file in &damaged.files {
        let content = fs::read(&file.path).expect("a file");
        objects.put(&object(file), content.into()).await.expect("an object");
    }
    let ask = async |file: &StoredPath| {
        let options = EngineOptions { threads: Some(1), ..EngineOptions::default() };
        let engine = Engine::open_at("s3://bucket/perf", manifest.clone(), &options).expect("an engine");
        let bucket = Url::parse("s3://bucket").expect("a URL");
        engine.context().runtime_env().register_object_store(&bucket, Arc::clone(&objects));
        rows(&engine, &file.table).await
    };
    let mut random = Random(3);
    for (place, file) in damaged.files.iter().enumerate() {
        assert!(ask(file).await.expect("rows") == file.rows, "{}", file.table);
        let content = fs::read(&file.path).expect("a file");
        let mut damages = vec![content[..content.len() / 2].to_vec(), vec![]];
        for _ in 0..3 {
            let mut flipped = content.clone();
            flipped[random.below(content.len())] ^= 1 << random.below(8);
            damages.push(flipped);
        }
        let next = &damaged.files[(place + 1) % damaged.files.len()];
        damages.push(fs::read(&next.path).expect("a file"));
        for damage in damages.into_iter().filter(|damage| *damage != content) {
            objects.put(&object(file), damage.into()).await.expect("an object");
            if let Ok(found) = ask(file).await {
                assert!(found == file.rows, "other rows of {}", file.table);
            }
        }
        objects.delete(&object(file)).await.expect("an object");
        assert!(ask(file).await.is_err(), "the loss of {} is not seen", file.table);
        objects.put(&object(file), content.into()).await.expect("an object");
    }
}
