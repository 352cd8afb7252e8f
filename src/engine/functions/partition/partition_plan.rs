//! The plans of the table functions of partitions.
//!
//! ```text
//!  states ─► slices ─► model ─┐
//!  containers ────────────────┴► UNION ALL ─► aggregate: the partition as a list ─► unnest ─► columns
//! ```
//! A model is made of a relation of states, variables or events ([`super::partition_cells`]), or is the relation itself.
//!
//! With an attached hierarchy, its nodes take the place of the containers above: they are numbered -1, -2, … so that no
//! container has their number, and containers hang on their machines, deeper than any depth, so that they are averaged.

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, TableReference, UnnestOptions, plan_err};
use datafusion::functions::core::expr_fn::get_field;
use datafusion::logical_expr::{Expr, ExprSchemable, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::partition_aggregate::PartitionAnswer;
use super::partition_cells::{RelationContent, model};
use super::partition_rows::COLUMNS;
use super::partition_settings::{PartitionQuestion, PartitionSettings, TickWindow, measure, ties};
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, OutputColumn, RelationParameter, column,
};
use crate::functions::calls::scanned_schemas::schemas;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::union_rows;
use crate::functions::tree::attached_tree::{self, HIERARCHY};
use ocellus_kernels::partition::{PartitionMeasure, Ties};

/// Slices of a model that is made of states, when the call says nothing.
pub(crate) const USUAL_SLICES: i64 = 30;
/// More slices than this are no overview.
pub(crate) const MOST_SLICES: f64 = 10_000.0;

/// Operations that a search may need, when the call says nothing.
pub(crate) const USUAL_OPERATIONS: f64 = 1e11;

pub(crate) const MODEL: RelationParameter = RelationParameter {
    name: "model",
    default: Some("state_segments"),
    doc: "A microscopic model: container_id, slice, value and rho; or states, variables or events to make one of.",
};
pub(crate) const SLICES: ConstantParameter = ConstantParameter {
    name: "slices",
    kind: ConstantKind::BigInt,
    default: DefaultValue::Absent,
    accepts: Accepts::Between(1.0, MOST_SLICES),
    doc: "Into how many slices the window is cut: 30 when absent; of a given model, as many as its rows have.",
};
pub(crate) const P: ConstantParameter = ConstantParameter {
    name: "p",
    kind: ConstantKind::Double,
    default: DefaultValue::Double(0.5),
    accepts: Accepts::Between(0.0, 1.0),
    doc: "0 = full detail, 1 = simplest: the weight of gain against loss.",
};
pub(crate) const MEASURE: ConstantParameter = ConstantParameter {
    name: "measure",
    kind: ConstantKind::Text,
    default: DefaultValue::Text("mean"),
    accepts: Accepts::OneOf(&["mean", "sum"]),
    doc: "The proportions of an area in its gain: their mean, as the paper prints it, or their sum, as its authors' \
          library computes it. With sum, p = 1 always gives one area.",
};
pub(crate) const TIES: ConstantParameter = ConstantParameter {
    name: "ties",
    kind: ConstantKind::Text,
    default: DefaultValue::Text("fewest"),
    accepts: Accepts::OneOf(&["fewest", "order"]),
    doc: "Which of equally good partitions is taken: one with the fewest areas; or, as in the paper, by the order of cuts: \
          none, then in space, then the earliest in time.",
};
pub(crate) const MAX_OPERATIONS: ConstantParameter = ConstantParameter {
    name: "max_operations",
    kind: ConstantKind::Double,
    default: DefaultValue::Double(USUAL_OPERATIONS),
    accepts: Accepts::Between(1.0, f64::MAX),
    doc: "A search that needs more operations than this is refused before it starts. The default takes minutes.",
};
pub(crate) const DEPTH: ConstantParameter = ConstantParameter {
    name: "depth",
    kind: ConstantKind::BigInt,
    default: DefaultValue::Absent,
    accepts: Accepts::Between(0.0, i32::MAX as f64),
    doc: "Containers below this depth are averaged into those at it, which then stand for that many resources.",
};
pub(crate) const PRODUCT: ConstantParameter = ConstantParameter {
    name: "product",
    kind: ConstantKind::Boolean,
    default: DefaultValue::Boolean(false),
    accepts: Accepts::Anything,
    doc: "Gives the Cartesian product of the partition of space and the partition of time, measured in space and time.",
};

