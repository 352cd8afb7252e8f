//! Which machine a container ran on.
//!
//! A container that names no machine itself runs on that of the nearest container above it that does.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use arrow::array::{Array, AsArray, BooleanArray, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use regex::Regex;

use crate::error::{Error, Result};
use crate::store::{Store, TraceEntry};

/// How a container names its machine.
#[derive(Debug, Clone)]
pub enum MachineMap {
    /// Its name or alias is that of the machine.
    Name,
    /// The first group of the expression, or else all that it matches, in the name or path of the container.
    Expression(Regex),
    /// A table of containers, by name, path or alias, and their machines.
    Table(HashMap<String, String>),
}

impl MachineMap {
    /// Reads `name`, `regex:EXPRESSION` or `table:FILE.csv`.
    pub fn parse(text: &str) -> Result<MachineMap> {
        match text.split_once(':') {
            None if text == "name" => Ok(MachineMap::Name),
            Some(("regex", expression)) => match Regex::new(expression) {
                Ok(expression) => Ok(MachineMap::Expression(expression)),
                Err(error) => Err(Error::Usage(format!("--map regex: {error}"))),
            },
            Some(("table", path)) => read_table(Path::new(path)),
            _ => Err(Error::Usage(format!("--map is name, regex:EXPRESSION or table:FILE.csv, got {text}"))),
        }
    }

    fn machine<'a>(&'a self, container: &MatchedContainer<'a>) -> Option<&'a str> {
        match self {
            MachineMap::Name => Some(container.name),
            MachineMap::Expression(expression) => {
                let captures = expression.captures(container.name).or_else(|| expression.captures(container.path))?;
                captures.get(1).or(captures.get(0)).map(|found| found.as_str())
            }
            MachineMap::Table(machines) => {
                let keys = [Some(container.path), Some(container.name), container.alias];
                keys.into_iter().flatten().find_map(|key| machines.get(key)).map(String::as_str)
            }
        }
    }
}

/// Lines of a container and its machine, with a comma between them; a first line `container,machine` is a title.
fn read_table(path: &Path) -> Result<MachineMap> {
    let text = fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    let mut machines = HashMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((container, machine)) = line.rsplit_once(',') else {
            let message = format!("{}:{}: expected container,machine, got '{line}'", path.display(), index + 1);
            return Err(Error::Usage(message));
        };
        let plain = |text: &str| text.trim().trim_matches('"').to_string();
        if index > 0 || plain(container) != "container" {
            machines.insert(plain(container), plain(machine));
        }
    }
    Ok(MachineMap::Table(machines))
}

/// What a machine is found by.
struct MatchedContainer<'a> {
    name: &'a str,
    alias: Option<&'a str>,
    path: &'a str,
}

/// The containers of a trace; a parent comes before its children.
#[derive(Debug)]
pub(super) struct TraceContainers {
    pub(super) ids: Int32Array,
    pub(super) names: StringArray,
    aliases: StringArray,
    paths: StringArray,
    parents: Int32Array,
    leaves: BooleanArray,
}

impl TraceContainers {
    pub(super) fn read(store: &Store, entry: &TraceEntry) -> Result<TraceContainers> {
        let rows = match store.read_table(entry, "containers")? {
            Some(rows) => rows,
            None => return Err(Error::Store(format!("the trace {} has no containers", entry.name))),
        };
        let text = |name: &str| column(&rows, name).map(|column| column.as_string::<i32>().clone());
        let integer = |name: &str| column(&rows, name).map(|column| column.as_primitive::<Int32Type>().clone());
        Ok(TraceContainers {
            ids: integer("container_id")?,
            names: text("name")?,
            aliases: text("alias")?,
            paths: text("path")?,
            parents: integer("parent_id")?,
            leaves: column(&rows, "is_leaf")?.as_boolean().clone(),
        })
    }

    /// The machine of each container, if it is one of those that are known.
    pub(super) fn machines<'a>(&'a self, map: &'a MachineMap, known: &'a BTreeSet<String>) -> Vec<Option<&'a str>> {
        let places: HashMap<i32, usize> =
            self.ids.values().iter().enumerate().map(|(place, id)| (*id, place)).collect();
        let mut found: Vec<Option<&str>> = vec![];
        for place in 0..self.ids.len() {
            let container = MatchedContainer {
                name: self.names.value(place),
                alias: self.aliases.is_valid(place).then(|| self.aliases.value(place)),
                path: self.paths.value(place),
            };
            let mut own = map.machine(&container).filter(|machine| known.contains(*machine));
            if matches!(map, MachineMap::Name) {
                own = own.or(container.alias.filter(|alias| known.contains(*alias)));
            }
            let parent = self.parents.is_valid(place).then(|| places.get(&self.parents.value(place)).copied());
            let above = parent.flatten().and_then(|parent| found.get(parent).copied().flatten());
            found.push(own.or(above));
        }
        found
    }

    /// Paths of the leaves that have no machine.
    pub(super) fn unmatched(&self, found: &[Option<&str>]) -> Vec<&str> {
        let is_lost = |place: &usize| self.leaves.value(*place) && found[*place].is_none();
        (0..self.ids.len()).filter(is_lost).map(|place| self.paths.value(place)).collect()
    }
}

fn column<'a>(rows: &'a RecordBatch, name: &str) -> Result<&'a arrow::array::ArrayRef> {
    rows.column_by_name(name).ok_or_else(|| Error::Internal(format!("containers have no column {name}")))
}
