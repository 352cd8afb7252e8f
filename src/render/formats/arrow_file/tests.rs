//! Tests of `arrow_file`.

use std::io::Cursor;

use arrow::ipc::reader::FileReader;

use crate::formats::testing::{awkward, bytes_of, nothing};
use crate::formats::{ResultFormat, TextStyle};

#[test]
fn batches_with_different_dictionaries_are_read_back() {
    let batch = awkward();
    let other = batch.slice(1, 1);
    let bytes = bytes_of(ResultFormat::Arrow, &TextStyle::default(), &batch.schema(), &[other, batch.clone()]);
    let reader = FileReader::try_new(Cursor::new(bytes), None).expect("an Arrow file");
    let batches: Vec<_> = reader.map(|batch| batch.expect("a batch")).collect();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(batches[1].column(4), batch.column(4));
}

#[test]
fn an_empty_result_keeps_its_columns() {
    let bytes = bytes_of(ResultFormat::Arrow, &TextStyle::default(), &nothing(), &[]);
    let reader = FileReader::try_new(Cursor::new(bytes), None).expect("an Arrow file");
    assert_eq!(reader.schema().fields().len(), 2);
    assert_eq!(reader.count(), 0);
}
