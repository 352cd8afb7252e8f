//! `column_mix(start_tick, end_tick, value, weight, window_start, window_stop, width)`: states seen
//! through the columns of a screen.

mod column_rows;
#[cfg(test)]
mod tests;

pub(super) use column_rows::MOST_COLUMNS;
pub(crate) use column_rows::columns_of;

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array, UInt32Array,
};
use arrow::buffer::ScalarBuffer;
use arrow::compute::take;
use arrow::datatypes::{DataType, Decimal128Type, Field, FieldRef, Fields, Int32Type, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, TypeSignature, Volatility,
};

use self::column_rows::{CUT_ARGUMENTS, ColumnRows, SUM_ARGUMENTS, SummedStates, band_columns};
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::AggregateFunction;
use crate::functions::plans::accumulators::{ListEnds, ListState, Ungrouped, kept_rows, list_of};
use ocellus_kernels::columns::{ColumnBounds, ColumnSpan, ScreenColumns, SpanValue, StatePiece, StatePieces};
use ocellus_kernels::labels::LabelTable;

/// Which values of a span are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SpanValues {
    /// The one with most time: an entry per span.
    Mode,
    /// All that occur, the one with most time first: an entry per span and value.
    All,
}

/// The aggregate behind `timeline(…, values => 'all')`: as column_mix, with an entry per span and value.
pub(crate) fn column_values() -> AggregateUDF {
    AggregateUDF::from(ColumnMix::new(SpanValues::All))
}

/// Either of them for rows that are not all rows there are; see [`ColumnRows`].
pub(crate) fn summed(function: &ColumnMix) -> AggregateUDF {
    AggregateUDF::from(ColumnMix::of_sums(function.values))
}

/// [`FUNCTION`] for such rows.
pub(crate) fn summed_mix() -> AggregateUDF {
    AggregateUDF::from(ColumnMix::of_sums(SpanValues::Mode))
}

/// [`column_values`] for such rows.
pub(crate) fn summed_values() -> AggregateUDF {
    AggregateUDF::from(ColumnMix::of_sums(SpanValues::All))
}

pub static FUNCTION: AggregateFunction = AggregateFunction {
    definition: Definition {
        name: "column_mix",
        family: "filters",
        form: Form::Aggregate,
        description: "Cuts a window into columns, and finds which value fills most of each, as a list of spans of columns.",
        notes: "What timeline is made of. Columns that hold the same share one span; columns without states are \
                left out, so there are at most width spans. A window of fewer ticks than width has a column per \
                tick. The last three arguments are constants. A state without length touches its column and \
                adds no time; one at window_stop touches the last column. Rows with a NULL, with an end before \
                their start or with a weight below 1 count nothing. Cost: at most three pieces per state, \
                however many columns it fills.",
        relations: &[],
        constants: &[
            argument("start_tick", "When a state begins, in ticks."),
            argument("end_tick", "When it ends, in ticks."),
            ConstantParameter { kind: ConstantKind::Text, ..argument("value", "Its value.") },
            argument("weight", "How many times it counts; 1 for a plain state."),
            argument("window_start", "Where the first column begins, in ticks."),
            argument("window_stop", "Where the last column ends, in ticks."),
            ConstantParameter {
                accepts: Accepts::Between(1.0, MOST_COLUMNS as f64),
                ..argument("width", "How many columns.")
            },
        ],
        columns: &[OutputColumn {
            name: "spans",
            kind: "STRUCT(first_column INTEGER, last_column INTEGER, start_tick BIGINT, end_tick BIGINT, value TEXT, \
                   amount DOUBLE, covered DOUBLE, states BIGINT, alone BIGINT)[]",
            doc: "Spans of columns in their order: the value with most time (of equal ones the first by name), its \
                  weight and that of all values on average, how many states touch the span, and the weight of \
                  the one state that alone fills it, else 0.",
        }],
        examples: &["SELECT column_mix(start_tick, end_tick, value, 1, 0, 12000000000, 4) AS spans \
             FROM state_segments WHERE container = 'u4'"],
    },
    make: || AggregateUDF::from(ColumnMix::new(SpanValues::Mode)),
};

const fn argument(name: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter {
        name,
        kind: ConstantKind::BigInt,
        default: DefaultValue::Required,
        accepts: Accepts::Anything,
        doc,
    }
}

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ColumnMix {
    signature: Signature,
    values: SpanValues,
    name: &'static str,
}

