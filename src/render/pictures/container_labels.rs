//! Labels of containers whose names repeat; pictures show them in place of the names.
//!
//! A label is the shortest end of the path that no other container has; where whole paths are equal, the alias follows.
//!
//! ```text
//!  site/a/main, site/b/main           ─► a/main, b/main
//!  job/worker (w1), job/worker (w2)   ─► worker (w1), worker (w2)
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::query_rows::QueryRows;
use ocellus_trace::error::Result;

/// Containers whose names are not unique.
pub(super) const REPEATED: &str = "SELECT container_id, name, path, alias FROM containers WHERE name IN \
                                   (SELECT name FROM containers GROUP BY name HAVING count(*) > 1)";

/// A container by its id, its name and its label.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LabeledContainer {
    name: String,
    label: String,
}

/// The labels of containers whose names repeat, by id.
#[derive(Debug, Default)]
pub struct ContainerLabels(BTreeMap<i64, LabeledContainer>);

impl ContainerLabels {
    /// Labels for the rows of [`REPEATED`].
    pub fn read(rows: &QueryRows) -> Result<ContainerLabels> {
        let ids = rows.numbers("container_id")?;
        let (names, paths, aliases) = (rows.texts("name")?, rows.texts("path")?, rows.texts("alias")?);
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, name) in names.iter().enumerate() {
            groups.entry(name).or_default().push(row);
        }
        let mut labels = BTreeMap::new();
        for (name, members) in groups {
            let paths: Vec<&str> = members.iter().map(|row| paths[*row].as_str()).collect();
            let aliases: Vec<&str> = members.iter().map(|row| aliases[*row].as_str()).collect();
            for (row, label) in members.iter().zip(distinct(name, &paths, &aliases)) {
                labels.insert(ids[*row] as i64, LabeledContainer { name: name.to_string(), label });
            }
        }
        Ok(ContainerLabels(labels))
    }

    /// The column of ids that belongs to a column of names.
    pub fn id_column(column: &str) -> Option<&'static str> {
        match column {
            "container" => Some("container_id"),
            "source" => Some("source_id"),
            "target" => Some("target_id"),
            "ancestor" => Some("ancestor_id"),
            "node" => Some("node_id"),
            _ => None,
        }
    }

    /// The label of a container. `None` when its name is unique, and for an id of something else, such as a machine.
    pub fn of(&self, id: f64, name: &str) -> Option<&str> {
        let container = self.0.get(&(id as i64)).filter(|container| id.is_finite() && container.name == name)?;
        Some(&container.label)
    }

    /// Whether all names are unique.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Labels for containers of one name, in their order.
fn distinct(name: &str, paths: &[&str], aliases: &[&str]) -> Vec<String> {
    let prefixes: Vec<Vec<&str>> = paths.iter().map(|path| above(path, name)).collect();
    let deepest = prefixes.iter().map(Vec::len).max().unwrap_or(0);
    let mut labels: Vec<Option<String>> = vec![None; paths.len()];
    for depth in 1..=deepest {
        let ends: Vec<&[&str]> = prefixes.iter().map(|prefix| &prefix[prefix.len().saturating_sub(depth)..]).collect();
        let mut counts: BTreeMap<&[&str], usize> = BTreeMap::new();
        for end in &ends {
            *counts.entry(end).or_default() += 1;
        }
        for (label, end) in labels.iter_mut().zip(&ends) {
            if label.is_none() && counts[end] == 1 && !end.is_empty() {
                *label = Some(format!("{}/{name}", end.join("/")));
            }
        }
    }
    labels.into_iter().zip(aliases).map(|(label, alias)| label.unwrap_or_else(|| format!("{name} ({alias})"))).collect()
}

/// The names of the containers above one, from the root down.
fn above<'a>(path: &'a str, name: &str) -> Vec<&'a str> {
    match path.strip_suffix(name).and_then(|above| above.strip_suffix('/')) {
        Some(above) => above.split('/').collect(),
        None => vec![],
    }
}
