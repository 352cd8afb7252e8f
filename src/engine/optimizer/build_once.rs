//! What all partitions of an operator need, built by the first that asks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::{DataFusionError, Result};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

type SharedError = Arc<DataFusionError>;
/// Something that is being built, for all who wait.
pub(crate) type Building<T> = Shared<BoxFuture<'static, Result<Arc<T>, SharedError>>>;

/// Something that is built once, whoever asks first.
pub(crate) struct BuildOnce<T>(Mutex<Option<Building<T>>>);

impl<T: Send + Sync + 'static> BuildOnce<T> {
    /// What is being built; `start` starts it when nobody has.
    pub(crate) fn get(&self, start: impl FnOnce() -> Result<BoxFuture<'static, Result<T>>>) -> Result<Building<T>> {
        // The cell is whole after a panic: it is filled in one step.
        let mut cell = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(building) = cell.as_ref() {
            return Ok(building.clone());
        }
        let building = start()?.map(|built| built.map(Arc::new).map_err(Arc::new)).boxed().shared();
        *cell = Some(building.clone());
        Ok(building)
    }
}

impl<T> Default for BuildOnce<T> {
    fn default() -> BuildOnce<T> {
        BuildOnce(Mutex::default())
    }
}

impl<T> fmt::Debug for BuildOnce<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BuildOnce")
    }
}

/// Waits for what is being built.
pub(crate) async fn wait<T>(building: Building<T>) -> Result<Arc<T>> {
    building.await.map_err(DataFusionError::Shared)
}
