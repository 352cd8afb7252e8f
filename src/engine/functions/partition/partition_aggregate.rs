//! The aggregate functions that the table functions of partitions build their plans from.
//!
//! `NAME(settings, columns…)` collects the containers of a trace and the cells of a model, computes the partition when
//! all are there, and gives its areas, or its levels, as a list. The kernel runs on threads of its own while the
//! one that asks waits. They are not meant to be called by hand.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray, new_null_array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{
    DataFusionError, Result, ScalarValue, exec_datafusion_err, internal_datafusion_err, internal_err,
};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};

use super::partition_columns::{AREA_FIELDS, LEVEL_FIELDS, ShownArea, area_columns, level_columns};
use super::partition_model::{Overview, bytes_needed, on_threads};
use super::partition_rows::{COLUMNS, ModelRows};
use super::partition_settings::{PartitionQuestion, PartitionSettings};
use crate::functions::plans::query_links::CancelSlot;
use ocellus_kernels::partition::{
    Interrupt, Interrupted, Measures, PartitionSearch, area_ranges, full_aggregation, levels, product, visual,
};

/// What an aggregate gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PartitionAnswer {
    Areas,
    Levels,
}

impl PartitionAnswer {
    fn name(self) -> &'static str {
        match self {
            PartitionAnswer::Areas => "partition_list",
            PartitionAnswer::Levels => "partition_steps",
        }
    }

    fn item(self) -> FieldRef {
        let fields: &Fields = match self {
            PartitionAnswer::Areas => &AREA_FIELDS,
            PartitionAnswer::Levels => &LEVEL_FIELDS,
        };
        Arc::new(Field::new_list_field(DataType::Struct(fields.clone()), false))
    }

    /// The aggregate.
    pub(crate) fn function(self) -> AggregateUDF {
        AggregateUDF::from(PartitionOf {
            answer: self,
            cancel: CancelSlot::default(),
            signature: Signature::any(1 + COLUMNS.len(), Volatility::Immutable),
        })
    }
}

/// Where an aggregate of a plan looks whether its query is cancelled; `None` for other aggregates.
pub(crate) fn cancel_slot(function: &AggregateUDF) -> Option<&CancelSlot> {
    function.inner().downcast_ref::<PartitionOf>().map(|partition| &partition.cancel)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct PartitionOf {
    answer: PartitionAnswer,
    cancel: CancelSlot,
    signature: Signature,
}

impl AggregateUDFImpl for PartitionOf {
    fn name(&self) -> &str {
        self.answer.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::List(self.answer.item()))
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[rows]", arguments.name), DataType::LargeBinary, true))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let settings = PartitionSettings::of_arguments(&arguments)?;
        Ok(Box::new(PartitionCollector {
            answer: self.answer,
            settings,
            cancel: self.cancel.clone(),
            rows: ModelRows::default(),
            needed: 0,
        }))
    }
}

/// Collects rows, and answers in the end.
#[derive(Debug)]
struct PartitionCollector {
    answer: PartitionAnswer,
    settings: PartitionSettings,
    cancel: CancelSlot,
    rows: ModelRows,
    /// Bytes that the answer will need. They count as held from the moment that rows are merged, so that the memory of
    /// the query is asked for them before they are used. What is beyond all memory is refused in the end, with its figure.
    needed: usize,
}

