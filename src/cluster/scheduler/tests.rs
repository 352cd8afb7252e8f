//! Tests of `scheduler`: plans that strangers make by hand.

use ballista_core::serde::protobuf::ExecuteQueryParams;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::version::insert_version_header;
use datafusion::prelude::SessionContext;
use datafusion_proto::logical_plan::{AsLogicalPlan, DefaultLogicalExtensionCodec};
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use futures::StreamExt;
use tokio::sync::oneshot;
use tonic::transport::{Channel, Endpoint};

use super::*;

/// Sends a query; gives all that is said about it.
async fn send(channel: Channel, query: Query) -> String {
    let (session_id, operation_id) = ("stranger".to_string(), "stranger".to_string());
    let mut request =
        tonic::Request::new(ExecuteQueryParams { query: Some(query), settings: vec![], session_id, operation_id });
    insert_version_header(request.metadata_mut());
    let mut said = String::new();
    match SchedulerGrpcClient::new(channel).execute_query_push(request).await {
        Ok(updates) => {
            let mut updates = updates.into_inner();
            while let Some(update) = updates.next().await {
                said.push_str(&format!("{update:?}"));
            }
        }
        Err(status) => said.push_str(status.message()),
    }
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_that_write_are_refused() {
    let identity = Identity::own().expect("this program");
    let endpoints = identity.endpoint_override();
    let (stop, stopped) = oneshot::channel::<()>();
    let (ready, listens) = oneshot::channel();
    let options = SchedulerOptions { bind: "127.0.0.1:0".parse().expect("an address"), host: "127.0.0.1".to_string() };
    let scheduler = tokio::spawn(run_scheduler(
        options,
        identity,
        move |address| ready.send(address).expect("a listener"),
        async move { stopped.await.unwrap_or_default() },
    ));
    let address = listens.await.expect("an address");
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    let channel = endpoints(endpoint).expect("an endpoint").connect().await.expect("a scheduler");
    let folder = tempfile::tempdir().expect("a folder");
    let context = SessionContext::new();
    let sql = format!("COPY (SELECT 1 AS x) TO '{}' STORED AS CSV", folder.path().join("out.csv").display());
    let copy = context.sql(&sql).await.expect("a statement");
    let mut logical = vec![];
    LogicalPlanNode::try_from_logical_plan(copy.logical_plan(), &DefaultLogicalExtensionCodec {})
        .and_then(|node| node.try_encode(&mut logical))
        .expect("bytes");
    let said = send(channel.clone(), Query::LogicalPlan(logical)).await;
    assert!(said.contains("physical plans only"), "{said}");
    let mut physical = vec![];
    PhysicalPlanNode::try_from_physical_plan(copy.create_physical_plan().await.expect("a plan"), &Codec::default())
        .and_then(|node| node.try_encode(&mut physical))
        .expect("bytes");
    let said = send(channel, Query::PhysicalPlan(physical)).await;
    assert!(said.contains("a plan that writes"), "{said}");
    stop.send(()).expect("a scheduler");
    scheduler.await.expect("a task").expect("an end");
}
