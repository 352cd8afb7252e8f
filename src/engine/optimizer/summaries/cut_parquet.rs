//! Files of which only those row groups are seen that may have what slices need.
//!
//! A condition says the same, but DataFusion spends more on a hundred comparisons per file than on reading the rows.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetFileReaderFactory;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::Result as ParquetResult;
use datafusion::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData};
use datafusion::parquet::file::statistics::Statistics;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::shape::LEVEL;
use ocellus_kernels::bands::LEVEL_SHIFT;
use ocellus_kernels::slices::{CutBands, Slicing};

/// Opens files; see the file's head.
#[derive(Debug)]
pub(super) struct CutParquet {
    pub(super) readers: Arc<dyn ParquetFileReaderFactory>,
    pub(super) groups: Arc<GroupTest>,
}

/// Which row groups are seen.
#[derive(Debug)]
pub(super) enum GroupTest {
    /// Those of rows that lie in bands.
    Rows { times: &'static [&'static str], cut: CutBands },
    /// Those of sums of bands that are in one slice, while those around them are not. By width: the bands around, where a
    /// boundary lies; none for the widest, which are all seen.
    Sums { begin: &'static str, around: Vec<(i32, CutBands)> },
}

impl GroupTest {
    /// For slices, and bands from the narrowest to the widest.
    pub(super) fn sums(begin: &'static str, slicing: &Slicing, (finest, coarsest): (u32, u32)) -> GroupTest {
        let widths = (finest..coarsest).step_by(LEVEL_SHIFT as usize);
        let around = widths.map(|shift| (shift as i32, CutBands::new(slicing, shift + LEVEL_SHIFT)));
        GroupTest::Sums { begin, around: around.collect() }
    }

    /// Whether a row group may have such rows; always when its numbers are not known.
    fn may_have(&self, group: &RowGroupMetaData) -> bool {
        match self {
            GroupTest::Rows { times, cut } => {
                let (begin, end) = (times.first(), times.last());
                match (begin.and_then(|name| ticks(group, name)), end.and_then(|name| ticks(group, name))) {
                    (Some((first, _)), Some((_, last))) => cut.touches(first, last),
                    _ => true,
                }
            }
            GroupTest::Sums { begin, around } => {
                let (Some((first, last)), Some(level)) = (ticks(group, begin), level(group)) else {
                    return true;
                };
                around.iter().find(|(width, _)| *width == level).is_none_or(|(_, cut)| cut.touches(first, last))
            }
        }
    }
}

/// The smallest and the largest tick of a column.
fn ticks(group: &RowGroupMetaData, name: &str) -> Option<(i64, i64)> {
    match statistics(group, name)? {
        Statistics::Int64(times) => Some((*times.min_opt()?, *times.max_opt()?)),
        _ => None,
    }
}

/// The width of all bands of a row group.
fn level(group: &RowGroupMetaData) -> Option<i32> {
    match statistics(group, LEVEL)? {
        Statistics::Int32(levels) => levels.min_opt().copied().filter(|least| levels.max_opt() == Some(least)),
        _ => None,
    }
}

fn statistics<'a>(group: &'a RowGroupMetaData, name: &str) -> Option<&'a Statistics> {
    group.columns().iter().find(|column| column.column_path().string() == name)?.statistics()
}

impl ParquetFileReaderFactory for CutParquet {
    fn create_reader(
        &self,
        partition: usize,
        file: PartitionedFile,
        footer_size: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let reader = self.readers.create_reader(partition, file, footer_size, metrics)?;
        Ok(Box::new(CutFile { reader, groups: Arc::clone(&self.groups) }))
    }
}

/// One of these files.
struct CutFile {
    reader: Box<dyn AsyncFileReader + Send>,
    groups: Arc<GroupTest>,
}

impl AsyncFileReader for CutFile {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        self.reader.get_bytes(range)
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        self.reader.get_byte_ranges(ranges)
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        let CutFile { reader, groups } = self;
        reader.get_metadata(options).map(|footer| Ok(Arc::new(cut(footer?.as_ref(), groups)))).boxed()
    }
}

/// The footer without the row groups that are not seen.
fn cut(footer: &ParquetMetaData, test: &GroupTest) -> ParquetMetaData {
    let groups = footer.row_groups();
    let kept: Vec<usize> = (0..groups.len()).filter(|group| test.may_have(&groups[*group])).collect();
    let column_index = footer.column_index().map(|index| kept.iter().filter_map(|group| index.get(*group).cloned()));
    let offset_index = footer.offset_index().map(|index| kept.iter().filter_map(|group| index.get(*group).cloned()));
    ParquetMetaDataBuilder::new(footer.file_metadata().clone())
        .set_column_index(column_index.map(Iterator::collect))
        .set_offset_index(offset_index.map(Iterator::collect))
        .set_row_groups(kept.iter().map(|group| groups[*group].clone()).collect())
        .build()
}
