//! Who is compared with whom: containers of one type and name that do the same kind of work.

use std::collections::BTreeMap;

/// Members that a group of siblings needs to be compared.
pub(super) const LEAST_SIBLINGS: usize = 3;

/// Who may be compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SiblingGroups {
    /// The number of the group of each member.
    pub(super) groups: Vec<usize>,
    /// Whether those of a group have one name but for its numbers.
    pub(super) have_one_name: bool,
}

/// The number of the group of each member, given their types and names: those of one type and of one name but for its
/// numbers, such as CPU1 and CPU2 but not CUDA0; of one type alone, where most of such groups would be too small.
pub(super) fn sibling_groups(members: &[(&str, &str)]) -> SiblingGroups {
    let by_name = numbered(members.iter().map(|(kind, name)| (*kind, stem(name))));
    let mut sizes = vec![0; members.len()];
    by_name.iter().for_each(|group| sizes[*group] += 1);
    let alone = by_name.iter().filter(|group| sizes[**group] < LEAST_SIBLINGS).count();
    if 2 * alone > members.len() {
        let groups = numbered(members.iter().map(|(kind, _)| (*kind, String::new())));
        return SiblingGroups { groups, have_one_name: false };
    }
    SiblingGroups { groups: by_name, have_one_name: true }
}

/// Part of their computation that two members share at least, value by value, if they do the same kind of work.
const ALIKE: f64 = 0.5;

/// Kinds of work that are told apart at most; who does none of them is compared with nobody.
const MOST_KINDS: usize = 64;

/// Groups again, in which members do the same kind of work: of the computation of a member, its parts by value are compared with
/// those of the first of each kind, and what both have in common is at least a half. One that is slower in one of two equal
/// values, even ten times, still has half in common; one with a role of its own does not. Where members have neither one name nor more
/// than one value of computation, such as threads of which only is known that they run, nothing says that they do
/// the same, and each is alone. `profiles` are seconds by value; members that compute nothing stay with their group.
pub(super) fn alike_groups(siblings: &SiblingGroups, profiles: &[BTreeMap<usize, f64>]) -> Vec<usize> {
    let groups = &siblings.groups;
    let mut known: Vec<(usize, &BTreeMap<usize, f64>)> = vec![];
    let mut empty: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found = vec![0; groups.len()];
    let nothing = BTreeMap::new();
    for (member, group) in groups.iter().enumerate() {
        let profile = &profiles[member];
        if profile.values().sum::<f64>() <= 0.0 {
            found[member] = *empty.entry(*group).or_insert_with(|| {
                known.push((usize::MAX, &nothing));
                known.len() - 1
            });
            continue;
        }
        let says_enough = siblings.have_one_name || profile.len() > 1;
        let fits = |(known, other): &(usize, &BTreeMap<usize, f64>)| {
            says_enough && known == group && common(profile, other) >= ALIKE
        };
        found[member] = known.iter().take(MOST_KINDS).position(fits).unwrap_or_else(|| {
            known.push((*group, profile));
            known.len() - 1
        });
    }
    found
}

/// The part that two profiles have in common.
fn common(one: &BTreeMap<usize, f64>, other: &BTreeMap<usize, f64>) -> f64 {
    let [whole, rest] = [one, other].map(|profile| profile.values().sum::<f64>());
    one.iter().map(|(value, seconds)| (seconds / whole).min(other.get(value).copied().unwrap_or(0.0) / rest)).sum()
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
