//! Tests of `arrow_file`.

use std::io::Cursor;

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::DataType;
use arrow::ipc::reader::{FileReader, StreamReader};

use crate::formats::plain_types::{plain_batch, plain_schema};
use crate::formats::testing::{awkward, bytes_in, bytes_of, nothing};
use crate::formats::{ResultFormat, SinkKind, TextStyle};

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

/// What a reader of a stream with dictionaries finds, as plain columns; and the types that it was sent.
fn through_dictionaries(batches: &[RecordBatch]) -> (RecordBatch, Vec<DataType>) {
    let schema = batches[0].schema();
    let style = TextStyle::default();
    let bytes = bytes_in(SinkKind::DictionaryStream, ResultFormat::Arrow, &style, &schema, batches);
    let reader = StreamReader::try_new(Cursor::new(bytes), None).expect("an Arrow stream");
    let types = reader.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    let plain = plain_schema(&schema);
    let read: Vec<_> =
        reader.map(|batch| plain_batch(&batch.expect("a batch"), &plain).expect("plain types")).collect();
    (concat_batches(&plain, &read).expect("one schema"), types)
}

#[test]
fn texts_travel_as_dictionaries() {
    let batch = awkward();
    let other = batch.slice(1, 1);
    let (read, types) = through_dictionaries(&[other.clone(), batch.clone()]);
    let plain = plain_schema(&batch.schema());
    let expected = [other, batch].map(|batch| plain_batch(&batch, &plain).expect("plain types"));
    assert_eq!(read, concat_batches(&plain, &expected).expect("one schema"));
    let text = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
    assert_eq!([&types[1], &types[5]], [&text, &text]);
    assert_eq!(types[0], DataType::Int32);
}

#[test]
fn more_texts_than_keys_are_several_batches() {
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..70_000).map(|number| number.to_string())));
    let batch =
        RecordBatch::try_from_iter([("text", cast(&texts, &DataType::Utf8View).expect("views"))]).expect("one column");
    let (read, _) = through_dictionaries(&[batch]);
    assert_eq!(read.column(0), &texts);
}
