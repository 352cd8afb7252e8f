//! The calls of Flight SQL, each passed to what serves it.

// size: FlightSqlService is one trait, whose some forty methods must be in one impl.

use std::pin::Pin;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use arrow_flight::flight_service_server::FlightService;
use arrow_flight::sql::metadata::{SqlInfoData, XdbcTypeInfoData};
use arrow_flight::sql::server::{FlightSqlService, PeekableFlightDataStream};
use arrow_flight::sql::*;
use arrow_flight::{
    Action, ActionType, CancelFlightInfoRequest, CancelFlightInfoResult, CancelStatus, FlightDescriptor,
    FlightEndpoint, FlightInfo, HandshakeRequest, HandshakeResponse, Ticket,
};
use futures::{Stream, stream};
use prost::Message;
use tonic::metadata::AsciiMetadataValue;
use tonic::{Request, Response, Status, Streaming};

use super::handle::Handle;
use super::options::{self, trace_of};
use super::running::RunningQueries;
use super::statements::{self, Batches};
use super::status::{internal, status};
use super::{capabilities, catalog, keys};
use crate::credentials::Credentials;
use crate::error::ServerError;
use crate::service::Service;
use crate::session::ServerSession;

/// Actions of Flight itself, with what they do.
const ACTIONS: [(&str, &str); 4] = [
    (CANCEL_FLIGHT_INFO, "Stops a query that runs."),
    (SET_SESSION_OPTIONS, "Sets the schema, which is a trace, of a client that keeps cookies."),
    (GET_SESSION_OPTIONS, "Returns the schema and the catalog."),
    (CLOSE_SESSION, "Resets the schema that was set."),
];
const CANCEL_FLIGHT_INFO: &str = "CancelFlightInfo";
const SET_SESSION_OPTIONS: &str = "SetSessionOptions";
const GET_SESSION_OPTIONS: &str = "GetSessionOptions";
const CLOSE_SESSION: &str = "CloseSession";

/// The service.
pub(super) struct Flight {
    pub(super) service: Arc<Service>,
    pub(super) credentials: Credentials,
    running: RunningQueries,
    info: SqlInfoData,
    types: XdbcTypeInfoData,
}

impl Flight {
    pub(super) fn new(service: &Arc<Service>) -> Result<Flight, ServerError> {
        let internal = |error: arrow_flight::error::FlightError| ServerError::internal(error.to_string());
        Ok(Flight {
            credentials: Credentials::new()?,
            running: RunningQueries::default(),
            info: capabilities::info(&service.limits).map_err(internal)?,
            types: capabilities::types().map_err(internal)?,
            service: Arc::clone(service),
        })
    }

    fn session(&self, trace: Option<String>) -> Result<Arc<ServerSession>, Status> {
        let session = ServerSession::open(&self.service, trace, Arc::new(|_| Ok(()))).map_err(status)?;
        Ok(Arc::new(session))
    }

    /// How to fetch the rows of a statement.
    async fn info_of(&self, handle: Handle, descriptor: FlightDescriptor) -> Result<Response<FlightInfo>, Status> {
        let session = self.session(handle.trace.clone())?;
        let text = handle.text().map_err(status)?;
        // A place in a text with values is none in that of the client.
        let placed = |error: ServerError| if text == handle.sql { error } else { error.without_span() };
        let columns = statements::columns(&session, &text).await.map_err(|error| status(placed(error)))?;
        info(&TicketStatementQuery { statement_handle: handle.write().into() }, &columns, descriptor)
    }

    async fn run(&self, handle: &[u8]) -> Result<Response<Batches>, Status> {
        let handle = Handle::read(handle).map_err(status)?;
        let session = self.session(handle.trace.clone())?;
        self.running.add(handle.id.clone(), &session);
        let text = handle.text().map_err(status)?;
        Ok(Response::new(statements::run(session, &text).await?))
    }

    /// Stops what runs for the tickets of a response.
    fn cancel(&self, info: Option<FlightInfo>) -> Result<CancelStatus, Status> {
        let info = info.ok_or_else(|| Status::invalid_argument("the request names no query"))?;
        let mut found = 0;
        for ticket in info.endpoint.into_iter().filter_map(|endpoint| endpoint.ticket) {
            let any = Any::decode(&*ticket.ticket).map_err(|error| Status::invalid_argument(error.to_string()))?;
            let ticket = any.unpack::<TicketStatementQuery>().map_err(internal)?;
            let ticket = ticket.ok_or_else(|| Status::invalid_argument("the ticket is of no statement"))?;
            found += self.running.cancel(&Handle::read(&ticket.statement_handle).map_err(status)?.id);
        }
        Ok(if found > 0 { CancelStatus::Cancelled } else { CancelStatus::NotCancellable })
    }
}

