//! Failures as the statuses of gRPC.

use arrow::error::ArrowError;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

use crate::failure::{Failure, Kind};

/// The header of a status with its SQLSTATE.
const SQLSTATE: &str = "x-ocellus-sqlstate";

/// The status of a failure, with its SQLSTATE beside it.
pub(super) fn status(failure: Failure) -> Status {
    let sqlstate = failure.sqlstate();
    let mut status = Status::new(code(failure.kind), failure.message);
    status.metadata_mut().insert(SQLSTATE, MetadataValue::from_static(sqlstate));
    status
}

/// Something of Arrow that cannot fail with what we give it.
pub(super) fn broken(error: ArrowError) -> Status {
    status(Failure::new(Kind::Internal, error.to_string()))
}

fn code(kind: Kind) -> Code {
    match kind {
        Kind::Denied => Code::Unauthenticated,
        Kind::ReadOnly => Code::PermissionDenied,
        Kind::Unsupported => Code::Unimplemented,
        Kind::Timeout => Code::DeadlineExceeded,
        Kind::Cancelled => Code::Cancelled,
        Kind::TooManyRows | Kind::OutOfMemory | Kind::TooManyClients | Kind::Busy => Code::ResourceExhausted,
        Kind::Stopping => Code::Unavailable,
        Kind::NoTable => Code::NotFound,
        Kind::Internal => Code::Internal,
        _ => Code::InvalidArgument,
    }
}
