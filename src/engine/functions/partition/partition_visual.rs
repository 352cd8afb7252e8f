//! `partition_visual(model, …, height, min_height)`: the overview as a screen of some height can show it.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::partition_plan::{
    self as overview, ALPHA, AREA, AREA_DEPTH, CONTAINER, CONTAINER_ID, DEPTH, END_TIME, FIRST_SLICE, GAIN, LAST_SLICE,
    LOSS, MAX_OPERATIONS, MEASURE, MODE, MODEL, P, PROPORTION, PROPORTIONS, RESOURCES, SLICES, START_TIME, TIES,
};
use super::partition_settings::PartitionQuestion;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, column,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::{START, STOP, TYPE};
use crate::functions::tree::attached_tree::HIERARCHY;

pub(crate) const HEIGHT: ConstantParameter = ConstantParameter {
    name: "height",
    kind: ConstantKind::Double,
    default: DefaultValue::Double(600.0),
    accepts: Accepts::Between(1e-3, 1e9),
    doc: "Height of the picture, in pixels.",
};
pub(crate) const MIN_HEIGHT: ConstantParameter = ConstantParameter {
    name: "min_height",
    kind: ConstantKind::Double,
    default: DefaultValue::Double(2.0),
    accepts: Accepts::Between(0.0, 1e9),
    doc: "Areas thinner than this are drawn as their parent.",
};

pub(crate) const MARK: OutputColumn =
    column("mark", "TEXT", "diagonal or cross when the area hides parts; NULL for an area of the partition.");

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "partition_visual",
        family: "partition",
        form: Form::Table,
        description: "Returns the areas of spatiotemporal_partition that a picture of some height can show.",
        notes: "Where a cut in space gives a part that is thinner than min_height, the container above is drawn in its place, \
                once for each interval between instants at which all of its leaves are cut: marked diagonal when none of \
                them is cut inside the interval, cross when some are. Gain and loss are those of the area as it is drawn. \
                Resources all have the same height, in the order of the tree. The rest is as in spatiotemporal_partition.",
        relations: &[MODEL],
        constants: &[SLICES, START, STOP, P, TYPE, HEIGHT, MIN_HEIGHT, MEASURE, TIES, DEPTH, HIERARCHY, MAX_OPERATIONS],
        columns: &[
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
            OutputColumn { name: "y", kind: "DOUBLE", doc: "Upper edge in the picture, from its top." },
            OutputColumn { name: "height", kind: "DOUBLE", doc: "Height in the picture." },
            MARK,
        ],
        examples: &["SELECT container, first_slice, last_slice, y, height, mark \
             FROM partition_visual(slices => 20, p => 0.2, height => 120, min_height => 15) ORDER BY area"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    overview::plan(&call, PartitionQuestion::Visual(call.double(HEIGHT.name)?, call.double(MIN_HEIGHT.name)?))
}
