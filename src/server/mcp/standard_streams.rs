//! The protocol over standard input and output: one client, whose end of standard input is the end.

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::task::JoinSet;

use super::assistant::Assistant;
use super::bounded_transport::BoundedTransport;
use super::handler::AssistantHandler;
use crate::service::Service;
use ocellus_trace::error::{Error, Result};

/// Bytes of one message of the client; longer ones are not read.
const LONGEST_MESSAGE: usize = 4 << 20;

/// Serves until the client closes standard input, or until `stopped` returns; calls that name no trace are about `trace`.
/// Calls that run when the input ends have some seconds to be answered.
pub async fn serve_assistant(
    service: Arc<Service>,
    trace: Option<String>,
    stopped: impl Future<Output = ()>,
) -> Result<()> {
    let guard = Arc::clone(&service);
    let _guard = JoinSet::from_iter([async move { guard.memory_guard.watch().await }]);
    let handler = AssistantHandler::new(Assistant::new(Arc::clone(&service), trace));
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_MESSAGE);
    let serving = async {
        match handler.serve(BoundedTransport::new(transport)).await {
            Ok(running) => match running.waiting().await {
                Ok(_) => Ok(()),
                Err(error) => Err(Error::Internal(format!("the protocol failed: {error}"))),
            },
            // The client went before it said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(Error::Usage(format!("the client does not speak the protocol: {error}"))),
        }
    };
    let served = tokio::select! {
        served = serving => served,
        () = stopped => Ok(()),
    };
    service.closing.cancel();
    service.ending.cancel();
    served
}