impl Accumulator for PartitionCollector {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        match values {
            [_settings, columns @ ..] => self.rows.update(&self.settings.function, self.settings.signs(), columns),
            [] => internal_err!("a partition got no columns"),
        }
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [written] = states else {
            return internal_err!("a partition got {} states", states.len());
        };
        let written = written.as_binary::<i64>();
        for bytes in written.iter().flatten() {
            let unreadable = || internal_datafusion_err!("rows of a partition are damaged");
            self.rows.read(bytes).ok_or_else(unreadable)?;
        }
        let needed = bytes_needed(&self.rows, &self.settings);
        self.needed = if self.settings.memory.is_some_and(|limit| needed > limit) { 0 } else { needed };
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::LargeBinary(Some(self.rows.write()))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let item = self.answer.item();
        let Some(overview) = Overview::new(&self.rows, &self.settings)? else {
            return ScalarValue::try_from_array(&new_null_array(&DataType::List(item), 1), 0);
        };
        let settings = &self.settings;
        let cancel = self.cancel.flag();
        let interrupt = Interrupt::new(move || cancel.is_set());
        let columns = on_threads(settings.threads, || answer(overview, settings, &interrupt))??;
        let rows = columns.first().map_or(0, |column| column.len());
        let DataType::Struct(fields) = item.data_type() else {
            return internal_err!("the rows of a partition are no structs");
        };
        let rows_of_list = OffsetBuffer::from_lengths([rows]);
        let structs = StructArray::try_new(fields.clone(), columns, None)?;
        Ok(ScalarValue::List(Arc::new(ListArray::try_new(item, rows_of_list, Arc::new(structs), None)?)))
    }

    fn size(&self) -> usize {
        self.rows.size().saturating_add(self.needed)
    }
}

fn interrupted(_: Interrupted) -> DataFusionError {
    exec_datafusion_err!("the query was cancelled")
}

/// Runs the kernel: the columns of the answer.
fn answer(overview: Overview, settings: &PartitionSettings, interrupt: &Interrupt) -> Result<Vec<ArrayRef>> {
    let (p, measure) = (settings.p, settings.measure);
    let Overview { model, names } = overview;
    let resources = model.tree().nodes()[model.tree().root()].resources;
    let search = |model| {
        let measures = Measures::new(model, measure, interrupt).map_err(interrupted)?;
        Ok::<_, DataFusionError>(PartitionSearch::new(measures, settings.ties).with_interrupt(interrupt.clone()))
    };
    let areas =
        |search: &mut PartitionSearch| Ok::<_, DataFusionError>(search.partition(p).map_err(interrupted)?.areas);
    let mut drawn = vec![];
    let search = match settings.question {
        PartitionQuestion::Levels(precision) => {
            let mut search = search(model)?;
            let found = levels(&mut search, precision).map_err(interrupted)?;
            return Ok(level_columns(&found, full_aggregation(&search)));
        }
        PartitionQuestion::Areas => {
            let mut search = search(model)?;
            let found = areas(&mut search)?;
            drawn.extend(found.into_iter().map(|area| ShownArea::placed(area, search.measures().tree())));
            search
        }
        PartitionQuestion::Visual(height, least) => {
            let mut search = search(model)?;
            let unit = height / resources as f64;
            let shown = visual(&mut search, p, height, least).map_err(interrupted)?;
            drawn.extend(shown.iter().map(|shown| ShownArea::visual(shown, search.measures().tree(), unit)));
            search
        }
        PartitionQuestion::Ranges { picture, precision } => {
            let mut search = search(model)?;
            // Without a picture, heights are counted in resources.
            let unit = picture.map_or(1.0, |picture| picture.height / resources as f64);
            let ranges = area_ranges(&mut search, picture, precision).map_err(interrupted)?;
            drawn.extend(ranges.iter().map(|range| ShownArea::ranged(range, search.measures().tree(), unit)));
            search
        }
        PartitionQuestion::Time => {
            let mut search = search(model.without_space())?;
            drawn.extend(areas(&mut search)?.into_iter().map(|area| ShownArea::of_resources(area, resources)));
            search
        }
        PartitionQuestion::Space => {
            let last = model.slices() - 1;
            let mut search = search(model.without_time())?;
            drawn.extend(areas(&mut search)?.into_iter().map(|area| ShownArea::of_slices(area, last)));
            search
        }
        PartitionQuestion::Product => {
            let time = search(model.without_space())?.partition(p).map_err(interrupted)?;
            let space = search(model.without_time())?.partition(p).map_err(interrupted)?;
            let search = search(model)?;
            drawn.extend(product(search.measures(), &space, &time).areas.into_iter().map(ShownArea::area));
            search
        }
    };
    area_columns(&drawn, search.measures(), &names)
}
