//! The lines of a Pajé trace.
//!
//! An `%EventDef` stands before the first line of its kind; each set of extra fields has one of its own. Pajé has no
//! escapes: quotes within names become apostrophes, and ends of lines blanks.

use std::io::Write;

use hashbrown::HashMap;

use super::decimal::{decimal, number};
use super::packed_row::{RowData, RowExtra};
use super::references::{Reference, references};
use crate::error::{Error, Result};
use crate::model::{ContainerId, FieldKind, NameId, OwnedExtras, TypeKind, World};
use crate::reader::ChromeRecord;

/// A standard field of an event: its name, its type and its text.
pub(super) type StandardField<'a> = (&'static str, &'static str, &'a str);

/// Writes lines.
pub(super) struct PajeLines<'a> {
    pub world: &'a World,
    pub out: &'a mut dyn Write,
    /// Decimals of times.
    digits: i32,
    pub types: Vec<Reference>,
    pub values: Vec<Reference>,
    pub containers: Vec<Reference>,
    /// Ids of definitions by event, standard fields and extra fields.
    definitions: HashMap<(&'static str, Vec<&'static str>, Vec<u32>), usize>,
    line: String,
    /// Lines that were written.
    pub events: u64,
    /// Texts that could not be written as they are.
    pub replaced: u64,
}

