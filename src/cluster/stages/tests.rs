//! Tests of `stages`.

use ballista_core::execution_plans::ShuffleWriterExec;
use datafusion::prelude::SessionContext;

use super::*;

#[tokio::test]
async fn stages_that_write_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path().to_str().expect("UTF-8");
    let context = SessionContext::new();
    let stage = async |sql: &str| {
        let plan = context.sql(sql).await.expect("a statement").create_physical_plan().await.expect("a plan");
        let job = JobId::from("job".to_string());
        let stage = ShuffleWriterExec::try_new(job.clone(), 1, plan, work.to_string()).expect("a stage");
        QuietEngine::new(ReadScope::Everything).expect("an engine").create_query_stage_exec(
            job,
            1,
            0,
            vec![0],
            Arc::new(stage),
            work,
            &SessionConfig::new(),
        )
    };
    let reading = stage("SELECT 1 AS x").await.expect("a stage");
    assert!(reading.collect_plan_metrics().is_empty());
    let error = stage(&format!("COPY (SELECT 1 AS x) TO '{work}/out.csv'")).await.expect_err("refused").to_string();
    assert!(error.contains("a plan that writes"), "{error}");
}
