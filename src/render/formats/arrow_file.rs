//! Apache Arrow IPC: the file format where a reader can seek, the stream format in a pipe.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use arrow::ipc::writer::{FileWriter, StreamWriter};

use super::errors::arrow_failed;
use super::plain_types::{plain_batch, plain_schema};
use super::writer::{ResultWriter, Sink, SinkKind};
use ocellus_trace::error::Result;

/// The writer for a place.
pub fn writer(schema: &SchemaRef, place: SinkKind, sink: Sink) -> Result<Box<dyn ResultWriter>> {
    let schema = plain_schema(schema);
    Ok(match place {
        SinkKind::File => {
            let writer = FileWriter::try_new(sink, &schema).map_err(arrow_failed)?;
            Box::new(ArrowFile { schema, writer })
        }
        SinkKind::Stream => {
            let writer = StreamWriter::try_new(sink, &schema).map_err(arrow_failed)?;
            Box::new(ArrowStream { schema, writer })
        }
        SinkKind::DictionaryStream => {
            let coded = dictionary_schema(&schema);
            let writer = StreamWriter::try_new(sink, &coded).map_err(arrow_failed)?;
            Box::new(ArrowDictionaryStream { schema, coded, writer })
        }
    })
}

/// Rows that one dictionary is for: their texts have at most as many numbers as its keys.
const DICTIONARY_ROWS: usize = 1 << 16;

/// The schema with dictionaries in place of columns of text.
fn dictionary_schema(schema: &SchemaRef) -> SchemaRef {
    let coded = |field: &FieldRef| match field.data_type() {
        DataType::Utf8 => {
            let keys = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
            Arc::new(field.as_ref().clone().with_data_type(keys))
        }
        _ => Arc::clone(field),
    };
    Arc::new(Schema::new(schema.fields().iter().map(coded).collect::<Vec<FieldRef>>()))
}

struct ArrowFile {
    schema: SchemaRef,
    writer: FileWriter<Sink>,
}

impl ResultWriter for ArrowFile {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(&plain_batch(batch, &self.schema)?).map_err(arrow_failed)
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.finish().map_err(arrow_failed)?;
        self.writer.flush().map_err(arrow_failed)
    }
}

struct ArrowStream {
    schema: SchemaRef,
    writer: StreamWriter<Sink>,
}

impl ResultWriter for ArrowStream {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(&plain_batch(batch, &self.schema)?).map_err(arrow_failed)
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.finish().map_err(arrow_failed)?;
        self.writer.flush().map_err(arrow_failed)
    }
}

/// A stream in which every batch brings the dictionaries of its texts.
struct ArrowDictionaryStream {
    schema: SchemaRef,
    coded: SchemaRef,
    writer: StreamWriter<Sink>,
}

impl ResultWriter for ArrowDictionaryStream {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        // Plain first: dictionaries of the store may have more entries than keys.
        let plain = plain_batch(batch, &self.schema)?;
        for start in (0..plain.num_rows()).step_by(DICTIONARY_ROWS) {
            let rows = plain.slice(start, DICTIONARY_ROWS.min(plain.num_rows() - start));
            self.writer.write(&plain_batch(&rows, &self.coded)?).map_err(arrow_failed)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.finish().map_err(arrow_failed)?;
        self.writer.flush().map_err(arrow_failed)
    }
}
