//! Roll-ups against a walk up from every row, for any split into batches and workers.

use std::collections::BTreeMap;

use arrow::array::{Float64Array, Int64Array, StringViewArray};
use proptest::prelude::*;

use super::*;

type Row = (Option<i32>, Option<String>, Option<i64>, Option<f64>);

/// What a container, with a text, is worth: sum, least and most whole number, most broken one.
type Worth = (Option<i64>, Option<i64>, Option<i64>, Option<u64>);

fn rollup() -> Rollup {
    let whole = DataType::Int64;
    let of_whole = [MergeRule::Sum, MergeRule::Least, MergeRule::Most].map(|merge| (merge, whole.clone()));
    Rollup::new(1, &[of_whole.as_slice(), &[(MergeRule::Most, DataType::Float64)]].concat())
}

fn add(rollup: &mut Rollup, rows: &[Row], nodes: &[(i32, i32)]) {
    // A node has neither text nor measures.
    let of_nodes = nodes.iter().map(|(container, _)| (Some(*container), None, None, None));
    let all: Vec<Row> = rows.iter().cloned().chain(of_nodes).collect();
    let whole: ArrayRef = Arc::new(all.iter().map(|row| row.2).collect::<Int64Array>());
    let broken: ArrayRef = Arc::new(all.iter().map(|row| row.3).collect::<Float64Array>());
    let texts: ArrayRef = Arc::new(all.iter().map(|row| row.1.clone()).collect::<StringViewArray>());
    let containers: Int32Array = all.iter().map(|row| row.0).collect();
    let parents: Int32Array = rows.iter().map(|_| None).chain(nodes.iter().map(|node| Some(node.1))).collect();
    let measures = [Arc::clone(&whole), Arc::clone(&whole), whole, broken];
    rollup
        .add(RollupRows { containers: &containers, parents: &parents, measures: &measures, texts: &[texts] })
        .expect("rows");
}

fn worths(cells: &RollupCells) -> BTreeMap<(i32, Option<String>), Worth> {
    let whole =
        |measure: usize, row: usize| cells.measures[measure].as_primitive::<Int64Type>().iter().nth(row).flatten();
    let broken =
        |row: usize| cells.measures[3].as_primitive::<Float64Type>().iter().nth(row).flatten().map(f64::to_bits);
    let text = |row: usize| cells.texts[0].as_string_view().iter().nth(row).flatten().map(str::to_string);
    let worth = |row: usize| (whole(0, row), whole(1, row), whole(2, row), broken(row));
    (0..cells.containers.len()).map(|row| ((cells.containers.value(row), text(row)), worth(row))).collect()
}

/// Walks up from every row.
fn expected(rows: &[Row], parents: &[i32]) -> BTreeMap<(i32, Option<String>), Worth> {
    let mut worths: BTreeMap<_, Worth> = BTreeMap::new();
    for (container, text, whole, broken) in rows {
        let mut above = container.unwrap_or(-1);
        while let Some(parent) = usize::try_from(above).ok().and_then(|place| parents.get(place)) {
            let worth = worths.entry((above, text.clone())).or_default();
            if let Some(whole) = whole {
                worth.0 = Some(worth.0.unwrap_or(0).wrapping_add(*whole));
                worth.1 = Some(worth.1.map_or(*whole, |least| least.min(*whole)));
                worth.2 = Some(worth.2.map_or(*whole, |most| most.max(*whole)));
            }
            if let Some(broken) = broken {
                let before = worth.3.map(f64::from_bits);
                worth.3 = before.into_iter().chain([*broken]).max_by(f64::total_cmp).map(f64::to_bits);
            }
            above = *parent;
        }
    }
    worths
}

/// The parent of each container, which may come later than it.
fn trees() -> impl Strategy<Value = Vec<i32>> {
    (1..40_usize).prop_flat_map(|count| {
        let order = Just((0..count as i32).collect::<Vec<i32>>()).prop_shuffle();
        (order, prop::collection::vec(any::<prop::sample::Index>(), count)).prop_map(move |(order, picks)| {
            let mut parents = vec![ROOT; count];
            for (place, pick) in picks.iter().enumerate() {
                let above = pick.index(place + 1);
                parents[order[place] as usize] = if above == place { ROOT } else { order[above] };
            }
            parents
        })
    })
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let whole = prop_oneof![Just(None), (-9..9_i64).prop_map(Some), any::<i64>().prop_map(Some)];
    let quarters = (-9..9_i32).prop_map(|quarters| f64::from(quarters) / 4.0);
    let broken = prop::option::of(prop_oneof![5 => quarters, 1 => Just(f64::NAN), 1 => Just(f64::NEG_INFINITY)]);
    let long = Just("longer than what a view holds".to_string());
    let text = prop::option::of(prop_oneof![(0..3_u8).prop_map(|number| number.to_string()), long]);
    prop::collection::vec((prop::option::weighted(0.9, -2..45_i32), text, whole, broken), 0..200)
}

proptest! {
    #[test]
    fn equals_a_walk_up_from_every_row(
        parents in trees(),
        rows in rows(),
        cuts in prop::collection::vec(0..200_usize, 0..6),
        workers in 1..4_usize,
    ) {
        let nodes: Vec<(i32, i32)> = (0..).zip(parents.iter().copied()).collect();
        let mut bounds: Vec<usize> = cuts.iter().map(|cut| cut % (rows.len() + 1)).chain([0, rows.len()]).collect();
        bounds.sort_unstable();
        let mut parts: Vec<Rollup> = (0..workers).map(|_| rollup()).collect();
        for (number, pair) in bounds.windows(2).enumerate() {
            let here = if number == cuts.len() / 2 { nodes.as_slice() } else { &[] };
            add(&mut parts[number % workers], &rows[pair[0]..pair[1]], here);
        }
        let mut all = rollup();
        for part in &parts {
            let RollupCells { containers, parents, measures, texts } = &part.rows().expect("rows");
            all.add(RollupRows { containers, parents, measures, texts }).expect("rows");
        }
        all.roll_up();
        prop_assert_eq!(worths(&all.cells().expect("cells")), expected(&rows, &parents));
    }
}

#[test]
fn a_tree_without_rows_and_rows_without_a_tree_give_nothing() {
    let mut empty = rollup();
    add(&mut empty, &[], &[(0, ROOT), (1, 0)]);
    empty.roll_up();
    assert_eq!(empty.cells().expect("cells").containers.len(), 0);
    let mut treeless = rollup();
    add(&mut treeless, &[(Some(3), None, Some(1), None)], &[]);
    treeless.roll_up();
    assert_eq!(treeless.cells().expect("cells").containers.len(), 0);
}
