//! The log of a server: one line per connection, refused login, slow query and failed query, on standard error.
//!
//! ```text
//! events of `ocellus…` ─► text or JSON lines ─► queue ─► thread ─► standard error
//! ```
//! Only events of our own crates are written: libraries of the protocols would show headers, and so passwords and
//! tokens. Whoever does not read standard error loses lines, and no client waits for it.

mod json_lines;
mod line_queue;
mod options;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tracing::{Subscriber, info, warn};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

pub use line_queue::LogDrain;
pub use options::{LogFormat, LogLevel, LogOptions};

use self::json_lines::{JsonFields, JsonLines};
use super::error::{ServerError, ServerErrorKind};
use ocellus_trace::error::{Error, Result};

/// Characters of a query that a line shows.
const LONGEST_QUERY: usize = 500;
/// Statements with one of these words are not shown, and neither is what is wrong with them.
const SECRETIVE: [&str; 7] = ["password", "passwd", "token", "secret", "credential", "authorization", "bearer"];

/// Milliseconds from which a query is slow.
static SLOW: AtomicU64 = AtomicU64::new(1000);

/// Starts to write the log of this process; dropping the drain writes what is still queued.
pub fn start_log(options: LogOptions) -> Result<LogDrain> {
    let (queue, drain) = line_queue::start(std::io::stderr())?;
    SLOW.store(u64::try_from(options.slow.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    tracing::subscriber::set_global_default(subscriber(options, queue))
        .map_err(|_| Error::Internal("the log was started twice".to_string()))?;
    Ok(drain)
}

/// What turns events into lines.
fn subscriber<W>(options: LogOptions, lines: W) -> impl Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let ours = Targets::new().with_target("ocellus", options.level.filter());
    let plain = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(lines);
    let layer = match options.format {
        LogFormat::Text => plain.boxed(),
        LogFormat::Json => plain.event_format(JsonLines).fmt_fields(JsonFields).boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(ours))
}

/// A query that gave all its rows; of interest when it was slow.
pub(super) fn query_ended(text: &str, taken: Duration) {
    if taken.as_millis() >= u128::from(SLOW.load(Ordering::Relaxed)) {
        warn!(seconds = taken.as_secs_f64(), query = shown(text), "slow query");
    }
}

/// A query that ended in an error, while it was planned or while it ran.
pub(super) fn query_failed(text: &str, error: &ServerError, taken: Duration) {
    let (query, code, kind, seconds) = (shown(text), error.sqlstate(), error.kind.name(), taken.as_secs_f64());
    let message = if is_secretive(text) { "not shown" } else { error.message.as_str() };
    match error.kind {
        ServerErrorKind::Cancelled => info!(seconds, query, "query cancelled"),
        _ => warn!(code, kind, error = message, seconds, query, "query failed"),
    }
}

/// The beginning of a query on one line, without what may be a secret.
fn shown(text: &str) -> String {
    if is_secretive(text) {
        return "not shown: it speaks of a password or token".to_string();
    }
    let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = shown.char_indices().nth(LONGEST_QUERY) {
        shown.truncate(end);
        shown.push('…');
    }
    shown.retain(|character| !character.is_control());
    shown
}

fn is_secretive(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    SECRETIVE.iter().any(|word| text.contains(word))
}
