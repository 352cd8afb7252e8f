//! What wait_states and critical_path share: states with the roles that their values give them, and messages.
//!
//! ```text
//!  states ─► ticks, value, roles ─┐
//!  links  ─► ticks, ends ─────────┴─► kernel
//! ```

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::functions::regex::expr_fn::regexp_like;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};
use hashbrown::HashMap;

use super::comm_messages::{column, required, ticks};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue};
use crate::functions::plans::table_kernel::union_rows;
use ocellus_kernels::waiting::{Message, Roles, State};

const fn pattern(name: &'static str, default: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter {
        name,
        kind: ConstantKind::Text,
        default: DefaultValue::Text(default),
        accepts: Accepts::Anything,
        doc,
    }
}

pub(crate) const RECEIVES: ConstantParameter = pattern(
    "receives",
    "(?i)recv|receive|wait|probe",
    "Regular expression of the values of states in which a container waits for a message.",
);

pub(crate) const SENDS: ConstantParameter =
    pattern("sends", "(?i)send", "Regular expression of the values of states in which a message is sent.");

pub(crate) const COLLECTIVES: ConstantParameter = pattern(
    "collectives",
    "(?i)barrier|bcast|broadcast|reduce|gather|scatter|alltoall|scan",
    "Regular expression of the values of states in which containers wait for each other.",
);

/// The types of the columns of [`states_and_links`].
pub(crate) const COLUMNS: [DataType; 8] = [
    DataType::Int32,
    DataType::Int32,
    DataType::Int64,
    DataType::Int64,
    DataType::Utf8View,
    DataType::Boolean,
    DataType::Boolean,
    DataType::Boolean,
];

const NAMES: [&str; 8] =
    ["container_id", "target_id", "start_tick", "end_tick", "value", "receives", "sends", "collectives"];

/// Which states are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateSelection {
    All,
    /// Those in which a container can wait.
    Waiting,
}

/// The states and links of a call in one table, links with a target, and how many ticks make a second.
pub(crate) fn states_and_links(call: &Call<'_>, which: StateSelection) -> Result<(LogicalPlan, i64)> {
    let (states, links) = (call.relation(0)?, call.relation(1)?);
    let (state_ticks, link_ticks) = (ticks(call, &states)?, ticks(call, &links)?);
    let rate = state_ticks.2.max(link_ticks.2);
    let value = cast(required(call, &states, "value")?, DataType::Utf8View);
    let mut shown = vec![
        cast(required(call, &states, "container_id")?, DataType::Int32).alias(NAMES[0]),
        lit(ScalarValue::Int32(None)).alias(NAMES[1]),
        scaled(state_ticks.0, state_ticks.2, rate).alias(NAMES[2]),
        scaled(state_ticks.1, state_ticks.2, rate).alias(NAMES[3]),
        value.clone().alias(NAMES[4]),
    ];
    for name in &NAMES[5..] {
        shown.push(regexp_like(value.clone(), lit(expression(call, name)?), None).alias(*name));
    }
    let mut states =
        LogicalPlanBuilder::from(states).project(shown)?.filter(is_known(&[NAMES[0], NAMES[2], NAMES[3]]))?;
    if which == StateSelection::Waiting {
        states = states.filter(col(NAMES[5]).or(col(NAMES[6])).or(col(NAMES[7])))?;
    }
    let text =
        column(&links, "value").map_or(lit(ScalarValue::Utf8View(None)), |value| cast(value, DataType::Utf8View));
    let mut shown = vec![
        cast(required(call, &links, "source_id")?, DataType::Int32).alias(NAMES[0]),
        cast(required(call, &links, "target_id")?, DataType::Int32).alias(NAMES[1]),
        scaled(link_ticks.0, link_ticks.2, rate).alias(NAMES[2]),
        scaled(link_ticks.1, link_ticks.2, rate).alias(NAMES[3]),
        text.alias(NAMES[4]),
    ];
    shown.extend(NAMES[5..].iter().map(|name| lit(ScalarValue::Boolean(None)).alias(*name)));
    let links = LogicalPlanBuilder::from(links).project(shown)?.filter(is_known(&NAMES[..4]))?;
    Ok((union_rows(states.build()?, links.build()?)?, rate))
}

/// Ticks of one rate as ticks of a finer one; rates are powers of ten.
pub(crate) fn scaled(ticks: Expr, from: i64, to: i64) -> Expr {
    if from == to { ticks } else { ticks * lit(to / from) }
}

fn is_known(names: &[&str]) -> Expr {
    let ordered = col(NAMES[3]).gt_eq(col(NAMES[2]));
    names.iter().map(|name| col(*name).is_not_null()).fold(ordered, Expr::and)
}

fn expression<'a>(call: &'a Call<'_>, name: &str) -> Result<&'a str> {
    let text = call.text(name).unwrap_or_default();
    match regex::Regex::new(text) {
        Ok(_) => Ok(text),
        Err(error) => plan_err!("{}: {name} must be a regular expression, got '{text}': {error}", call.definition.name),
    }
}

/// The rows that a kernel has collected.
pub(crate) struct CollectedWaits {
    pub(crate) states: Vec<State>,
    pub(crate) messages: Vec<Message>,
    /// The values of states, by number, in the order of the alphabet.
    pub(crate) values: Vec<Option<String>>,
    /// The value of each message.
    pub(crate) message_values: Vec<Option<String>>,
}

impl CollectedWaits {
    /// States and messages, each sorted by all their columns, so that rows may come in any order.
    pub(crate) fn of(columns: &[ArrayRef]) -> CollectedWaits {
        let [containers, targets] = [0, 1].map(|index| columns[index].as_primitive::<Int32Type>());
        let [starts, ends] = [2, 3].map(|index| columns[index].as_primitive::<Int64Type>());
        let texts = columns[4].as_string_view();
        let text = |row: usize| texts.is_valid(row).then(|| texts.value(row));
        let mut known: Vec<Option<&str>> = (0..containers.len()).map(text).collect();
        known.sort_unstable();
        known.dedup();
        let numbers: HashMap<Option<&str>, u32> = known.iter().copied().zip(0..).collect();
        let role = |index: usize, row: usize| columns[index].is_valid(row) && columns[index].as_boolean().value(row);
        let (mut states, mut messages) = (vec![], vec![]);
        for row in 0..containers.len() {
            let (container, start, end) = (containers.value(row) as u32, starts.value(row), ends.value(row));
            let value = numbers[&text(row)];
            if targets.is_valid(row) {
                messages.push((Message { source: container, target: targets.value(row) as u32, start, end }, value));
            } else {
                let roles = Roles { receives: role(5, row), sends: role(6, row), joins: role(7, row) };
                states.push(State { container, start, end, value, roles });
            }
        }
        states.sort_unstable_by_key(|state| (state.container, state.start, state.end, state.value));
        messages.sort_unstable_by_key(|(message, value)| {
            (message.source, message.target, message.start, message.end, *value)
        });
        let value = |number: u32| known[number as usize].map(str::to_string);
        CollectedWaits {
            states,
            message_values: messages.iter().map(|(_, number)| value(*number)).collect(),
            messages: messages.into_iter().map(|(message, _)| message).collect(),
            values: (0..known.len() as u32).map(value).collect(),
        }
    }
}