impl ColumnMix {
    fn new(values: SpanValues) -> ColumnMix {
        let kinds = FUNCTION.definition.constants.iter().map(|constant| match constant.kind {
            ConstantKind::Text => DataType::Utf8View,
            _ => DataType::Int64,
        });
        let names: Vec<&str> = FUNCTION.definition.parameter_names().collect();
        let signature = Signature::exact(kinds.collect(), Volatility::Immutable)
            .with_parameter_names(names)
            .expect("a name for each argument");
        let name = match values {
            SpanValues::Mode => FUNCTION.definition.name,
            SpanValues::All => "column_values",
        };
        ColumnMix { signature, values, name }
    }

    fn of_sums(values: SpanValues) -> ColumnMix {
        let counts = [CUT_ARGUMENTS, SUM_ARGUMENTS].map(TypeSignature::Any);
        let name = match values {
            SpanValues::Mode => "summed_column_mix",
            SpanValues::All => "summed_column_values",
        };
        ColumnMix { signature: Signature::one_of(counts.to_vec(), Volatility::Immutable), values, name }
    }
}

/// The fields of a span.
pub(super) fn span_fields() -> Fields {
    let field = |name: &str, kind: DataType| Field::new(name, kind, false);
    Fields::from(vec![
        field("first_column", DataType::Int32),
        field("last_column", DataType::Int32),
        field("start_tick", DataType::Int64),
        field("end_tick", DataType::Int64),
        field("value", DataType::Utf8View),
        field("amount", DataType::Float64),
        field("covered", DataType::Float64),
        field("states", DataType::Int64),
        field("alone", DataType::Int64),
    ])
}

fn piece_fields() -> Fields {
    let field = |name: &str, kind: DataType| Field::new(name, kind, false);
    Fields::from(vec![
        field("first", DataType::Int32),
        field("last", DataType::Int32),
        field("value", DataType::Utf8View),
        field("weight", DataType::Int64),
        // Ticks times weights go beyond 64 bits.
        field("ticks", DataType::Decimal128(38, 0)),
        field("states", DataType::Int64),
    ])
}

impl AggregateUDFImpl for ColumnMix {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(list_of(&span_fields()))
    }

    fn state_fields(&self, _arguments: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new("pieces", list_of(&piece_fields()), true))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Ungrouped(PiecesOfGroups::new(ColumnRows::of(&arguments)?, self.values))))
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(&self, arguments: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(PiecesOfGroups::new(ColumnRows::of(&arguments)?, self.values)))
    }
}

/// The pieces of the states of every group.
#[derive(Debug)]
struct PiecesOfGroups {
    columns: ScreenColumns,
    summed: SummedStates,
    shown: SpanValues,
    /// Where the last state was found.
    near: ColumnBounds,
    values: LabelTable,
    groups: Vec<StatePieces>,
    /// What the pieces take on the heap.
    bytes: usize,
}

impl PiecesOfGroups {
    fn new(rows: ColumnRows, shown: SpanValues) -> PiecesOfGroups {
        PiecesOfGroups {
            columns: rows.columns,
            summed: rows.summed,
            shown,
            near: ColumnBounds::default(),
            values: LabelTable::default(),
            groups: vec![],
            bytes: 0,
        }
    }

    fn take(&mut self, emit_to: EmitTo) -> Vec<StatePieces> {
        let taken = emit_to.take_needed(&mut self.groups);
        self.bytes -= taken.iter().map(StatePieces::bytes).sum::<usize>();
        taken
    }

    /// Texts of values.
    fn texts(&self, values: Vec<u32>) -> Result<ArrayRef> {
        Ok(take(&self.values.texts(), &UInt32Array::from(values), None)?)
    }

    fn piece_columns(&self, pieces: &[StatePiece]) -> Result<Vec<ArrayRef>> {
        let ticks = pieces.iter().map(|piece| piece.ticks);
        Ok(vec![
            int32(pieces.iter().map(|piece| piece.first)),
            int32(pieces.iter().map(|piece| piece.last)),
            self.texts(pieces.iter().map(|piece| piece.value).collect())?,
            int64(pieces.iter().map(|piece| piece.weight as i64)),
            Arc::new(Decimal128Array::from_iter_values(ticks).with_precision_and_scale(38, 0)?),
            int64(pieces.iter().map(|piece| piece.states as i64)),
        ])
    }

    fn span_columns(&self, spans: &[ColumnSpan]) -> Result<Vec<ArrayRef>> {
        Ok(vec![
            int32(spans.iter().map(|span| span.first)),
            int32(spans.iter().map(|span| span.last)),
            int64(spans.iter().map(|span| self.columns.boundary(span.first))),
            int64(spans.iter().map(|span| self.columns.boundary(span.last + 1))),
            self.texts(spans.iter().map(|span| span.value).collect())?,
            Arc::new(Float64Array::from_iter_values(spans.iter().map(|span| span.amount))),
            Arc::new(Float64Array::from_iter_values(spans.iter().map(|span| span.covered))),
            int64(spans.iter().map(|span| span.states as i64)),
            int64(spans.iter().map(|span| span.alone as i64)),
        ])
    }
}

