//! Tests of `bounded_transport`, with a client that does not read until it is told to.

use std::convert::Infallible;
use std::time::Duration;

use rmcp::model::{ErrorData, RequestId};
use tokio::sync::watch;
use tokio::time::timeout;

use super::*;

/// Always has a request, and sends when it may.
struct Endless {
    reads: watch::Receiver<bool>,
}

impl Transport<RoleServer> for Endless {
    type Error = Infallible;

    fn send(&mut self, _item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let mut reads = self.reads.clone();
        async move {
            let _ = reads.wait_for(|reads| *reads).await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        Some(serde_json::from_str(ping).expect("a request"))
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn refusal(id: usize) -> ServerJsonRpcMessage {
    let id = RequestId::Number(i64::try_from(id).expect("few"));
    ServerJsonRpcMessage::error(ErrorData::internal_error("no", None), Some(id))
}

#[tokio::test]
async fn requests_wait_while_answers_are_not_read() {
    let (client, reads) = watch::channel(false);
    let mut transport = BoundedTransport::new(Endless { reads });
    let mut unread = vec![];
    for id in 0..MOST_UNREAD {
        assert!(transport.receive().await.is_some(), "{id}");
        unread.push(tokio::spawn(transport.send(refusal(id))));
    }
    assert!(timeout(Duration::from_millis(50), transport.receive()).await.is_err(), "it takes more than it may");
    // What was taken before is answered all the same.
    unread.push(tokio::spawn(transport.send(refusal(MOST_UNREAD))));
    client.send(true).expect("sent");
    for sending in unread {
        sending.await.expect("no panic").expect("sent");
    }
    assert!(transport.receive().await.is_some());
}
