//! Reading a file of a store so that damage is an error.
//!
//! ```text
//!  footer  ─► compared with the manifest, kept in DataFusion's cache of footers
//!  columns ─► ranges widened to whole blocks, compared with the checksums of the footer, cut back
//! ```
//! What is compared, and why so, says [`ocellus_trace::store::FileChecks`]. Files on disk are read by the thread that
//! decodes them: what a query asks for again and again is in memory, where a read is a copy.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use datafusion::common::{DataFusionError, HashMap, Result, internal_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{ParquetFileMetrics, ParquetFileReaderFactory};
use datafusion::execution::cache::cache_manager::{CachedFileMetadataEntry, FileMetadata, FileMetadataCache};
use datafusion::parquet::DecodeResult;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataPushDecoder};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore};

use ocellus_trace::error::{Error, Result as StoreResult};
use ocellus_trace::import::cache;
use ocellus_trace::store::{BandGrid, CheckedFooter, FileEntry, damaged, metadata_in, open_in};

/// How much of the end of a file is read at first when nobody knows how long its footer is.
const FOOTER_GUESS: u64 = 512 << 10;

/// A file of a store, as the manifest describes it.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(super) entry: FileEntry,
    /// Path or URL, for messages.
    pub(super) name: String,
    /// Where object stores find it.
    pub(super) location: ObjectPath,
    /// Its folder, when it is on disk.
    pub(super) folder: Option<PathBuf>,
    /// When its trace was imported, in milliseconds since 1970.
    pub(super) imported_at_ms: i64,
    /// The summary of its table, if there is one.
    pub(crate) summary: Option<Arc<TableSummary>>,
}

/// The summary of a table: what it has in bands of time.
#[derive(Debug)]
pub(crate) struct TableSummary {
    /// Name of the table.
    pub(crate) table: String,
    /// Its files.
    pub(super) files: Vec<Arc<CheckedFile>>,
    /// Its bands.
    pub(crate) bands: BandGrid,
    /// Ticks of a second of the trace.
    pub(crate) ticks_per_second: i64,
}

impl TableSummary {
    /// Its files as DataFusion sees them.
    pub(crate) fn described(&self) -> Result<Vec<PartitionedFile>> {
        let described = |file: &Arc<CheckedFile>| {
            let meta = file.object_meta().map_err(store_error)?;
            Ok(PartitionedFile::new_from_meta(meta).with_extension(Arc::clone(file)))
        };
        self.files.iter().map(described).collect()
    }
}

impl CheckedFile {
    /// Looks at the file, where that costs no request, and compares its size.
    pub(super) fn object_meta(&self) -> StoreResult<ObjectMeta> {
        let last_modified = match &self.folder {
            Some(folder) => {
                let metadata = metadata_in(folder, &self.entry.name).map_err(|e| self.cannot_open(e))?;
                self.entry.check_size(&self.name, metadata.len())?;
                metadata.modified().map_err(|e| self.cannot_open(e))?
            }
            // Files are never changed, so any time that tells one file of this name from the next will do.
            None => SystemTime::UNIX_EPOCH + Duration::from_millis(self.imported_at_ms.unsigned_abs()),
        };
        Ok(ObjectMeta {
            location: self.location.clone(),
            last_modified: last_modified.into(),
            size: self.entry.bytes,
            e_tag: None,
            version: None,
        })
    }

    /// An error of Parquet; a cached trace that is damaged is imported again when it is next asked for.
    fn damaged(&self, error: Error) -> ParquetError {
        if let Some(store) = self.folder.as_ref().and_then(|folder| folder.parent()) {
            cache::distrust(store);
        }
        external(error)
    }

    fn cannot_open(&self, source: std::io::Error) -> Error {
        let context = format!("cannot open {}; restore it or import the trace again", self.name);
        Error::Io { context, source }
    }
}

/// A checked footer in DataFusion's cache.
struct CachedFooter(Arc<CheckedFooter>);

impl FileMetadata for CachedFooter {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory_size(&self) -> usize {
        self.0.memory_size()
    }

    fn extra_info(&self) -> HashMap<String, String> {
        HashMap::from([("checked".to_string(), "true".to_string())])
    }
}

