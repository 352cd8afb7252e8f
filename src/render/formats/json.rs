//! JSON: an array of objects with one object per line, or bare objects, one per line.
//!
//! NULL is written as null; so are the doubles that JSON has no word for (NaN and the infinities).

#[cfg(test)]
mod tests;

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use arrow::json::writer::{JsonFormat, LineDelimited, Writer, WriterBuilder};

use super::errors::{arrow_failed, write_failed};
use super::writer::{ResultWriter, Sink};
use ocellus_trace::error::Result;

/// An array with a line end between the objects, so that line tools can look at it.
#[derive(Debug, Default)]
pub struct ObjectsInArray;

impl JsonFormat for ObjectsInArray {
    fn start_stream<W: Write>(&self, sink: &mut W) -> Result<(), ArrowError> {
        Ok(sink.write_all(b"[")?)
    }

    fn start_row<W: Write>(&self, sink: &mut W, is_first_row: bool) -> Result<(), ArrowError> {
        if is_first_row { Ok(()) } else { Ok(sink.write_all(b",\n")?) }
    }

    fn end_stream<W: Write>(&self, sink: &mut W) -> Result<(), ArrowError> {
        Ok(sink.write_all(b"]\n")?)
    }
}

/// Writes JSON of one shape.
pub struct JsonWriter<F: JsonFormat> {
    writer: Writer<Sink, F>,
}

/// One array.
pub fn array(sink: Sink) -> JsonWriter<ObjectsInArray> {
    JsonWriter { writer: WriterBuilder::new().with_explicit_nulls(true).build(sink) }
}

/// One object per line.
pub fn lines(sink: Sink) -> JsonWriter<LineDelimited> {
    JsonWriter { writer: WriterBuilder::new().with_explicit_nulls(true).build(sink) }
}

impl<F: JsonFormat + Send> ResultWriter for JsonWriter<F> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch).map_err(arrow_failed)
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.finish().map_err(arrow_failed)?;
        self.writer.get_mut().flush().map_err(write_failed)
    }
}
