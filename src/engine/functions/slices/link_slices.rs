//! `link_slices(links, slices, start, stop, type, boundary, fill)`: the links of each container as origin and as
//! destination, per slice.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array};
use arrow::datatypes::{DataType, Field, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::slice_aggregate::{Intervals, SliceCells};
use super::slice_kind::SliceKind;
use super::slice_plan::{
    CONTAINER, CONTAINER_ID, FILL, SLICE, SLICE_END, SLICE_START, SLICES, START, STOP, Sliced, TYPE, cell,
};
use super::slice_times::RowTimes;
use super::slice_window::{SliceWindow, SlicedRows};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use ocellus_kernels::pairs::NO_NUMBER;
use ocellus_kernels::slices::links::{Boundary, Link, LinkPart, LinkSlice, LinkSlices, LinkSum, SummedPart};
use ocellus_kernels::slices::{CutBands, SliceStore};
use ocellus_kernels::sums::Sum;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "link_slices",
        family: "slices",
        form: Form::Table,
        description: "Cuts a window of time into slices and sums up the links of each container, per slice: once as \
                      origin, once as destination.",
        notes: "With boundary => 'inside' a link counts in the slice that it starts in, if it ends there too or with \
                it; links that cross a boundary do not count. With 'clip' a link counts in each slice that it shares \
                time with: seconds and weighted with that time, volume with that share of its volume, links, \
                throughput and partners in full. A link without length counts in the slice of its instant, and \
                adds nothing to seconds, weighted and throughput; one at the end of the trace belongs to the last \
                slice. A link that ends before it starts (clocks that differ) counts nowhere. A link without a volume adds nothing to volume, weighted and throughput. The relation needs \
                source_id, target_id, start_time and end_time; source, target, type and volume are NULL when it \
                lacks them, and a column trace comes first when it has one. Slices without a link give no row, unless \
                fill is true. The relation is read twice. Row order is unspecified.",
        relations: &[RelationParameter { name: "links", default: Some("links"), doc: "The links." }],
        constants: &[
            SLICES,
            START,
            STOP,
            TYPE,
            ConstantParameter {
                name: "boundary",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("inside"),
                accepts: Accepts::OneOf(&["inside", "clip"]),
                doc: "What becomes of links that cross a boundary: left out, or cut.",
            },
            FILL,
        ],
        columns: &[
            SLICE,
            SLICE_START,
            SLICE_END,
            CONTAINER_ID,
            CONTAINER,
            OutputColumn {
                name: "role",
                kind: "TEXT",
                doc: "origin: the links start in the container; destination: they end there.",
            },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the links." },
            OutputColumn { name: "links", kind: "BIGINT", doc: "How many there are within the slice." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Sum of their durations within the slice." },
            OutputColumn { name: "volume", kind: "DOUBLE", doc: "Sum of their volumes." },
            OutputColumn {
                name: "weighted",
                kind: "DOUBLE",
                doc: "Sum of volume times seconds, over the length of the slice.",
            },
            OutputColumn { name: "throughput", kind: "DOUBLE", doc: "Sum of volume / duration, in volume per second." },
            OutputColumn {
                name: "partners",
                kind: "BIGINT",
                doc: "How many different containers are at the other ends.",
            },
        ],
        examples: &["SELECT slice, container, role, links, seconds, volume, throughput, partners \
             FROM link_slices(slices => 2) ORDER BY slice, container, role"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    slices(&call, call.relation(0)?)
}

/// The plan over a relation; arguments that the call does not have are absent.
pub(crate) fn slices(call: &Call<'_>, relation: LogicalPlan) -> Result<LogicalPlan> {
    let mut sliced = Sliced::new(call, relation)?;
    if call.text("boundary") == Some("clip") {
        sliced.window.boundary = Boundary::Clip;
    }
    let mut sliced = sliced.within(RowTimes::Links)?;
    let origins = ends(&sliced, "origin", ["source_id", "source", "target_id"])?;
    let destinations = ends(&sliced, "destination", ["target_id", "target", "source_id"])?;
    sliced.relation = LogicalPlanBuilder::from(origins).union(destinations)?.build()?;
    let arguments = ["role", "type", "starts", "ends", "volume", "partner"].map(col).to_vec();
    let names = ["links", "seconds", "volume", "weighted", "throughput", "partners"];
    let measures = names.map(|name| cell(name).alias(name)).to_vec();
    sliced.plan(&cells(), arguments, SlicedLinks::LABELS, measures)
}

/// The aggregate behind the plan.
pub(crate) fn cells() -> AggregateUDF {
    SliceCells::<SlicedLinks>::function("link_cells", 7)
}

/// The links as seen from one of their ends: its id, its name, and the id of the other end.
fn ends(sliced: &Sliced<'_>, role: &str, [id, name, partner]: [&str; 3]) -> Result<LogicalPlan> {
    let volume = match sliced.column("volume") {
        Some(_) => sliced.number("volume")?,
        None => lit(ScalarValue::Float64(None)),
    };
    let mut shown: Vec<Expr> = sliced.column("trace").map(|trace| trace.alias("trace")).into_iter().collect();
    shown.extend([
        sliced.required(id)?.alias("container_id"),
        sliced.text(name)?.alias("container"),
        lit(ScalarValue::Utf8View(Some(role.to_string()))).alias("role"),
        sliced.text("type")?.alias("type"),
        sliced.time("start_time")?.column.alias("starts"),
        sliced.time("end_time")?.column.alias("ends"),
        volume.alias("volume"),
        cast(sliced.required(partner)?, DataType::Int64).alias("partner"),
    ]);
    LogicalPlanBuilder::from(sliced.relation.clone()).project(shown)?.build()
}

/// Links, as the aggregate of slices sees them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlicedLinks;

/// The columns of a batch.
pub(crate) struct LinkColumns {
    intervals: Intervals,
    /// Volumes; of sums, their sum.
    volumes: Float64Array,
    partners: Int64Array,
    sums: Option<LinkSumColumns>,
}

/// What rows have that are sums of bands.
struct LinkSumColumns {
    widths: Int32Array,
    links: Int64Array,
    /// What the sum of volumes lacks, and then both halves of volume times ticks and of volume per second.
    halves: [Float64Array; 5],
}

impl LinkColumns {
    fn link(&self, row: usize) -> Option<Link> {
        let (start, end) = self.intervals.get(row)?;
        let volume = self.volumes.is_valid(row).then(|| self.volumes.value(row));
        Some(Link { start, end, volume, partner: self.partner(row) })
    }

    fn partner(&self, row: usize) -> Option<i64> {
        self.partners.is_valid(row).then(|| self.partners.value(row))
    }

    /// The sum of a band and where it counts; `None` where it does not.
    fn sum(&self, window: &SliceWindow, row: usize) -> Option<(LinkSum, SummedPart)> {
        let (SlicedRows::BandSums { coarsest }, Some(sums)) = (window.rows, &self.sums) else {
            return None;
        };
        let [volume_rest, weighted, weighted_rest, rate, rate_rest] =
            sums.halves.each_ref().map(|half| half.value(row));
        let volume = self.volumes.is_valid(row).then(|| Sum::of_halves(self.volumes.value(row), volume_rest));
        let sum = LinkSum {
            interval: self.intervals.get(row)?,
            shift: u32::try_from(sums.widths.value(row)).ok().filter(|shift| *shift <= coarsest)?,
            links: sums.links.value(row),
            volume,
            weighted: Sum::of_halves(weighted, weighted_rest),
            rate: Sum::of_halves(rate, rate_rest),
            partner: self.partner(row),
        };
        let part = sum.part(&window.slicing, coarsest, window.boundary, window.last_instant)?;
        Some((sum, part))
    }
}

impl SliceKind for SlicedLinks {
    type Store = LinkSlices;
    type Columns = LinkColumns;
    const LABELS: &'static [&'static str] = &["role", "type"];
    /// The width of the band, how many links it has, and the halves of sums.
    const SUM_COLUMNS: usize = 7;

    fn columns(window: &SliceWindow, arrays: &[ArrayRef]) -> Result<LinkColumns> {
        let doubles = |array: &ArrayRef| array.as_primitive::<Float64Type>().clone();
        let [starts, ends, volumes, partners, sums @ ..] = arrays else {
            return internal_err!("links have a start, an end, a volume and a partner");
        };
        let sums = match sums {
            [] => None,
            [widths, links, volume_rest, weighted, weighted_rest, rate, rate_rest] => Some(LinkSumColumns {
                widths: widths.as_primitive::<Int32Type>().clone(),
                links: links.as_primitive::<Int64Type>().clone(),
                halves: [volume_rest, weighted, weighted_rest, rate, rate_rest].map(doubles),
            }),
            _ => return internal_err!("sums of links have {} columns more, got {}", Self::SUM_COLUMNS, sums.len()),
        };
        Ok(LinkColumns {
            intervals: Intervals::of(window, starts, ends)?,
            volumes: doubles(volumes),
            partners: partners.as_primitive::<Int64Type>().clone(),
            sums,
        })
    }

    fn part(window: &SliceWindow, columns: &LinkColumns, row: usize) -> Option<LinkPart> {
        LinkPart::of(&window.slicing, columns.link(row)?, window.boundary, window.last_instant)
    }

    fn keep(window: &SliceWindow, columns: &LinkColumns, numbers: &mut [u32]) {
        for (row, number) in numbers.iter_mut().enumerate().filter(|(_, number)| **number != NO_NUMBER) {
            let counts = match columns.sums {
                Some(_) => columns.sum(window, row).is_some(),
                None => Self::part(window, columns, row).is_some(),
            };
            if !counts {
                *number = NO_NUMBER;
            }
        }
    }

    fn add_beside_summary(
        window: &SliceWindow,
        columns: &LinkColumns,
        series: &[u32],
        store: &mut LinkSlices,
        cut: &CutBands,
    ) {
        for (row, &series) in series.iter().enumerate().filter(|(_, series)| **series != NO_NUMBER) {
            if let SlicedRows::InCutBands { shift } = window.rows {
                let part = Self::part(window, columns, row).filter(|part| part.is_in_cut_band(cut, shift));
                if let Some(part) = part {
                    store.add(series, part);
                }
            } else if let Some((sum, part)) = columns.sum(window, row) {
                store.add_sum(series, &sum, part);
            }
        }
    }

    fn fields() -> Vec<Field> {
        let count = |name: &str| Field::new(name, DataType::Int64, false);
        let number = |name: &str| Field::new(name, DataType::Float64, false);
        vec![
            count("links"),
            number("seconds"),
            number("volume"),
            number("weighted"),
            number("throughput"),
            count("partners"),
        ]
    }

    fn arrays(measures: Vec<LinkSlice>) -> Vec<ArrayRef> {
        let count =
            |of: fn(&LinkSlice) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(measures.iter().map(of))) };
        let number = |of: fn(&LinkSlice) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(measures.iter().map(of)))
        };
        vec![
            count(|measure| measure.links),
            number(|measure| measure.seconds),
            number(|measure| measure.volume),
            number(|measure| measure.weighted),
            number(|measure| measure.throughput),
            count(|measure| measure.partners),
        ]
    }
}
