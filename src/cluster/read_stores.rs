//! What an executor reads: files below some folders and objects of some buckets. It writes to none of them.
//!
//! Every file that a plan names is opened by these stores, so that the limits hold whatever a plan looks like. The
//! rows that executors keep for each other do not come this way.

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::common::{Result as QueryResult, exec_err};
use datafusion::execution::object_store::ObjectStoreRegistry;
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use object_store::path::Path as ObjectPath;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result,
};
use url::Url;

use ocellus_engine::remote::EnvironmentStores;
use ocellus_trace::error;

/// What an executor may read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReadScope {
    /// Whatever its user may.
    Everything,
    /// Some files and objects.
    Only {
        /// Files below these folders, which are canonical.
        folders: Vec<PathBuf>,
        /// Objects of these buckets, such as `s3://runs`.
        buckets: Vec<String>,
    },
}

impl ReadScope {
    /// The scope of some folders and buckets: everything when there are none.
    pub fn of(places: &[PathBuf]) -> error::Result<ReadScope> {
        if places.is_empty() {
            return Ok(ReadScope::Everything);
        }
        let (mut folders, mut buckets) = (vec![], vec![]);
        for place in places {
            match ocellus_engine::remote::url_of(place) {
                Some(url) => buckets.push(bucket_of(url)?),
                None => folders.push(place.canonicalize().map_err(|e| error::Error::io("open", place, e))?),
            }
        }
        Ok(ReadScope::Only { folders, buckets })
    }

    /// The file that a path really is, if it may be read; otherwise why not.
    pub(super) fn admit(&self, path: &Path) -> std::result::Result<PathBuf, String> {
        let real = path.canonicalize().map_err(|e| format!("cannot open {}: {e}", path.display()))?;
        match self {
            ReadScope::Only { folders, .. } if !folders.iter().any(|folder| real.starts_with(folder)) => {
                Err(format!("{} is not in a folder that this executor may read", path.display()))
            }
            _ => Ok(real),
        }
    }

    fn has_bucket(&self, url: &Url) -> bool {
        let bucket = || bucket_of(url.as_str());
        match self {
            ReadScope::Everything => true,
            ReadScope::Only { buckets, .. } => bucket().is_ok_and(|bucket| buckets.contains(&bucket)),
        }
    }
}

/// Scheme and bucket of a URL.
fn bucket_of(url: &str) -> error::Result<String> {
    let wrong = || error::Error::Usage(format!("expected a bucket such as s3://runs, got {url}"));
    let parsed = Url::parse(url).map_err(|_| wrong())?;
    let bucket = parsed.host_str().ok_or_else(wrong)?;
    Ok(format!("{}://{bucket}", parsed.scheme()))
}

/// The stores of an executor.
#[derive(Debug)]
pub(super) struct ReadStores {
    stores: EnvironmentStores,
    scope: ReadScope,
}

impl ReadStores {
    pub(super) fn new(scope: ReadScope) -> ReadStores {
        ReadStores { stores: EnvironmentStores::default(), scope }
    }
}

impl ObjectStoreRegistry for ReadStores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.stores.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> QueryResult<Arc<dyn ObjectStore>> {
        self.stores.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> QueryResult<Arc<dyn ObjectStore>> {
        let is_local = url.scheme() == "file";
        if !is_local && !self.scope.has_bucket(url) {
            return exec_err!("{url} is no bucket that this executor may read");
        }
        let store = self.stores.get_store(url)?;
        Ok(Arc::new(ReadStore { store, scope: is_local.then(|| self.scope.clone()) }))
    }
}

/// A store that is read, and of whose files only some.
#[derive(Debug)]
struct ReadStore {
    store: Arc<dyn ObjectStore>,
    /// For files of this machine.
    scope: Option<ReadScope>,
}

impl ReadStore {
    async fn admit(&self, location: &ObjectPath) -> Result<()> {
        let Some(scope @ ReadScope::Only { .. }) = self.scope.clone() else {
            return Ok(());
        };
        let path = PathBuf::from(format!("/{location}"));
        let admitted = tokio::task::spawn_blocking(move || scope.admit(&path)).await;
        match admitted {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => Err(refused(location, why)),
            Err(error) => Err(refused(location, error.to_string())),
        }
    }
}

fn refused(location: &ObjectPath, why: String) -> Error {
    Error::PermissionDenied { path: location.to_string(), source: why.into() }
}

fn read_only(location: &ObjectPath) -> Error {
    refused(location, "executors write no file of a plan".to_string())
}

impl fmt::Display for ReadStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "read only: {}", self.store)
    }
}

#[async_trait]
impl ObjectStore for ReadStore {
    async fn put_opts(&self, location: &ObjectPath, _payload: PutPayload, _options: PutOptions) -> Result<PutResult> {
        Err(read_only(location))
    }

    async fn put_multipart_opts(
        &self,
        location: &ObjectPath,
        _options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(read_only(location))
    }

    async fn get_opts(&self, location: &ObjectPath, options: GetOptions) -> Result<GetResult> {
        self.admit(location).await?;
        self.store.get_opts(location, options).await
    }

    async fn get_ranges(&self, location: &ObjectPath, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.admit(location).await?;
        self.store.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<ObjectPath>>,
    ) -> BoxStream<'static, Result<ObjectPath>> {
        locations.map(|location| location.and_then(|location| Err(read_only(&location)))).boxed()
    }

    fn list(&self, prefix: Option<&ObjectPath>) -> BoxStream<'static, Result<ObjectMeta>> {
        let prefix = prefix.cloned().unwrap_or_default();
        stream::once(async move { Err(refused(&prefix, LISTING.to_string())) }).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&ObjectPath>) -> Result<ListResult> {
        Err(refused(&prefix.cloned().unwrap_or_default(), LISTING.to_string()))
    }

    async fn copy_opts(&self, _from: &ObjectPath, to: &ObjectPath, _options: CopyOptions) -> Result<()> {
        Err(read_only(to))
    }

    async fn rename_opts(&self, _from: &ObjectPath, to: &ObjectPath, _options: RenameOptions) -> Result<()> {
        Err(read_only(to))
    }
}

const LISTING: &str = "executors list no folder: plans name their files";
