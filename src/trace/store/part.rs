//! One Parquet file of a table that grows with the trace: its schema, its row groups, its checksum.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescPtr, Type, TypePtr};

use super::hashing_file::HashingFile;
use super::manifest::FileEntry;
use crate::error::{Error, Result};
use crate::schema::{self, ColumnSource, ColumnType, ExtraColumn};

/// A file that row groups are added to.
pub(super) struct PartFile {
    path: PathBuf,
    name: String,
    writer: SerializedFileWriter<HashingFile>,
    columns: Vec<ColumnDescPtr>,
    pub extras: Vec<ExtraColumn>,
    pub rows: u64,
}

impl PartFile {
    pub fn create(folder: &Path, table: &str, number: usize, extras: &[ExtraColumn]) -> Result<PartFile> {
        let name = match number {
            0 => format!("{table}.parquet"),
            _ => format!("{table}-{number:04}.parquet"),
        };
        let path = folder.join(&name);
        let schema = parquet_schema(table, extras)?;
        let writer = SerializedFileWriter::new(HashingFile::create(&path)?, schema, properties())?;
        let columns = writer.schema_descr().columns().to_vec();
        Ok(PartFile { path, name, writer, columns, extras: extras.to_vec(), rows: 0 })
    }

    /// Adds a row group.
    pub fn row_group(
        &mut self,
        rows: usize,
        write: impl FnOnce(&mut SerializedRowGroupWriter<'_, HashingFile>, &[ColumnDescPtr]) -> Result<()>,
    ) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        write(&mut group, &self.columns)?;
        group.close()?;
        self.rows += rows as u64;
        Ok(())
    }

    pub fn finish(mut self) -> Result<FileEntry> {
        // The library buffers: all data must have arrived where it is hashed.
        self.writer.flush().map_err(|e| Error::io("write", &self.path, e))?;
        let checksums = self.writer.inner_mut().end_data();
        self.writer.append_key_value_metadata(checksums);
        self.writer.into_inner()?.finish(&self.path, self.name, self.rows)
    }
}

/// What the library encodes: the text of extra fields. All else is encoded by [`super::dictionary`],
/// [`super::delta`] and [`super::plain`].
fn properties() -> WriterPropertiesPtr {
    Arc::new(
        WriterProperties::builder()
            .set_created_by(format!("ocellus {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(true)
            .set_dictionary_page_size_limit(256 << 10)
            .set_statistics_enabled(EnabledStatistics::Page)
            .build(),
    )
}

/// The stored columns of a table: those of its schema, those that the trace adds, and for states
/// whether the state was cut.
fn parquet_schema(table: &str, extras: &[ExtraColumn]) -> Result<TypePtr> {
    let definition = schema::table(table).ok_or_else(|| Error::Internal(format!("no schema for {table}")))?;
    let mut fields = vec![];
    for column in definition.columns_with(extras) {
        if column.source == ColumnSource::Stored {
            fields.push(Arc::new(parquet_column(&column.name, column.kind, column.nullable)?));
        }
    }
    if table == "states" {
        fields.push(Arc::new(parquet_column("is_cut", ColumnType::Boolean, false)?));
    }
    Ok(Arc::new(Type::group_type_builder(table).with_fields(fields).build()?))
}

fn parquet_column(name: &str, kind: ColumnType, nullable: bool) -> Result<Type> {
    let (physical, logical) = match kind {
        ColumnType::Integer => (PhysicalType::INT32, None),
        ColumnType::BigInt => (PhysicalType::INT64, None),
        ColumnType::UBigInt => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        ColumnType::Double => (PhysicalType::DOUBLE, None),
        ColumnType::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Boolean => (PhysicalType::BOOLEAN, None),
        ColumnType::Timestamp => return Err(Error::Internal(format!("{name}: no trace table stores timestamps"))),
    };
    let repetition = if nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    Ok(Type::primitive_type_builder(name, physical).with_logical_type(logical).with_repetition(repetition).build()?)
}
