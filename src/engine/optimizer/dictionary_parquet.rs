//! Parquet files whose texts are read as codes.
//!
//! ```text
//!  footer  ─► the same footer, which says that texts are dictionaries: so they come as they lie in the file
//!  columns ─► read by the thread that decodes them, when the file is on disk
//! ```
//! DataFusion would open the file anew for each row group, in another thread, and wait for it. What a query
//! asks for again and again is in memory, where a read is a copy; from a cold disk the thread waits itself.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use bytes::Bytes;
use datafusion::common::Result;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{ParquetFileMetrics, ParquetFileReaderFactory};
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
use datafusion::parquet::errors::Result as ParquetResult;
use datafusion::parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataBuilder};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;
use object_store::local::LocalFileSystem;

use crate::catalog::CheckedFile;

/// Where files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileLocation {
    Disk,
    Elsewhere,
}

/// Files whose texts of those names are read as codes.
#[derive(Debug, Clone)]
pub(crate) struct DictionaryParquet {
    pub(crate) readers: Arc<dyn ParquetFileReaderFactory>,
    pub(crate) names: BTreeSet<String>,
    pub(crate) place: FileLocation,
}

impl DictionaryParquet {
    /// A schema with codes in place of those texts.
    pub(crate) fn coded(&self, schema: &Schema) -> Schema {
        let codes = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let field = |field: &Field| match self.names.contains(field.name()) {
            true => field.clone().with_data_type(codes.clone()),
            false => field.clone(),
        };
        let fields: Vec<Field> = schema.fields().iter().map(|known| field(known)).collect();
        Schema::new_with_metadata(fields, schema.metadata().clone())
    }

    /// The footer of a file, which asks for codes.
    fn footer(&self, footer: &ParquetMetaData) -> ParquetResult<ParquetMetaData> {
        let file = footer.file_metadata();
        let known = file.key_value_metadata();
        let schema = self.coded(&parquet_to_arrow_schema(file.schema_descr(), known)?);
        let mut pairs: Vec<KeyValue> = known.into_iter().flatten().cloned().collect();
        pairs.retain(|pair| pair.key != ARROW_SCHEMA_META_KEY);
        pairs.push(KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), encode_arrow_schema(&schema)));
        let file = FileMetaData::new(
            file.version(),
            file.num_rows(),
            file.created_by().map(str::to_string),
            Some(pairs),
            file.schema_descr_ptr(),
            file.column_orders().cloned(),
        );
        let built = ParquetMetaDataBuilder::new(file)
            .set_row_groups(footer.row_groups().to_vec())
            .set_column_index(footer.column_index().cloned())
            .set_offset_index(footer.offset_index().cloned());
        Ok(built.build())
    }
}

impl ParquetFileReaderFactory for DictionaryParquet {
    fn create_reader(
        &self,
        partition: usize,
        file: PartitionedFile,
        footer_size: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        // Those of stores are read so already, and checked.
        let is_stored = file.extension::<Arc<CheckedFile>>().is_some();
        let on_disk = match self.place {
            FileLocation::Disk if !is_stored => OpenFile::new(partition, &file, metrics),
            _ => None,
        };
        let reader = self.readers.create_reader(partition, file, footer_size, metrics)?;
        Ok(Box::new(DictionaryFile { files: self.clone(), reader, on_disk }))
    }
}

/// One of these files.
struct DictionaryFile {
    files: DictionaryParquet,
    reader: Box<dyn AsyncFileReader + Send>,
    on_disk: Option<OpenFile>,
}

impl AsyncFileReader for DictionaryFile {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        match &mut self.on_disk {
            Some(file) => std::future::ready(file.read(&range)).boxed(),
            None => self.reader.get_bytes(range),
        }
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        match &mut self.on_disk {
            Some(file) => std::future::ready(ranges.iter().map(|range| file.read(range)).collect()).boxed(),
            None => self.reader.get_byte_ranges(ranges),
        }
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        let DictionaryFile { files, reader, .. } = self;
        reader.get_metadata(options).map(|footer| Ok(Arc::new(files.footer(footer?.as_ref())?))).boxed()
    }
}

/// A file on disk, and what is told about reading it.
struct OpenFile {
    file: File,
    metrics: ParquetFileMetrics,
}

impl OpenFile {
    /// `None` when it cannot be opened: DataFusion tells why.
    fn new(partition: usize, file: &PartitionedFile, metrics: &ExecutionPlanMetricsSet) -> Option<OpenFile> {
        let location = &file.object_meta.location;
        let path = LocalFileSystem::new().path_to_filesystem(location).ok()?;
        let metrics = ParquetFileMetrics::new(partition, location.as_ref(), metrics);
        Some(OpenFile { file: File::open(path).ok()?, metrics })
    }

    fn read(&mut self, range: &Range<u64>) -> ParquetResult<Bytes> {
        let length = range.end - range.start;
        let mut bytes = Vec::with_capacity(length as usize);
        self.file.seek(SeekFrom::Start(range.start))?;
        (&self.file).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        self.metrics.bytes_scanned.add(bytes.len());
        Ok(bytes.into())
    }
}
