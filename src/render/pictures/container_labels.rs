//! Labels of containers whose names repeat; pictures show them in place of the names.
//!
//! A label is the shortest end of the path that is unique among paths; where several containers have one path, the alias
//! follows.
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
    let mut bearers: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for path in paths {
        *bearers.entry(above(path, name)).or_default() += 1;
    }
    // How many places end so.
    let mut ends: BTreeMap<&[&str], usize> = BTreeMap::new();
    for place in bearers.keys() {
        for first in 0..place.len() {
            *ends.entry(&place[first..]).or_default() += 1;
        }
    }
    let label = |(path, alias): (&&str, &&str)| {
        let place = above(path, name);
        let shortest = (0..place.len()).rev().find(|first| ends[&place[*first..]] == 1).unwrap_or(0);
        let end = if bearers.len() == 1 { &[] } else { &place[shortest..] };
        let label = end.iter().chain([&name]).copied().collect::<Vec<&str>>().join("/");
        if bearers[&place] == 1 { label } else { format!("{label} ({alias})") }
    };
    paths.iter().zip(aliases).map(label).collect()
}

/// The names of the containers above one, from the root down.
fn above<'a>(path: &'a str, name: &str) -> Vec<&'a str> {
    match path.strip_suffix(name).and_then(|above| above.strip_suffix('/')) {
        Some(above) => above.split('/').collect(),
        None => vec![],
    }
}
