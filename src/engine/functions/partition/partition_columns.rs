//! The columns of partitions: areas and levels as Arrow arrays.

use std::sync::{Arc, LazyLock};

use arrow::array::{
    ArrayRef, Float64Array, Float64Builder, Int32Array, Int64Array, ListBuilder, StringViewArray, StringViewBuilder,
    StructBuilder,
};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::Result;

use super::partition_model::ModelNames;
use ocellus_kernels::partition::{
    AreaRange, Measures, Model, PartitionArea, PartitionLevel, PartitionMeasure, PartitionTree, Quality, VisualArea,
    VisualMark,
};

/// The fields of an entry of `proportions`.
static PROPORTION_FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        Field::new("value", DataType::Utf8View, true),
        Field::new("proportion", DataType::Float64, false),
    ])
});

/// The fields of an area.
pub(crate) static AREA_FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let item = Arc::new(Field::new_list_field(DataType::Struct(PROPORTION_FIELDS.clone()), true));
    Fields::from(vec![
        Field::new("area", DataType::Int64, false),
        Field::new("container_id", DataType::Int32, true),
        Field::new("container", DataType::Utf8View, true),
        Field::new("depth", DataType::Int32, true),
        Field::new("first_slice", DataType::Int64, false),
        Field::new("last_slice", DataType::Int64, false),
        Field::new("start_time", DataType::Float64, true),
        Field::new("end_time", DataType::Float64, true),
        Field::new("resources", DataType::Int64, false),
        Field::new("mode", DataType::Utf8View, true),
        Field::new("proportion", DataType::Float64, false),
        Field::new("alpha", DataType::Float64, true),
        Field::new("gain", DataType::Float64, false),
        Field::new("loss", DataType::Float64, false),
        Field::new("proportions", DataType::List(item), false),
        Field::new("y", DataType::Float64, true),
        Field::new("height", DataType::Float64, true),
        Field::new("mark", DataType::Utf8View, true),
        Field::new("right_start_time", DataType::Float64, true),
        Field::new("right_end_time", DataType::Float64, true),
        Field::new("p_from", DataType::Float64, true),
        Field::new("p_to", DataType::Float64, true),
    ])
});

/// The fields of a level.
pub(crate) static LEVEL_FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let number = |name: &str, nullable: bool| Field::new(name, DataType::Float64, nullable);
    Fields::from(vec![
        number("p", false),
        Field::new("aggregates", DataType::Int64, false),
        number("gain", false),
        number("loss", false),
        number("gain_ratio", true),
        number("loss_ratio", true),
    ])
});

/// An area as it is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownArea {
    area: PartitionArea,
    /// Instead of those of the area's node.
    resources: Option<u64>,
    /// Instead of the area's.
    last_slice: Option<usize>,
    /// Where it lies in a picture, and its height there.
    place: Option<(f64, f64)>,
    mark: Option<VisualMark>,
    /// The p that show it, where several are asked for.
    range: Option<(f64, f64)>,
}

impl ShownArea {
    pub(crate) fn area(area: PartitionArea) -> ShownArea {
        ShownArea { area, resources: None, last_slice: None, place: None, mark: None, range: None }
    }

    /// An area whose place is counted in resources.
    pub(crate) fn placed(area: PartitionArea, tree: &PartitionTree) -> ShownArea {
        ShownArea::visual(&VisualArea { area, mark: None }, tree, 1.0)
    }

    /// An area of a model whose one resource stands for that many.
    pub(crate) fn of_resources(area: PartitionArea, resources: u64) -> ShownArea {
        ShownArea { resources: Some(resources), ..ShownArea::area(area) }
    }

    /// An area of a model whose one slice stands for all up to this one.
    pub(crate) fn of_slices(area: PartitionArea, last: usize) -> ShownArea {
        ShownArea { last_slice: Some(last), ..ShownArea::area(area) }
    }

    /// An area of a picture in which a resource is `unit` high.
    pub(crate) fn visual(shown: &VisualArea, tree: &PartitionTree, unit: f64) -> ShownArea {
        let node = tree.nodes()[shown.area.node];
        let above: u64 = tree.nodes()[..node.first_leaf].iter().map(|leaf| leaf.resources).sum();
        let place = (above as f64 * unit, node.resources as f64 * unit);
        ShownArea { place: Some(place), mark: shown.mark, ..ShownArea::area(shown.area) }
    }

    /// An area with the p that show it.
    pub(crate) fn ranged(range: &AreaRange, tree: &PartitionTree, unit: f64) -> ShownArea {
        ShownArea { range: Some((range.from, range.to)), ..ShownArea::visual(&range.shown, tree, unit) }
    }

    fn last(&self) -> usize {
        self.last_slice.unwrap_or(self.area.last)
    }
}

