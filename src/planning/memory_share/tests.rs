//! Tests of `memory_share`.

use std::sync::Arc;

use super::*;

const LIMIT: usize = 24 << 20;

fn pool() -> Arc<dyn MemoryPool> {
    Arc::new(MemoryShare::new(LIMIT))
}

fn spilling(pool: &Arc<dyn MemoryPool>) -> MemoryReservation {
    MemoryConsumer::new("sort").with_can_spill(true).register(pool)
}

#[test]
fn many_that_hold_nothing_leave_room_for_one() {
    let pool = pool();
    let idle: Vec<MemoryReservation> = (0..99).map(|_| spilling(&pool)).collect();
    let sort = spilling(&pool);
    let share = LIMIT / (idle.len() + 1);
    sort.try_grow(2 * share).expect("a batch that is larger than a share");
    sort.try_grow(LITTLE - 2 * share).expect("it still holds little");
    assert!(sort.try_grow(1).is_err(), "now it has something to write to disk");
    sort.free();
    sort.try_grow(LIMIT / 2).expect("a batch that is larger than little, of one who holds nothing");
    assert!(sort.try_grow(1).is_err());
    assert_eq!(pool.reserved(), LIMIT / 2);
}

#[test]
fn the_limit_is_one() {
    let pool = pool();
    let (first, second) = (spilling(&pool), spilling(&pool));
    assert!(first.try_grow(LIMIT + 1).is_err());
    first.try_grow(LIMIT).expect("all that there is");
    // Its share is its own, as ever.
    second.try_grow(LIMIT / 2).expect("a share");
    assert!(second.try_grow(1).is_err());
    let fixed = MemoryConsumer::new("table").register(&pool);
    assert!(fixed.try_grow(1).is_err());
    drop((first, second));
    assert_eq!(pool.reserved(), 0);
    fixed.try_grow(LIMIT).expect("all that there is");
    let third = spilling(&pool);
    assert!(third.try_grow(1).is_err(), "nothing is free");
}
