//! The calls of Flight SQL, each passed to what serves it.

use std::pin::Pin;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
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
use super::statements::{self, Batches};
use super::status::{internal, status};
use super::{capabilities, catalog, keys};
use crate::connections::PeerAddress;
use crate::credentials::Credentials;
use crate::error::ServerError;
use crate::running::RunningQueries;
use crate::service::Service;
use crate::session::ServerSession;
use ocellus_engine::Engine;

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

    /// The engine of the trace that a call means.
    fn engine(&self, ticket: &Request<Ticket>) -> Result<Arc<Engine>, Status> {
        self.session(trace_of(ticket.metadata()))?.engine().map_err(status)
    }

    async fn tables(&self, query: CommandGetTables, ticket: &Request<Ticket>) -> Result<RecordBatch, Status> {
        // Columns of views cost planning.
        let tables = self.service.workers.spawn(catalog::tables(query, self.engine(ticket)?)).await;
        tables.map_err(|error| Status::internal(error.to_string()))?
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

/// The whole service. What is known without a query (catalogs, keys, abilities) is asked for in two calls of one shape,
/// of which only the columns and the rows differ; the calls that write are all refused. The others are given as they are.
macro_rules! flight_sql_service {
    (
        known { $($info:ident, $get:ident ($command:ty): |$flight:ident, $query:ident, $ticket:ident| $columns:expr, $rows:expr;)* }
        refused { $($put:ident ($update:ty);)* }
        $($call:tt)*
    ) => {
        #[tonic::async_trait]
        impl FlightSqlService for Flight {
            type FlightService = Flight;

            $(
                async fn $info(
                    &self,
                    $query: $command,
                    request: Request<FlightDescriptor>,
                ) -> Result<Response<FlightInfo>, Status> {
                    let $flight = self;
                    let _ = $flight;
                    let columns = $columns;
                    info(&$query, &columns, request.into_inner())
                }

                async fn $get(&self, $query: $command, $ticket: Request<Ticket>) -> Result<Response<Batches>, Status> {
                    let $flight = self;
                    let _ = ($flight, &$query);
                    rows($rows)
                }
            )*
            $(
                async fn $put(&self, _: $update, _: Request<PeekableFlightDataStream>) -> Result<i64, Status> {
                    Err(status(ServerError::read_only()))
                }
            )*
            $($call)*
        }
    };
}

flight_sql_service! {
    known {
        get_flight_info_catalogs, do_get_catalogs (CommandGetCatalogs):
            |_flight, query, _ticket| query.into_builder().schema(), catalog::catalogs(query)?;
        get_flight_info_schemas, do_get_schemas (CommandGetDbSchemas):
            |flight, query, ticket| query.clone().into_builder().schema(), catalog::schemas(query, &*flight.engine(&ticket)?)?;
        get_flight_info_tables, do_get_tables (CommandGetTables):
            |flight, query, ticket| query.clone().into_builder().schema(), flight.tables(query, &ticket).await?;
        get_flight_info_table_types, do_get_table_types (CommandGetTableTypes):
            |_flight, query, _ticket| query.into_builder().schema(), catalog::table_types(query)?;
        get_flight_info_sql_info, do_get_sql_info (CommandGetSqlInfo):
            |flight, query, _ticket| flight.info.schema(), query.into_builder(&flight.info).build()?;
        get_flight_info_xdbc_type_info, do_get_xdbc_type_info (CommandGetXdbcTypeInfo):
            |flight, query, _ticket| flight.types.schema(), query.into_builder(&flight.types).build()?;
        get_flight_info_primary_keys, do_get_primary_keys (CommandGetPrimaryKeys):
            |_flight, query, _ticket| keys::primary(), RecordBatch::new_empty(keys::primary());
        get_flight_info_exported_keys, do_get_exported_keys (CommandGetExportedKeys):
            |_flight, query, _ticket| keys::foreign(), RecordBatch::new_empty(keys::foreign());
        get_flight_info_imported_keys, do_get_imported_keys (CommandGetImportedKeys):
            |_flight, query, _ticket| keys::foreign(), RecordBatch::new_empty(keys::foreign());
        get_flight_info_cross_reference, do_get_cross_reference (CommandGetCrossReference):
            |_flight, query, _ticket| keys::foreign(), RecordBatch::new_empty(keys::foreign());
    }
    refused {
        do_put_statement_update (CommandStatementUpdate);
        do_put_statement_ingest (CommandStatementIngest);
        do_put_prepared_statement_update (CommandPreparedStatementUpdate);
    }

    async fn do_handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Pin<Box<dyn Stream<Item = Result<HandshakeResponse, Status>> + Send>>>, Status> {
        let header = request.metadata().get("authorization").and_then(|header| header.to_str().ok());
        let address = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
        let token = self.credentials.log_in(self.service.login_context(address), header).await.map_err(status)?;
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
