//! Names of containers that differ from each other.
//!
//! Pictures, matrices and GROUP BY show containers by name. Where a format gives one name to many of them, its
//! reader makes the names different and keeps the plain one in the column [`PLAIN_NAME`].

#[cfg(test)]
mod tests;

use std::hash::Hash;

use hashbrown::{HashMap, HashSet};

/// The column of containers that holds the name as the trace writes it.
pub const PLAIN_NAME: &str = "plain_name";

/// The names that are given several times.
pub(super) fn repeated<N: Hash + Eq + Clone>(names: impl IntoIterator<Item = N>) -> HashSet<N> {
    let mut seen = HashSet::new();
    let mut repeated = HashSet::new();
    for name in names {
        if !seen.insert(name.clone()) {
            repeated.insert(name);
        }
    }
    repeated
}

/// Numbers the second and later bearers of a name: `a`, `a #2`, `a #3`.
pub(super) fn number<'a>(names: impl IntoIterator<Item = &'a mut String>) {
    let mut names: Vec<&mut String> = names.into_iter().collect();
    let mut taken: HashSet<String> = names.iter().map(|name| name.to_string()).collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in &mut names {
        let count = seen.entry(name.to_string()).or_default();
        *count += 1;
        while *count > 1 {
            let numbered = format!("{name} #{count}");
            if taken.insert(numbered.clone()) {
                **name = numbered;
                break;
            }
            *count += 1;
        }
    }
}
