//! A server for tests: the quickstart trace, every protocol on a free port of this machine.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Addresses, Listeners, ServerLimits, Service, ServiceOptions, Users, serve};
use ocellus_trace::import::{ImportOptions, TraceSource, import};
use ocellus_trace::store::Store;

/// A running server.
pub(super) struct Loopback {
    pub(super) service: Arc<Service>,
    pub(super) pg: SocketAddr,
    pub(super) http: SocketAddr,
    pub(super) flight: SocketAddr,
    pub(super) store: Store,
    stop: CancellationToken,
    server: JoinHandle<()>,
    _folder: TempDir,
}

/// Runs a test on threads with the stack that planning needs.
pub(super) fn run(test: impl Future<Output = ()>) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(4)
        .thread_stack_size(ocellus_planning::DEEP_STACK)
        .enable_all()
        .build();
    runtime.expect("threads").block_on(test);
}

/// The sample as a trace of another name.
pub(super) fn import_sample(store: &Store, name: &str) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/quickstart.trace");
    let options = ImportOptions { name: Some(name.to_string()), ..ImportOptions::default() };
    import(&TraceSource::Path(sample), store, &options).expect("imported");
}

/// One user and one token.
pub(super) fn some_users(folder: &Path) -> Users {
    let (users, tokens) = (folder.join("users"), folder.join("tokens"));
    std::fs::write(&users, "reader:password1\n").expect("written");
    std::fs::write(&tokens, "0123456789abcdef\n").expect("written");
    Users::read(Some(&users), Some(&tokens)).expect("users")
}

/// Limits that a test passes quickly.
pub(super) fn tight() -> ServerLimits {
    ServerLimits { patience: Duration::from_secs(3), message: 4096, connections: 3, ..ServerLimits::default() }
}

async fn run_until(stop: CancellationToken, service: Arc<Service>, listeners: Listeners) {
    let mut is_stopped = false;
    let stopped = async || {
        if is_stopped {
            // There is no second word.
            std::future::pending::<()>().await;
        }
        stop.cancelled().await;
        is_stopped = true;
    };
    serve(service, listeners, stopped, Duration::from_secs(5)).await.expect("every server runs to its end");
}

impl Loopback {
    pub(super) async fn start(options: ServiceOptions) -> Loopback {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open_or_create(folder.path().join("store")).expect("a store");
        import_sample(&store, "quickstart");
        let opened = Store::open(folder.path().join("store")).expect("a store");
        let service = Service::open(opened, options, Handle::current()).expect("a service");
        let free = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        let listeners = Listeners::bind(&Addresses { pg: free, flight: free, http: free }).await.expect("free ports");
        let address = |listener: &Option<tokio::net::TcpListener>| {
            listener.as_ref().and_then(|listener| listener.local_addr().ok()).expect("an address")
        };
        let (pg, http, flight) = (address(&listeners.pg), address(&listeners.http), address(&listeners.flight));
        let stop = CancellationToken::new();
        let (its_stop, its_service) = (stop.clone(), Arc::clone(&service));
        // On a thread of its own, as its future cannot be sent to another.
        let server = tokio::task::spawn_blocking(move || {
            Handle::current().block_on(run_until(its_stop, its_service, listeners));
        });
        Loopback { service, pg, http, flight, store, stop, server, _folder: folder }
    }

    /// Stops the server and waits for its end.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        self.server.await.expect("the server ends");
    }

    /// Waits until no query runs any more.
    pub(super) async fn until_idle(&self) {
        for _ in 0..600 {
            if self.service.metrics.running() == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{} queries still run", self.service.metrics.running());
    }
}
