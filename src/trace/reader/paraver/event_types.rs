//! What each event type becomes: states, events, or a variable.
//!
//! | type | becomes |
//! |---|---|
//! | with names of values, and zeros that end each of them | states that nest: a value starts one, 0 ends it |
//! | with names of values otherwise | states of which a value replaces the one before; 0 ends it |
//! | callers, samples, and types without any 0 | events |
//! | hardware counters | a variable, measured between two reads |
//! | without names of values | a variable that is set |

use hashbrown::{HashMap, HashSet};

use super::labels::ParaverLabels;
use super::survey::{ParaverSurvey, TypeUse};
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, NameHandle};

/// The type of the states of records, whose name no event type has.
pub(super) const STATE: &str = "State";

/// What the values of a type mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventMeaning {
    NestedState,
    ReplacedState,
    Event,
    /// A count since the last read.
    Measured,
    Variable,
}

/// An event type of the trace.
#[derive(Debug)]
pub(super) struct EventType {
    pub meaning: EventMeaning,
    pub label: String,
    pub type_: NameHandle,
    /// The states of MPI calls have the sizes of the same line as columns.
    pub is_mpi_call: bool,
    /// The column of an MPI call that the type is.
    pub column: Option<ExtraFieldId>,
    pub divisor: f64,
    values: HashMap<i64, NameHandle>,
    /// Zeros that ended nothing.
    pub unmatched_ends: u64,
}

/// All event types of a trace.
pub(super) struct EventTypes {
    places: HashMap<i64, usize>,
    types: Vec<EventType>,
    numbers: Vec<i64>,
}

impl EventTypes {
    /// Defines the types that occur, on threads.
    pub fn define(
        survey: &ParaverSurvey,
        labels: &ParaverLabels,
        thread: NameHandle,
        writer: &mut EventWriter<'_>,
    ) -> Result<EventTypes> {
        let mut numbers: Vec<i64> = survey.types.keys().copied().collect();
        numbers.sort_unstable();
        let mut taken: HashSet<String> = HashSet::from([STATE.to_string()]);
        let mut types = EventTypes { places: HashMap::new(), types: vec![], numbers: vec![] };
        for number in numbers {
            let label = match labels.types.get(&number).map(|type_| type_.label.as_str()) {
                None | Some("") => number.to_string(),
                Some(label) => label.to_string(),
            };
            // Two types of one name are told apart by their numbers.
            let label = if taken.contains(&label) { format!("{label} ({number})") } else { label };
            taken.insert(label.clone());
            let meaning = meaning(number, survey.types[&number], labels);
            let kind = match meaning {
                EventMeaning::NestedState | EventMeaning::ReplacedState => TypeKind::State,
                EventMeaning::Event => TypeKind::Event,
                EventMeaning::Measured | EventMeaning::Variable => TypeKind::Variable,
            };
            let type_ = writer.intern(&format!("e{number}"));
            writer.define_type(kind, type_, thread, &label, None)?;
            let column = call_column(number);
            types.places.insert(number, types.types.len());
            types.numbers.push(number);
            types.types.push(EventType {
                meaning,
                label,
                type_,
                is_mpi_call: (50_000_000..50_100_000).contains(&number),
                column: column.map(|name| writer.field(StoredTable::States, name, FieldKind::Int, ExtraRole::Column)),
                divisor: labels.types.get(&number).and_then(|type_| type_.divisor).unwrap_or(1.0),
                values: HashMap::new(),
                unmatched_ends: 0,
            });
        }
        Ok(types)
    }

    /// The place of a type; all that occur are known.
    #[inline]
    pub fn place(&self, number: i64) -> Option<usize> {
        self.places.get(&number).copied()
    }

    pub fn get(&self, place: usize) -> &EventType {
        &self.types[place]
    }

    pub fn get_mut(&mut self, place: usize) -> &mut EventType {
        &mut self.types[place]
    }

    pub fn iter(&self) -> impl Iterator<Item = &EventType> {
        self.types.iter()
    }

    /// The name of a value of a type; defined at its first use.
    #[inline]
    pub fn value(
        &mut self,
        place: usize,
        value: i64,
        labels: &ParaverLabels,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(handle) = self.types[place].values.get(&value) {
            return Ok(*handle);
        }
        let label = labels.values_of(self.numbers[place]).and_then(|values| values.get(&value));
        let label = label.filter(|label| !label.is_empty()).cloned().unwrap_or_else(|| value.to_string());
        let handle = writer.intern(&label);
        let found = &mut self.types[place];
        if !found.values.values().any(|other| *other == handle) {
            writer.define_value(handle, found.type_, &label, None)?;
        }
        found.values.insert(value, handle);
        Ok(handle)
    }
}

fn meaning(number: i64, usage: TypeUse, labels: &ParaverLabels) -> EventMeaning {
    let Some(values) = labels.values_of(number) else {
        return if is_counter(number) { EventMeaning::Measured } else { EventMeaning::Variable };
    };
    let is_state = match is_caller(number) {
        true => usage.zeros > 0 && usage.is_balanced(),
        false => usage.zeros > 0 || values.contains_key(&0),
    };
    match is_state {
        false => EventMeaning::Event,
        true if usage.is_balanced() => EventMeaning::NestedState,
        true => EventMeaning::ReplacedState,
    }
}

/// Hardware counters, which are counts since the last read; those of the next million are absolute.
fn is_counter(number: i64) -> bool {
    matches!(number / 1_000_000, 42 | 44 | 46 | 48)
}

/// Callers of MPI and of samples, with their lines.
fn is_caller(number: i64) -> bool {
    matches!(number / 10_000_000, 3 | 7 | 8)
}

/// What Extrae records at the beginning of a collective operation.
fn call_column(number: i64) -> Option<&'static str> {
    match number {
        50_100_001 => Some("send_size"),
        50_100_002 => Some("receive_size"),
        50_100_003 => Some("root"),
        50_100_004 => Some("communicator"),
        _ => None,
    }
}
