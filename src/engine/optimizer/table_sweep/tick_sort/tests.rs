//! Rows come in order, and all of them, whether they fit into memory or not.

use arrow::array::{Int32Array, Int64Array, StringArray};
use arrow::datatypes::Field;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;

use super::*;

/// What a row says beside its number: every third says nothing.
fn text_of(number: i32) -> Option<String> {
    (number % 3 != 0).then(|| format!("row {number}"))
}

/// A row is its tick and a number.
async fn sorted(batches: &[Vec<(i64, i32)>], bytes: usize) -> (Vec<(i64, i32)>, usize) {
    let fields = [
        Field::new("number", DataType::Int32, false),
        Field::new("tick", DataType::Int64, false),
        Field::new("text", DataType::Utf8, true),
    ];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch = |rows: &Vec<(i64, i32)>| {
        let numbers = Int32Array::from_iter_values(rows.iter().map(|(_, number)| *number));
        let ticks = Int64Array::from_iter_values(rows.iter().map(|(tick, _)| *tick));
        let texts: StringArray = rows.iter().map(|(_, number)| text_of(*number)).collect();
        Ok(RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(numbers), Arc::new(ticks), Arc::new(texts)])?)
    };
    let rows: Vec<Result<RecordBatch>> = batches.iter().map(batch).collect();
    let rows = Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&schema), stream::iter(rows)));
    assert!(is_sortable(&schema, &[1]) && !is_sortable(&schema, &[0]) && !is_sortable(&schema, &[]));
    let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
    let context = TaskContext::default();
    let found: Vec<RecordBatch> =
        sort_by_ticks(rows, 1, bytes, &context, metrics.clone()).try_collect().await.expect("it is sorted");
    let mut all = vec![];
    for batch in found {
        let numbers = batch.column(0).as_primitive::<arrow::datatypes::Int32Type>().values();
        let ticks = batch.column(1).as_primitive::<Int64Type>().values();
        let texts = batch.column(2).as_string::<i32>();
        assert!(numbers.iter().zip(texts).all(|(number, text)| text == text_of(*number).as_deref()));
        all.extend(ticks.iter().copied().zip(numbers.iter().copied()));
    }
    (all, metrics.spill_file_count.value())
}

/// Numbers that look random.
fn scrambled(number: i64) -> i64 {
    (number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)) >> 40
}

async fn check(batches: &[Vec<(i64, i32)>], bytes: usize) -> usize {
    let (found, files) = sorted(batches, bytes).await;
    assert!(found.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    let (mut found, mut expected) = (found, batches.concat());
    found.sort_unstable();
    expected.sort_unstable();
    assert!(found == expected);
    files
}

#[tokio::test]
async fn rows_in_memory_and_on_disk() {
    let batches: Vec<Vec<(i64, i32)>> = (0..50_i64)
        .map(|batch| (0..1000).map(|row| (scrambled(batch * 1000 + row), (batch * 1000 + row) as i32)).collect())
        .collect();
    assert_eq!(check(&batches, usize::MAX).await, 0);
    // Of at least 36 bytes a row: at most 2000 rows in a run.
    assert!(check(&batches, 80_000).await >= 20);
    // Less than a batch: it is a run, and two at a time are merged.
    assert_eq!(check(&batches, 1).await, 50 + 48);
    assert_eq!(check(&[], 1).await, 0);
    assert_eq!(check(&[vec![], vec![(3, 1)], vec![]], 1).await, 0);
}

/// Two halves of a trace that are read at once, nearly in order, with equal ticks: long stretches.
#[tokio::test]
async fn rows_that_are_nearly_sorted() {
    let batches: Vec<Vec<(i64, i32)>> = (0..60_i64)
        .map(|batch| {
            let begin = (batch / 2 + batch % 2 * 30) * 1000;
            (0..1000).map(|row| (begin + row / 4 + scrambled(row) % 7, (batch * 1000 + row) as i32)).collect()
        })
        .collect();
    assert!(check(&batches, 300_000).await > 5);
}

#[test]
fn stretches() {
    let ticks = [1, 1, 2, 3, 3, 3, 5, 8, 9];
    for (limit, expected) in [(1, 2), (2, 3), (3, 6), (4, 6), (5, 7), (7, 7), (8, 8), (100, 9)] {
        assert_eq!(stretch(&ticks, limit), expected);
    }
}
