//! A stored table: the files that the manifest names, no more and no less.
//!
//! DataFusion's own table of files lists what is there, and a file that is missing is a table with fewer rows. Here the
//! manifest says which files there are, and a file that is not as it says is an error.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, Statistics};
use datafusion::datasource::TableType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use futures::{StreamExt, TryStreamExt, stream};

use super::checked_file::{CheckedFile, CheckedParquet, store_error};
use super::distinct::{NameCounts, with_distinct};

/// The files of a stored table.
#[derive(Debug)]
pub(super) struct CheckedTable {
    schema: SchemaRef,
    /// The object store that the files are in.
    place: ObjectStoreUrl,
    files: Vec<Arc<CheckedFile>>,
    /// How many names its trace has.
    names: NameCounts,
    /// By the file's place: what its footer says of its columns.
    statistics: Mutex<BTreeMap<usize, Arc<Statistics>>>,
}

impl CheckedTable {
    pub(super) fn new(
        schema: SchemaRef,
        place: ObjectStoreUrl,
        files: Vec<Arc<CheckedFile>>,
        names: NameCounts,
    ) -> CheckedTable {
        CheckedTable { schema, place, files, names, statistics: Mutex::default() }
    }

    /// A file as DataFusion sees it. Its footer is read if its statistics are asked for and not known.
    async fn described(
        &self,
        number: usize,
        reading: &CheckedParquet,
        with_statistics: bool,
    ) -> Result<PartitionedFile> {
        let file = &self.files[number];
        let meta = file.object_meta().map_err(store_error)?;
        let described = PartitionedFile::new_from_meta(meta.clone()).with_extension(Arc::clone(file));
        if !with_statistics {
            return Ok(described.with_statistics(Arc::new(Statistics::new_unknown(&self.schema))));
        }
        // The map is whole after any panic: an entry is inserted in one step.
        let known = || self.statistics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(statistics) = known().get(&number).map(Arc::clone) {
            return Ok(described.with_statistics(statistics));
        }
        let footer = reading.footer(file, &meta).await?;
        let statistics = DFParquetMetadata::statistics_from_parquet_metadata(footer.metadata(), &self.schema)?;
        let statistics = Arc::new(statistics);
        known().insert(number, Arc::clone(&statistics));
        Ok(described.with_statistics(statistics))
    }

    /// The groups with the statistics of their files, and those of all groups.
    fn summed_up(&self, groups: Vec<FileGroup>, with_statistics: bool) -> Result<(Vec<FileGroup>, Statistics)> {
        let mut described = vec![];
        for group in groups {
            described.push(match with_statistics {
                true => {
                    let files = group.iter().filter_map(|file| file.statistics.as_deref());
                    let statistics = Statistics::try_merge_iter(files, &self.schema)?;
                    group.with_statistics(Arc::new(statistics))
                }
                false => group,
            });
        }
        let groups = described.iter().filter_map(|group| group.file_statistics(None));
        let statistics = Statistics::try_merge_iter(groups, &self.schema)?;
        Ok((described, statistics))
    }

    /// How many of the files hold that many rows.
    fn files_with(&self, rows: Option<usize>) -> usize {
        let Some(rows) = rows else { return self.files.len() };
        let mut found = 0_u64;
        let enough = self.files.iter().position(|file| {
            found = found.saturating_add(file.entry.rows);
            found >= rows as u64
        });
        enough.map_or(self.files.len(), |last| last + 1)
    }
}

#[async_trait]
impl TableProvider for CheckedTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let runtime = state.runtime_env();
        let is_on_disk = self.files.iter().all(|file| file.folder.is_some());
        let objects = if is_on_disk { None } else { Some(runtime.object_store(&self.place)?) };
        let reading = CheckedParquet { cache: runtime.cache_manager.get_file_metadata_cache(), objects };
        let with_statistics = state.config().collect_statistics();
        let count = self.files_with(limit.filter(|_| filters.is_empty()));
        let at_once = state.config_options().execution.meta_fetch_concurrency.get();
        let described = stream::iter(0..count).map(|number| self.described(number, &reading, with_statistics));
        let files: Vec<PartitionedFile> = described.boxed().buffered(at_once).try_collect().await?;
        let groups = FileGroup::new(files).split_files(state.config().target_partitions());
        let (groups, statistics) = self.summed_up(groups, with_statistics)?;
        let statistics = if count < self.files.len() { statistics.to_inexact() } else { statistics };
        let statistics = with_distinct(statistics, &self.schema, self.names);
        let source = ParquetSource::new(Arc::clone(&self.schema))
            .with_table_parquet_options(ParquetFormat::default().options().clone())
            .with_parquet_file_reader_factory(Arc::new(reading));
        let scan = FileScanConfigBuilder::new(self.place.clone(), Arc::new(source))
            .with_file_groups(groups)
            .with_statistics(statistics)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(scan))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }
}
