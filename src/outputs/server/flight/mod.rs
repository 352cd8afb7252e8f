//! Arrow Flight SQL.

use std::sync::Arc;

use tokio::net::TcpListener;

use super::Service;

/// Serves until the service closes and its clients are gone.
pub(super) async fn serve(service: Arc<Service>, listener: TcpListener) {
    let _ = listener;
    service.closing.cancelled().await;
}
