//! Apache Arrow IPC: the file format where a reader can seek, the stream format in a pipe.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::writer::{FileWriter, StreamWriter};

use super::plain::{plain_batch, plain_schema};
use super::{Place, ResultWriter, Sink, arrow_failed};
use ocellus_trace::error::Result;

/// The writer for a place.
pub fn writer(schema: &SchemaRef, place: Place, sink: Sink) -> Result<Box<dyn ResultWriter>> {
    let schema = plain_schema(schema);
    Ok(match place {
        Place::File => {
            let writer = FileWriter::try_new(sink, &schema).map_err(arrow_failed)?;
            Box::new(ArrowFile { schema, writer })
        }
        Place::Stream => {
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use arrow::ipc::reader::FileReader;

    use crate::formats::testing::{awkward, bytes_of, nothing};
    use crate::formats::{Format, Style};

    #[test]
    fn batches_with_different_dictionaries_are_read_back() {
        let batch = awkward();
        let other = batch.slice(1, 1);
        let bytes = bytes_of(Format::Arrow, &Style::default(), &batch.schema(), &[other, batch.clone()]);
        let reader = FileReader::try_new(Cursor::new(bytes), None).expect("an Arrow file");
        let batches: Vec<_> = reader.map(|batch| batch.expect("a batch")).collect();
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(batches[1].column(4), batch.column(4));
    }

    #[test]
    fn an_empty_result_keeps_its_columns() {
        let bytes = bytes_of(Format::Arrow, &Style::default(), &nothing(), &[]);
        let reader = FileReader::try_new(Cursor::new(bytes), None).expect("an Arrow file");
        assert_eq!(reader.schema().fields().len(), 2);
        assert_eq!(reader.count(), 0);
    }
}
