//! Mutated messages of PostgreSQL's protocol and requests of HTTP: a server answers or refuses them, and goes on.
//!
//! ```text
//!  conversation ─► mutated ─► a connection of its own, several at once ─► every answer is one of the protocol
//!                                                       now and then ─► a plain client is served as ever
//! ```
//! `OCELLUS_FUZZ_INPUTS` says how many inputs each test makes, and `OCELLUS_FUZZ_FROM` the number of the first; every number makes the
//! same bytes in every run. A panic of any thread is a failure, with the numbers of the inputs that were under way.

#[path = "messages/http.rs"]
mod http;
#[path = "src/mutator.rs"]
mod mutator;
#[path = "messages/postgresql.rs"]
mod postgresql;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use ocellus_server::{
    Addresses, CountingAllocator, Listeners, ServerLimits, Service, ServiceOptions, Users, held_memory, serve,
};
use ocellus_trace::store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use support::{sample, store_with};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const INPUTS: u64 = 1000;
/// Connections at once.
const CLIENTS: usize = 16;
/// A plain client comes after so many inputs.
const PLAIN_ONE_IN: u64 = 250;
/// Bytes of the longest message that the server takes; what comes after an input is longer, so that no length that the
/// input gives makes the server wait for more.
const LONGEST_MESSAGE: usize = 16 << 10;
/// An input that is not done by then hangs: its statements have some seconds each.
const HANGS: Duration = Duration::from_secs(120);
const MOST_MEMORY: usize = 1 << 30;

/// One test at a time: panics are counted for the whole process.
static TURN: Mutex<()> = Mutex::new(());
static IN_FLIGHT: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
static FAILURES: Mutex<Vec<String>> = Mutex::new(vec![]);

/// What is sent to a server.
trait Fuzzed: Send + Sync + 'static {
    /// The bytes of an input.
    fn input(&self, number: u64) -> Vec<u8>;
    /// What is sent after them: it ends the connection, whatever the server makes of the input.
    fn tail(&self) -> Vec<u8>;
    /// What is wrong with an answer.
    fn fault(&self, answer: &[u8]) -> Option<String>;
    /// A client without faults, and how its answer must begin and what it must hold.
    fn plain(&self) -> (Vec<u8>, &'static [u8], &'static [u8]);
}

/// Who may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    WithUsers,
}

#[test]
fn mutated_messages_of_postgresql_are_answered_or_refused() {
    run(Arc::new(postgresql::Conversations::of_sessions()), Door::Open, |listeners| &listeners.pg);
}

#[test]
fn mutated_logins_of_postgresql_are_refused() {
    run(Arc::new(postgresql::Conversations::of_logins()), Door::WithUsers, |listeners| &listeners.pg);
}

#[test]
fn mutated_requests_of_http_are_answered_or_refused() {
    run(Arc::new(http::Requests::of_everybody()), Door::Open, |listeners| &listeners.http);
}

#[test]
fn mutated_credentials_of_http_are_refused() {
    run(Arc::new(http::Requests::with_credentials()), Door::WithUsers, |listeners| &listeners.http);
}

