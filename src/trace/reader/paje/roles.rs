//! Which field of an event means what, under every spelling that real files use.

#[cfg(test)]
mod tests;

use crate::model::{EventKind, FieldKind, StoredTable};
use crate::schema;

/// What a field of an event line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    /// The type; for a type definition, the parent type.
    Type,
    /// The container; for a new container, its parent; for a destroyed one, itself.
    Container,
    /// The value; for definitions and new containers, the name.
    Value,
    /// The value of a variable: a number.
    Number,
    Alias,
    Color,
    Key,
    /// The container at this end of a link.
    EndContainer,
    SourceType,
    TargetType,
    /// An extra field: its number, and its declared type.
    Extra(u32, FieldKind),
    Ignored,
}

/// Where in a line the standard fields are, so that the hot path need not ask every field what it is.
#[derive(Debug, Clone, Default)]
pub(super) struct StandardFields {
    pub time: Option<usize>,
    pub type_: Option<usize>,
    /// The container; for definitions, the color.
    pub container: Option<usize>,
    pub value: Option<usize>,
    /// The alias, or the container at this end of a link.
    pub other: Option<usize>,
    pub number: Option<usize>,
    pub key: Option<usize>,
    pub end_types: Option<(usize, usize)>,
    /// Extra fields: place in the line, number, declared type.
    pub extras: Vec<(usize, u32, FieldKind)>,
}

impl StandardFields {
    pub fn of(roles: &[Role]) -> StandardFields {
        let find = |wanted: &[Role]| roles.iter().position(|role| wanted.contains(role));
        let extra = |(place, role): (usize, &Role)| match role {
            Role::Extra(number, kind) => Some((place, *number, *kind)),
            _ => None,
        };
        StandardFields {
            time: find(&[Role::Time]),
            type_: find(&[Role::Type]),
            container: find(&[Role::Container, Role::Color]),
            value: find(&[Role::Value]),
            other: find(&[Role::Alias, Role::EndContainer]),
            number: find(&[Role::Number]),
            key: find(&[Role::Key]),
            end_types: find(&[Role::SourceType]).zip(find(&[Role::TargetType])),
            extras: roles.iter().enumerate().filter_map(extra).collect(),
        }
    }
}

/// The event of that name, with or without the prefix `Paje`.
pub(super) fn event_kind(name: &str) -> Option<EventKind> {
    use EventKind::*;
    Some(match name.strip_prefix("Paje").unwrap_or(name) {
        "DefineContainerType" => DefineContainerType,
        "DefineStateType" => DefineStateType,
        "DefineEventType" => DefineEventType,
        "DefineVariableType" => DefineVariableType,
        "DefineLinkType" => DefineLinkType,
        "DefineEntityValue" => DefineEntityValue,
        "CreateContainer" => CreateContainer,
        "DestroyContainer" => DestroyContainer,
        "SetState" => SetState,
        "PushState" => PushState,
        "PopState" => PopState,
        "ResetState" => ResetState,
        "NewEvent" => NewEvent,
        "SetVariable" => SetVariable,
        "AddVariable" => AddVariable,
        "SubVariable" => SubVariable,
        "ResetVariable" => ResetVariable,
        "StartLink" => StartLink,
        "EndLink" => EndLink,
        _ => return None,
    })
}

const TIME: (&[&str], Role) = (&["Time"], Role::Time);
const TYPE: (&[&str], Role) = (&["Type", "EntityType", "ContainerType"], Role::Type);
const CONTAINER: (&[&str], Role) = (&["Container"], Role::Container);
const VALUE: (&[&str], Role) = (&["Value"], Role::Value);
const NUMBER: (&[&str], Role) = (&["Value"], Role::Number);
const NAME: (&[&str], Role) = (&["Name"], Role::Value);
const KEY: (&[&str], Role) = (&["Key"], Role::Key);
const START: (&[&str], Role) = (&["StartContainer", "SourceContainer"], Role::EndContainer);
const END: (&[&str], Role) = (&["EndContainer", "DestContainer"], Role::EndContainer);
const DESTROYED: (&[&str], Role) = (&["Name", "Container"], Role::Container);
const SOURCE_TYPE: (&[&str], Role) = (&["StartContainerType", "SourceContainerType"], Role::SourceType);
const TARGET_TYPE: (&[&str], Role) = (&["EndContainerType", "DestContainerType"], Role::TargetType);
const ALIAS: (&[&str], Role) = (&["Alias"], Role::Alias);
const COLOR: (&[&str], Role) = (&["Color"], Role::Color);