/// The columns of areas, in the order of [`AREA_FIELDS`].
pub(crate) fn area_columns(drawn: &[ShownArea], measures: &Measures, names: &ModelNames) -> Result<Vec<ArrayRef>> {
    let whole = |get: &dyn Fn(&ShownArea) -> i64| -> ArrayRef {
        Arc::new(drawn.iter().map(|area| Some(get(area))).collect::<Int64Array>())
    };
    let small = |get: &dyn Fn(&ShownArea) -> Option<i32>| -> ArrayRef {
        Arc::new(drawn.iter().map(get).collect::<Int32Array>())
    };
    let real = |get: &dyn Fn(&ShownArea) -> Option<f64>| -> ArrayRef {
        Arc::new(drawn.iter().map(get).collect::<Float64Array>())
    };
    let nodes = measures.tree().nodes();
    let mix = StateMix::of(drawn, measures, names);
    Ok(vec![
        Arc::new((0..drawn.len() as i64).collect::<Int64Array>()),
        small(&|drawn| names.container(drawn.area.container).map(|container| container.id)),
        Arc::new(drawn.iter().map(|drawn| names.container_name(drawn.area.container)).collect::<StringViewArray>()),
        small(&|drawn| names.container(drawn.area.container).map(|container| container.depth)),
        whole(&|drawn| drawn.area.first as i64),
        whole(&|drawn| drawn.last() as i64),
        real(&|drawn| names.time(drawn.area.first)),
        real(&|drawn| names.time(drawn.last() + 1)),
        whole(&|drawn| drawn.resources.unwrap_or(nodes[drawn.area.node].resources) as i64),
        Arc::new(mix.mode.finish_cloned()),
        Arc::new(mix.proportion.finish_cloned()),
        Arc::new(mix.alpha.finish_cloned()),
        real(&|drawn| Some(drawn.area.quality.gain)),
        real(&|drawn| Some(drawn.area.quality.loss)),
        Arc::new(mix.proportions.finish_cloned()),
        real(&|drawn| drawn.place.map(|(y, _)| y)),
        real(&|drawn| drawn.place.map(|(_, height)| height)),
        Arc::new(drawn.iter().map(|drawn| drawn.mark.map(mark_name)).collect::<StringViewArray>()),
        real(&|drawn| names.right_interval(drawn.area.first, drawn.last())[0]),
        real(&|drawn| names.right_interval(drawn.area.first, drawn.last())[1]),
        real(&|drawn| drawn.range.map(|(from, _)| from)),
        real(&|drawn| drawn.range.map(|(_, to)| to)),
    ])
}

fn mark_name(mark: VisualMark) -> &'static str {
    match mark {
        VisualMark::Diagonal => "diagonal",
        VisualMark::Cross => "cross",
    }
}

/// What areas are made of: the states of each.
struct StateMix {
    mode: StringViewBuilder,
    proportion: Float64Builder,
    alpha: Float64Builder,
    proportions: ListBuilder<StructBuilder>,
    measure: PartitionMeasure,
}

impl StateMix {
    fn of(drawn: &[ShownArea], measures: &Measures, names: &ModelNames) -> StateMix {
        let entry = StructBuilder::from_fields(PROPORTION_FIELDS.clone(), 0);
        let mut mix = StateMix {
            mode: StringViewBuilder::new(),
            proportion: Float64Builder::new(),
            alpha: Float64Builder::new(),
            proportions: ListBuilder::new(entry),
            measure: measures.measure(),
        };
        for drawn in drawn {
            mix.add(&states(&drawn.area, measures.model()), names);
        }
        mix
    }

    /// Adds an area: its states with their proportions, largest first.
    ///
    /// What the proportions lack to 1 is time in no state, and counts in alpha as one more state would. Of differences,
    /// alpha is the share of time that is spent otherwise: the sum of those of one sign, whichever is larger.
    fn add(&mut self, states: &[(usize, f64)], names: &ModelNames) {
        let total: f64 = states.iter().map(|(_, proportion)| proportion).sum();
        let mode = states.first();
        let lost: f64 = states.iter().map(|(_, proportion)| proportion.min(0.0)).sum();
        let alpha = |proportion: f64| match self.measure {
            PartitionMeasure::Deviation => (total - lost).max(-lost),
            PartitionMeasure::Mean | PartitionMeasure::Sum => proportion / total.max(1.0),
        };
        self.mode.append_option(mode.and_then(|(state, _)| names.state(*state)));
        self.proportion.append_value(mode.map_or(0.0, |(_, proportion)| *proportion));
        self.alpha.append_option(mode.map(|(_, proportion)| alpha(*proportion)));
        let entries = self.proportions.values();
        for (state, proportion) in states {
            if let Some(value) = entries.field_builder::<StringViewBuilder>(0) {
                value.append_option(names.state(*state));
            }
            if let Some(number) = entries.field_builder::<Float64Builder>(1) {
                number.append_value(*proportion);
            }
            entries.append(true);
        }
        self.proportions.append(true);
    }
}

/// The states that occur in an area, the largest proportion or difference first; of equal ones, the first by name.
fn states(area: &PartitionArea, model: &Model) -> Vec<(usize, f64)> {
    let proportion = |state: usize| (state, model.proportion(area.node, area.first, area.last, state));
    let mut states: Vec<(usize, f64)> = (0..model.states()).map(proportion).collect();
    states.retain(|(_, proportion)| *proportion != 0.0);
    states.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    states
}

/// The columns of levels, in the order of [`LEVEL_FIELDS`].
pub(crate) fn level_columns(levels: &[PartitionLevel], full: Quality) -> Vec<ArrayRef> {
    let real = |get: &dyn Fn(&PartitionLevel) -> Option<f64>| -> ArrayRef {
        Arc::new(levels.iter().map(get).collect::<Float64Array>())
    };
    // Where one area for everything gains or loses nothing, there is nothing to compare with.
    // One area of everything may have more to tell than its cells: nothing is a share of less than nothing.
    let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    vec![
        real(&|level| Some(level.p)),
        Arc::new(levels.iter().map(|level| Some(level.areas as i64)).collect::<Int64Array>()),
        real(&|level| Some(level.quality.gain)),
        real(&|level| Some(level.quality.loss)),
        real(&|level| ratio(level.quality.gain, full.gain)),
        real(&|level| ratio(level.quality.loss, full.loss)),
    ]
}