/// Opens files of a store; each must be a [`PartitionedFile`] with a [`CheckedFile`] as its extension.
#[derive(Debug, Clone)]
pub(super) struct CheckedParquet {
    pub(super) cache: Arc<FileMetadataCache>,
    /// Where files are that are not on disk.
    pub(super) objects: Option<Arc<dyn ObjectStore>>,
}

impl CheckedParquet {
    /// The footer of a file.
    pub(super) async fn footer(&self, file: &Arc<CheckedFile>, meta: &ObjectMeta) -> Result<Arc<CheckedFooter>> {
        match self.cached(meta) {
            Some(footer) => Ok(footer),
            None => Ok(self.read_footer(file, meta, &mut FileBytes::new(self, file)?).await?),
        }
    }

    fn cached(&self, meta: &ObjectMeta) -> Option<Arc<CheckedFooter>> {
        let cached = self.cache.get(&meta.location).filter(|cached| cached.is_valid_for(meta))?;
        cached.file_metadata.as_any().downcast_ref().map(|CachedFooter(footer)| Arc::clone(footer))
    }

    async fn read_footer(
        &self,
        file: &CheckedFile,
        meta: &ObjectMeta,
        bytes: &mut FileBytes,
    ) -> ParquetResult<Arc<CheckedFooter>> {
        let footer = match file.entry.footer_range() {
            Some(range) => CheckedFooter::read(&file.name, &file.entry, &bytes.read_one(range).await?),
            None => {
                let footer = old_footer(file, bytes).await;
                let footer = footer.map_err(|error| file.damaged(damaged(&file.name, error)))?;
                CheckedFooter::unchecked(&file.name, &file.entry, footer)
            }
        };
        let footer = Arc::new(footer.map_err(|error| file.damaged(error))?);
        let cached = CachedFileMetadataEntry::new(meta.clone(), Arc::new(CachedFooter(Arc::clone(&footer))));
        self.cache.put(&meta.location, cached);
        Ok(footer)
    }
}

/// The footer of a file that an older version wrote: nothing is known of it.
async fn old_footer(file: &CheckedFile, bytes: &mut FileBytes) -> ParquetResult<ParquetMetaData> {
    let size = file.entry.bytes;
    let mut decoder = ParquetMetaDataPushDecoder::try_new(size)?.with_page_index_policy(PageIndexPolicy::Optional);
    let end = size.saturating_sub(FOOTER_GUESS)..size;
    decoder.push_range(end.clone(), bytes.read_one(end).await?)?;
    loop {
        match decoder.try_decode()? {
            DecodeResult::Data(metadata) => return Ok(metadata),
            DecodeResult::NeedsData(ranges) => {
                let parts = bytes.read(&ranges).await?;
                decoder.push_ranges(ranges, parts)?;
            }
            DecodeResult::Finished => return Err(ParquetError::General("a footer that ends too early".to_string())),
        }
    }
}

impl ParquetFileReaderFactory for CheckedParquet {
    fn create_reader(
        &self,
        partition: usize,
        file: PartitionedFile,
        _footer_size: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let checked = file.extension::<Arc<CheckedFile>>().map(Arc::clone);
        let checked =
            checked.ok_or_else(|| internal_datafusion_err!("{} is no file of a store", file.object_meta.location))?;
        Ok(Box::new(CheckedReader {
            bytes: FileBytes::new(self, &checked)?,
            files: self.clone(),
            metrics: ParquetFileMetrics::new(partition, file.object_meta.location.as_ref(), metrics),
            meta: file.object_meta,
            file: checked,
            footer: None,
        }))
    }
}

/// One of these files.
struct CheckedReader {
    files: CheckedParquet,
    file: Arc<CheckedFile>,
    meta: ObjectMeta,
    bytes: FileBytes,
    footer: Option<Arc<CheckedFooter>>,
    metrics: ParquetFileMetrics,
}

impl CheckedReader {
    async fn footer(&mut self) -> ParquetResult<Arc<CheckedFooter>> {
        if let Some(footer) = self.footer.clone().or_else(|| self.files.cached(&self.meta)) {
            return Ok(Arc::clone(self.footer.insert(footer)));
        }
        let footer = self.files.read_footer(&self.file, &self.meta, &mut self.bytes).await?;
        Ok(Arc::clone(self.footer.insert(footer)))
    }

