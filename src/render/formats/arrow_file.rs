//! Apache Arrow IPC: the file format where a reader can seek, the stream format in a pipe.

#[cfg(test)]
mod tests;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
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
    })
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
