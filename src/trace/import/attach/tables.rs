//! The rows of attached tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow::compute::{concat, filter_record_batch};

use super::formats::{Hierarchy, Topology};
use super::machines::TraceContainers;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::schema::{self, ColumnType, ExtraColumn};
use crate::store::NewTable;

/// How many names a message lists.
const LISTED: usize = 5;

fn integers(values: impl Iterator<Item = usize>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values.map(|value| value as i32)))
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

pub(super) fn topology_nodes(topology: &Topology) -> NewTable {
    let nodes = &topology.nodes;
    let attributes: Vec<_> = nodes.iter().map(|node| &node.attributes).collect();
    with_attributes(
        "topology_nodes",
        vec![integers(0..nodes.len()), texts(nodes.iter().map(|node| node.name.as_str()))],
        &attributes,
    )
}

pub(super) fn topology_edges(topology: &Topology) -> NewTable {
    let edges = &topology.edges;
    let name = |node: usize| topology.nodes[node].name.as_str();
    let attributes: Vec<_> = edges.iter().map(|edge| &edge.attributes).collect();
    let columns: Vec<ArrayRef> = vec![
        integers(0..edges.len()),
        integers(edges.iter().map(|edge| edge.source)),
        texts(edges.iter().map(|edge| name(edge.source))),
        integers(edges.iter().map(|edge| edge.target)),
        texts(edges.iter().map(|edge| name(edge.target))),
        Arc::new(BooleanArray::from_iter(edges.iter().map(|edge| Some(edge.is_directed)))),
        Arc::new(Float64Array::from_iter(edges.iter().map(|edge| edge.bandwidth))),
        Arc::new(Float64Array::from_iter(edges.iter().map(|edge| edge.latency))),
    ];
    with_attributes("topology_edges", columns, &attributes)
}

/// Adds a column of text for each attribute.
fn with_attributes(table: &'static str, mut columns: Vec<ArrayRef>, rows: &[&BTreeMap<String, String>]) -> NewTable {
    // Attributes whose names differ only in case or signs share a column.
    let mut names: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for attribute in rows.iter().flat_map(|row| row.keys()) {
        let spellings = names.entry(column_name(table, attribute)).or_default();
        if !spellings.contains(&attribute) {
            spellings.push(attribute);
        }
    }
    let mut extra_columns = vec![];
    for (name, spellings) in names {
        let value = |row: &&BTreeMap<String, String>| spellings.iter().find_map(|spelling| row.get(*spelling).cloned());
        columns.push(Arc::new(StringArray::from_iter(rows.iter().map(value))));
        extra_columns.push(ExtraColumn {
            name,
            kind: ColumnType::Text,
            doc: "An attribute of the DOT file.".to_string(),
        });
    }
    NewTable { name: table, extra_columns, columns }
}

/// A name in snake_case that no column of the table has.
fn column_name(table: &str, attribute: &str) -> String {
    let plain: String =
        attribute.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let is_taken = schema::table(table).is_some_and(|table| table.column(&plain).is_some());
    if is_taken || plain.starts_with(|c: char| c.is_ascii_digit()) { format!("attribute_{plain}") } else { plain }
}

