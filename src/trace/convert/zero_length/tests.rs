//! Tests of `zero_length`.

use proptest::prelude::*;

use super::StackRow::{Begins, Ends, Instant};
use super::StackStep::{Pop, Push};
use super::{StackRow, StackStep, steps};

#[test]
fn ends_instants_and_begins_take_turns() {
    let rows = [Ends, Instant { depth: 2 }, Instant { depth: 1 }, Begins { depth: 1 }];
    assert_eq!(steps(&rows, 2), [Pop, Push(2), Push(1), Pop, Pop, Push(3)]);
    // Inside what begins and ends later.
    let rows = [Instant { depth: 1 }, Begins { depth: 0 }];
    assert_eq!(steps(&rows, 0), [Push(1), Push(0), Pop]);
}

/// What a simulator would finish at one time: rows of random pushes and pops, those that stay open at the end.
fn finished(choices: &[bool], height: usize) -> (Vec<StackRow>, Vec<u32>) {
    let mut stack: Vec<bool> = vec![false; height];
    let mut rows = vec![];
    for push in choices {
        if *push {
            stack.push(true);
        } else if let Some(is_new) = stack.pop() {
            rows.push(if is_new { Instant { depth: stack.len() as u32 } } else { Ends });
        }
    }
    let open = (0_u32..).zip(&stack).filter(|(_, is_new)| **is_new).map(|(depth, _)| depth).collect();
    (rows, open)
}

proptest! {
    #[test]
    fn depths_are_those_of_the_rows(choices in prop::collection::vec(any::<bool>(), 0..40), height in 0..4_usize) {
        let (mut rows, open) = finished(&choices, height);
        let instants = rows.iter().filter(|row| **row != Ends).count();
        // Later rows: they are finished from the inside outwards.
        rows.extend(open.iter().rev().map(|depth| Begins { depth: *depth }));
        let mut depth = height as u32;
        let mut pushed = vec![];
        for step in steps(&rows, height as u32) {
            match step {
                StackStep::Push(row) => {
                    let expected = match rows[row] {
                        Instant { depth } | Begins { depth } => depth,
                        Ends => u32::MAX,
                    };
                    prop_assert_eq!(depth, expected);
                    pushed.push(row);
                    depth += 1;
                }
                StackStep::Pop => {
                    prop_assert!(depth > 0);
                    depth -= 1;
                }
            }
        }
        pushed.sort_unstable();
        pushed.dedup();
        prop_assert_eq!(pushed.len(), instants + open.len());
    }
}
