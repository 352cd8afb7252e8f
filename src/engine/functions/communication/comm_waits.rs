//! What wait_states and critical_path share: states with their activities, and messages, in one table.
//!
//! ```text
//!  states ─► ticks, value, activity ─┐
//!  links  ─► ticks, ends ────────────┴─► kernel
//! ```

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Column, Result, ScalarValue, TableReference, plan_err};
use datafusion::functions::math::expr_fn::{floor, log2};
use datafusion::functions::regex::expr_fn::regexp_like;
use datafusion::functions_aggregate::expr_fn::max;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, case, lit, when};
use datafusion::prelude::{cast, col, try_cast};

use super::comm_messages::{column, required, ticks};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, RelationParameter};
use crate::functions::calls::scanned_schemas::schemas;
use crate::functions::plans::table_kernel::union_rows;
use ocellus_kernels::waiting::StateRole;

pub(crate) const STATES: RelationParameter = RelationParameter {
    name: "states",
    default: Some("state_segments"),
    doc: "States that are not nested, with container_id, value, start_time and end_time; and activity, if it is not that \
          of state_activities for their type and value.",
};

pub(crate) const COLLECTIVES: ConstantParameter = ConstantParameter {
    name: "collectives",
    kind: ConstantKind::Text,
    default: DefaultValue::Text(
        r"(?i)barrier|bcast|broadcast|reduce|gather|scatter|alltoall|scan|finalize|mpi_init(_thread)?_{0,2}\b",
    ),
    accepts: Accepts::Anything,
    doc: "Regular expression of the values of states that are collective operations.",
};

/// What the readers of formats that record collective operations call the links that they make of them.
pub(crate) const COLLECTIVE_LINK: &str = "collective";

/// The activities of states; a row of [`states_and_links`] has the number of one.
const ACTIVITIES: [&str; 7] =
    ["computation", "communication", "waiting", "input/output", "start and end", "overhead", "unknown"];
const COMPUTATION: i8 = 0;
const COMMUNICATION: i8 = 1;
const WAITING: i8 = 2;
const UNKNOWN: i8 = 6;

/// The types of the columns of [`states_and_links`].
pub(crate) const COLUMNS: [DataType; 7] = [
    DataType::Int32,
    DataType::Int32,
    DataType::Int64,
    DataType::Int64,
    DataType::Utf8View,
    DataType::Int8,
    DataType::Boolean,
];

/// The same with key and volume of links.
pub(crate) const DETAILED_COLUMNS: [DataType; 9] = [
    DataType::Int32,
    DataType::Int32,
    DataType::Int64,
    DataType::Int64,
    DataType::Utf8View,
    DataType::Int8,
    DataType::Boolean,
    DataType::Utf8View,
    DataType::Float64,
];

const NAMES: [&str; 7] =
    ["container_id", "target_id", "start_tick", "end_tick", "value", "activity_or_size", "collective"];
/// Columns that follow those of [`COLUMNS`]: of links where rows show messages, the last two of states too.
static DETAILS: [(&str, DataType); 4] = [
    ("key", DataType::Utf8View),
    ("volume", DataType::Float64),
    ("type", DataType::Utf8View),
    ("depth", DataType::Int32),
];

/// Which states are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateSelection {
    All,
    /// Those in which others can hold a container up.
    Blocked,
    /// All, and those that end when they start.
    WithoutLength,
}

/// What is read of links beside their ends, times and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkDetail {
    Plain,
    KeyAndVolume,
    /// Of states the type, too.
    KeyVolumeAndType,
    /// Of states the depth, too.
    KeyVolumeTypeAndDepth,
}

/// The states and links of a call in one table, links with a target, and how many ticks make a second. One column is the
/// number of a state's activity, and the binary digits of a link's volume.
pub(crate) fn states_and_links(
    call: &Call<'_>,
    which: StateSelection,
    detail: LinkDetail,
) -> Result<(LogicalPlan, i64)> {
    let TimedRows { states, links, rate } = states_beside_links(call, which, detail)?;
    Ok((union_rows(states, links)?, rate))
}

/// States and links with the same columns.
pub(crate) struct TimedRows {
    pub(crate) states: LogicalPlan,
    pub(crate) links: LogicalPlan,
    /// How many ticks make a second.
    pub(crate) rate: i64,
}

