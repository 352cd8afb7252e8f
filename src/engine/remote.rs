//! Stores in object storage: `s3://bucket/prefix` is read where a folder would be.
//!
//! Endpoint, region and credentials come from the environment, under the names that AWS tools use:
//! `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`, `AWS_ALLOW_HTTP`. Such a store is
//! read only; it is made by copying a folder, the manifest last.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result as QueryResult};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};
use url::Url;

use crate::session::{Engine, EngineOptions};
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::{MANIFEST, Manifest};

const SCHEME: &str = "s3";

/// The URL that a user wrote in the place of a path, if it is one of object storage.
pub fn url_of(source: &Path) -> Option<&str> {
    let text = source.to_str()?;
    text.split_once("://").is_some_and(|(scheme, _)| scheme == SCHEME).then_some(text)
}

/// Opens an engine on a store in object storage.
pub async fn open(url: &str, options: &EngineOptions) -> Result<Engine> {
    let wrong = |error: &dyn std::fmt::Display| Error::Store(format!("{url} is no place in object storage: {error}"));
    let url = url.trim_end_matches('/');
    let place = ListingTableUrl::parse(format!("{url}/")).map_err(|e| wrong(&e))?;
    let bucket = place.object_store();
    let stores = EnvironmentStores::default();
    let store = stores.get_store(bucket.as_ref()).map_err(|e| wrong(&e))?;
    let text = manifest_text(store.as_ref(), &place.prefix().clone().join(MANIFEST), url).await?;
    let engine = Engine::open_at(url, Manifest::parse(url, &text)?, options)?;
    engine.context().runtime_env().register_object_store(bucket.as_ref(), store);
    Ok(engine)
}

async fn manifest_text(store: &dyn ObjectStore, path: &ObjectPath, url: &str) -> Result<String> {
    let read = async { store.get(path).await?.bytes().await };
    let bytes = read.await.map_err(|error| match error {
        object_store::Error::NotFound { .. } => {
            Error::Store(format!("{url} is no store: it has no {MANIFEST}; copy a store there, the manifest last"))
        }
        error => Error::Store(format!(
            "cannot read {url}/{MANIFEST}: {error}; endpoint and credentials come from the variables AWS_ENDPOINT, \
             AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and related ones"
        )),
    })?;
    String::from_utf8(bytes.to_vec()).map_err(|_| Error::Store(format!("{url}/{MANIFEST} is not UTF-8")))
}

/// Object stores that the environment tells how to reach, opened when first asked for.
#[derive(Debug, Default)]
pub struct EnvironmentStores {
    known: DefaultObjectStoreRegistry,
}

impl ObjectStoreRegistry for EnvironmentStores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.known.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> QueryResult<Arc<dyn ObjectStore>> {
        self.known.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> QueryResult<Arc<dyn ObjectStore>> {
        if let Ok(store) = self.known.get_store(url) {
            return Ok(store);
        }
        if url.scheme() != SCHEME {
            return self.known.get_store(url);
        }
        let builder = AmazonS3Builder::from_env().with_url(url.as_str());
        let store: Arc<dyn ObjectStore> =
            Arc::new(builder.build().map_err(|e| DataFusionError::ObjectStore(Box::new(e)))?);
        self.known.register_store(url, Arc::clone(&store));
        Ok(store)
    }
}
