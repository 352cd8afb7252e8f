//! The header of a Pajé trace: `%EventDef` blocks, which may stand anywhere in the file.
//!
//! ```text
//! block = begin { field } end
//! begin = '%' 'EventDef' name id
//! field = '%' name type
//! end   = '%' 'EndEventDef'
//! type  = 'date' | 'int' | 'double' | 'float' | 'hex' | 'string' | 'color'
//! ```

#[cfg(test)]
mod tests;

use std::sync::Arc;

use hashbrown::HashMap;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, multispace0, space0};
use nom::combinator::{all_consuming, map, value};
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

use super::plan::{LinePlan, Plans};
use super::roles::{self, Role, StandardFields};
use crate::diagnostics::{Code, quote};
use crate::model::{EventKind, ExtraField, Extras, FieldKind, MOST_EXTRA_COLUMNS, StoredTable};

/// A line of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
enum HeaderLine<'a> {
    Begin { name: &'a [u8], id: &'a [u8] },
    Field { name: &'a [u8], kind: &'a [u8] },
    End,
}

fn word(input: &[u8]) -> IResult<&[u8], &[u8]> {
    preceded(space0, take_while1(|byte: u8| !byte.is_ascii_whitespace())).parse(input)
}

fn header_line(input: &[u8]) -> IResult<&[u8], HeaderLine<'_>> {
    let end = value(HeaderLine::End, tag("EndEventDef"));
    let begin = map(preceded(tag("EventDef"), pair(word, word)), |(name, id)| HeaderLine::Begin { name, id });
    let field = map(pair(word, word), |(name, kind)| HeaderLine::Field { name, kind });
    all_consuming(delimited((multispace0, char('%'), space0), alt((end, begin, field)), multispace0)).parse(input)
}

/// How to read the lines of one event id.
#[derive(Debug, Clone)]
pub(super) struct EventDefinition {
    /// `None` for an event that is not part of the format.
    pub kind: Option<EventKind>,
    /// Name of the event as the trace writes it.
    pub name: String,
    /// What each field is, in the order of the line.
    pub roles: Vec<Role>,
    /// Where each standard field is.
    pub layout: StandardFields,
    /// Names of the fields, for messages.
    pub fields: Vec<String>,
    /// An obligatory field that the definition does not declare.
    pub missing: Option<&'static str>,
}

/// All definitions that are in force at some place of the trace.
#[derive(Debug, Clone, Default)]
pub(super) struct EventDefinitions {
    list: Vec<EventDefinition>,
    by_id: HashMap<Vec<u8>, u32>,
    /// Definitions of ids of up to seven bytes, by the packed id; a cache of `by_id`.
    quick: Vec<(u64, u32)>,
    /// How to read the usual lines of such ids.
    pub plans: Plans,
    pub extra_fields: Extras,
    /// The places of extra fields, by table and column.
    extra_places: HashMap<StoredTable, HashMap<String, u32>>,
}

const QUICK: usize = 1024;

