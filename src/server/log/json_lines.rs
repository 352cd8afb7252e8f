//! Lines of the log as JSON objects: time, level, message, the fields of the event and those of its connection.
//!
//! ```json
//! {"timestamp":"2024-05-01T12:00:00.000000Z","level":"WARN","protocol":"http","message":"slow query","seconds":2.5}
//! ```

use std::fmt;

use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes an event as one object.
pub(super) struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let (time, level) = (Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true), event.metadata().level());
        write!(out, "{{\"timestamp\":\"{time}\",\"level\":\"{level}\"")?;
        for span in context.event_scope().into_iter().flat_map(|spans| spans.from_root()) {
            let extensions = span.extensions();
            if let Some(fields) = extensions.get::<FormattedFields<N>>().filter(|fields| !fields.is_empty()) {
                write!(out, ",{fields}")?;
            }
        }
        out.write_char(',')?;
        context.format_fields(out.by_ref(), event)?;
        writeln!(out, "}}")
    }
}

/// Writes fields as the inner part of an object.
pub(super) struct JsonFields;

impl<'a> FormatFields<'a> for JsonFields {
    fn format_fields<R: RecordFields>(&self, mut out: Writer<'a>, fields: R) -> fmt::Result {
        let mut values = FieldValues(Map::new());
        fields.record(&mut values);
        let object = Value::Object(values.0).to_string();
        out.write_str(object.trim_start_matches('{').strip_suffix('}').unwrap_or_default())
    }
}

struct FieldValues(Map<String, Value>);

impl FieldValues {
    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_string(), value.into());
    }
}

impl Visit for FieldValues {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}"));
    }
}
