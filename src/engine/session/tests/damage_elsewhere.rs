//! Plans that ran through another process know paths only; they check files all the same.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, FileSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::{ExecutionPlan, collect};

use crate::catalog::{AdmitFile, CheckedScans};
use crate::session::{Engine, EngineOptions};
use ocellus_trace::import::{ImportOptions, TraceSource, import};
use ocellus_trace::store::Store;

/// The plan as another process reads it: with paths and sizes, and DataFusion's own reader.
fn forgetful(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let bare = |file: &PartitionedFile| PartitionedFile::new_from_meta(file.object_meta.clone());
    let forgotten = plan.transform_down(|node| {
        let Some(scan) = node.downcast_ref::<DataSourceExec>() else { return Ok(Transformed::no(node)) };
        let (files, source) = scan.downcast_to_file_source::<ParquetSource>().expect("a scan of files");
        let groups = files.file_groups.iter().map(|group| FileGroup::new(group.iter().map(bare).collect())).collect();
        let reading = ParquetSource::new(Arc::clone(source.table_schema().file_schema()));
        let shown = source.projection().expect("columns");
        let reading = reading.try_pushdown_projection(shown)?;
        let files = FileScanConfigBuilder::from(files.clone())
            .with_source(reading.expect("a source that shows columns"))
            .with_file_groups(groups);
        Ok(Transformed::yes(DataSourceExec::from_data_source(files.build()) as Arc<dyn ExecutionPlan>))
    });
    forgotten.data().expect("a plan")
}

fn everything() -> Box<AdmitFile> {
    Box::new(|path| path.canonicalize().ok())
}

#[tokio::test]
async fn plans_from_elsewhere_check_what_they_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/quickstart.trace");
    import(&TraceSource::Path(sample), &store, &ImportOptions::default()).expect("an import");
    let trace = store.manifest().expect("a manifest").traces[0].clone();
    let states = store.folder(&trace).join("states.parquet");
    let engine = Engine::open(store, EngineOptions::default()).expect("an engine");
    let context = engine.context();
    let table = context.sql("SELECT start_tick, end_tick FROM states").await.expect("a query");
    let plan = forgetful(table.create_physical_plan().await.expect("a plan"));
    let right = collect(Arc::clone(&plan), context.task_ctx()).await.expect("rows");

    let content = fs::read(&states).expect("a file");
    let scans = CheckedScans::new(everything()).expect("nothing known yet");
    let checked = scans.applied(Arc::clone(&plan)).expect("a plan");
    assert_eq!(collect(checked, context.task_ctx()).await.expect("rows"), right);
    for place in (8..content.len()).step_by(97) {
        let mut flipped = content.clone();
        flipped[place] ^= 16;
        fs::write(&states, flipped).expect("a file");
        // An executor that has just started: nothing was read before.
        let checked =
            CheckedScans::new(everything()).and_then(|scans| scans.applied(Arc::clone(&plan))).expect("a plan");
        let error = collect(checked, context.task_ctx()).await.expect_err("a flipped byte").to_string();
        assert!(error.contains("states.parquet is damaged"), "{error}");
    }
    // What must not be read is not opened here: whether it is read is for the object stores to say.
    let is_changed = |changed: &Arc<dyn ExecutionPlan>| !Arc::ptr_eq(changed, &plan);
    let refused = CheckedScans::new(Box::new(|_| None)).and_then(|scans| scans.applied(Arc::clone(&plan)));
    assert!(!is_changed(&refused.expect("a plan")));
    let without_manifest =
        CheckedScans::new(Box::new(|path| path.ends_with("states.parquet").then(|| path.to_path_buf())));
    assert!(!is_changed(&without_manifest.and_then(|scans| scans.applied(Arc::clone(&plan))).expect("a plan")));
    let admitted = CheckedScans::new(everything()).and_then(|scans| scans.applied(Arc::clone(&plan)));
    assert!(is_changed(&admitted.expect("a plan")));
    fs::write(&states, content).expect("a file");
    // Files of no store are read as they are.
    fs::rename(folder.path().join("store/ocellus.json"), folder.path().join("aside")).expect("a file");
    let unchanged = CheckedScans::new(everything()).and_then(|scans| scans.applied(forgetful(plan))).expect("a plan");
    assert_eq!(collect(unchanged, context.task_ctx()).await.expect("rows"), right);
}