fn quick_index(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

impl EventDefinitions {
    /// The definition of an event id.
    #[inline(always)]
    pub fn find(&self, id: &[u8], packed: u64) -> Option<&EventDefinition> {
        if packed != 0
            && let Some((key, index)) = self.quick.get(quick_index(packed))
            && *key == packed
        {
            return self.list.get(*index as usize);
        }
        self.by_id.get(id).and_then(|index| self.list.get(*index as usize))
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a definition; returns whether it replaces one.
    fn add(&mut self, id: &[u8], definition: EventDefinition) -> bool {
        let index = self.list.len() as u32;
        let plan = match definition.kind {
            Some(kind) if definition.missing.is_none() => LinePlan::of(kind, &definition.roles),
            _ => None,
        };
        self.list.push(definition);
        let replaced = self.by_id.insert(id.to_vec(), index).is_some();
        let packed = super::lexer::pack(id);
        if packed != 0 {
            self.quick.resize(QUICK, (0, 0));
            self.quick[quick_index(packed)] = (packed, index);
            // Lines that start with these are comments or quoted.
            let is_word = !matches!(id.first(), Some(b'#' | b'"'));
            self.plans.set(packed, plan.filter(|_| is_word));
        }
        replaced
    }

    /// The number of an extra field; the same name on the same table is the same column. `None` when the table has no
    /// room for another column.
    fn extra_field(&mut self, kind: EventKind, field: &str, declared: FieldKind) -> Option<u32> {
        let table = kind.table();
        let column = roles::column_name(table, field);
        let places = self.extra_places.entry(table).or_default();
        if let Some(place) = places.get(&column) {
            let known = self.extra_fields[*place as usize].kind;
            let kind = roles::common_kind(known, declared);
            if kind != known {
                Arc::make_mut(&mut self.extra_fields)[*place as usize].kind = kind;
            }
            return Some(*place);
        }
        if places.len() >= MOST_EXTRA_COLUMNS {
            return None;
        }
        places.insert(column.clone(), self.extra_fields.len() as u32);
        let fields = Arc::make_mut(&mut self.extra_fields);
        fields.push(ExtraField {
            table,
            is_volume: roles::is_volume(kind, &column),
            column,
            field: field.to_string(),
            kind: declared,
        });
        Some(fields.len() as u32 - 1)
    }
}

/// A fault in the header: what, and why.
pub(super) type HeaderFault = (Code, String);

#[derive(Debug)]
struct OpenBlock {
    name: String,
    id: Vec<u8>,
    fields: Vec<(String, FieldKind)>,
}

/// Builds the definitions from header lines.
#[derive(Debug, Default)]
pub(super) struct HeaderReader {
    current: Arc<EventDefinitions>,
    open: Option<OpenBlock>,
}

impl HeaderReader {
    /// The definitions in force; ends a block that was left open.
    pub fn definitions(&mut self, faults: &mut Vec<HeaderFault>) -> Arc<EventDefinitions> {
        if let Some(block) = self.open.take() {
            faults.push((
                Code::OpenDefinition,
                format!("the definition of {} has no %EndEventDef; it was taken as it stands", block.name),
            ));
            self.register(block, faults);
        }
        Arc::clone(&self.current)
    }

    /// The definitions in force, without ending an open block.
    pub fn definitions_so_far(&self) -> Arc<EventDefinitions> {
        Arc::clone(&self.current)
    }

    /// How many definitions there are.
    pub fn count(&self) -> usize {
        self.current.list.len()
    }

    /// Whether a block has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Reads one line that starts with a percent sign.
    pub fn line(&mut self, line: &[u8], faults: &mut Vec<HeaderFault>) {
        let Ok((_, parsed)) = header_line(line) else {
            faults.push((
                Code::BadDefinition,
                format!(
                    "{} is no line of a definition: expected %EventDef NAME ID, % FIELD TYPE or %EndEventDef",
                    quote(line.trim_ascii())
                ),
            ));
            return;
        };
        match parsed {
            HeaderLine::Begin { name, id } => {
                self.definitions(faults);
                self.open = Some(OpenBlock { name: text(name), id: id.to_vec(), fields: vec![] });
            }
            HeaderLine::Field { name, kind } => self.field(name, kind, faults),
            HeaderLine::End => match self.open.take() {
                Some(block) => self.register(block, faults),
                None => faults.push((Code::BadDefinition, "%EndEventDef without an %EventDef before it".to_string())),
            },
        }
    }

    fn field(&mut self, name: &[u8], kind: &[u8], faults: &mut Vec<HeaderFault>) {
        let Some(block) = &mut self.open else {
            faults.push((Code::BadDefinition, format!("the field {} stands outside of a definition", quote(name))));
            return;
        };
        let declared = match kind {
            b"int" => FieldKind::Int,
            b"double" | b"float" => FieldKind::Double,
            b"hex" => FieldKind::Hex,
            b"date" => FieldKind::Date,
            b"string" | b"color" => FieldKind::Text,
            _ => {
                faults.push((
                    Code::BadField,
                    format!(
                        "the field {} has the unknown type {}, and is read as a string; types are date, int, double, hex, string, color",
                        quote(name),
                        quote(kind)
                    ),
                ));
                FieldKind::Text
            }
        };
        block.fields.push((text(name), declared));
    }

    fn register(&mut self, block: OpenBlock, faults: &mut Vec<HeaderFault>) {
        let definitions = Arc::make_mut(&mut self.current);
        let kind = roles::event_kind(&block.name);
        let (mut field_roles, missing) = match kind {
            Some(kind) => roles::assign(kind, &block.fields),
            None => (vec![Role::Ignored; block.fields.len()], None),
        };
        let mut left_out = 0;
        if let Some(kind) = kind {
            for (role, (field, declared)) in field_roles.iter_mut().zip(&block.fields) {
                if matches!(role, Role::Extra(..)) {
                    let column = definitions.extra_field(kind, field, *declared);
                    left_out += usize::from(column.is_none());
                    *role = column.map_or(Role::Ignored, |column| Role::Extra(column, *declared));
                }
            }
        }
        if left_out > 0 {
            faults.push((
                Code::TooManyFields,
                format!(
                    "{left_out} extra fields of the definition of {} are not kept: a table has at most {MOST_EXTRA_COLUMNS} extra columns",
                    block.name
                ),
            ));
        }
        let definition = EventDefinition {
            kind,
            name: block.name.clone(),
            layout: StandardFields::of(&field_roles),
            roles: field_roles,
            fields: block.fields.into_iter().map(|(name, _)| name).collect(),
            missing,
        };
        if definitions.add(&block.id, definition) {
            faults.push((
                Code::RedefinedEvent,
                format!("the event id {} is defined again, now as {}", quote(&block.id), block.name),
            ));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
