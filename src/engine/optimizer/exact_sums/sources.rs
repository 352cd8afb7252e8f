//! Where the seconds of a plan come from: its columns as ticks.
//!
//! In: a plan, and an expression of its columns. Out: the expression as ticks, and the same plan with more columns where they
//! are needed for it. What is only added, subtracted or multiplied is computed above, so that stored ticks pass as they are:
//!
//! ```text
//!  duration of                                       end_tick - start_tick of
//!    projection: value, tick_seconds(…) AS duration    projection: value, tick_seconds(…) AS duration, end_tick, start_tick
//!      scan                                              scan
//! ```

use std::cell::Cell;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field};
use datafusion::common::alias::AliasGenerator;
use datafusion::common::{Column, DFSchema, JoinType, Result, ScalarValue};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{
    Aggregate, Expr, ExprSchemable, Filter, Join, LogicalPlan, Projection, SubqueryAlias, Union, Window,
};

use super::carried::{PREFIX, carried, columns_of, is_plain, renamed, with_columns};
use super::forms::{Aligned, Seconds, TickForm, TickWidth, seconds_of};
use crate::functions::time::tick_totals::TickTotal;

/// Columns that are looked up for one node at most: what is made of two columns, each of which is made of two, has no end.
const MOST_STEPS: u32 = 5000;

/// A search for the ticks behind the functions of one node.
pub(super) struct Search<'a> {
    /// New names.
    names: &'a AliasGenerator,
    steps: Cell<u32>,
}

impl<'a> Search<'a> {
    pub(super) fn new(names: &'a AliasGenerator) -> Search<'a> {
        Search { names, steps: Cell::new(0) }
    }

    /// Whether one more column may be looked up.
    fn goes_on(&self) -> bool {
        self.steps.set(self.steps.get().saturating_add(1));
        self.steps.get() <= MOST_STEPS
    }
}

/// An expression of the columns of a plan as ticks. The plan gets more columns; those that it has stay.
pub(super) fn seconds_in(expression: &Expr, plan: &mut LogicalPlan, search: &Search<'_>) -> Result<Option<Seconds>> {
    seconds_of(expression, &mut |column| seconds_of_column(column, plan, search))
}

fn seconds_of_column(column: &Column, plan: &mut LogicalPlan, search: &Search<'_>) -> Result<Option<Seconds>> {
    let Some(place) = plan.schema().maybe_index_of_column(column).filter(|_| search.goes_on()) else {
        return Ok(None);
    };
    let found = match &*plan {
        LogicalPlan::Projection(projection) => of_projection(projection, place, search)?,
        LogicalPlan::SubqueryAlias(alias) => of_alias(alias, place, search)?,
        LogicalPlan::Filter(filter) => below(&filter.input, column, search)?
            .with_plan(|input| Ok(LogicalPlan::Filter(Filter::try_new(filter.predicate.clone(), input)?)))?,
        LogicalPlan::Sort(sort) => below(&sort.input, column, search)?.with_plan(|input| {
            let mut sort = sort.clone();
            sort.input = input;
            Ok(LogicalPlan::Sort(sort))
        })?,
        LogicalPlan::Limit(limit) => below(&limit.input, column, search)?.with_plan(|input| {
            let mut limit = limit.clone();
            limit.input = input;
            Ok(LogicalPlan::Limit(limit))
        })?,
        LogicalPlan::Window(window) => below(&window.input, column, search)?
            .with_plan(|input| Ok(LogicalPlan::Window(Window::try_new(window.window_expr.clone(), input)?)))?,
        LogicalPlan::Join(join) => of_join(join, place, search)?,
        LogicalPlan::Union(union) => of_union(union, place, search)?,
        LogicalPlan::Aggregate(aggregate) => of_aggregate(aggregate, place, search)?,
        _ => Found::Nothing,
    };
    Ok(match found {
        Found::Nothing => None,
        Found::Constant(constant) => Some(Seconds::Constant(constant)),
        Found::Ticks(form, wider) => {
            *plan = wider;
            Some(Seconds::Ticks(form))
        }
    })
}

/// What was found out about a column of a plan.
#[expect(clippy::large_enum_variant, reason = "there is one of them at a time")]
enum Found {
    Nothing,
    Constant(Option<f64>),
    /// Its ticks, over the columns of that plan.
    Ticks(TickForm, LogicalPlan),
}

impl Found {
    fn new(seconds: Option<Seconds>, plan: LogicalPlan) -> Found {
        match seconds {
            None => Found::Nothing,
            Some(Seconds::Constant(constant)) => Found::Constant(constant),
            Some(Seconds::Ticks(form)) => Found::Ticks(form, plan),
        }
    }

