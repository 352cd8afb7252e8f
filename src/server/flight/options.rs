//! The options of a session: its trace, which clients call `schema`.
//!
//! A session is a cookie with the name of the trace, so the server keeps nothing. A client can also name
//! the trace in a header of each call.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use prost::Message;
use tonic::metadata::{AsciiMetadataValue, MetadataMap};
use tonic::{Response, Status};

use ocellus_engine::catalog::CATALOG;

/// The header with the trace that unqualified names mean.
const TRACE: &str = "x-ocellus-trace";
/// The cookie with the same.
const COOKIE: &str = "ocellus-trace";

const SCHEMA: &str = "schema";
const CATALOG_OPTION: &str = "catalog";

/// Options by name: the request that sets them, and the response that lists them.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SessionOptionMap {
    #[prost(map = "string, message", tag = "1")]
    options: HashMap<String, OptionValue>,
}

/// A value; others than texts are read as none.
#[derive(Clone, PartialEq, Message)]
struct OptionValue {
    #[prost(string, optional, tag = "1")]
    text: Option<String>,
}

/// What was wrong with which option.
#[derive(Clone, PartialEq, Message)]
pub(super) struct OptionErrors {
    #[prost(map = "string, message", tag = "1")]
    errors: HashMap<String, OptionError>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct OptionError {
    #[prost(int32, tag = "1")]
    value: i32,
}

const INVALID_NAME: OptionError = OptionError { value: 1 };
const INVALID_VALUE: OptionError = OptionError { value: 2 };

/// The response to the end of a session.
#[derive(Clone, Copy, PartialEq, Message)]
struct SessionClosed {
    #[prost(int32, tag = "1")]
    status: i32,
}

/// The trace that a call means.
pub(super) fn trace_of(metadata: &MetadataMap) -> Option<String> {
    let text = |name: &str| Some(metadata.get(name)?.to_str().ok()?.to_string());
    text(TRACE).or_else(|| cookie(&text("cookie")?))
}

fn cookie(header: &str) -> Option<String> {
    let cookies = header.split(';').filter_map(|cookie| cookie.trim().split_once('='));
    let named = cookies.filter(|(name, value)| *name == COOKIE && !value.is_empty());
    named.map(|(_, value)| value.to_string()).next_back()
}

/// Sets options; `is_trace` says whether there is a trace of a name.
pub(super) fn set(body: &[u8], is_trace: impl Fn(&str) -> bool) -> Result<Response<Vec<u8>>, Status> {
    let wanted = SessionOptionMap::decode(body).map_err(|error| Status::invalid_argument(error.to_string()))?;
    let mut errors = OptionErrors::default();
    let mut trace = None;
    for (name, value) in wanted.options {
        match (name.as_str(), value.text) {
            (SCHEMA, Some(text)) if is_trace(&text) => trace = Some(text),
            (CATALOG_OPTION, Some(text)) if text == CATALOG => {}
            (SCHEMA | CATALOG_OPTION, _) => drop(errors.errors.insert(name, INVALID_VALUE)),
            _ => drop(errors.errors.insert(name, INVALID_NAME)),
        }
    }
    let mut response = Response::new(errors.encode_to_vec());
    if let Some(trace) = trace {
        response.metadata_mut().insert("set-cookie", header(&format!("{COOKIE}={trace}"))?);
    }
    Ok(response)
}

/// Lists the options.
pub(super) fn get(schema: String) -> Vec<u8> {
    let value = |text: String| OptionValue { text: Some(text) };
    let options = [(CATALOG_OPTION, CATALOG.to_string()), (SCHEMA, schema)];
    let options = options.map(|(name, text)| (name.to_string(), value(text)));
    SessionOptionMap { options: HashMap::from(options) }.encode_to_vec()
}

/// Ends a session: its options are forgotten.
pub(super) fn close() -> Result<Response<Vec<u8>>, Status> {
    let mut response = Response::new(SessionClosed { status: 1 }.encode_to_vec());
    response.metadata_mut().insert("set-cookie", header(&format!("{COOKIE}=; Max-Age=0"))?);
    Ok(response)
}

fn header(text: &str) -> Result<AsciiMetadataValue, Status> {
    text.parse().map_err(|_| Status::invalid_argument("the name of the trace does not fit a cookie"))
}