impl<'a> PajeLines<'a> {
    pub fn new(world: &'a World, digits: i32, out: &'a mut dyn Write) -> PajeLines<'a> {
        let text = |name: NameId| world.names.text(name);
        let name_and_alias = |name: NameId, alias: Option<NameId>| (text(name), alias.map(text));
        let root = Reference { text: "0".to_string(), is_alias: false };
        let mut types = references(world.types.iter().map(|row| name_and_alias(row.name, row.alias)), "t");
        for (reference, row) in types.iter_mut().zip(&world.types) {
            if row.kind == TypeKind::Container && row.parent.is_none() && text(row.name) == "0" {
                *reference = root.clone();
            }
        }
        let mut containers = references(world.containers.iter().map(|row| name_and_alias(row.name, row.alias)), "c");
        for (reference, row) in containers.iter_mut().zip(&world.containers) {
            if row.parent.is_root() && text(row.name) == "0" && types[row.type_.0 as usize] == root {
                *reference = root.clone();
            }
        }
        let values = value_references(world);
        PajeLines {
            world,
            out,
            digits,
            types,
            values,
            containers,
            definitions: HashMap::new(),
            line: String::new(),
            events: 0,
            replaced: 0,
        }
    }

    /// Writes a comment.
    pub fn comment(&mut self, text: &str) -> Result<()> {
        writeln!(self.out, "# {text}").map_err(failed)
    }

    /// Writes a definition, or the creation of a container.
    pub fn define<'f>(
        &mut self,
        event: &'static str,
        mut fields: Vec<StandardField<'f>>,
        reference: &'f Reference,
        color: Option<&'f str>,
        extras: &OwnedExtras,
    ) -> Result<()> {
        if reference.is_alias {
            fields.push(("Alias", "string", &reference.text));
        }
        if let Some(color) = color {
            fields.push(("Color", "color", color));
        }
        self.event(event, &fields, extras.iter().map(RowExtra::of), None)
    }

    /// Writes a row: time, type, container, and what else it has.
    pub fn row<'e>(
        &mut self,
        event: &'static str,
        tick: i64,
        record: &ChromeRecord<'_>,
        more: &[StandardField<'_>],
        extras: impl Iterator<Item = RowExtra<'e>>,
        volume: Option<f64>,
    ) -> Result<()> {
        let (time, container) = (self.time(tick), self.container_text(record.thread));
        let type_ = self.types[record.name as usize].text.clone();
        let mut fields =
            vec![("Time", "date", time.as_str()), ("Type", "string", &type_), ("Container", "string", &container)];
        fields.extend_from_slice(more);
        self.event(event, &fields, extras, volume)
    }

    /// Writes an event, and before it its definition, if it is the first of its kind.
    pub fn event<'e>(
        &mut self,
        event: &'static str,
        fields: &[StandardField<'_>],
        extras: impl Iterator<Item = RowExtra<'e>>,
        volume: Option<f64>,
    ) -> Result<()> {
        let mut names: Vec<&'static str> = fields.iter().map(|(name, _, _)| *name).collect();
        let mut kinds: Vec<&'static str> = fields.iter().map(|(_, kind, _)| *kind).collect();
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        for (_, kind, text) in fields {
            line.push(' ');
            match *kind {
                "date" | "double" => line.push_str(text),
                _ => self.quote(text, &mut line),
            }
        }
        if let Some(volume) = volume {
            names.push("Volume");
            kinds.push("double");
            line.push(' ');
            line.push_str(&number(volume));
        }
        let mut columns = vec![];
        for extra in extras {
            columns.push(extra.field);
            line.push(' ');
            match extra.data {
                RowData::Int(value) => line.push_str(&value.to_string()),
                RowData::UInt(value) if self.kind(extra.field) == FieldKind::Hex => {
                    line.push_str(&format!("0x{value:x}"));
                }
                RowData::UInt(value) => line.push_str(&value.to_string()),
                RowData::Double(value) => line.push_str(&number(value)),
                RowData::Text(text) => self.quote(text, &mut line),
            }
        }
        let key = (event, names, columns);
        let id = match self.definitions.get(&key) {
            Some(id) => *id,
            None => self.define_event(key, &kinds)?,
        };
        self.events += 1;
        let written = writeln!(self.out, "{id}{line}");
        self.line = line;
        written.map_err(failed)
    }

    fn define_event(
        &mut self,
        key: (&'static str, Vec<&'static str>, Vec<u32>),
        kinds: &[&'static str],
    ) -> Result<usize> {
        let id = self.definitions.len();
        let mut text = format!("%EventDef {} {id}\n", key.0);
        for (name, kind) in key.1.iter().zip(kinds) {
            text.push_str(&format!("% {name} {kind}\n"));
        }
        for field in &key.2 {
            let kind = match self.kind(*field) {
                FieldKind::Int => "int",
                FieldKind::Hex => "hex",
                FieldKind::Double | FieldKind::Date => "double",
                FieldKind::Text => "string",
            };
            let column = self.world.extra_fields.get(*field as usize).map_or("field", |field| &field.column);
            text.push_str(&format!("% {column} {kind}\n"));
        }
        text.push_str("%EndEventDef\n");
        self.out.write_all(text.as_bytes()).map_err(failed)?;
        self.definitions.insert(key, id);
        Ok(id)
    }

    fn kind(&self, field: u32) -> FieldKind {
        self.world.extra_fields.get(field as usize).map_or(FieldKind::Text, |field| field.kind)
    }

    /// What events write for a container.
    pub fn container_text(&self, container: u32) -> String {
        match self.containers.get(container as usize) {
            Some(reference) => reference.text.clone(),
            None => self.world.container_name(ContainerId::ROOT).to_string(),
        }
    }

    /// A time in the unit of the trace.
    pub fn time(&self, tick: i64) -> String {
        decimal(tick, self.digits)
    }

    fn quote(&mut self, text: &str, line: &mut String) {
        line.push('"');
        if text.contains(['"', '\n', '\r', '\0']) {
            self.replaced += 1;
            let plain = |character| match character {
                '"' => '\'',
                '\n' | '\r' | '\0' => ' ',
                other => other,
            };
            line.extend(text.chars().map(plain));
        } else {
            line.push_str(text);
        }
        line.push('"');
    }
}

/// The references of values, which are apart for each type.
fn value_references(world: &World) -> Vec<Reference> {
    let mut by_type: Vec<Vec<usize>> = vec![vec![]; world.types.len()];
    for (index, row) in world.values.iter().enumerate() {
        by_type[row.type_.0 as usize].push(index);
    }
    let mut found = vec![Reference { text: String::new(), is_alias: false }; world.values.len()];
    for places in by_type {
        let text = |name: NameId| world.names.text(name);
        let rows = places.iter().map(|place| &world.values[*place]);
        let given = references(rows.map(|row| (text(row.name), row.alias.map(text))), "v");
        for (place, reference) in places.iter().zip(given) {
            // Values may be called 0, unlike types and containers.
            let is_zero = text(world.values[*place].name) == "0" && world.values[*place].alias.is_none();
            found[*place] = if is_zero { Reference { text: "0".to_string(), is_alias: false } } else { reference };
        }
    }
    found
}

/// What went wrong with the file.
pub(super) fn failed(source: std::io::Error) -> Error {
    Error::Io { context: "cannot write the trace".to_string(), source }
}
