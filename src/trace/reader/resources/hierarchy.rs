//! A tree of machines from nested maps.
//!
//! ```text
//! node = text                                        a machine without a type
//!      | { name, [type], [children: list of node] }  other keys are ignored
//! ```

use std::collections::HashMap;

use super::{Fault, Hierarchy, HierarchyNode, Item, Value};

/// The tree that an item describes. A list at the top is a forest.
pub(super) fn of_item(item: &Item) -> Result<Hierarchy, Fault> {
    let mut hierarchy = Hierarchy::default();
    let mut lines = HashMap::new();
    match &item.value {
        Value::List(roots) => roots.iter().try_for_each(|root| add(root, None, &mut hierarchy, &mut lines))?,
        _ => add(item, None, &mut hierarchy, &mut lines)?,
    }
    if hierarchy.nodes.is_empty() {
        return Err(Fault::at(item.line, "there is no machine in it"));
    }
    Ok(hierarchy)
}

fn add(
    item: &Item,
    parent: Option<usize>,
    hierarchy: &mut Hierarchy,
    lines: &mut HashMap<String, usize>,
) -> Result<(), Fault> {
    let (name, kind, children) = match &item.value {
        Value::Text(name) => (name.clone(), None, &[][..]),
        Value::Map(entries) => (
            text(item, entries, "name")?.ok_or_else(|| Fault::at(item.line, "a node has no name"))?,
            text(item, entries, "type")?,
            children(entries)?,
        ),
        Value::List(_) => return Err(Fault::at(item.line, "a node is a name or a map, not a list")),
    };
    if let Some(line) = lines.insert(name.clone(), item.line) {
        return Err(Fault::at(item.line, format!("{name} is there already, on line {line}")));
    }
    let place = hierarchy.nodes.len();
    hierarchy.nodes.push(HierarchyNode { name, kind, parent });
    children.iter().try_for_each(|child| add(child, Some(place), hierarchy, lines))
}

fn find<'a>(entries: &'a [(String, Item)], key: &str) -> Option<&'a Item> {
    entries.iter().find(|(name, _)| name == key).map(|(_, item)| item)
}

fn text(node: &Item, entries: &[(String, Item)], key: &str) -> Result<Option<String>, Fault> {
    match find(entries, key).map(|item| (&item.value, item.line)) {
        None => Ok(None),
        Some((Value::Text(text), _)) if text.is_empty() => Err(Fault::at(node.line, format!("the {key} is empty"))),
        Some((Value::Text(text), _)) => Ok(Some(text.clone())),
        Some((_, line)) => Err(Fault::at(line, format!("{key} must be a text"))),
    }
}

fn children(entries: &[(String, Item)]) -> Result<&[Item], Fault> {
    match find(entries, "children").map(|item| (&item.value, item.line)) {
        None => Ok(&[]),
        Some((Value::List(items), _)) => Ok(items),
        Some((_, line)) => Err(Fault::at(line, "children must be a list")),
    }
}
