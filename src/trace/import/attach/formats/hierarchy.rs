//! A tree of machines from nested maps.
//!
//! ```text
//! node = text                                        a machine without a type
//!      | { name, [type], [children: list of node] }  other keys are ignored
//! ```

use std::collections::HashMap;

use super::item::{DescriptionFault, DescriptionItem, DescriptionValue};
use super::resources::{Hierarchy, HierarchyNode};

/// The tree that an item describes. A list at the top is a forest.
pub(super) fn of_item(item: &DescriptionItem) -> Result<Hierarchy, DescriptionFault> {
    let mut hierarchy = Hierarchy::default();
    let mut lines = HashMap::new();
    match &item.value {
        DescriptionValue::List(roots) => {
            roots.iter().try_for_each(|root| add(root, None, &mut hierarchy, &mut lines))?
        }
        _ => add(item, None, &mut hierarchy, &mut lines)?,
    }
    if hierarchy.nodes.is_empty() {
        return Err(DescriptionFault::at(item.line, "there is no machine in it"));
    }
    Ok(hierarchy)
}

fn add(
    item: &DescriptionItem,
    parent: Option<usize>,
    hierarchy: &mut Hierarchy,
    lines: &mut HashMap<String, usize>,
) -> Result<(), DescriptionFault> {
    let (name, kind, children) = match &item.value {
        DescriptionValue::Text(name) => (name.clone(), None, &[][..]),
        DescriptionValue::Map(entries) => (
            text(item, entries, "name")?.ok_or_else(|| DescriptionFault::at(item.line, "a node has no name"))?,
            text(item, entries, "type")?,
            children(entries)?,
        ),
        DescriptionValue::List(_) => {
            return Err(DescriptionFault::at(item.line, "a node is a name or a map, not a list"));
        }
    };
    if let Some(line) = lines.insert(name.clone(), item.line) {
        return Err(DescriptionFault::at(item.line, format!("{name} already exists, on line {line}")));
    }
    let place = hierarchy.nodes.len();
    hierarchy.nodes.push(HierarchyNode { name, kind, parent });
    children.iter().try_for_each(|child| add(child, Some(place), hierarchy, lines))
}

fn find<'a>(entries: &'a [(String, DescriptionItem)], key: &str) -> Option<&'a DescriptionItem> {
    entries.iter().find(|(name, _)| name == key).map(|(_, item)| item)
}

fn text(
    node: &DescriptionItem,
    entries: &[(String, DescriptionItem)],
    key: &str,
) -> Result<Option<String>, DescriptionFault> {
    match find(entries, key).map(|item| (&item.value, item.line)) {
        None => Ok(None),
        Some((DescriptionValue::Text(text), _)) if text.is_empty() => {
            Err(DescriptionFault::at(node.line, format!("the {key} is empty")))
        }
        Some((DescriptionValue::Text(text), _)) => Ok(Some(text.clone())),
        Some((_, line)) => Err(DescriptionFault::at(line, format!("{key} must be a text"))),
    }
}

fn children(entries: &[(String, DescriptionItem)]) -> Result<&[DescriptionItem], DescriptionFault> {
    match find(entries, "children").map(|item| (&item.value, item.line)) {
        None => Ok(&[]),
        Some((DescriptionValue::List(items), _)) => Ok(items),
        Some((_, line)) => Err(DescriptionFault::at(line, "children must be a list")),
    }
}
