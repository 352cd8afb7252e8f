//! Windows over whole partitions are those of the operator that holds all rows, however batches are cut.

use arrow::array::{Float64Array, Int32Array, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::tree_node::TreeNode;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::collect;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::*;

/// Rows with two keys, of which some are NULL, and a number, in batches of some rows each.
fn batches(rows: usize, keys: usize, rows_of_batch: usize) -> Vec<RecordBatch> {
    let fields = [
        Field::new("name", DataType::Utf8, true),
        Field::new("number", DataType::Int32, true),
        Field::new("x", DataType::Float64, false),
    ];
    let key = |row: usize| (row * 7 + row * row % 5) % keys;
    let names: StringArray = (0..rows).map(|row| (key(row) % 4 != 0).then(|| format!("n{}", key(row)))).collect();
    let numbers: Int32Array = (0..rows).map(|row| (row % 3 != 0).then_some((row % 3) as i32)).collect();
    let x = Float64Array::from_iter_values((0..rows).map(|row| row as f64));
    let columns: Vec<ArrayRef> = vec![Arc::new(names), Arc::new(numbers), Arc::new(x)];
    let all = RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), columns).expect("a batch");
    let cuts = (0..rows).step_by(rows_of_batch);
    cuts.map(|from| all.slice(from, rows_of_batch.min(rows - from))).collect()
}

/// The window operator of a plan.
fn window_of(plan: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let mut found = None;
    plan.apply(|node| {
        if node.downcast_ref::<WindowAggExec>().is_some() {
            found = Some(Arc::clone(node));
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .expect("a walk");
    found.expect("a plan with a window")
}

#[tokio::test]
async fn partitions_one_by_one() {
    const WINDOWS: [&str; 3] = [
        "sum(x) OVER (PARTITION BY name, number), count(*) OVER (PARTITION BY name, number)",
        "max(x) OVER (PARTITION BY name) - x, ntile(3) OVER (PARTITION BY name ORDER BY x)",
        "avg(x) OVER (PARTITION BY number % 2)",
    ];
    for windows in WINDOWS {
        for (rows, keys, rows_of_batch, batch_size) in
            [(500, 7, 64, 16), (500, 1, 50, 8), (500, 200, 500, 3), (300, 40, 7, 1), (1, 1, 1, 1), (0, 1, 1, 1)]
        {
            let config = SessionConfig::new().with_target_partitions(2).with_batch_size(batch_size);
            let context = SessionContext::new_with_config(config);
            let batches = batches(rows.max(1), keys, rows_of_batch);
            let table = MemTable::try_new(batches[0].schema(), vec![batches]).expect("a table");
            context.register_table("t", Arc::new(table)).expect("it is registered");
            let sql = format!("SELECT *, {windows} FROM t WHERE x < {rows}");
            let plan = context.sql(&sql).await.expect("a query").create_physical_plan().await.expect("a plan");
            let plain = window_of(&plan);
            let window = plain.downcast_ref::<WindowAggExec>().expect("a window");
            // A plan runs once.
            let input = reset_plan_states(Arc::clone(window.input())).expect("another plan");
            let ours = PartitionWindowAggExec::try_new(window, input).expect("it is made");
            let ours: Arc<dyn ExecutionPlan> = Arc::new(ours.expect("it has partitions"));
            let expected = collect(Arc::clone(&plain), context.task_ctx()).await.expect("rows");
            let found = collect(ours, context.task_ctx()).await.expect("rows");
            let told = |rows: &[RecordBatch]| {
                let mut lines: Vec<String> = rows
                    .iter()
                    .flat_map(|batch| (0..batch.num_rows()).map(|row| format!("{:?}", batch.slice(row, 1).columns())))
                    .collect();
                lines.sort_unstable();
                lines
            };
            assert_eq!(told(&found), told(&expected), "{windows}: {rows} rows in batches of {rows_of_batch}");
        }
    }
}

#[tokio::test]
async fn one_partition_of_all_rows_stays_as_it_is() {
    let context = SessionContext::new();
    let plan = context.sql("SELECT count(*) OVER () FROM range(0, 5)").await.expect("a query");
    let plan = window_of(&plan.create_physical_plan().await.expect("a plan"));
    let window = plan.downcast_ref::<WindowAggExec>().expect("a window");
    assert!(PartitionWindowAggExec::try_new(window, Arc::clone(window.input())).expect("it is asked").is_none());
}
