//! Tests of `admission`.

use datafusion::prelude::SessionContext;
use datafusion_proto::protobuf::LogicalPlanNode;

use super::*;
use crate::codec::Codec;

async fn plan(sql: &str) -> Arc<dyn ExecutionPlan> {
    let context = SessionContext::new();
    context.sql(sql).await.expect("a query").create_physical_plan().await.expect("a plan")
}

/// The plan as it arrives at a scheduler.
fn arrives(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let mut bytes = vec![];
    PhysicalPlanNode::try_from_physical_plan(plan, &Codec::default())?.try_encode(&mut bytes)?;
    let context = SessionContext::new();
    ReadingPlan::try_decode(&bytes)?.try_into_physical_plan(&context.task_ctx(), &Codec::default())
}

#[tokio::test]
async fn plans_that_read_arrive() {
    assert_eq!(arrives(plan("SELECT 1 AS x").await).expect("a plan").schema().field(0).name(), "x");
}

#[tokio::test]
async fn plans_that_write_do_not() {
    let folder = tempfile::tempdir().expect("a folder");
    for form in ["CSV", "JSON", "PARQUET"] {
        let target = folder.path().join("out");
        let sink = plan(&format!("COPY (SELECT 1 AS x) TO '{}' STORED AS {form}", target.display())).await;
        let error = arrives(Arc::clone(&sink)).expect_err(form).to_string();
        assert!(error.contains("a plan that writes"), "{error}");
        // Below other operators, too.
        let hidden: Arc<dyn ExecutionPlan> =
            Arc::new(datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec::new(sink));
        assert!(arrives(hidden).is_err(), "{form}");
    }
}

#[tokio::test]
async fn no_logical_plan_arrives() {
    let context = SessionContext::new();
    let query = context.sql("SELECT 1").await.expect("a query");
    let codec = datafusion_proto::logical_plan::DefaultLogicalExtensionCodec {};
    let mut bytes = vec![];
    LogicalPlanNode::try_from_logical_plan(query.logical_plan(), &codec)
        .and_then(|node| node.try_encode(&mut bytes))
        .expect("bytes");
    let error = NoLogicalPlan::try_decode(&bytes).expect_err("refused").to_string();
    assert!(error.contains("physical plans only"), "{error}");
}
