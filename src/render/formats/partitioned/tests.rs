//! Rows come back as they were written, each below the folder of its values.

use std::collections::BTreeMap;

use arrow::array::{AsArray, Int64Array, StringArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

use super::*;

fn schema() -> SchemaRef {
    let field = |name, kind| Field::new(name, kind, true);
    Arc::new(Schema::new(vec![
        field("kind", DataType::Utf8),
        field("n", DataType::Int64),
        field("rank", DataType::Int64),
    ]))
}

type Row = (Option<&'static str>, i64, Option<i64>);

fn batch(rows: &[Row]) -> RecordBatch {
    let kinds: StringArray = rows.iter().map(|row| row.0).collect();
    let numbers: Int64Array = rows.iter().map(|row| Some(row.1)).collect();
    let ranks: Int64Array = rows.iter().map(|row| row.2).collect();
    RecordBatch::try_new(schema(), vec![Arc::new(kinds), Arc::new(numbers), Arc::new(ranks)]).expect("a batch")
}

fn write(folder: &Path, batches: &[Vec<Row>], limits: Option<PartitionLimits>) -> Result<()> {
    let columns = ["rank".to_string(), "kind".to_string()];
    let mut writer = PartitionedWriter::new(&schema(), &columns, folder, ByteCounter::default())?;
    writer.limits = limits.unwrap_or(writer.limits);
    for rows in batches {
        writer.write(&batch(rows))?;
    }
    writer.finish()
}

/// The column n of every folder, its files one after the other.
fn read(folder: &Path) -> BTreeMap<String, Vec<i64>> {
    let mut found = BTreeMap::new();
    let folders = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    for outer in folders(folder) {
        for inner in folders(&outer) {
            let mut numbers = vec![];
            for part in 0..fs::read_dir(&inner).expect("a folder").count() {
                let file = File::open(inner.join(format!("part-{part}.parquet"))).expect("the parts are numbered");
                let reader =
                    ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
                for batch in reader {
                    let batch = batch.expect("a batch");
                    assert_eq!(batch.num_columns(), 1);
                    numbers.extend(batch.column(0).as_primitive::<Int64Type>().values().iter().copied());
                }
            }
            let name = inner.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            found.insert(name, numbers);
        }
    }
    found
}

#[test]
fn values_become_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = vec![
        (Some("a/b=c%"), 1, Some(7)),
        (None, 2, Some(7)),
        (Some("__HIVE_DEFAULT_PARTITION__"), 3, Some(7)),
        (Some(""), 4, None),
        (Some("a/b=c%"), 5, Some(7)),
        (Some("é 1"), 6, Some(-1)),
    ];
    write(folder.path(), &[rows], None).expect("written");
    let expected = [
        ("rank=-1/kind=é 1", vec![6]),
        ("rank=7/kind=%5F_HIVE_DEFAULT_PARTITION__", vec![3]),
        ("rank=7/kind=__HIVE_DEFAULT_PARTITION__", vec![2]),
        ("rank=7/kind=a%2Fb%3Dc%25", vec![1, 5]),
        ("rank=__HIVE_DEFAULT_PARTITION__/kind=", vec![4]),
    ];
    assert_eq!(read(folder.path()), expected.map(|(name, numbers)| (name.to_string(), numbers)).into());
}

#[test]
fn wrong_columns_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = |columns: &[&str]| {
        let columns: Vec<String> = columns.iter().map(|column| column.to_string()).collect();
        match PartitionedWriter::new(&schema(), &columns, folder.path(), ByteCounter::default()) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    assert!(
        message(&["knid"]).contains("no column knid; it gives kind, n, rank; did you mean kind?"),
        "{}",
        message(&["knid"])
    );
    assert!(message(&["kind", "kind"]).contains("kind twice"));
    assert!(message(&["kind", "n", "rank"]).contains("at least one must stay"));
    let limits = PartitionLimits { chunk: 0, waiting: 0, open: 1, folders: 2 };
    let rows = (0..3).map(|n| (Some("x"), n, Some(n))).collect();
    let error = write(folder.path(), &[rows], Some(limits)).expect_err("too many");
    assert!(error.to_string().contains("more than 2 folders"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The slow, obvious twin: a map from folder to numbers.
    #[test]
    fn every_row_comes_back_in_order(
        kinds in proptest::collection::vec(proptest::collection::vec((0_usize..5, 0_i64..4), 0..20), 0..6),
        waiting in prop_oneof![Just(0_usize), Just(4_000), Just(1 << 20)],
        chunk in prop_oneof![Just(0_usize), Just(2_000)],
        open in 1_usize..4
    ) {
        const NAMES: [Option<&str>; 5] = [None, Some("a"), Some("b"), Some("c"), Some("d")];
        let mut number = 0;
        let mut expected: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        let mut batches = vec![];
        for rows in kinds {
            let mut batch = vec![];
            for (kind, rank) in rows {
                number += 1;
                batch.push((NAMES[kind], number, Some(rank)));
                let folder = format!("rank={rank}/kind={}", NAMES[kind].unwrap_or(NULL_NAME));
                expected.entry(folder).or_default().push(number);
            }
            batches.push(batch);
        }
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &batches, Some(PartitionLimits { chunk, waiting, open, folders: 100 })).expect("written");
        prop_assert_eq!(read(folder.path()), expected);
    }
}
