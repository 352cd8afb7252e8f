//! Apache Parquet, compressed with zstd; row groups are flushed as they fill.

#[cfg(test)]
mod tests;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::errors::{parquet_failed, write_failed};
use super::plain_types::{plain_batch, plain_schema};
use super::writer::{ResultWriter, Sink};
use ocellus_trace::error::{Error, Result};

/// Writes a Parquet file.
pub struct ParquetWriter {
    schema: SchemaRef,
    writer: Option<ArrowWriter<Sink>>,
}

impl ParquetWriter {
    /// A writer for results of a schema; writes the head of the file.
    pub fn new(schema: &SchemaRef, sink: Sink) -> Result<ParquetWriter> {
        let schema = plain_schema(schema);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("ocellus ", env!("CARGO_PKG_VERSION")).to_string())
            .build();
        let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties)).map_err(parquet_failed)?;
        Ok(ParquetWriter { schema, writer: Some(writer) })
    }

    /// Ends the row group, so that nothing of it stays in memory.
    pub fn end_group(&mut self) -> Result<()> {
        match &mut self.writer {
            Some(writer) => writer.flush().map_err(parquet_failed),
            None => Ok(()),
        }
    }
}

impl ResultWriter for ParquetWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let writer = self
            .writer
            .as_mut()
            .ok_or_else(|| Error::Internal("a Parquet writer was used after its end".to_string()))?;
        writer.write(&plain_batch(batch, &self.schema)?).map_err(parquet_failed)
    }

    fn finish(&mut self) -> Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let mut sink = writer.into_inner().map_err(parquet_failed)?;
        std::io::Write::flush(&mut sink).map_err(write_failed)
    }
}
