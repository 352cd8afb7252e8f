//! `scene([states], [links], base, …)`: the trace in three dimensions, with time upwards.
//!
//! ```text
//!      y  time          states are bars on the place of their container,
//!      │ ▐   ╱▐         links go from the place and time of one container to
//!      │ ▐  ╱ ▐         those of another, and the base shows why places are
//!      └─▐─╱──▐── x     where they are: who communicates with whom, the
//!       ╱              network, or a treemap of the containers
//!      z
//! ```
//! The places of containers come from a base ([`base`]); everything else is joined with them.

mod base;
mod row;

use datafusion::common::Result;
use datafusion::functions::core::expr_fn::{greatest, least};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::col;

use self::base::SceneGround;
use self::row::{SceneRow, of};
use super::comm_graph::inside;
use super::required_column;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::union_rows;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "scene",
        family: "layout",
        form: Form::Table,
        description: "Places states, links and containers in three dimensions: containers on a base, time upwards.",
        notes: "Rows of kind state are bars on the place of their container, links go from (x, y0, z) to (x2, y1, z2), \
                nodes and areas are shapes of the base, and edges its lines. With base communication a force layout \
                places the containers that communicate and all leaves; with topology they stand on the machines of \
                the attached network, with treemap on the rectangles of a treemap in which every leaf weighs the \
                same. States of containers without a place are omitted, and so are links that are not wholly \
                between start and stop; states are cut there. The base is computed for each kind of row, always \
                with the same places. Row order is unspecified.",
        relations: &[
            RelationParameter {
                name: "states",
                default: Some("state_segments"),
                doc: "States, with container_id, container, type, value, start_time and end_time.",
            },
            RelationParameter {
                name: "links",
                default: Some("links"),
                doc: "Links, with source_id, target_id, type, value, start_time, end_time and volume.",
            },
        ],
        constants: &[
            ConstantParameter {
                name: "base",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("communication"),
                accepts: Accepts::OneOf(&["communication", "topology", "treemap"]),
                doc: "What decides the places of containers.",
            },
            ConstantParameter {
                name: "start",
                kind: ConstantKind::Moment,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "Time at the base, in seconds; NULL for the start of the trace.",
            },
            ConstantParameter {
                name: "stop",
                kind: ConstantKind::Moment,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "Time at the top, in seconds; NULL for the end of the trace.",
            },
            ConstantParameter {
                name: "time_scale",
                kind: ConstantKind::Double,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(1e-12, 1e12),
                doc: "Height of a second; NULL makes the whole as high as the base is wide.",
            },
            ConstantParameter {
                name: "size",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(100.0),
                accepts: Accepts::Between(1e-6, 1e9),
                doc: "Width and depth of the base.",
            },
        ],
        columns: &[
            OutputColumn { name: "kind", kind: "TEXT", doc: "state, link, node, edge or area." },
            OutputColumn {
                name: "container_id",
                kind: "INTEGER",
                doc: "Container of a state, node or area; source of a link; NULL for parts of a network.",
            },
            OutputColumn { name: "name", kind: "TEXT", doc: "Name of that container, or of the node of a network." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of a state or link." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of a state or link." },
            OutputColumn { name: "color", kind: "TEXT", doc: "Color that the trace gives that value." },
            OutputColumn { name: "x", kind: "DOUBLE", doc: "Middle of a bar or shape, or where a line begins." },
            OutputColumn { name: "z", kind: "DOUBLE", doc: "The same, in the other direction of the base." },
            OutputColumn { name: "y0", kind: "DOUBLE", doc: "Height where it begins; 0 on the base." },
            OutputColumn { name: "y1", kind: "DOUBLE", doc: "Height where it ends." },
            OutputColumn { name: "width", kind: "DOUBLE", doc: "Extent along x; NULL for lines." },
            OutputColumn { name: "length", kind: "DOUBLE", doc: "Extent along z; NULL for lines." },
            OutputColumn { name: "x2", kind: "DOUBLE", doc: "Where a line ends; NULL for the rest." },
            OutputColumn { name: "z2", kind: "DOUBLE", doc: "The same, in the other direction of the base." },
        ],
        examples: &[
            "SELECT kind, name, x, z, width, length FROM scene(base => 'treemap') WHERE kind = 'area' ORDER BY name",
        ],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let states = call.relation(0)?;
    let window = TimeWindow::of_call(&call, &states)?;
    let time = HeightScale::new(&call, &window)?;
    let base = SceneGround::of_call(&call)?;
    let mut plan = union_rows(state_rows(&call, states, &base, &time)?, link_rows(&call, &base, &time)?)?;
    for shapes in base.shapes(&call)? {
        plan = union_rows(plan, shapes)?;
    }
    Ok(plan)
}