/// How to fetch the rows of a command: by the command itself.
fn info(
    command: &impl ProstMessageExt,
    columns: &Schema,
    descriptor: FlightDescriptor,
) -> Result<Response<FlightInfo>, Status> {
    let ticket = Ticket::new(command.as_any().encode_to_vec());
    let info = FlightInfo::new().try_with_schema(columns).map_err(internal)?;
    Ok(Response::new(info.with_endpoint(FlightEndpoint::new().with_ticket(ticket)).with_descriptor(descriptor)))
}

fn rows(batch: RecordBatch) -> Result<Response<Batches>, Status> {
    Ok(Response::new(statements::known(batch)))
}

fn nothing(columns: SchemaRef) -> Result<Response<Batches>, Status> {
    rows(RecordBatch::new_empty(columns))
}

#[tonic::async_trait]
impl FlightSqlService for Flight {
    type FlightService = Flight;

    async fn do_handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Pin<Box<dyn Stream<Item = Result<HandshakeResponse, Status>> + Send>>>, Status> {
        let header = request.metadata().get("authorization").and_then(|header| header.to_str().ok());
        let token = self.credentials.log_in(&self.service.users, header).map_err(|error| {
            self.service.metrics.refuse_login();
            status(error)
        })?;
        let response = HandshakeResponse { protocol_version: 0, payload: token.clone().into() };
        let responses: Pin<Box<dyn Stream<Item = _> + Send>> = Box::pin(stream::iter([Ok(response)]));
        let mut response = Response::new(responses);
        let header: Result<AsciiMetadataValue, _> = format!("Bearer {token}").parse();
        response
            .metadata_mut()
            .insert("authorization", header.map_err(|_| Status::internal("the token is no header"))?);
        Ok(response)
    }

    async fn get_flight_info_statement(
        &self,
        query: CommandStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let handle = Handle::new(query.query, trace_of(request.metadata())).map_err(status)?;
        self.info_of(handle, request.into_inner()).await
    }

    async fn get_flight_info_prepared_statement(
        &self,
        query: CommandPreparedStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let handle = Handle::read(&query.prepared_statement_handle).and_then(|handle| handle.again());
        self.info_of(handle.map_err(status)?, request.into_inner()).await
    }

