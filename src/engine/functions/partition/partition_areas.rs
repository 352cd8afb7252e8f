//! `partition_areas(model, …, height, min_height, precision)`: the areas of all p, each with the p that show it.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::partition_levels::PRECISION;
use super::partition_plan::{
    self as overview, ALPHA, AREA, AREA_DEPTH, CONTAINER, CONTAINER_ID, DEPTH, END_TIME, FIRST_SLICE, GAIN, LAST_SLICE,
    LOSS, MAX_OPERATIONS, MEASURE, MODE, MODEL, PROPORTION, PROPORTIONS, RESOURCES, SLICES, START_TIME, TIES,
};
use super::partition_settings::PartitionQuestion;
use super::partition_visual::{HEIGHT, MARK, MIN_HEIGHT};
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{
    Accepts, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, column,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::{START, STOP, TYPE};
use crate::functions::tree::attached_tree::HIERARCHY;
use ocellus_kernels::partition::PictureHeight;

const AREAS_HEIGHT: ConstantParameter = ConstantParameter {
    default: DefaultValue::Absent,
    doc: "Height of a picture, in pixels: areas are then those of partition_visual.",
    ..HEIGHT
};
const AREAS_PRECISION: ConstantParameter = ConstantParameter {
    accepts: Accepts::Between(1e-12, 1.0),
    doc: "How closely the p are found at which the partition changes; 1e-9 finds all but such that lie that close together.",
    ..PRECISION
};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "partition_areas",
        family: "partition",
        form: Form::Table,
        description: "Lists every area that some p gives, with the interval of p in which it appears.",
        notes: "The rows with p BETWEEN p_from AND p_to are the areas of spatiotemporal_partition with that p, or with \
                height those of partition_visual: one call answers all p, and an area that stays is one row. An area that goes \
                and comes back has a row for each interval. A change of the partition lies less than precision before the p_from \
                that it gives, the first p that was tried after it: of p as close as that before a p_from, rows may be those of the \
                other side. The p of partition_levels with the same precision or a coarser one are never among them. With a \
                precision below 0.001, changes are found where two partitions are equally good, by about three searches \
                each. Its measures are computed once, only the search is repeated; the limit of operations is compared \
                with what one change needs.",
        relations: &[MODEL],
        constants: &[
            SLICES,
            START,
            STOP,
            TYPE,
            AREAS_HEIGHT,
            MIN_HEIGHT,
            AREAS_PRECISION,
            MEASURE,
            TIES,
            DEPTH,
            HIERARCHY,
            MAX_OPERATIONS,
        ],
        columns: &[
            column("p_from", "DOUBLE", "The smallest p that shows the area."),
            column("p_to", "DOUBLE", "The largest p that shows it: 1, or the number before the p of the next change."),
            OutputColumn { doc: "Row index, from 0: by place in the tree, then by time, then by p.", ..AREA },
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
            column("y", "DOUBLE", "Upper edge in the picture, from its top; without height, counted in resources."),
            column("height", "DOUBLE", "Height in the picture, or in resources."),
            MARK,
        ],
        examples: &["SELECT container, first_slice, last_slice, mode, round(proportion, 6) AS proportion \
             FROM partition_areas(slices => 20) WHERE 0.7 BETWEEN p_from AND p_to ORDER BY area"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let least = call.double(MIN_HEIGHT.name)?;
    let height = call.constant(AREAS_HEIGHT.name).and_then(Constant::as_double);
    let picture = height.map(|height| PictureHeight { height, least });
    overview::plan(&call, PartitionQuestion::Ranges { picture, precision: call.double(AREAS_PRECISION.name)? })
}
