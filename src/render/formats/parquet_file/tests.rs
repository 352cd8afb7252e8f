//! Tests of `parquet_file`.

use arrow::array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::formats::testing::{awkward, bytes_of, nothing};
use crate::formats::{ResultFormat, TextStyle};

fn read(bytes: Vec<u8>) -> (usize, Vec<RecordBatch>) {
    // A file, because the reader wants one that it can seek in.
    let file = tempfile::tempfile().expect("a temporary file");
    std::io::Write::write_all(&mut &file, &bytes).expect("written");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let columns = builder.schema().fields().len();
    (columns, builder.build().expect("a reader").map(|batch| batch.expect("a batch")).collect())
}

#[test]
fn what_was_written_is_read_back() {
    let batch = awkward();
    let (columns, batches) =
        read(bytes_of(ResultFormat::Parquet, &TextStyle::default(), &batch.schema(), std::slice::from_ref(&batch)));
    assert_eq!((columns, batches.len()), (7, 1));
    for column in [0, 1, 2, 3, 4, 6] {
        assert_eq!(batches[0].column(column), batch.column(column));
    }
}

#[test]
fn an_empty_result_keeps_its_columns() {
    let (columns, batches) = read(bytes_of(ResultFormat::Parquet, &TextStyle::default(), &nothing(), &[]));
    assert_eq!((columns, batches.len()), (2, 0));
}