    async fn get_flight_info_catalogs(
        &self,
        query: CommandGetCatalogs,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &query.into_builder().schema(), request.into_inner())
    }

    async fn get_flight_info_schemas(
        &self,
        query: CommandGetDbSchemas,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &query.clone().into_builder().schema(), request.into_inner())
    }

    async fn get_flight_info_tables(
        &self,
        query: CommandGetTables,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &query.clone().into_builder().schema(), request.into_inner())
    }

    async fn get_flight_info_table_types(
        &self,
        query: CommandGetTableTypes,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &query.into_builder().schema(), request.into_inner())
    }

    async fn get_flight_info_sql_info(
        &self,
        query: CommandGetSqlInfo,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &self.info.schema(), request.into_inner())
    }

    async fn get_flight_info_primary_keys(
        &self,
        query: CommandGetPrimaryKeys,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &keys::primary(), request.into_inner())
    }

    async fn get_flight_info_exported_keys(
        &self,
        query: CommandGetExportedKeys,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &keys::foreign(), request.into_inner())
    }

    async fn get_flight_info_imported_keys(
        &self,
        query: CommandGetImportedKeys,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &keys::foreign(), request.into_inner())
    }

    async fn get_flight_info_cross_reference(
        &self,
        query: CommandGetCrossReference,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &keys::foreign(), request.into_inner())
    }

    async fn get_flight_info_xdbc_type_info(
        &self,
        query: CommandGetXdbcTypeInfo,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        info(&query, &self.types.schema(), request.into_inner())
    }

    async fn do_get_statement(
        &self,
        ticket: TicketStatementQuery,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        self.run(&ticket.statement_handle).await
    }

    async fn do_get_prepared_statement(
        &self,
        query: CommandPreparedStatementQuery,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        self.run(&query.prepared_statement_handle).await
    }

    async fn do_get_catalogs(
        &self,
        query: CommandGetCatalogs,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        rows(catalog::catalogs(query)?)
    }

    async fn do_get_schemas(
        &self,
        query: CommandGetDbSchemas,
        request: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        let engine = self.session(trace_of(request.metadata()))?.engine().map_err(status)?;
        rows(catalog::schemas(query, &engine)?)
    }

    async fn do_get_tables(
        &self,
        query: CommandGetTables,
        request: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        let engine = self.session(trace_of(request.metadata()))?.engine().map_err(status)?;
        // Columns of views cost planning.
        let tables = self.service.workers.spawn(catalog::tables(query, engine)).await;
        rows(tables.map_err(|error| Status::internal(error.to_string()))??)
    }

    async fn do_get_table_types(
        &self,
        query: CommandGetTableTypes,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        rows(catalog::table_types(query)?)
    }

    async fn do_get_sql_info(&self, query: CommandGetSqlInfo, _: Request<Ticket>) -> Result<Response<Batches>, Status> {
        rows(query.into_builder(&self.info).build()?)
    }

    async fn do_get_primary_keys(
        &self,
        _: CommandGetPrimaryKeys,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        nothing(keys::primary())
    }

    async fn do_get_exported_keys(
        &self,
        _: CommandGetExportedKeys,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        nothing(keys::foreign())
    }

    async fn do_get_imported_keys(
        &self,
        _: CommandGetImportedKeys,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        nothing(keys::foreign())
    }

    async fn do_get_cross_reference(
        &self,
        _: CommandGetCrossReference,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        nothing(keys::foreign())
    }

    async fn do_get_xdbc_type_info(
        &self,
        query: CommandGetXdbcTypeInfo,
        _: Request<Ticket>,
    ) -> Result<Response<Batches>, Status> {
        rows(query.into_builder(&self.types).build()?)
    }

    async fn do_put_statement_update(
        &self,
        _: CommandStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        Err(status(ServerError::read_only()))
    }

    async fn do_put_statement_ingest(
        &self,
        _: CommandStatementIngest,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        Err(status(ServerError::read_only()))
    }

    async fn do_put_prepared_statement_update(
        &self,
        _: CommandPreparedStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        Err(status(ServerError::read_only()))
    }

    async fn do_put_prepared_statement_query(
        &self,
        query: CommandPreparedStatementQuery,
        request: Request<PeekableFlightDataStream>,
    ) -> Result<DoPutPreparedStatementResult, Status> {
        let handle = Handle::read(&query.prepared_statement_handle).map_err(status)?;
        let bound = statements::bind(handle, request.into_inner()).await?;
        Ok(DoPutPreparedStatementResult { prepared_statement_handle: Some(bound.write().into()) })
    }

    async fn do_action_create_prepared_statement(
        &self,
        query: ActionCreatePreparedStatementRequest,
        request: Request<Action>,
    ) -> Result<ActionCreatePreparedStatementResult, Status> {
        let handle = Handle::new(query.query, trace_of(request.metadata())).map_err(status)?;
        let session = self.session(handle.trace.clone())?;
        let parameters = statements::parameters(&session, &handle.sql).await.map_err(status)?;
        let dataset_schema = match parameters.fields().is_empty() {
            true => statements::written(&*statements::columns(&session, &handle.sql).await.map_err(status)?)?,
            // Known once the parameters are.
            false => Default::default(),
        };
        Ok(ActionCreatePreparedStatementResult {
            prepared_statement_handle: handle.write().into(),
            dataset_schema,
            parameter_schema: statements::written(&parameters)?,
        })
    }

    /// Nothing is kept for a statement, so nothing is freed.
    async fn do_action_close_prepared_statement(
        &self,
        _: ActionClosePreparedStatementRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        Ok(())
    }

    async fn do_action_cancel_query(
        &self,
        query: ActionCancelQueryRequest,
        _: Request<Action>,
    ) -> Result<ActionCancelQueryResult, Status> {
        let info = FlightInfo::decode(query.info).map_err(|error| Status::invalid_argument(error.to_string()))?;
        // The numbers of both enumerations are the same.
        Ok(ActionCancelQueryResult { result: self.cancel(Some(info))? as i32 })
    }

    async fn do_action_fallback(
        &self,
        request: Request<Action>,
    ) -> Result<Response<<Self as FlightService>::DoActionStream>, Status> {
        let trace = trace_of(request.metadata());
        let action = request.into_inner();
        let response = match action.r#type.as_str() {
            CANCEL_FLIGHT_INFO => {
                let request = CancelFlightInfoRequest::decode(action.body);
                let request = request.map_err(|error| Status::invalid_argument(error.to_string()))?;
                Response::new(CancelFlightInfoResult::new(self.cancel(request.info)?).encode_to_vec())
            }
            SET_SESSION_OPTIONS => options::set(&action.body, |name| self.session(Some(name.to_string())).is_ok())?,
            GET_SESSION_OPTIONS => {
                let engine = self.session(trace)?.engine().map_err(status)?;
                Response::new(options::get(engine.current_schema()))
            }
            CLOSE_SESSION => options::close()?,
            other => return Err(Status::unimplemented(format!("there is no action {other}"))),
        };
        Ok(response.map(|body| -> <Self as FlightService>::DoActionStream {
            Box::pin(stream::iter([Ok(arrow_flight::Result::new(body))]))
        }))
    }

    async fn list_custom_actions(&self) -> Option<Vec<Result<ActionType, Status>>> {
        let action =
            |(name, does): (&str, &str)| ActionType { r#type: name.to_string(), description: does.to_string() };
        Some(ACTIONS.into_iter().map(|listed| Ok(action(listed))).collect())
    }

    /// What the server says of itself is fixed.
    async fn register_sql_info(&self, _: i32, _: &SqlInfo) {}
}