/// The columns of an area.
pub(crate) const AREA: OutputColumn =
    column("area", "BIGINT", "Area index, from 0: by place in the tree, then by time.");
pub(crate) const CONTAINER_ID: OutputColumn = column(
    "container_id",
    "INTEGER",
    "The container or node that the area covers; NULL for what holds several trees together.",
);
pub(crate) const CONTAINER: OutputColumn = column("container", "TEXT", "Name of that container.");
pub(crate) const AREA_DEPTH: OutputColumn = column("depth", "INTEGER", "Its distance from the root.");
pub(crate) const FIRST_SLICE: OutputColumn = column("first_slice", "BIGINT", "The slice that the area begins with.");
pub(crate) const LAST_SLICE: OutputColumn = column("last_slice", "BIGINT", "The slice that it ends with.");
pub(crate) const START_TIME: OutputColumn = column("start_time", "DOUBLE", "When the first slice begins, in seconds.");
pub(crate) const END_TIME: OutputColumn =
    column("end_time", "DOUBLE", "When the last slice ends; the interval is half-open.");
pub(crate) const RESOURCES: OutputColumn =
    column("resources", "BIGINT", "How many leaves of the tree the area covers.");
pub(crate) const MODE: OutputColumn =
    column("mode", "TEXT", "The state with the largest proportion; of equal ones, the first by name.");
pub(crate) const PROPORTION: OutputColumn =
    column("proportion", "DOUBLE", "Its proportion: the mean over resources and slices. 0 when there is no state.");
pub(crate) const ALPHA: OutputColumn = column(
    "alpha",
    "DOUBLE",
    "That proportion over the sum of all, time in no state included: proportion / max(1, sum of all proportions). How \
     opaque the area is drawn; NULL when there is no state.",
);
pub(crate) const GAIN: OutputColumn =
    column("gain", "DOUBLE", "Data that the area saves, in bits: the more, the simpler the picture.");
pub(crate) const LOSS: OutputColumn =
    column("loss", "DOUBLE", "Information that is lost, in bits: the less, the more accurate.");
pub(crate) const PROPORTIONS: OutputColumn = column(
    "proportions",
    "STRUCT(value TEXT, proportion DOUBLE)[]",
    "Every state that occurs with its proportion, the largest first.",
);

/// The columns of a partition.
pub(crate) const PARTITION_COLUMNS: &[OutputColumn] = &[
    AREA,
    CONTAINER_ID,
    CONTAINER,
    AREA_DEPTH,
    FIRST_SLICE,
    LAST_SLICE,
    START_TIME,
    END_TIME,
    RESOURCES,
    MODE,
    PROPORTION,
    ALPHA,
    GAIN,
    LOSS,
    PROPORTIONS,
];

/// The plan of a call that asks about a model.
pub(crate) fn plan(call: &Call<'_>, question: PartitionQuestion) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let trace = trace_of(call, &relation)?;
    let settings = settings(call, &relation, question)?;
    let model = match RelationContent::of(call, &relation)? {
        RelationContent::Model => relation,
        _ => model(&with_slices(call), relation)?,
    };
    let hierarchy = call.text(HIERARCHY.name);
    let (containers, model) = match hierarchy {
        None => (call.tables.find(&TableReference::partial(trace, "containers"))?, model),
        Some(hierarchy) => on_machines(call, &trace, hierarchy, model)?,
    };
    rows_of(call, call.definition.columns, &settings, containers, model)
}