fn run(fuzzed: Arc<dyn Fuzzed>, door: Door, listener: fn(&Listeners) -> &Option<tokio::net::TcpListener>) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    note_panics();
    let (folder, store) = store_with(&sample("quickstart.trace"));
    let users = match door {
        Door::Open => Users::default(),
        Door::WithUsers => {
            let (users, tokens) = (folder.path().join("users"), folder.path().join("tokens"));
            std::fs::write(&users, "reader:password1\n").expect("a file of users");
            std::fs::write(&tokens, "0123456789abcdef\n").expect("a file of tokens");
            Users::read(Some(&users), Some(&tokens)).expect("users")
        }
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(4)
        .thread_stack_size(ocellus_planning::DEEP_STACK)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(against_server(fuzzed, store, users, listener));
    let failures = std::mem::take(&mut *FAILURES.lock().unwrap_or_else(PoisonError::into_inner));
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

async fn against_server(
    fuzzed: Arc<dyn Fuzzed>,
    store: Store,
    users: Users,
    listener: fn(&Listeners) -> &Option<tokio::net::TcpListener>,
) {
    let limits = ServerLimits {
        query_time: Duration::from_secs(5),
        query_memory: 64 << 20,
        query_rows: 10_000,
        connections: 4 * CLIENTS,
        message: LONGEST_MESSAGE,
        memory: 512 << 20,
        ..ServerLimits::default()
    };
    let options = ServiceOptions { limits, users, ..ServiceOptions::default() };
    let service = Service::open(store, options, Handle::current()).expect("a service");
    let free = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let listeners = Listeners::bind(&Addresses { pg: free, flight: None, http: free }).await.expect("free ports");
    let address = listener(&listeners).as_ref().and_then(|listener| listener.local_addr().ok()).expect("an address");
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    // On a thread of its own, as its future cannot be sent to another.
    let server = tokio::task::spawn_blocking(move || {
        let serving = serve(service, listeners, async || stopped.cancelled().await, Duration::ZERO);
        Handle::current().block_on(serving).expect("every server runs to its end");
    });
    check_plain(fuzzed.as_ref(), address).await;
    let first = number("OCELLUS_FUZZ_FROM").unwrap_or(0);
    let end = first + number("OCELLUS_FUZZ_INPUTS").unwrap_or(INPUTS);
    let next = Arc::new(AtomicU64::new(first));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (fuzzed, next) = (Arc::clone(&fuzzed), Arc::clone(&next));
        clients.spawn(async move {
            loop {
                let number = next.fetch_add(1, Relaxed);
                if number >= end {
                    return;
                }
                one(fuzzed.as_ref(), address, number).await;
            }
        });
    }
    while let Some(ended) = clients.join_next().await {
        ended.expect("a client without panic");
    }
    check_plain(fuzzed.as_ref(), address).await;
    stop.cancel();
    server.await.expect("the server ends");
}

async fn one(fuzzed: &dyn Fuzzed, address: SocketAddr, number: u64) {
    let input = [fuzzed.input(number), fuzzed.tail()].concat();
    IN_FLIGHT.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
    let answer = timeout(HANGS, exchange(address, peer(number), &input)).await;
    IN_FLIGHT.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    match answer {
        Err(_) => fail(format!("input {number} hangs")),
        Ok(answer) => {
            if let Some(fault) = fuzzed.fault(&answer) {
                fail(format!("input {number}: {fault}: {:?}", String::from_utf8_lossy(&answer)));
            }
        }
    }
    if number.is_multiple_of(PLAIN_ONE_IN) {
        check_plain(fuzzed, address).await;
        let memory = held_memory();
        if memory > MOST_MEMORY {
            fail(format!("after input {number} the process holds {memory} bytes"));
        }
    }
}

/// A client that makes no mistake is served.
async fn check_plain(fuzzed: &dyn Fuzzed, address: SocketAddr) {
    let (input, start, part) = fuzzed.plain();
    let answer = timeout(HANGS, exchange(address, Ipv4Addr::LOCALHOST, &input)).await.unwrap_or_default();
    let is_right = answer.starts_with(start) && answer.windows(part.len()).any(|window| window == part);
    if !is_right {
        fail(format!("a plain client is answered {:?}", String::from_utf8_lossy(&answer)));
    }
}

/// Sends bytes and reads to the end of the connection, both at once.
async fn exchange(address: SocketAddr, peer: Ipv4Addr, input: &[u8]) -> Vec<u8> {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((peer, 0))).expect("an address of this machine");
    let stream = socket.connect(address).await.expect("connected");
    let (mut reader, mut writer) = stream.into_split();
    let mut answer = vec![];
    // A server that has heard enough may reset the connection.
    let (_, _) = tokio::join!(writer.write_all(input), reader.read_to_end(&mut answer));
    answer
}

/// Clients at many addresses, where the system has them: the brake on guessing counts by address.
fn peer(number: u64) -> Ipv4Addr {
    match cfg!(target_os = "linux") {
        true => Ipv4Addr::from_bits(0x7f01_0000 + (number % 0x00f0_0000) as u32),
        false => Ipv4Addr::LOCALHOST,
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn fail(what: String) {
    FAILURES.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let in_flight = IN_FLIGHT.lock().unwrap_or_else(PoisonError::into_inner).clone();
            fail(format!("panic with {in_flight:?}: {panic}"));
            before(panic);
        }));
    });
}