    /// The same above one more node, which shows all columns.
    fn with_plan(self, above: impl FnOnce(Arc<LogicalPlan>) -> Result<LogicalPlan>) -> Result<Found> {
        Ok(match self {
            Found::Ticks(form, plan) => Found::Ticks(form, above(Arc::new(plan))?),
            other => other,
        })
    }
}

fn below(input: &Arc<LogicalPlan>, column: &Column, search: &Search<'_>) -> Result<Found> {
    let mut input = LogicalPlan::clone(input);
    let seconds = seconds_of_column(column, &mut input, search)?;
    Ok(Found::new(seconds, input))
}

fn of_projection(projection: &Projection, place: usize, search: &Search<'_>) -> Result<Found> {
    let Some(definition) = projection.expr.get(place) else {
        return Ok(Found::Nothing);
    };
    // Computed twice, it would not be the same.
    if definition.is_volatile() {
        return Ok(Found::Nothing);
    }
    let mut input = LogicalPlan::clone(&projection.input);
    let Some(seconds) = seconds_in(definition, &mut input, search)? else {
        return Ok(Found::Nothing);
    };
    let form = match seconds {
        Seconds::Constant(constant) => return Ok(Found::Constant(constant)),
        Seconds::Ticks(form) => form,
    };
    let mut shown = projection.expr.clone();
    let form = carried(form, &mut shown, search.names);
    Ok(Found::Ticks(form, LogicalPlan::Projection(Projection::try_new(shown, Arc::new(input))?)))
}

fn of_alias(alias: &SubqueryAlias, place: usize, search: &Search<'_>) -> Result<Found> {
    let inner = Column::from(alias.input.schema().qualified_field(place));
    let (form, input) = match below(&alias.input, &inner, search)? {
        Found::Ticks(form, input) => (form, input),
        other => return Ok(other),
    };
    let shared: Vec<String> = input.schema().fields().iter().map(|field| field.name().clone()).collect();
    let is_taken = |column: &Column| shared.iter().filter(|name| **name == column.name).count() > 1;
    let (form, input) = renamed(form, input, search.names, is_taken)?;
    let form = with_columns(form, |column| Column::new(Some(alias.alias.clone()), column.name));
    Ok(Found::Ticks(form, LogicalPlan::SubqueryAlias(SubqueryAlias::try_new(Arc::new(input), alias.alias.clone())?)))
}

fn of_join(join: &Join, place: usize, search: &Search<'_>) -> Result<Found> {
    let left = join.left.schema().fields().len();
    let is_left = match join.join_type {
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => place < left,
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark if place < left => true,
        JoinType::RightSemi | JoinType::RightAnti => false,
        _ => return Ok(Found::Nothing),
    };
    let (side, other) = if is_left { (&join.left, &join.right) } else { (&join.right, &join.left) };
    let column = Column::from(join.schema.qualified_field(place));
    // A constant is NULL where the other side has no partner.
    let Found::Ticks(form, side) = below(side, &column, search)? else {
        return Ok(Found::Nothing);
    };
    let is_taken = |column: &Column| {
        other.schema().iter().any(|(relation, field)| {
            let is_same = relation.is_none() || column.relation.is_none() || relation == column.relation.as_ref();
            *field.name() == column.name && is_same
        })
    };
    let (form, side) = renamed(form, side, search.names, is_taken)?;
    let (side, other) = (Arc::new(side), Arc::clone(other));
    let (left, right) = if is_left { (side, other) } else { (other, side) };
    let joined = Join::try_new(
        left,
        right,
        join.on.clone(),
        join.filter.clone(),
        join.join_type,
        join.join_constraint,
        join.null_equality,
        join.null_aware,
    )?;
    Ok(Found::Ticks(form, LogicalPlan::Join(joined)))
}

/// What one input of a union adds: its ticks are made of these columns.
struct UnionInput {
    plan: LogicalPlan,
    columns: Vec<Expr>,
}

fn of_union(union: &Union, place: usize, search: &Search<'_>) -> Result<Found> {
    let (mut plans, mut seconds) = (vec![], vec![]);
    for input in &union.inputs {
        let mut plan = LogicalPlan::clone(input);
        let column = Column::from(input.schema().qualified_field(place));
        match seconds_of_column(&column, &mut plan, search)? {
            Some(found) => seconds.push(found),
            None => return Ok(Found::Nothing),
        }
        plans.push(plan);
    }
    let (shape, columns) = match one_shape(&seconds) {
        Some(shape) => shape,
        None => match Aligned::new(seconds, TickWidth::Narrow) {
            Some(Aligned { ticks, width, scale }) => {
                let shape = TickForm { ticks: Expr::Column(slot(0)), width, scale };
                (shape, ticks.into_iter().map(|ticks| vec![ticks]).collect())
            }
            None => return Ok(Found::Nothing),
        },
    };
    let inputs = plans.into_iter().zip(columns).map(|(plan, columns)| UnionInput { plan, columns }).collect();
    wider_union(union, inputs, shape, search)
}

/// The place of a column in ticks that several inputs have, each with columns of its own.
fn slot(place: usize) -> Column {
    Column::from_name(place.to_string())
}

/// What all have, and the columns of each, if they differ in nothing but those.
fn one_shape(seconds: &[Seconds]) -> Option<(TickForm, Vec<Vec<Expr>>)> {
    let mut common: Option<TickForm> = None;
    let mut columns = vec![];
    for seconds in seconds {
        let Seconds::Ticks(form) = seconds else {
            return None;
        };
        let own = columns_of(&form.ticks);
        let shape = with_columns(form.clone(), |column| {
            slot(own.iter().position(|other| *other == column).unwrap_or(own.len()))
        });
        if common.get_or_insert_with(|| shape.clone()) != &shape || !is_plain(&shape.ticks) {
            return None;
        }
        columns.push(own.into_iter().map(Expr::Column).collect());
    }
    Some((common?, columns))
}

/// The union with a column for each slot, unless it has one already.
fn wider_union(union: &Union, inputs: Vec<UnionInput>, shape: TickForm, search: &Search<'_>) -> Result<Found> {
    let width = union.schema.fields().len();
    let mut fields: Vec<_> = union.schema.iter().map(|(name, field)| (name.cloned(), Arc::clone(field))).collect();
    let mut shown: Vec<Vec<Expr>> =
        union.inputs.iter().map(|input| input.schema().columns().into_iter().map(Expr::Column).collect()).collect();
    let mut columns = vec![];
    for slot in 0..inputs.first().map_or(0, |input| input.columns.len()) {
        let is_shown = |place: &usize| {
            shown.iter().zip(&inputs).all(|(shown, input)| shown.get(*place) == input.columns.get(slot))
        };
        if let Some(place) = (0..fields.len()).find(is_shown) {
            columns.push(Column::new(fields[place].0.clone(), fields[place].1.name()));
            continue;
        }
        let is_taken = |name: &str| fields.iter().any(|(_, field)| field.name() == name);
        let name = match &inputs[0].columns[slot] {
            Expr::Column(column) if !is_taken(&column.name) => column.name.clone(),
            _ => search.names.next(PREFIX),
        };
        let Some(field) = common_field(&inputs, slot, &name)? else {
            return Ok(Found::Nothing);
        };
        for (shown, input) in shown.iter_mut().zip(&inputs) {
            shown.push(input.columns[slot].clone().alias(&name));
        }
        fields.push((None, Arc::new(field)));
        columns.push(Column::from_name(name));
    }
    let form = with_columns(shape, |slot| match slot.name.parse::<usize>() {
        Ok(place) if place < columns.len() => columns[place].clone(),
        _ => slot,
    });
    if fields.len() == width {
        return Ok(Found::Ticks(form, LogicalPlan::Union(union.clone())));
    }
    let mut wider = vec![];
    for (shown, input) in shown.into_iter().zip(inputs) {
        wider.push(Arc::new(LogicalPlan::Projection(Projection::try_new(shown, Arc::new(input.plan))?)));
    }
    let schema = DFSchema::new_with_metadata(fields, union.schema.metadata().clone())?;
    Ok(Found::Ticks(form, LogicalPlan::Union(Union { inputs: wider, schema: Arc::new(schema) })))
}

/// The column of a union; `None` if inputs have several types.
fn common_field(inputs: &[UnionInput], slot: usize, name: &str) -> Result<Option<Field>> {
    let mut common: Option<Field> = None;
    for input in inputs {
        let (_, field) = input.columns[slot].to_field(input.plan.schema())?;
        let kind = field.data_type();
        let before = common.get_or_insert_with(|| Field::new(name, kind.clone(), field.is_nullable()));
        if before.data_type() != kind {
            return Ok(None);
        }
        let is_nullable = before.is_nullable() || field.is_nullable();
        before.set_nullable(is_nullable);
    }
    Ok(common.filter(|field| matches!(field.data_type(), DataType::Int64 | DataType::Decimal128(38, 0))))
}

/// Sums of times in ticks, and the least and the largest of times.
fn of_aggregate(aggregate: &Aggregate, place: usize, search: &Search<'_>) -> Result<Found> {
    // Aggregates come last.
    let others = aggregate.schema.fields().len() - aggregate.aggr_expr.len();
    let Some(mut expression) = place.checked_sub(others).and_then(|place| aggregate.aggr_expr.get(place)) else {
        return Ok(Found::Nothing);
    };
    while let Expr::Alias(alias) = expression {
        expression = &alias.expr;
    }
    let Expr::AggregateFunction(AggregateFunction { func, params }) = expression else {
        return Ok(Found::Nothing);
    };
    let mut input = LogicalPlan::clone(&aggregate.input);
    let mut params = params.clone();
    let (function, form) = match (TickTotal::of(func), params.args.as_slice()) {
        (Some(TickTotal::Sum), [ticks, Expr::Literal(ScalarValue::Int64(Some(rate)), _)]) => {
            let form = TickForm::new(ticks.clone(), *rate);
            (Arc::new(TickTotal::Ticks.function()), form.map(|form| TickForm { width: TickWidth::Wide, ..form }))
        }
        (None, [seconds]) if func.inner().is::<Min>() || func.inner().is::<Max>() => {
            match seconds_in(seconds, &mut input, search)? {
                Some(Seconds::Ticks(form)) => (Arc::clone(func), Some(form)),
                _ => return Ok(Found::Nothing),
            }
        }
        _ => return Ok(Found::Nothing),
    };
    let Some(form) = form.filter(|form| !form.ticks.is_volatile()) else {
        return Ok(Found::Nothing);
    };
    let name = search.names.next(PREFIX);
    params.args = vec![form.ticks];
    let mut functions = aggregate.aggr_expr.clone();
    functions.push(Expr::AggregateFunction(AggregateFunction { func: function, params }).alias(&name));
    let form = TickForm { ticks: Expr::Column(Column::from_name(name)), ..form };
    let wider = Aggregate::try_new(Arc::new(input), aggregate.group_expr.clone(), functions)?;
    Ok(Found::Ticks(form, LogicalPlan::Aggregate(wider)))
}
