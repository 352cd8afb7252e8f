//! Statements: planned for their columns, bound to their parameters, run for their rows.

use std::pin::Pin;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::error::FlightError;
use arrow_flight::sql::server::PeekableFlightDataStream;
use arrow_flight::{FlightData, IpcMessage, SchemaAsIpc};
use axum::body::Bytes;
use datafusion::execution::context::SQLOptions;
use datafusion::logical_expr::LogicalPlan;
use futures::{Stream, StreamExt, TryStreamExt};
use tonic::Status;

use super::handle::Handle;
use super::received::ReceivedRows;
use super::status::{internal, status};
use crate::error::ServerError;
use crate::parameters::{self, Template};
use crate::session::ServerSession;
use ocellus_render::formats::{plain_batch, plain_schema};
use ocellus_trace::error::QueryErrorKind;

/// The rows of a call.
pub(super) type Batches = Pin<Box<dyn Stream<Item = Result<FlightData, Status>> + Send>>;

/// The columns that a statement gives.
pub(super) async fn columns(session: &ServerSession, text: &str) -> Result<SchemaRef, ServerError> {
    let plan = plan(session, text).await?;
    Ok(plain_schema(plan.schema().inner()))
}

async fn plan(session: &ServerSession, text: &str) -> Result<LogicalPlan, ServerError> {
    let engine = session.engine()?;
    let statements = engine.split(text).map_err(ServerError::of_parser)?;
    let [statement] = statements.as_slice() else {
        return Err(ServerError::syntax("one statement at a time is accepted"));
    };
    let (_, plan) = session.plan(statement).await?;
    let only_reads = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    only_reads.verify_plan(&plan).map_err(|_| ServerError::read_only())?;
    Ok(plan)
}

/// The columns of the parameters of a statement: their types where the statement determines them, else text.
pub(super) async fn parameters(session: &ServerSession, text: &str) -> Result<Schema, ServerError> {
    let template = Template::read(text)?;
    // A statement that can only be planned with values has parameters of unknown types.
    let types = match plan(session, &template.with(|number| format!("${number}"))).await {
        Ok(plan) => plan.get_parameter_types().unwrap_or_default(),
        Err(_) => Default::default(),
    };
    let field = |number: usize| {
        let name = format!("${number}");
        let known = types.get(&name).cloned().flatten();
        Field::new(name, known.unwrap_or(DataType::Utf8), true)
    };
    Ok(Schema::new((1..=template.count()).map(field).collect::<Vec<Field>>()))
}

/// Binds the one row of parameters that a client sends.
pub(super) async fn bind(handle: Handle, sent: PeekableFlightDataStream) -> Result<Handle, Status> {
    let mut received = ReceivedRows::of(sent.into_peekable());
    let mut row = None;
    while let Some(batch) = received.next().await? {
        if batch.num_rows() + usize::from(row.is_some()) > 1 {
            return Err(status(ServerError::new(QueryErrorKind::Unsupported, "bind one row of parameters at a time")));
        }
        if batch.num_rows() == 1 {
            row = Some(parameters::row(batch.columns(), 0).map_err(status)?);
        }
    }
    let bound = parameters::bind(&handle.sql, &row.unwrap_or_default()).map_err(status)?;
    Ok(Handle { bound: Some(bound), ..handle })
}

/// Runs a statement; its query stops when the stream is dropped.
pub(super) async fn run(session: Arc<ServerSession>, text: &str) -> Result<Batches, Status> {
    // Wrong statements were refused, with their place, before they got here.
    let rows = session.run_text(text).await.map_err(|error| status(error.without_span()))?;
    let schema = plain_schema(rows.schema());
    let plain = {
        let schema = Arc::clone(&schema);
        move |batch: Result<RecordBatch, ServerError>| {
            // The session lives as long as its rows, so that they can be cancelled.
            let _session = &session;
            let batch = batch.and_then(|batch| Ok(plain_batch(&batch, &schema)?));
            batch.map_err(|error| FlightError::Tonic(Box::new(status(error))))
        }
    };
    let encoded = FlightDataEncoderBuilder::new().with_schema(schema).build(rows.into_stream().map(plain));
    Ok(Box::pin(encoded.map_err(Status::from)))
}

/// Rows that are known already.
pub(super) fn known(batch: RecordBatch) -> Batches {
    let builder = FlightDataEncoderBuilder::new().with_schema(batch.schema());
    Box::pin(builder.build(futures::stream::iter([Ok(batch)])).map_err(Status::from))
}

/// A schema as the messages of Flight carry it.
pub(super) fn written(schema: &Schema) -> Result<Bytes, Status> {
    let options = arrow::ipc::writer::IpcWriteOptions::default();
    let message: IpcMessage = SchemaAsIpc::new(schema, &options).try_into().map_err(internal)?;
    Ok(message.0)
}
