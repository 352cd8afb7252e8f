//! Tests of `memory`.

use super::*;
use datafusion::execution::memory_pool::GreedyMemoryPool;

#[test]
fn a_query_has_its_limit_and_all_have_theirs() {
    let all: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(150));
    let query = || -> Arc<dyn MemoryPool> { Arc::new(QueryPool::new(100, 0, Arc::clone(&all))) };
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

#[test]
fn a_small_query_needs_nothing_of_the_memory_of_all() {
    let all: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(100));
    let query = || -> Arc<dyn MemoryPool> { Arc::new(QueryPool::new(200, 10, Arc::clone(&all))) };
    let (one, two) = (query(), query());
    let first = MemoryConsumer::new("first").register(&one);
    let second = MemoryConsumer::new("second").register(&two);
    first.try_grow(110).expect("all that there is, and the small part");
    assert_eq!((one.reserved(), all.reserved()), (110, 100));
    assert!(first.try_grow(1).is_err());
    second.try_grow(10).expect("its small part");
    assert!(second.try_grow(1).is_err());
    assert_eq!((one.reserved(), two.reserved(), all.reserved()), (110, 10, 100));
    first.shrink(105);
    assert_eq!((one.reserved(), all.reserved()), (5, 0));
    second.try_grow(1).expect("there is room again");
    assert_eq!((two.reserved(), all.reserved()), (11, 1));
    second.grow(200);
    assert_eq!((two.reserved(), all.reserved()), (211, 201));
    drop((first, second));
    assert_eq!((one.reserved(), two.reserved(), all.reserved()), (0, 0, 0));
}
