//! What goes into a tool and comes out of it.

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ServerError;
use ocellus_trace::error::QueryErrorKind;

/// What a tool answers.
#[derive(Debug)]
pub(in super::super) enum ToolAnswer {
    /// A text of bounded size.
    Text(String),
    /// A text of bounded size that is an object of JSON, as the schema of the tool says.
    Object(String),
    /// A picture, and a sentence about it.
    Picture { png: Vec<u8>, caption: String },
}

/// The arguments of a call, checked against what the tool takes.
pub(super) fn read<T: DeserializeOwned>(name: &str, arguments: JsonObject) -> Result<T, ServerError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| invalid(format!("{name}: {error}")))
}

/// An argument that does not fit.
pub(super) fn invalid(message: String) -> ServerError {
    ServerError::new(QueryErrorKind::Invalid, message)
}