/// The plan of a call that asks about the model of a trace: these columns of what its settings ask for.
pub(crate) fn plan_of_model(
    call: &Call<'_>,
    columns: &[OutputColumn],
    settings: &PartitionSettings,
    trace: &str,
    model: LogicalPlan,
) -> Result<LogicalPlan> {
    let containers = call.tables.find(&TableReference::partial(trace, "containers"))?;
    rows_of(call, columns, settings, containers, model)
}

fn rows_of(
    call: &Call<'_>,
    columns: &[OutputColumn],
    settings: &PartitionSettings,
    containers: LogicalPlan,
    model: LogicalPlan,
) -> Result<LogicalPlan> {
    let hierarchy = call.text(HIERARCHY.name);
    let answer = match settings.question {
        PartitionQuestion::Levels(_) => PartitionAnswer::Levels,
        _ => PartitionAnswer::Areas,
    };
    let rows =
        LogicalPlanBuilder::from(columns_of(call, containers, "name")?).union(columns_of(call, model, "container")?)?;
    let mut arguments = vec![settings.literal()];
    arguments.extend(COLUMNS.iter().map(|column| col(*column)));
    let shown = columns.iter().map(|column| {
        let value = get_field(col(ROWS), field_of(column.name));
        let is_node = column.name == CONTAINER_ID.name && hierarchy.is_some();
        if is_node { turned(value) } else { value }.alias(column.name)
    });
    let shown: Vec<Expr> = shown.collect();
    rows.aggregate(Vec::<Expr>::new(), vec![answer.function().call(arguments).alias(ROWS)])?
        .unnest_column_with_options(ROWS, UnnestOptions::new().with_preserve_nulls(false))?
        .project(shown)?
        .build()
}

/// The field of an answer that a column shows: differences lie where proportions do.
fn field_of(column: &'static str) -> &'static str {
    match column {
        "value" => MODE.name,
        "difference" => PROPORTION.name,
        "changed" => ALPHA.name,
        "differences" => PROPORTIONS.name,
        other => other,
    }
}

/// Name of the column that holds the list of the answer.
const ROWS: &str = "rows";

/// The same call, with the usual number of slices when it gave none.
fn with_slices<'a>(call: &Call<'a>) -> Call<'a> {
    let mut constants = call.constants.clone();
    let place = call.definition.constants.iter().position(|constant| constant.name == SLICES.name);
    if let Some(slices) = place.and_then(|place| constants.get_mut(place)) {
        slices.get_or_insert(Constant::BigInt(USUAL_SLICES));
    }
    Call {
        definition: call.definition,
        relations: vec![],
        constants,
        tables: call.tables.clone(),
        aggregates: call.aggregates,
        limits: call.limits,
        definitions: call.definitions,
    }
}

/// The number of a node of a hierarchy among containers, and back.
fn turned(id: Expr) -> Expr {
    lit(-1_i32) - id
}

/// The nodes of a hierarchy with the containers on them, and the cells of these containers.
fn on_machines(
    call: &Call<'_>,
    trace: &str,
    hierarchy: &str,
    model: LogicalPlan,
) -> Result<(LogicalPlan, LogicalPlan)> {
    let nodes = || attached_tree::nodes(call, trace, hierarchy);
    let own = LogicalPlanBuilder::from(nodes()?)
        .project(vec![
            turned(col("node_id")).alias("container_id"),
            turned(col("parent_id")).alias("parent_id"),
            col("preorder"),
            col("depth"),
            col("name"),
        ])?
        .build()?;
    let residents = LogicalPlanBuilder::from(attached_tree::residents(call, trace)?)
        .join(nodes()?, JoinType::Inner, (vec!["machine"], vec!["name"]), None)?
        .project(vec![
            col("resident_id").alias("container_id"),
            turned(col("node_id")).alias("parent_id"),
            col("preorder"),
            lit(i32::MAX).alias("depth"),
            col("name"),
        ])?
        .build()?;
    let known = LogicalPlanBuilder::from(residents.clone()).alias("residents")?.build()?;
    let container = Column::from(model.schema().qualified_field_with_unqualified_name("container_id")?);
    let resident = Column::new(Some("residents"), "container_id");
    let model = LogicalPlanBuilder::from(model)
        .join(known, JoinType::LeftSemi, (vec![container], vec![resident]), None)?
        .build()?;
    Ok((union_rows(own, residents)?, model))
}

