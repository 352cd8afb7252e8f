//! Failures as the statuses of gRPC.

use arrow::error::ArrowError;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

use crate::error::{ServerError, ServerErrorKind};

/// The header of a status with its SQLSTATE.
const SQLSTATE: &str = "x-ocellus-sqlstate";

/// The status of an error, with its SQLSTATE beside it.
pub(super) fn status(error: ServerError) -> Status {
    let sqlstate = error.sqlstate();
    let mut status = Status::new(code(error.kind), error.message);
    status.metadata_mut().insert(SQLSTATE, MetadataValue::from_static(sqlstate));
    status
}

/// Something of Arrow that cannot fail with what we give it.
pub(super) fn internal(error: ArrowError) -> Status {
    status(ServerError::new(ServerErrorKind::Internal, error.to_string()))
}

fn code(kind: ServerErrorKind) -> Code {
    match kind {
        ServerErrorKind::Denied => Code::Unauthenticated,
        ServerErrorKind::ReadOnly => Code::PermissionDenied,
        ServerErrorKind::Unsupported => Code::Unimplemented,
        ServerErrorKind::Timeout => Code::DeadlineExceeded,
        ServerErrorKind::Cancelled => Code::Cancelled,
        ServerErrorKind::TooManyRows
        | ServerErrorKind::OutOfMemory
        | ServerErrorKind::TooManyClients
        | ServerErrorKind::Busy => Code::ResourceExhausted,
        ServerErrorKind::Stopping => Code::Unavailable,
        ServerErrorKind::NoTable => Code::NotFound,
        ServerErrorKind::Internal => Code::Internal,
        _ => Code::InvalidArgument,
    }
}
