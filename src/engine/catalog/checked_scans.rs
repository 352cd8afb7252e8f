//! Plans that came from another process: their scans of stores are made to check what they read.
//!
//! A plan travels as paths, without what the manifest says of the files. Whoever runs it on the same disk reads the
//! manifest again:
//!
//! ```text
//!  /shared/perf/t000001/states.parquet ─► /shared/perf/ocellus.json ─► the trace in t000001 ─► its file states.parquet
//! ```
//! Only files that the process may read are looked at, and they are opened where they really are. The rest stays as it
//! was, for DataFusion's object stores to read or to refuse. A file that no manifest names stays as it is too: it is none of a store, or its trace was dropped meanwhile. So do
//! files in object storage, which cannot be read while a plan is made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::ExecutionPlan;
use object_store::local::LocalFileSystem;

use super::checked_file::{CheckedFile, CheckedParquet};
use ocellus_trace::store::{MANIFEST, Manifest, Stamp, Store};

/// Where a file really is, if this process may read it.
pub type AdmitFile = dyn Fn(&Path) -> Option<PathBuf> + Send + Sync;

/// Makes scans check what they read; keeps manifests and footers for the next plan.
pub struct CheckedScans {
    admit: Box<AdmitFile>,
    cache: Arc<FileMetadataCache>,
    manifests: Mutex<BTreeMap<PathBuf, (Stamp, Arc<Manifest>)>>,
}

impl CheckedScans {
    /// With nothing known yet.
    pub fn new(admit: Box<AdmitFile>) -> Result<CheckedScans> {
        let cache = RuntimeEnvBuilder::new().build()?.cache_manager.get_file_metadata_cache();
        Ok(CheckedScans { admit, cache, manifests: Mutex::default() })
    }

    /// The same plan, whose scans of stores on this disk check what they read.
    pub fn applied(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| {
            let checked = node.downcast_ref::<DataSourceExec>().and_then(|scan| self.checked(scan));
            Ok(checked.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }

    /// `None` when one of the files is none of a store.
    fn checked(&self, scan: &DataSourceExec) -> Option<Arc<dyn ExecutionPlan>> {
        let (files, source) = scan.downcast_to_file_source::<ParquetSource>()?;
        if files.object_store_url != ObjectStoreUrl::local_filesystem() {
            return None;
        }
        let group = |group: &FileGroup| {
            let files = group.iter().map(|file| self.described(file)).collect::<Option<Vec<_>>>()?;
            let described = FileGroup::new(files);
            Some(match group.file_statistics(None) {
                Some(statistics) => described.with_statistics(Arc::new(statistics.clone())),
                None => described,
            })
        };
        let groups = files.file_groups.iter().map(group).collect::<Option<Vec<_>>>()?;
        let reading = CheckedParquet { cache: Arc::clone(&self.cache), objects: None };
        let source = source.clone().with_parquet_file_reader_factory(Arc::new(reading));
        let files = FileScanConfigBuilder::from(files.clone()).with_source(Arc::new(source)).with_file_groups(groups);
        Some(DataSourceExec::from_data_source(files.build()))
    }

    fn described(&self, file: &PartitionedFile) -> Option<PartitionedFile> {
        let location = &file.object_meta.location;
        let path = (self.admit)(&LocalFileSystem::new().path_to_filesystem(location).ok()?)?;
        let folder = path.parent()?;
        let (name, folder_name) = (path.file_name()?.to_str()?, folder.file_name()?.to_str()?);
        let manifest = self.manifest(folder.parent()?)?;
        let trace = manifest.traces.iter().find(|trace| trace.folder == folder_name)?;
        let mut entries = trace.tables.iter().flat_map(|table| &table.files);
        let checked = CheckedFile {
            entry: entries.find(|entry| entry.name == name)?.clone(),
            name: path.display().to_string(),
            location: location.clone(),
            folder: Some(folder.to_path_buf()),
            imported_at_ms: trace.imported_at_ms,
            summary: None,
        };
        Some(file.clone().with_extension(Arc::new(checked)))
    }

    /// The manifest of a store; `None` where there is no store.
    fn manifest(&self, root: &Path) -> Option<Arc<Manifest>> {
        (self.admit)(&root.join(MANIFEST))?;
        let stamp = Stamp::of(root).ok()?;
        // The map is whole after any panic: an entry is inserted in one step.
        let known = || self.manifests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, manifest)) = known().get(root).filter(|(known, _)| *known == stamp) {
            return Some(Arc::clone(manifest));
        }
        let manifest = Arc::new(Store::open(root).and_then(|store| store.manifest()).ok()?);
        known().insert(root.to_path_buf(), (stamp, Arc::clone(&manifest)));
        Some(manifest)
    }
}

impl std::fmt::Debug for CheckedScans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckedScans").finish_non_exhaustive()
    }
}