/// The one trace that a relation reads.
fn trace_of(call: &Call<'_>, relation: &LogicalPlan) -> Result<String> {
    let mut traces = schemas(relation)?;
    traces.retain(|name| call.tables.spans.contains_key(name));
    let traces: Vec<String> = traces.into_iter().collect();
    match traces.as_slice() {
        [] => Ok(call.tables.schema.clone()),
        [trace] => Ok(trace.clone()),
        _ => plan_err!(
            "{}: the relation reads several traces, {}; a partition is of one",
            call.definition.name,
            traces.join(", ")
        ),
    }
}

fn settings(call: &Call<'_>, relation: &LogicalPlan, question: PartitionQuestion) -> Result<PartitionSettings> {
    let number = |name: &str| call.big_int(name).and_then(|number| usize::try_from(number).ok());
    let is_model = RelationContent::of(call, relation)? == RelationContent::Model;
    let window = match TimeWindow::of_call(call, relation) {
        Ok(window) => {
            let per_second = window.resolution.ticks_per_second();
            Some(TickWindow { start: window.start_tick, stop: window.stop_tick, per_second })
        }
        // A model of no trace has slices without times.
        Err(_) if is_model && call.constant("start").is_none() && call.constant("stop").is_none() => None,
        Err(error) => return Err(error),
    };
    let usual = (!is_model).then_some(USUAL_SLICES as usize);
    Ok(PartitionSettings {
        function: call.definition.name.to_string(),
        question,
        p: call.constant(P.name).and_then(Constant::as_double).unwrap_or(0.0),
        measure: call.text(MEASURE.name).and_then(measure).unwrap_or(PartitionMeasure::Mean),
        ties: call.text(TIES.name).and_then(ties).unwrap_or(Ties::Fewest),
        threads: call.limits.threads,
        slices: number(SLICES.name).or(usual),
        // Containers hang deeper than the nodes of a hierarchy: this averages them into their machines.
        depth: number(DEPTH.name).or(call.text(HIERARCHY.name).map(|_| i32::MAX as usize - 1)),
        window,
        memory: call.limits.memory,
        operations: call.double(MAX_OPERATIONS.name)?,
    })
}

/// A relation with the columns that the aggregates take; those that it lacks are NULL.
fn columns_of(call: &Call<'_>, plan: LogicalPlan, name: &str) -> Result<LogicalPlan> {
    let schema = plan.schema();
    let find = |column: &str| schema.qualified_field_with_unqualified_name(column).ok().map(Column::from);
    let mut shown = vec![];
    for column in COLUMNS {
        let wanted = type_of(column);
        // Only containers have a place in the tree and a name there; a model that carries one is a model all the
        // same.
        let is_place = matches!(column, "parent_id" | "preorder" | "depth" | "container");
        let source = if column == "container" { name } else { column };
        let found = find(source).filter(|_| !(is_place && name == "container"));
        let expression = match found {
            None if column == "container_id" => {
                return plan_err!("{}: the model has no column container_id", call.definition.name);
            }
            None => lit(ScalarValue::try_from(&wanted)?),
            Some(column) => {
                let column = Expr::Column(column);
                let given = column.get_type(schema)?;
                if given == wanted { column } else { cast(column, wanted) }
            }
        };
        shown.push(expression.alias(column));
    }
    LogicalPlanBuilder::from(plan).project(shown)?.build()
}

fn type_of(column: &str) -> DataType {
    match column {
        "container_id" | "parent_id" | "preorder" | "depth" => DataType::Int32,
        "slice" => DataType::Int64,
        "slice_start" | "slice_end" | "rho" | "right_start" | "right_end" => DataType::Float64,
        _ => DataType::Utf8View,
    }
}
