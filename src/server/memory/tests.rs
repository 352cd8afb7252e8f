//! Tests of `memory`.

use super::*;
use datafusion::execution::memory_pool::GreedyMemoryPool;

#[test]
fn a_query_has_its_limit_and_all_have_theirs() {
    let all: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(150));
    let query = || -> Arc<dyn MemoryPool> { Arc::new(QueryPool::new(100, Arc::clone(&all))) };
    let (one, two) = (query(), query());
    let first = MemoryConsumer::new("first").register(&one);
    let second = MemoryConsumer::new("second").register(&two);
    assert!(first.try_grow(101).is_err());
    first.try_grow(100).expect("within its limit");
    assert!(second.try_grow(60).is_err());
    assert_eq!((two.reserved(), all.reserved()), (0, 100));
    second.try_grow(50).expect("what is left");
    drop(first);
    assert_eq!((one.reserved(), all.reserved()), (0, 50));
    second.try_grow(50).expect("what the first gave back");
}