    async fn checked_ranges(&mut self, ranges: Vec<Range<u64>>) -> ParquetResult<Vec<Bytes>> {
        let footer = self.footer().await?;
        let checks = footer.checks();
        let wider = merged(ranges.iter().map(|range| checks.covering(range)).collect());
        let read = self.bytes.read(&wider).await?;
        for (wide, bytes) in wider.iter().zip(&read) {
            checks.check(wide.start, bytes).map_err(|error| self.file.damaged(error))?;
        }
        let mut parts = Vec::with_capacity(ranges.len());
        for range in &ranges {
            let place = wider.partition_point(|wide| wide.start <= range.start).checked_sub(1);
            let found = place.and_then(|place| Some((wider.get(place)?, read.get(place)?)));
            let (wide, bytes) = found
                .filter(|(wide, _)| range.end <= wide.end)
                .ok_or_else(|| ParquetError::EOF(format!("{} ends before byte {}", self.file.name, range.end)))?;
            self.metrics.bytes_scanned.add((range.end - range.start) as usize);
            parts.push(bytes.slice((range.start - wide.start) as usize..(range.end - wide.start) as usize));
        }
        Ok(parts)
    }
}

/// The ranges in order, those in one that share bytes or follow each other: columns beside each other share blocks.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

impl AsyncFileReader for CheckedReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        async move { one_of(self.checked_ranges(vec![range]).await?) }.boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        self.checked_ranges(ranges).boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        _options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        async move { Ok(Arc::clone(self.footer().await?.metadata())) }.boxed()
    }
}

impl Drop for CheckedReader {
    fn drop(&mut self) {
        let ratio = &self.metrics.scan_efficiency_ratio;
        ratio.add_part(self.metrics.bytes_scanned.value());
        ratio.set_total(self.meta.size as usize);
    }
}

/// Where the bytes of a file come from.
enum FileBytes {
    /// The file, opened when first read.
    Disk(Arc<CheckedFile>, Option<File>),
    Objects(Arc<dyn ObjectStore>, ObjectPath),
}

impl FileBytes {
    fn new(files: &CheckedParquet, file: &Arc<CheckedFile>) -> Result<FileBytes> {
        if file.folder.is_some() {
            return Ok(FileBytes::Disk(Arc::clone(file), None));
        }
        let objects = files.objects.as_ref().map(Arc::clone);
        let objects = objects.ok_or_else(|| internal_datafusion_err!("no object store for {}", file.name))?;
        Ok(FileBytes::Objects(objects, file.location.clone()))
    }

    async fn read(&mut self, ranges: &[Range<u64>]) -> ParquetResult<Vec<Bytes>> {
        match self {
            FileBytes::Disk(file, opened) => {
                let opened = match opened {
                    Some(opened) => opened,
                    None => opened.insert(open(file).map_err(external)?),
                };
                ranges.iter().map(|range| read_range(file, opened, range)).collect()
            }
            FileBytes::Objects(objects, location) => Ok(objects.get_ranges(location, ranges).await?),
        }
    }

    async fn read_one(&mut self, range: Range<u64>) -> ParquetResult<Bytes> {
        one_of(self.read(&[range]).await?)
    }
}

fn open(file: &CheckedFile) -> StoreResult<File> {
    let folder = file.folder.as_ref().ok_or_else(|| Error::Internal(format!("{} is not on disk", file.name)))?;
    let opened = open_in(folder, &file.entry.name).map_err(|e| file.cannot_open(e))?;
    file.entry.check_size(&file.name, opened.metadata().map_err(|e| file.cannot_open(e))?.len())?;
    Ok(opened)
}

fn read_range(file: &CheckedFile, opened: &mut File, range: &Range<u64>) -> ParquetResult<Bytes> {
    let length = range.end.saturating_sub(range.start);
    let mut bytes = Vec::with_capacity(length.min(file.entry.bytes) as usize);
    opened.seek(SeekFrom::Start(range.start))?;
    opened.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(ParquetError::EOF(format!("{} ends before byte {}", file.name, range.end)));
    }
    Ok(bytes.into())
}

fn one_of(parts: Vec<Bytes>) -> ParquetResult<Bytes> {
    parts.into_iter().next().ok_or_else(|| ParquetError::General("nothing was read".to_string()))
}

fn external(error: Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// An error of a store inside a query.
pub(super) fn store_error(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