/// The rows of a hierarchy, after those of other names.
pub(super) fn hierarchy_nodes(name: &str, hierarchy: &Hierarchy, others: Option<&RecordBatch>) -> Result<NewTable> {
    let nodes = &hierarchy.nodes;
    let mut paths: Vec<String> = vec![];
    let mut depths = vec![];
    for node in nodes {
        let (path, depth) = match node.parent {
            Some(parent) => (format!("{}/{}", paths[parent], node.name), depths[parent] + 1),
            None => (node.name.clone(), 0),
        };
        paths.push(path);
        depths.push(depth);
    }
    let (mut last, mut leaves): (Vec<usize>, Vec<usize>) = ((0..nodes.len()).collect(), vec![0; nodes.len()]);
    for place in (0..nodes.len()).rev() {
        leaves[place] = leaves[place].max(1);
        if let Some(parent) = nodes[place].parent {
            last[parent] = last[parent].max(last[place]);
            leaves[parent] += leaves[place];
        }
    }
    let mut columns: Vec<ArrayRef> = vec![
        texts(nodes.iter().map(|_| name)),
        integers(0..nodes.len()),
        texts(nodes.iter().map(|node| node.name.as_str())),
        Arc::new(StringArray::from_iter(nodes.iter().map(|node| node.kind.as_deref()))),
        Arc::new(Int32Array::from_iter(nodes.iter().map(|node| node.parent.map(|parent| parent as i32)))),
        texts(paths.iter().map(String::as_str)),
        integers(depths.into_iter()),
        Arc::new(BooleanArray::from_iter((0..nodes.len()).map(|place| Some(last[place] == place)))),
        integers(leaves.into_iter()),
        integers(0..nodes.len()),
        integers(last.into_iter()),
    ];
    if let Some(others) = others {
        let names = others.column(0).as_string::<i32>();
        let kept =
            filter_record_batch(others, &BooleanArray::from_iter(names.iter().map(|other| Some(other != Some(name)))))?;
        for (column, before) in columns.iter_mut().zip(kept.columns()) {
            *column = concat(&[before.as_ref(), column.as_ref()])?;
        }
    }
    Ok(NewTable { name: "hierarchy_nodes", extra_columns: vec![], columns })
}

pub(super) fn container_machines(containers: &TraceContainers, found: &[Option<&str>]) -> NewTable {
    let places: Vec<usize> = (0..found.len()).filter(|place| found[*place].is_some()).collect();
    let columns = vec![
        Arc::new(Int32Array::from_iter_values(places.iter().map(|place| containers.ids.value(*place)))) as ArrayRef,
        texts(places.iter().map(|place| containers.names.value(*place))),
        texts(places.iter().filter_map(|place| found[*place])),
    ];
    NewTable { name: "container_machines", extra_columns: vec![], columns }
}

/// The diagnostics of the trace, with one row about containers without a machine.
pub(super) fn diagnostics(known: Option<&RecordBatch>, unmatched: &[&str]) -> Result<NewTable> {
    let code = Code::UnmatchedContainer;
    let mut columns: Vec<ArrayRef> = vec![];
    if let Some(known) = known {
        let codes = known.column(1).as_string::<i32>();
        let is_other = BooleanArray::from_iter(codes.iter().map(|other| Some(other != Some(code.name()))));
        columns = filter_record_batch(known, &is_other)?.columns().to_vec();
    }
    if !unmatched.is_empty() {
        let listed = unmatched.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
        let more = if unmatched.len() > LISTED { ", …" } else { "" };
        let message = format!("no machine for {listed}{more}; --map sets how containers are matched with machines");
        let row: Vec<ArrayRef> = vec![
            texts([code.severity().name()].into_iter()),
            texts([code.name()].into_iter()),
            Arc::new(Int64Array::from(vec![None])),
            Arc::new(Int64Array::from(vec![None])),
            texts([message.as_str()].into_iter()),
            Arc::new(Int64Array::from(vec![unmatched.len() as i64])),
        ];
        columns = match columns.is_empty() {
            true => row,
            false => columns
                .iter()
                .zip(&row)
                .map(|(before, new)| concat(&[before as &dyn Array, new as &dyn Array]))
                .collect::<Result<Vec<_>, _>>()?,
        };
    }
    if columns.is_empty() {
        columns = vec![
            texts([].into_iter()),
            texts([].into_iter()),
            Arc::new(Int64Array::from(Vec::<i64>::new())),
            Arc::new(Int64Array::from(Vec::<i64>::new())),
            texts([].into_iter()),
            Arc::new(Int64Array::from(Vec::<i64>::new())),
        ];
    }
    Ok(NewTable { name: "diagnostics", extra_columns: vec![], columns })
}
