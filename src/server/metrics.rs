//! What a server counts, and how Prometheus reads it.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::allocation::held_memory;
use super::error::{ServerError, ServerErrorKind};

/// Upper bounds of the classes of query times, in seconds.
const CLASSES: [f64; 10] = [0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 300.0];

/// The counters of a server.
#[derive(Debug, Default)]
pub struct Metrics {
    started: AtomicU64,
    succeeded: AtomicU64,
    failed: AtomicU64,
    /// Stopped by the client: a cancel request, or a connection that went away.
    cancelled: AtomicU64,
    running: AtomicU64,
    rows: AtomicU64,
    connections: AtomicU64,
    refused_connections: AtomicU64,
    refused_logins: AtomicU64,
    microseconds: AtomicU64,
    classes: [AtomicU64; CLASSES.len()],
}

impl Metrics {
    /// Counts rows that a client receives.
    pub fn add_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Counts a login with wrong or missing credentials.
    pub fn refuse_login(&self) {
        self.refused_logins.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a client beyond the limit.
    pub fn refuse_connection(&self) {
        self.refused_connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Queries that were started since the server is there.
    pub fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    /// Queries that run now, those included that were stopped and have not ended.
    pub fn running(&self) -> u64 {
        self.running.load(Ordering::Relaxed)
    }

    /// Counts a client until the guard is dropped.
    pub fn connect(self: &Arc<Self>) -> Connected {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connected { metrics: Arc::clone(self) }
    }

    /// Counts a query as running until the guard is dropped: when nothing works for it any more.
    pub fn run(self: &Arc<Self>) -> BusyQuery {
        self.running.fetch_add(1, Ordering::Relaxed);
        BusyQuery { metrics: Arc::clone(self) }
    }

    /// Counts a query, and how it ends for its client.
    pub fn start(self: &Arc<Self>) -> CountedQuery {
        self.started.fetch_add(1, Ordering::Relaxed);
        CountedQuery { metrics: Arc::clone(self), since: Instant::now(), has_ended: false }
    }

    /// The text that Prometheus reads.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let counters: [(&str, &str, &str, &AtomicU64); 9] = [
            ("queries_started_total", "counter", "Queries that were started.", &self.started),
            ("queries_succeeded_total", "counter", "Queries that returned all their rows.", &self.succeeded),
            ("queries_failed_total", "counter", "Queries that ended in an error.", &self.failed),
            ("queries_cancelled_total", "counter", "Queries that their client stopped or left.", &self.cancelled),
            ("queries_running", "gauge", "Queries that run, wait, or were stopped and have not ended.", &self.running),
            ("rows_total", "counter", "Rows sent to clients.", &self.rows),
            ("connections", "gauge", "Clients that are connected now.", &self.connections),
            ("connections_refused_total", "counter", "Clients beyond the limit.", &self.refused_connections),
            ("logins_refused_total", "counter", "Logins with wrong or missing credentials.", &self.refused_logins),
        ];
        for (name, kind, help, value) in counters {
            let value = value.load(Ordering::Relaxed);
            // Writing to a string does not fail.
            let _ =
                writeln!(text, "# HELP ocellus_{name} {help}\n# TYPE ocellus_{name} {kind}\nocellus_{name} {value}");
        }
        let (name, held) = ("ocellus_memory_bytes", held_memory());
        let _ = writeln!(text, "# HELP {name} Bytes that are allocated.\n# TYPE {name} gauge\n{name} {held}");
        self.render_times(&mut text);
        text
    }

    fn render_times(&self, text: &mut String) {
        let name = "ocellus_query_seconds";
        let _ = writeln!(text, "# HELP {name} How long queries took.\n# TYPE {name} histogram");
        let mut sum = 0;
        for (bound, class) in CLASSES.iter().zip(&self.classes) {
            sum += class.load(Ordering::Relaxed);
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {sum}");
        }
        let ended: u64 =
            [&self.succeeded, &self.failed, &self.cancelled].iter().map(|c| c.load(Ordering::Relaxed)).sum();
        let seconds = self.microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {ended}\n{name}_sum {seconds}\n{name}_count {ended}");
    }
}

/// A client that is connected.
#[derive(Debug)]
pub struct Connected {
    metrics: Arc<Metrics>,
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A query that something works for.
#[derive(Debug)]
pub struct BusyQuery {
    metrics: Arc<Metrics>,
}

impl Drop for BusyQuery {
    fn drop(&mut self) {
        self.metrics.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A query of a client. Dropped before it ended, it counts as cancelled.
#[derive(Debug)]
pub struct CountedQuery {
    metrics: Arc<Metrics>,
    since: Instant,
    has_ended: bool,
}

impl CountedQuery {
    /// The query gave all its rows.
    pub fn succeed(&mut self) {
        self.end(|metrics| &metrics.succeeded);
    }

    /// The query ended in an error.
    pub fn fail(&mut self, error: &ServerError) {
        match error.kind {
            ServerErrorKind::Cancelled => self.end(|metrics| &metrics.cancelled),
            _ => self.end(|metrics| &metrics.failed),
        }
    }

    fn end(&mut self, counter: impl Fn(&Metrics) -> &AtomicU64) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        counter(&self.metrics).fetch_add(1, Ordering::Relaxed);
        let taken = self.since.elapsed();
        self.metrics.microseconds.fetch_add(taken.as_micros() as u64, Ordering::Relaxed);
        if let Some(class) = CLASSES.iter().position(|bound| taken.as_secs_f64() <= *bound) {
            self.metrics.classes[class].fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for CountedQuery {
    fn drop(&mut self) {
        self.end(|metrics| &metrics.cancelled);
    }
}