type RoleNames = &'static [(&'static [&'static str], Role)];

/// The obligatory fields of an event, then the optional ones.
fn fields_of(kind: EventKind) -> (RoleNames, RoleNames) {
    use EventKind::*;
    match kind {
        DefineContainerType | DefineStateType | DefineEventType | DefineVariableType => {
            (&[NAME, TYPE], &[ALIAS, COLOR])
        }
        DefineLinkType => (&[NAME, TYPE, SOURCE_TYPE, TARGET_TYPE], &[ALIAS, COLOR]),
        DefineEntityValue => (&[NAME, TYPE], &[ALIAS, COLOR]),
        CreateContainer => (&[TIME, NAME, TYPE, CONTAINER], &[ALIAS]),
        DestroyContainer => (&[TIME, DESTROYED, TYPE], &[]),
        SetState | PushState | NewEvent => (&[TIME, TYPE, CONTAINER, VALUE], &[]),
        PopState | ResetState | ResetVariable => (&[TIME, TYPE, CONTAINER], &[]),
        SetVariable | AddVariable | SubVariable | MeasureVariable => (&[TIME, TYPE, CONTAINER, NUMBER], &[]),
        StartLink => (&[TIME, TYPE, CONTAINER, VALUE, KEY, START], &[]),
        EndLink => (&[TIME, TYPE, CONTAINER, VALUE, KEY, END], &[]),
    }
}

/// Gives every declared field its role; what is no standard field is an extra one. Also returns the
/// first obligatory field that is not declared.
pub(super) fn assign(kind: EventKind, fields: &[(String, FieldKind)]) -> (Vec<Role>, Option<&'static str>) {
    let (obligatory, optional) = fields_of(kind);
    let mut roles: Vec<Option<Role>> = vec![None; fields.len()];
    let mut missing = None;
    for (index, (spellings, role)) in obligatory.iter().chain(optional).enumerate() {
        let place = spellings.iter().find_map(|spelling| fields.iter().position(|(name, _)| name == spelling));
        match place {
            Some(place) if roles[place].is_none() => roles[place] = Some(*role),
            _ if index < obligatory.len() => missing = missing.or(Some(spellings[0])),
            _ => {}
        }
    }
    let roles = roles
        .into_iter()
        .zip(fields)
        .map(|(role, (_, declared))| role.unwrap_or(Role::Extra(u32::MAX, *declared)))
        .collect();
    (roles, missing)
}

/// The column of an extra field: snake_case, and unlike any column that the table has already.
pub(in crate::reader) fn column_name(table: StoredTable, field: &str) -> String {
    let mut name = String::new();
    let characters: Vec<char> = field.chars().collect();
    for (index, character) in characters.iter().enumerate() {
        if !character.is_alphanumeric() {
            name.push('_');
            continue;
        }
        let before = index.checked_sub(1).map(|i| characters[i]);
        let after = characters.get(index + 1);
        let starts_word = character.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase() || b.is_numeric() || (b.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
            });
        if starts_word {
            name.push('_');
        }
        name.extend(character.to_lowercase());
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) {
        name.insert(0, '_');
    }
    let is_taken = name == "is_cut"
        || name == "trace"
        || schema::table(table.name()).is_some_and(|table| table.column(&name).is_some());
    if is_taken { format!("field_{name}") } else { name }
}

/// Whether a column is the size of a link.
pub(super) fn is_volume(kind: EventKind, column: &str) -> bool {
    matches!(kind, EventKind::StartLink | EventKind::EndLink) && matches!(column, "size" | "field_volume")
}

/// The type of a column that is declared twice.
pub(super) fn common_kind(first: FieldKind, second: FieldKind) -> FieldKind {
    match (first, second) {
        (a, b) if a == b => a,
        (
            FieldKind::Int | FieldKind::Double | FieldKind::Date,
            FieldKind::Int | FieldKind::Double | FieldKind::Date,
        ) => FieldKind::Double,
        _ => FieldKind::Text,
    }
}
