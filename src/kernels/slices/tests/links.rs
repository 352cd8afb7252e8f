//! Links against a slow twin.

use std::collections::BTreeSet;

use super::super::events::LastInstant;
use super::super::links::{Boundary, Link, LinkPart, LinkSlice, LinkSlices};
use super::*;

fn links(slicing: Slicing) -> impl Strategy<Value = Vec<Link>> {
    let volume = prop::option::of((-1000_i32..1000).prop_map(f64::from));
    let link = (ticks(slicing), ticks(slicing), any::<bool>(), volume, prop::option::of(0_i64..4));
    let link = link.prop_map(|(start, end, is_short, volume, partner)| Link {
        start,
        end: if is_short { start } else { end },
        volume,
        partner,
    });
    prop::collection::vec(link, 0..30)
}

fn with_links() -> impl Strategy<Value = (Slicing, Vec<Link>)> {
    slicings().prop_flat_map(|slicing| (Just(slicing), links(slicing)))
}

fn store(slicing: Slicing, rows: &[Link], rules: (Boundary, LastInstant)) -> (LinkSlices, u32) {
    let mut links = LinkSlices::new(slicing);
    links.add_series();
    let series = links.add_series();
    for link in rows {
        if let Some(part) = LinkPart::of(&slicing, *link, rules.0, rules.1) {
            links.add(series, part);
        }
    }
    links.tidy();
    (links, series)
}

fn measured(links: &mut LinkSlices, series: u32) -> Vec<(u32, LinkSlice)> {
    let mut given = vec![];
    links.measures(series, &mut |slice, measure| given.push((slice, measure)));
    given
}

/// Each slice by itself.
fn slow(slicing: &Slicing, rows: &[Link], (boundary, last_instant): (Boundary, LastInstant)) -> Vec<(u32, LinkSlice)> {
    let n = i128::from(slicing.slices());
    let length = i128::from(slicing.length());
    let mut given = vec![];
    for slice in asked(slicing) {
        let begin = i128::from(slicing.start()) * n + i128::from(slice) * length;
        let is_last = slice + 1 == slicing.slices() && last_instant == LastInstant::Within;
        let mut measure = LinkSlice::default();
        let mut partners = BTreeSet::new();
        for link in rows {
            let (start, end) = (i128::from(link.start) * n, i128::from(link.end) * n);
            let starts = (begin..begin + length).contains(&start) || is_last && start == begin + length && start == end;
            let shared = overlap(slicing, slice, link.start, link.end);
            let counts = match boundary {
                Boundary::Inside => starts && start <= end && end <= begin + length,
                Boundary::Clip => shared > 0 || starts && start == end,
            };
            if !counts {
                continue;
            }
            measure.links += 1;
            partners.extend(link.partner);
            measure.seconds += slicing.seconds(shared);
            let volume = link.volume.unwrap_or(0.0);
            let share = if start == end { 1.0 } else { shared as f64 / (end - start) as f64 };
            measure.volume += volume * share;
            measure.weighted += volume * shared as f64 / length as f64;
            if start < end {
                measure.throughput += volume / ((link.end - link.start) as f64 / slicing.per_second() as f64);
            }
        }
        measure.partners = partners.len() as i64;
        if measure.links > 0 {
            given.push((slice, measure));
        }
    }
    given
}

fn near(one: f64, other: f64, largest: f64) -> bool {
    (one - other).abs() <= 1e-9 * largest
}

fn agree(given: &[(u32, LinkSlice)], expected: &[(u32, LinkSlice)], slicing: &Slicing) -> bool {
    given.len() == expected.len()
        && given.iter().zip(expected).all(|((slice, one), (other_slice, other))| {
            (slice, one.links, one.partners) == (other_slice, other.links, other.partners)
                && near(one.seconds, other.seconds, other.seconds)
                && near(one.volume, other.volume, 30_000.0)
                && near(one.weighted, other.weighted, 30_000.0)
                && near(one.throughput, other.throughput, 30_000.0 * slicing.per_second() as f64)
        })
}

fn rules() -> impl Strategy<Value = (Boundary, LastInstant)> {
    let boundary = prop_oneof![Just(Boundary::Inside), Just(Boundary::Clip)];
    (boundary, prop_oneof![Just(LastInstant::Within), Just(LastInstant::Outside)])
}

proptest! {
    #[test]
    fn links_agree_with_each_slice_by_itself((slicing, rows) in with_links(), rules in rules()) {
        let (mut links, series) = store(slicing, &rows, rules);
        let (given, expected) = (measured(&mut links, series), slow(&slicing, &rows, rules));
        prop_assert!(agree(&given, &expected, &slicing), "{:?} against {:?}", given, expected);
    }

    #[test]
    fn any_split_of_links_gives_the_same(
        (slicing, rows) in with_links(), rules in rules(), at in any::<prop::sample::Index>()
    ) {
        let at = at.index(rows.len() + 1);
        let mut joined = LinkSlices::new(slicing);
        let series = joined.add_series();
        for part in [&rows[at..], &rows[..at]] {
            let (piece, piece_series) = store(slicing, part, rules);
            let mut bytes = vec![];
            piece.write(piece_series, &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(joined.read(series, &mut rest), Some(()));
            prop_assert!(rest.is_empty());
        }
        joined.tidy();
        let (given, expected) = (measured(&mut joined, series), slow(&slicing, &rows, rules));
        prop_assert!(agree(&given, &expected, &slicing), "{:?} against {:?}", given, expected);
    }
}

#[test]
fn many_links_of_few_partners_take_little_room() {
    let slicing = Slicing::new(0, 1000, 10, 1).expect("a window");
    let rows: Vec<Link> = (0..100_000)
        .map(|row| Link { start: row % 1000, end: row % 1000, volume: None, partner: Some(row % 3) })
        .collect();
    let (mut links, series) = store(slicing, &rows, (Boundary::Inside, LastInstant::Outside));
    assert!(links.size() < 200_000, "{}", links.size());
    let given = measured(&mut links, series);
    assert_eq!(given.len(), 10);
    assert!(given.iter().all(|(_, measure)| (measure.links, measure.partners) == (10_000, 3)));
}
