//! Who is compared with whom.

use std::collections::BTreeMap;

/// Members that a group of siblings needs to be compared.
pub(super) const LEAST_SIBLINGS: usize = 3;

/// The number of the group of each member, given their types and names: those of one type and of one name but for its
/// numbers, such as CPU1 and CPU2 but not CUDA0; of one type alone, where most of such groups would be too small.
pub(super) fn sibling_groups(members: &[(&str, &str)]) -> Vec<usize> {
    let by_name = numbered(members.iter().map(|(kind, name)| (*kind, stem(name))));
    let mut sizes = vec![0; members.len()];
    by_name.iter().for_each(|group| sizes[*group] += 1);
    let alone = by_name.iter().filter(|group| sizes[**group] < LEAST_SIBLINGS).count();
    if 2 * alone > members.len() {
        return numbered(members.iter().map(|(kind, _)| (*kind, String::new())));
    }
    by_name
}

fn stem(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// Numbers for keys, from 0 in the order in which they come.
fn numbered<'a>(keys: impl Iterator<Item = (&'a str, String)>) -> Vec<usize> {
    let mut known: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut groups = vec![];
    for key in keys {
        let next = known.len();
        groups.push(*known.entry(key).or_insert(next));
    }
    groups
}