/// How times become heights.
struct HeightScale {
    start: f64,
    stop: f64,
    scale: f64,
}

impl HeightScale {
    fn new(call: &Call<'_>, window: &TimeWindow) -> Result<HeightScale> {
        let (start, stop) = (window.resolution.seconds(window.start_tick), window.resolution.seconds(window.stop_tick));
        let scale = call.constant("time_scale").and_then(|constant| constant.as_double());
        Ok(HeightScale { start, stop, scale: scale.unwrap_or(call.double("size")? / (stop - start)) })
    }

    fn height(&self, time: Expr) -> Expr {
        (time - lit(self.start)) * lit(self.scale)
    }
}

/// The colors that the trace gives to values.
fn colors(call: &Call<'_>) -> Result<LogicalPlan> {
    LogicalPlanBuilder::from(call.table("entity_values")?)
        .project(vec![col("type").alias("color_type"), col("name").alias("color_value"), col("color")])?
        .distinct()?
        .alias("colors")?
        .build()
}

/// Joins rows with the colors of their values.
fn colored(call: &Call<'_>, rows: LogicalPlanBuilder, side: &str) -> Result<LogicalPlanBuilder> {
    let is_same =
        of(side, "type").eq(of("colors", "color_type")).and(of(side, "value").eq(of("colors", "color_value")));
    rows.join_on(colors(call)?, JoinType::Left, [is_same])
}

fn state_rows(call: &Call<'_>, states: LogicalPlan, base: &SceneGround, time: &HeightScale) -> Result<LogicalPlan> {
    for name in ["container_id", "type", "value", "start_time", "end_time"] {
        required_column(call, &states, name)?;
    }
    let shown = LogicalPlanBuilder::from(states)
        .filter(col("start_time").lt(lit(time.stop)).and(col("end_time").gt(lit(time.start))))?
        .project(["container_id", "type", "value", "start_time", "end_time"].map(col))?
        .alias("s")?
        .join_on(base.places(call, "p")?, JoinType::Inner, [of("s", "container_id").eq(of("p", "place_id"))])?;
    let row = SceneRow {
        kind: "state",
        container_id: Some(of("s", "container_id")),
        name: Some(of("p", "place")),
        type_: Some(of("s", "type")),
        value: Some(of("s", "value")),
        color: Some(of("colors", "color")),
        place: Some((of("p", "x"), of("p", "z"))),
        heights: Some((
            time.height(greatest(vec![of("s", "start_time"), lit(time.start)])),
            time.height(least(vec![of("s", "end_time"), lit(time.stop)])),
        )),
        extent: Some((of("p", "bar"), of("p", "bar"))),
        ..SceneRow::default()
    };
    colored(call, shown, "s")?.project(row.columns())?.build()
}

fn link_rows(call: &Call<'_>, base: &SceneGround, time: &HeightScale) -> Result<LogicalPlan> {
    let links = call.relation(1)?;
    for name in ["source_id", "target_id", "type", "value", "start_time", "end_time"] {
        required_column(call, &links, name)?;
    }
    let shown = LogicalPlanBuilder::from(inside(call, links)?)
        .project(["source_id", "target_id", "type", "value", "start_time", "end_time"].map(col))?
        .alias("l")?
        .join_on(base.places(call, "a")?, JoinType::Inner, [of("l", "source_id").eq(of("a", "place_id"))])?
        .join_on(base.places(call, "b")?, JoinType::Inner, [of("l", "target_id").eq(of("b", "place_id"))])?;
    let row = SceneRow {
        kind: "link",
        container_id: Some(of("l", "source_id")),
        name: Some(of("a", "place")),
        type_: Some(of("l", "type")),
        value: Some(of("l", "value")),
        color: Some(of("colors", "color")),
        place: Some((of("a", "x"), of("a", "z"))),
        heights: Some((time.height(of("l", "start_time")), time.height(of("l", "end_time")))),
        end: Some((of("b", "x"), of("b", "z"))),
        ..SceneRow::default()
    };
    colored(call, shown, "l")?.project(row.columns())?.build()
}
