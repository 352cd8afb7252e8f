//! The samples, whole and damaged, as databases and as folders of Parquet files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use parquet::arrow::ArrowWriter;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::sqlite::database::SqliteDatabase;
use crate::reader::table_rows::TableValue;
use crate::reader::{ReadFlow, TraceFormat};

fn sample_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces").join(name)
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(sample_path(name)).expect("a sample")
}

/// How many states and links were emitted, and the codes of the faults; what is refused.
fn counted(bytes: &[u8]) -> Result<(usize, usize, Vec<&'static str>)> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("written");
    counted_at(file.path())
}

fn counted_at(path: &Path) -> Result<(usize, usize, Vec<&'static str>)> {
    let origin = TraceOrigin::open(path).expect("a trace");
    let (mut states, mut links, mut faults) = (0, 0, vec![]);
    let mut consume = |batch: &mut EventBatch| {
        states += batch.events.iter().filter(|event| event.kind == EventKind::PushState).count();
        links += batch.events.iter().filter(|event| event.kind == EventKind::EndLink).count();
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    GpuReader::new(&ReaderOptions::default()).read(&origin, &mut consume)?;
    Ok((states, links, faults))
}

/// All that is emitted, but for where it stands in its file.
fn emitted(path: &Path) -> String {
    let mut all = String::new();
    let mut consume = |batch: &mut EventBatch| {
        all += &format!("{:?} {:?} {:?}", batch.events, batch.extra_rows, batch.extra_values);
        all += &String::from_utf8_lossy(&batch.symbol_text);
        all += &String::from_utf8_lossy(&batch.text);
        for fault in &batch.faults {
            all += &format!("{} {} {}\n", fault.code.name(), fault.occurrences, fault.message);
        }
        Ok(ReadFlow::GoOn)
    };
    let origin = TraceOrigin::open(path).expect("a trace");
    GpuReader::new(&ReaderOptions::default()).read(&origin, &mut consume).expect("read");
    all
}

/// Writes the tables of a database as the Parquet export does: ids are unsigned there.
fn export(database: &Path, folder: &Path) {
    let mut database = SqliteDatabase::open(&TraceOrigin::open(database).expect("a file")).expect("a database");
    for table in database.tables.clone().into_values() {
        let mut columns: Vec<Vec<TableValue>> = vec![vec![]; table.columns.len()];
        let mut keep = |row: crate::reader::table_rows::TableRow<'_>| {
            columns.iter_mut().enumerate().for_each(|(place, column)| column.push(row.at(place).clone()));
            Ok(())
        };
        database.scan(&table.name, &mut keep).expect("rows");
        let arrays = table.columns.iter().zip(&columns).map(|(name, values)| (name, array(name, values), true));
        let batch = RecordBatch::try_from_iter_with_nullable(arrays).expect("columns of one length");
        let file = fs::File::create(folder.join(format!("{}.parquet", table.name))).expect("a file");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("written");
    }
}

fn array(name: &str, values: &[TableValue]) -> ArrayRef {
    if values.iter().any(|value| matches!(value, TableValue::Text(_))) {
        Arc::new(values.iter().map(|value| value.text()).collect::<StringArray>())
    } else if values.iter().any(|value| matches!(value, TableValue::Real(_))) {
        Arc::new(values.iter().map(TableValue::number).collect::<Float64Array>())
    } else if name.ends_with("Id") {
        Arc::new(values.iter().map(|value| value.int().map(|number| number as u64)).collect::<UInt64Array>())
    } else {
        Arc::new(values.iter().map(TableValue::int).collect::<Int64Array>())
    }
}

#[test]
fn samples_are_whole() {
    // A thread was on a CPU before the recording; a copy has no call.
    assert_eq!(counted(&sample("nsight.sqlite")).expect("read"), (8, 2, vec!["trace-property"]));
    assert_eq!(counted(&sample("rocpd.db")).expect("read"), (4, 3, vec!["undefined-reference"]));
    assert_eq!(counted(&sample("gpu_work.sqlite")).expect("read"), (13, 7, vec![]));
}

#[test]
fn parquet_files_give_the_same_trace() {
    for name in ["nsight.sqlite", "gpu_work.sqlite"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        export(&sample_path(name), folder.path());
        let origin = TraceOrigin::open(folder.path()).expect("a folder");
        assert_eq!(TraceFormat::of(&origin).expect("a format"), TraceFormat::Nsight);
        assert_eq!(emitted(folder.path()), emitted(&sample_path(name)), "{name}");
    }
}

#[test]
fn several_reports_in_a_folder_are_one_trace() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::copy(sample_path("gpu_work.sqlite"), folder.path().join("rank0.sqlite")).expect("copied");
    let exported = folder.path().join("rank1.parquetdir");
    fs::create_dir(&exported).expect("a folder");
    export(&sample_path("nsight.sqlite"), &exported);
    // A Parquet file that is no table of a report.
    fs::write(folder.path().join("other.parquet"), b"PAR1").expect("written");
    assert_eq!(counted_at(folder.path()).expect("read"), (21, 9, vec!["trace-property"]));
}

#[test]
fn parquet_files_that_are_damaged_end_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    export(&sample_path("gpu_work.sqlite"), folder.path());
    let files = TraceOrigin::open(folder.path()).expect("a folder").files().expect("files");
    let mut random = 15_u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    let mut damaged = 0;
    for _ in 0..300 {
        let file = &files[below(files.len())];
        let original = fs::read(file).expect("a file");
        let mut bytes = original.clone();
        for _ in 0..=below(4) {
            let at = below(bytes.len());
            bytes[at] = below(256) as u8;
        }
        if below(8) == 0 {
            bytes.truncate(below(bytes.len()));
        }
        fs::write(file, &bytes).expect("written");
        if let Ok((_, _, faults)) = counted_at(folder.path()) {
            damaged += usize::from(faults.contains(&"damaged-file"));
        }
        fs::write(file, &original).expect("written");
    }
    assert!(damaged > 30, "{damaged} of 300 were found to be damaged");
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
            assert!(states <= 4);
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
    assert!(refusal.contains("rocpd_event_ab"), "{refusal}");
}
