//! Tests of `exec`.

use std::collections::BTreeMap;

use arrow::array::StringViewArray;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryPool, UnboundedMemoryPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr::expressions::col;
use datafusion::physical_plan::aggregates::{AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::common::collect;
use proptest::prelude::*;

use super::*;
use crate::functions::slices::slice_names::container_name;

/// Groups of five batches, each with a row of each of three containers.
fn names() -> DenseGroupByExec {
    let fields = [Field::new("container_id", DataType::Int32, true), Field::new("name", DataType::Utf8View, true)];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch = |number: i32| {
        let names = StringViewArray::from_iter_values((0..3).map(|id| format!("{id} in batch {number}")));
        let columns: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![0, 1, 2])), Arc::new(names)];
        RecordBatch::try_new(Arc::clone(&schema), columns).expect("a batch")
    };
    let batches: Vec<RecordBatch> = (0..5).map(batch).collect();
    let input = MemorySourceConfig::try_new_exec(&[batches], Arc::clone(&schema), None).expect("rows");
    let keys = PhysicalGroupBy::new_single(vec![(
        col("container_id", &schema).expect("a column"),
        "container_id".to_string(),
    )]);
    let function = AggregateExprBuilder::new(Arc::new(container_name()), vec![col("name", &schema).expect("a column")])
        .schema(Arc::clone(&schema))
        .alias("container")
        .build()
        .expect("a function");
    let mode = AggregateMode::Partial;
    let partial = AggregateExec::try_new(mode, keys, vec![Arc::new(function)], vec![None], input, schema);
    DenseGroupByExec::new(Arc::new(partial.expect("an aggregate")))
}

/// The rows that come out, and the least name of each container.
async fn collected(pool: Arc<dyn MemoryPool>) -> (usize, BTreeMap<i32, String>) {
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).build_arc().expect("a runtime");
    let context = Arc::new(TaskContext::default().with_runtime(runtime));
    let batches = collect(names().execute(0, context).expect("a stream")).await.expect("groups");
    let (mut rows, mut least) = (0, BTreeMap::new());
    for batch in batches {
        rows += batch.num_rows();
        let ids = batch.column(0).as_primitive::<Int32Type>();
        for (id, name) in ids.values().iter().zip(batch.column(1).as_string_view().iter()) {
            let name = name.expect("a name").to_string();
            let known = least.entry(*id).or_insert_with(|| name.clone());
            *known = name.min(known.clone());
        }
    }
    (rows, least)
}

#[tokio::test]
async fn groups_are_emitted_early_when_memory_is_refused() {
    let expected: BTreeMap<i32, String> = (0..3).map(|id| (id, format!("{id} in batch 0"))).collect();
    assert_eq!(collected(Arc::new(UnboundedMemoryPool::default())).await, (3, expected.clone()));
    // Nothing can be held: each batch comes out by itself.
    assert_eq!(collected(Arc::new(GreedyMemoryPool::new(1))).await, (15, expected));
}

proptest! {
    #[test]
    fn containers_are_numbered_as_a_list_of_them_would(
        batches in prop::collection::vec(
            prop::collection::vec(prop_oneof![4 => (0..50).prop_map(Some), 1 => any::<Option<i32>>()], 0..60), 0..5),
        is_nullable: bool,
    ) {
        let (mut containers, mut seen, mut groups) = (DenseKeys::default(), vec![], vec![]);
        for mut batch in batches {
            batch.retain(|id| is_nullable || id.is_some());
            containers.groups(&batch.iter().copied().collect(), &mut groups);
            let mut expected = vec![];
            for id in batch {
                expected.push(seen.iter().position(|known| *known == id).unwrap_or(seen.len()));
                if !seen.contains(&id) {
                    seen.push(id);
                }
            }
            prop_assert_eq!(&groups, &expected);
        }
        prop_assert_eq!(containers.ids, seen);
    }
}
