//! What a client asks of `POST /sql`: a text, or JSON with the text and what belongs to it.

#[cfg(test)]
mod tests;

use axum::body::{Body, to_bytes};
use axum::extract::{Query, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use datafusion::common::ScalarValue;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;

use super::errors::ErrorResponse;
use crate::limits::ServerLimits;

/// The header with the trace that unqualified names mean.
pub(super) const TRACE: &str = "x-ocellus-trace";

/// A request to run a query.
#[derive(Debug, PartialEq)]
pub(super) struct SqlRequest {
    pub(super) sql: String,
    pub(super) trace: Option<String>,
    pub(super) parameters: Vec<ScalarValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UrlParameters {
    trace: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonRequest {
    sql: String,
    trace: Option<String>,
    #[serde(default)]
    parameters: Vec<Value>,
}

/// Reads a request, within the limits of size and time.
pub(super) async fn read(parts: &Parts, body: Body, limits: &ServerLimits) -> Result<SqlRequest, ErrorResponse> {
    let format = BodyFormat::of(&parts.headers)?;
    let url: UrlParameters = from_address(&parts.uri)?;
    let trace = url.trace.or_else(|| Some(parts.headers.get(TRACE)?.to_str().ok()?.to_string()));
    let text = text_of(&parts.headers, body, limits).await?;
    let request = match format {
        BodyFormat::Sql => SqlRequest { sql: text, trace, parameters: vec![] },
        BodyFormat::Json => parse(&text, trace)?,
    };
    match request.sql.trim().is_empty() {
        true => Err(ErrorResponse::bad_request("the body holds no SQL")),
        false => Ok(request),
    }
}

/// The parameters of an address.
pub(super) fn from_address<T: DeserializeOwned>(address: &Uri) -> Result<T, ErrorResponse> {
    let read = Query::try_from_uri(address);
    read.map(|Query(read)| read).map_err(|error| ErrorResponse::bad_request(format!("the address is wrong: {error}")))
}

/// The JSON of a body, within the limits of size and time.
pub(super) async fn read_json<T: DeserializeOwned>(
    request: Request,
    limits: &ServerLimits,
) -> Result<T, ErrorResponse> {
    let (parts, body) = request.into_parts();
    if BodyFormat::of(&parts.headers)? != BodyFormat::Json {
        let message = "the body must be of type application/json";
        return Err(ErrorResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
    }
    let text = text_of(&parts.headers, body, limits).await?;
    serde_json::from_str(&text).map_err(|error| ErrorResponse::bad_request(format!("the body is wrong: {error}")))
}

/// How the body is written.
#[derive(Debug, PartialEq, Eq)]
enum BodyFormat {
    Sql,
    Json,
}

impl BodyFormat {
    fn of(headers: &HeaderMap) -> Result<BodyFormat, ErrorResponse> {
        let Some(given) = headers.get(CONTENT_TYPE) else { return Ok(BodyFormat::Sql) };
        let given = given.to_str().unwrap_or_default();
        let media_type = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match media_type.as_str() {
            // The last is what curl -d says of any body: it is taken as it stands.
            "" | "text/plain" | "application/sql" | "application/x-www-form-urlencoded" => Ok(BodyFormat::Sql),
            "application/json" => Ok(BodyFormat::Json),
            _ => {
                let message = format!("a body of type {given} is not understood; send text/plain or application/json");
                Err(ErrorResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message))
            }
        }
    }
}

/// The text of a body, within the limits of size and time.
pub(super) async fn text_of(headers: &HeaderMap, body: Body, limits: &ServerLimits) -> Result<String, ErrorResponse> {
    let too_large = || {
        let message = format!("the body is larger than {} bytes, the most this server reads", limits.message);
        ErrorResponse::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).with_closing()
    };
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limits.message) {
        return Err(too_large());
    }
    let read = timeout(limits.patience, to_bytes(body, limits.message)).await;
    let read = read.map_err(|_| {
        let message = format!("the body did not arrive within {:?}", limits.patience);
        ErrorResponse::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", message).with_closing()
    })?;
    // What else can fail is the connection, and then nobody reads the response.
    let bytes = read.map_err(|_| too_large())?;
    String::from_utf8(bytes.into()).map_err(|_| ErrorResponse::bad_request("the body is not UTF-8"))
}

fn parse(text: &str, trace: Option<String>) -> Result<SqlRequest, ErrorResponse> {
    let written: JsonRequest = serde_json::from_str(text).map_err(|error| {
        ErrorResponse::bad_request(format!(
            "the body is no JSON of the form {{\"sql\": …, \"trace\": …, \"parameters\": […]}}: {error}"
        ))
    })?;
    let parameters = written.parameters.iter().map(scalar).collect::<Result<_, _>>()?;
    Ok(SqlRequest { sql: written.sql, trace: written.trace.or(trace), parameters })
}

fn scalar(value: &Value) -> Result<ScalarValue, ErrorResponse> {
    Ok(match value {
        Value::Null => ScalarValue::Null,
        Value::Bool(value) => ScalarValue::Boolean(Some(*value)),
        Value::String(text) => ScalarValue::Utf8(Some(text.clone())),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => ScalarValue::Int64(Some(integer)),
            (None, Some(integer)) => ScalarValue::UInt64(Some(integer)),
            (None, None) => ScalarValue::Float64(number.as_f64()),
        },
        Value::Array(_) | Value::Object(_) => {
            return Err(ErrorResponse::bad_request("a parameter is null, a boolean, a number or a text"));
        }
    })
}