/// The same as [`states_and_links`], each by itself.
pub(crate) fn states_beside_links(call: &Call<'_>, which: StateSelection, detail: LinkDetail) -> Result<TimedRows> {
    let further = match detail {
        LinkDetail::Plain => &DETAILS[..0],
        LinkDetail::KeyAndVolume => &DETAILS[..2],
        LinkDetail::KeyVolumeAndType => &DETAILS[..3],
        LinkDetail::KeyVolumeTypeAndDepth => &DETAILS,
    };
    let (states, links) = (call.relation(0)?, call.relation(1)?);
    let (state_ticks, link_ticks) = (ticks(call, &states)?, ticks(call, &links)?);
    let rate = state_ticks.2.max(link_ticks.2);
    let value = cast(required(call, &states, "value")?, DataType::Utf8View);
    let container = required(call, &states, "container_id")?;
    let of_states = ["type", "depth"].map(|name| (name, column(&states, name)));
    let (states, activity, joins) = with_activity(call, states, &value)?;
    let mut shown = vec![
        cast(container, DataType::Int32).alias(NAMES[0]),
        lit(ScalarValue::Int32(None)).alias(NAMES[1]),
        scaled(state_ticks.0, state_ticks.2, rate).alias(NAMES[2]),
        scaled(state_ticks.1, state_ticks.2, rate).alias(NAMES[3]),
        value.alias(NAMES[4]),
        activity.alias(NAMES[5]),
        joins.alias(NAMES[6]),
    ];
    for (name, kind) in further {
        let known = of_states.iter().find(|(known, _)| known == name).and_then(|(_, column)| column.clone());
        let absent = lit(ScalarValue::try_from(kind)?);
        shown.push(known.map_or(absent, |found| cast(found, kind.clone())).alias(*name));
    }
    let lasts = match which {
        StateSelection::WithoutLength => col(NAMES[3]).gt_eq(col(NAMES[2])),
        StateSelection::All | StateSelection::Blocked => col(NAMES[3]).gt(col(NAMES[2])),
    };
    let known = col(NAMES[0]).is_not_null().and(lasts);
    let mut states = LogicalPlanBuilder::from(states).project(shown)?.filter(known)?;
    if which == StateSelection::Blocked {
        let blocked = vec![lit(COMMUNICATION), lit(WAITING)];
        states = states.filter(col(NAMES[5]).in_list(blocked, false).or(col(NAMES[6])))?;
    }
    let text =
        column(&links, "value").map_or(lit(ScalarValue::Utf8View(None)), |value| cast(value, DataType::Utf8View));
    let mut shown = vec![
        cast(required(call, &links, "source_id")?, DataType::Int32).alias(NAMES[0]),
        cast(required(call, &links, "target_id")?, DataType::Int32).alias(NAMES[1]),
        scaled(link_ticks.0, link_ticks.2, rate).alias(NAMES[2]),
        scaled(link_ticks.1, link_ticks.2, rate).alias(NAMES[3]),
        text.clone().alias(NAMES[4]),
        size_number(&links)?.alias(NAMES[5]),
        text.eq(cast(lit(COLLECTIVE_LINK), DataType::Utf8View)).alias(NAMES[6]),
    ];
    for (name, kind) in further {
        let absent = lit(ScalarValue::try_from(kind)?);
        shown.push(column(&links, name).map_or(absent, |found| cast(found, kind.clone())).alias(*name));
    }
    let known = NAMES[..4].iter().map(|name| col(*name).is_not_null()).reduce(Expr::and).unwrap_or(lit(true));
    let links = LogicalPlanBuilder::from(links).project(shown)?.filter(known)?;
    Ok(TimedRows { states: states.build()?, links: links.build()?, rate })
}