/// A span once for each value that occurs in it, the one with most time first, of equal ones the first by name.
fn span_per_value(span: &ColumnSpan, values: &[SpanValue], ranks: &[u32]) -> Vec<ColumnSpan> {
    let rank = |value: u32| ranks.get(value as usize).copied().unwrap_or(value);
    let mut order = values.to_vec();
    order.sort_by(|one, other| {
        other.amount.total_cmp(&one.amount).then_with(|| rank(one.value).cmp(&rank(other.value)))
    });
    order.into_iter().map(|SpanValue { value, amount }| ColumnSpan { value, amount, ..*span }).collect()
}

/// Columns of a screen as INTEGER; there are at most [`MOST_COLUMNS`].
fn int32(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values.map(|value| value as i32)))
}

fn int64(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

impl GroupsAccumulator for PiecesOfGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.groups.resize_with(total_num_groups, StatePieces::default);
        let [starts, ends, weights] = [0, 1, 3].map(|column| values[column].as_primitive::<Int64Type>().values());
        let labels = self.values.numbers(values[2].as_string_view());
        let sums = match &self.summed {
            SummedStates::Bands { .. } => band_columns(values)?,
            _ => [ScalarBuffer::default(), ScalarBuffer::default()],
        };
        for row in kept_rows(values, filter) {
            if weights[row] < 1 {
                continue;
            }
            let pieces = &mut self.groups[group_indices[row]];
            let before = pieces.bytes();
            let (columns, times) = (&self.columns, [starts[row], ends[row]]);
            match &self.summed {
                SummedStates::Nothing => {
                    pieces.add_state(columns, &mut self.near, times, labels[row], weights[row] as u64);
                }
                SummedStates::Elsewhere(cut) => {
                    pieces.add_cut_state(columns, cut, &mut self.near, times, labels[row]);
                }
                SummedStates::Bands { coarsest } => {
                    let [levels, states] = &sums;
                    let (level, [begin, end]) = (levels[row], times);
                    if u32::try_from(level).is_ok_and(|level| columns.takes_band(begin, level, *coarsest)) {
                        pieces.add_sum(columns, begin, end - begin, labels[row], states[row].unsigned_abs());
                    }
                }
            }
            self.bytes += pieces.bytes() - before;
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.groups.resize_with(total_num_groups, StatePieces::default);
        let Some(state) = ListState::of(values)? else {
            return Ok(());
        };
        let [firsts, lasts] = [0, 1].map(|column| state.items.column(column).as_primitive::<Int32Type>());
        let [weights, counts] = [3, 5].map(|column| state.items.column(column).as_primitive::<Int64Type>());
        let ticks = state.items.column(4).as_primitive::<Decimal128Type>();
        let labels = self.values.numbers(state.items.column(2).as_string_view());
        for (row, group) in group_indices.iter().enumerate() {
            let pieces = &mut self.groups[*group];
            let before = pieces.bytes();
            for item in state.items_of(row) {
                pieces.push(StatePiece {
                    first: firsts.value(item) as u32,
                    last: lasts.value(item) as u32,
                    value: labels[item],
                    weight: weights.value(item) as u64,
                    ticks: ticks.value(item),
                    states: counts.value(item) as u64,
                });
            }
            self.bytes += pieces.bytes() - before;
        }
        Ok(())
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (mut all, mut ends) = (vec![], ListEnds::new());
        for pieces in self.take(emit_to) {
            all.extend_from_slice(pieces.pieces());
            ends.end(all.len())?;
        }
        Ok(vec![ends.finish(&piece_fields(), self.piece_columns(&all)?)?])
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let ranks = self.values.ranks();
        let (mut spans, mut ends) = (vec![], ListEnds::new());
        for pieces in self.take(emit_to) {
            pieces.sweep(&self.columns, &ranks, |span, values| match self.shown {
                SpanValues::Mode => spans.push(span),
                SpanValues::All => spans.extend(span_per_value(&span, values, &ranks)),
            });
            ends.end(spans.len())?;
        }
        ends.finish(&span_fields(), self.span_columns(&spans)?)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, |column| column.len());
        let rows_like_these = ColumnRows { columns: self.columns, summed: self.summed.clone() };
        let mut each = PiecesOfGroups::new(rows_like_these, self.shown);
        each.update_batch(values, &(0..rows).collect::<Vec<_>>(), filter, rows)?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.bytes + self.groups.capacity() * size_of::<StatePieces>() + self.values.size()
    }
}
