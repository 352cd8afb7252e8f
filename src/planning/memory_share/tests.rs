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
fn half_is_left_for_shares_and_for_those_who_have_none() {
    let pool = pool();
    let idle: Vec<MemoryReservation> = (0..9).map(|_| spilling(&pool)).collect();
    let sorts: Vec<MemoryReservation> = (0..3).map(|_| spilling(&pool)).collect();
    assert!(sorts[0].try_grow(LIMIT / 2 + 1).is_err());
    // Three times little is half of the limit.
    sorts.iter().for_each(|sort| sort.try_grow(LITTLE).expect("little"));
    assert!(idle[0].try_grow(LIMIT / 12 + 1).is_err(), "more than its share");
    idle[0].try_grow(LIMIT / 12).expect("its share");
    let merge = MemoryConsumer::new("merge").register(&pool);
    merge.try_grow(LIMIT / 2 - LIMIT / 12).expect("what is left");
    assert!(merge.try_grow(1).is_err());
    drop((sorts, idle));
    merge.try_grow(LIMIT / 2).expect("what was given back");
}