/// A relation of states with the number of the activity of each, by its own column, else by what state_activities says of
/// the trace that it reads, and whether it is a collective. What can be is found out once for each value of that view.
fn with_activity(call: &Call<'_>, states: LogicalPlan, text: &Expr) -> Result<(LogicalPlan, Expr, Expr)> {
    const KNOWN: &str = "known_activities";
    let pattern = expression(call, COLLECTIVES.name)?;
    let joins = |value: Expr| regexp_like(value, lit(pattern), None);
    let read: Vec<String> = schemas(&states)?.into_iter().filter(|name| call.tables.spans.contains_key(name)).collect();
    let view = match read.as_slice() {
        [trace] => TableReference::partial(trace.clone(), "state_activities"),
        _ => TableReference::bare("state_activities"),
    };
    let known = LogicalPlanBuilder::from(call.tables.find(&view)?).project(vec![
        col("type").alias("known_type"),
        cast(col("value"), DataType::Utf8View).alias("known_value"),
        col("activity").alias("known_activity"),
    ])?;
    let of = |name: &str| Expr::Column(Column::new(Some(TableReference::bare(KNOWN)), name));
    let is_value = text.clone().eq(of("known_value"));
    let mut shown = vec![col("known_value"), joins(col("known_value")).alias("known_joins")];
    let number = activity_number(col("known_activity"))?.alias("known_number");
    let (known, same) = match (column(&states, "activity"), column(&states, "type")) {
        (Some(_), _) => (known.project(vec![col("known_value")])?.distinct()?, vec![is_value]),
        (None, Some(kind)) => {
            shown.extend([number, col("known_type")]);
            (known, vec![kind.eq(of("known_type")), is_value])
        }
        (None, None) => {
            shown.push(number);
            let activity = max(col("known_activity")).alias("known_activity");
            (known.aggregate(vec![col("known_value")], vec![activity])?, vec![is_value])
        }
    };
    let activity = column(&states, "activity").map_or(Ok(of("known_number")), activity_number)?;
    let known = known.project(shown)?.alias(KNOWN)?.build()?;
    // The left side is held in memory: the few activities, not the states.
    let plan = LogicalPlanBuilder::from(known).join_on(states, JoinType::Right, same)?.build()?;
    let joins = when(of("known_value").is_not_null(), of("known_joins")).otherwise(joins(text.clone()))?;
    Ok((plan, activity, joins))
}

/// The place of an activity among [`ACTIVITIES`]; NULL for others.
pub(crate) fn activity_number(activity: Expr) -> Result<Expr> {
    // Compared with constants only: they are looked up, and not tried one after the other.
    let mut cases = case(activity).when(lit(ACTIVITIES[0]), lit(0_i8));
    for (number, name) in ACTIVITIES.iter().enumerate().skip(1) {
        cases = cases.when(lit(*name), lit(number as i8));
    }
    cases.otherwise(lit(ScalarValue::Int8(None)))
}

/// Binary digits of the volume of links; NULL for none.
fn size_number(links: &LogicalPlan) -> Result<Expr> {
    let Some(volume) = column(links, "volume") else { return Ok(lit(ScalarValue::Int8(None))) };
    let volume = cast(volume, DataType::Float64);
    let digits = try_cast(floor(log2(volume.clone())) + lit(1.0), DataType::Int8);
    when(volume.clone().lt(lit(1.0)), lit(1_i8)).when(volume.is_not_null(), digits).end()
}

/// Ticks of one rate as ticks of a finer one; rates are powers of ten.
pub(crate) fn scaled(ticks: Expr, from: i64, to: i64) -> Expr {
    if from == to { ticks } else { ticks * lit(to / from) }
}

fn expression<'a>(call: &'a Call<'_>, name: &str) -> Result<&'a str> {
    let text = call.text(name).unwrap_or_default();
    match regex::Regex::new(text) {
        Ok(_) => Ok(text),
        Err(error) => plan_err!("{}: {name} must be a regular expression, got '{text}': {error}", call.definition.name),
    }
}

/// The name of an activity, by its number.
pub(crate) fn activity_name(number: Option<i8>) -> Option<&'static str> {
    ACTIVITIES.get(usize::try_from(number?).ok()?).copied()
}

/// What a container does in a state of an activity.
pub(crate) fn role_of(activity: Option<i8>) -> StateRole {
    match activity {
        Some(COMMUNICATION) => StateRole::Communicates,
        Some(WAITING) => StateRole::Waits,
        Some(COMPUTATION) => StateRole::Works,
        Some(UNKNOWN) | None => StateRole::Unknown,
        Some(_) => StateRole::Other,
    }
}

/// A text of a column of type TEXT.
pub(crate) fn text(column: &ArrayRef, row: usize) -> Option<&str> {
    let texts = column.as_string_view();
    texts.is_valid(row).then(|| texts.value(row))
}

/// A number of a column of type DOUBLE.
pub(crate) fn number(column: &ArrayRef, row: usize) -> Option<f64> {
    let numbers = column.as_primitive::<Float64Type>();
    numbers.is_valid(row).then(|| numbers.value(row))
}
