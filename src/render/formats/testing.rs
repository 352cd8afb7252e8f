//! What the tests of all formats share: results to write, and a sink that keeps the bytes.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, ListArray, RecordBatch, StringArray,
};
use arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef};

use super::{ResultFormat, SinkKind, TextStyle, writer};

/// A sink that the test can read after the writer has taken it.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes that a format makes of some batches in a file.
pub fn bytes_of(format: ResultFormat, style: &TextStyle, schema: &SchemaRef, batches: &[RecordBatch]) -> Vec<u8> {
    bytes_in(SinkKind::File, format, style, schema, batches)
}

/// The bytes that a format makes of some batches in a sink of some kind.
pub fn bytes_in(
    place: SinkKind,
    format: ResultFormat,
    style: &TextStyle,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> Vec<u8> {
    let kept = Kept::default();
    let mut writer = writer(format, schema, style, place, Box::new(kept.clone())).expect("a writer");
    for batch in batches {
        writer.write(batch).expect("a batch");
    }
    writer.finish().expect("the end");
    drop(writer);

    kept.0.lock().expect("one thread").clone()
}

/// The text that a format makes of some batches.
pub fn text_of(format: ResultFormat, style: &TextStyle, schema: &SchemaRef, batches: &[RecordBatch]) -> String {
    String::from_utf8(bytes_of(format, style, schema, batches)).expect("text")
}

/// A style with a text for NULL.
pub fn null_as(text: &str) -> TextStyle {
    TextStyle { null: Some(text.to_string()), ..TextStyle::default() }
}

/// Two rows with everything that is awkward: NULL, quotes, wide characters, line ends, a list.
pub fn awkward() -> RecordBatch {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None, Some(3)]), None]);
    let dictionary: DictionaryArray<Int32Type> = [Some("run"), None].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from(vec![Some(1), None]))),
        ("text", Arc::new(StringArray::from(vec![Some("a,\"b\"\n|"), Some("")]))),
        ("wide", Arc::new(StringArray::from(vec!["日本", "é"]))),
        ("seconds", Arc::new(Float64Array::from(vec![0.1, 2.0]))),
        ("list", Arc::new(list)),
        ("state", Arc::new(dictionary)),
        ("open", Arc::new(BooleanArray::from(vec![true, false]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("columns of equal length")
}

/// `rows` rows with the numbers from 0.
pub fn numbers(rows: i32) -> RecordBatch {
    let array: ArrayRef = Arc::new(Int32Array::from_iter_values(0..rows));
    RecordBatch::try_from_iter([("n", array)]).expect("one column")
}

/// A result without rows.
pub fn nothing() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int32, true), Field::new("name", DataType::Utf8, true)]))
}
