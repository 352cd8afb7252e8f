//! Errors as the statuses of gRPC.

use arrow::error::ArrowError;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

use crate::error::{ServerError, ServerErrorKind};
use ocellus_trace::error::QueryErrorKind;

/// The header of a status with its SQLSTATE.
const SQLSTATE: &str = "x-ocellus-sqlstate";

/// The status of an error, with its place in the message and its SQLSTATE beside it.
pub(super) fn status(error: ServerError) -> Status {
    let place = error.span.map(|span| format!(" at line {}, column {}", span.start.line, span.start.column));
    let mut status = Status::new(code(error.kind), format!("{error}{}", place.unwrap_or_default()));
    status.metadata_mut().insert(SQLSTATE, MetadataValue::from_static(error.sqlstate()));
    status
}

/// An error of Arrow that the data of this server cannot cause.
pub(super) fn internal(error: ArrowError) -> Status {
    status(ServerError::internal(error.to_string()))
}

fn code(kind: ServerErrorKind) -> Code {
    match kind {
        ServerErrorKind::Query(kind) => match kind {
            QueryErrorKind::ReadOnly => Code::PermissionDenied,
            QueryErrorKind::Unsupported => Code::Unimplemented,
            QueryErrorKind::OutOfMemory => Code::ResourceExhausted,
            QueryErrorKind::UnknownTable => Code::NotFound,
            QueryErrorKind::Internal => Code::Internal,
            QueryErrorKind::DamagedStore => Code::DataLoss,
            _ => Code::InvalidArgument,
        },
        ServerErrorKind::Denied => Code::Unauthenticated,
        ServerErrorKind::Timeout => Code::DeadlineExceeded,
        ServerErrorKind::Cancelled => Code::Cancelled,
        ServerErrorKind::TooManyRows | ServerErrorKind::TooManyClients | ServerErrorKind::Busy => {
            Code::ResourceExhausted
        }
        ServerErrorKind::Stopping => Code::Unavailable,
    }
}
