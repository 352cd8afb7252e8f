//! What is joined with what, without the inputs: columns by number, and what comes out.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{JoinSide, Result, internal_err, plan_datafusion_err};
use datafusion::logical_expr::JoinType;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::joins::utils::build_join_schema;

use crate::functions::intervals::interval_join::{OVERLAP_END, OVERLAP_START};
use ocellus_kernels::intervals::{Clock, KeyMap, Wanted};

/// The columns that a side is joined by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SideColumns {
    pub(crate) keys: Vec<usize>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A join of intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinSpec {
    pub(crate) join_type: JoinType,
    pub(crate) left: SideColumns,
    pub(crate) right: SideColumns,
    /// Columns that come out, in this order; all of the join when `None`. Beyond those of the join
    /// there are two more: where the overlap starts and ends.
    pub(crate) projection: Option<Vec<usize>>,
}

/// Where an output column comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum OutputOrigin {
    Input(JoinSide, usize),
    OverlapStart,
    OverlapEnd,
}

/// What comes out of a join of two schemas.
#[derive(Debug, Clone)]
pub(crate) struct JoinOutput {
    pub(crate) schema: SchemaRef,
    pub(crate) origins: Vec<OutputOrigin>,
    pub(crate) clock: Clock,
}

impl SideColumns {
    /// The keys and bounds of rows.
    pub(crate) fn key_columns(&self, batch: &RecordBatch) -> Vec<ArrayRef> {
        self.keys.iter().map(|key| Arc::clone(batch.column(*key))).collect()
    }

    /// An empty map for these keys.
    pub(crate) fn key_map(&self, schema: &Schema) -> Result<KeyMap> {
        let kinds: Vec<DataType> = self.keys.iter().map(|key| schema.field(*key).data_type().clone()).collect();
        Ok(KeyMap::new(&kinds)?)
    }

    /// Keys and bounds as expressions, keys first.
    pub(crate) fn expressions(&self, schema: &Schema) -> Vec<Arc<dyn PhysicalExpr>> {
        let places = self.keys.iter().chain([&self.start, &self.end]);
        places.map(|place| column(schema, *place)).collect()
    }
}

/// A column as an expression.
pub(crate) fn column(schema: &Schema, place: usize) -> Arc<dyn PhysicalExpr> {
    Arc::new(Column::new(schema.field(place).name(), place))
}

impl JoinSpec {
    pub(crate) fn side(&self, side: JoinSide) -> &SideColumns {
        match side {
            JoinSide::Left => &self.left,
            _ => &self.right,
        }
    }

    /// The side whose rows come out without a partner; `None` when neither's do.
    pub(crate) fn kept_side(&self) -> Result<Option<JoinSide>> {
        match self.join_type {
            JoinType::Inner => Ok(None),
            JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti => Ok(Some(JoinSide::Left)),
            JoinType::Right | JoinType::RightSemi | JoinType::RightAnti => Ok(Some(JoinSide::Right)),
            other => internal_err!("an interval join cannot be {other}"),
        }
    }

    /// What the rows of the kept side are asked for.
    pub(crate) fn wanted(&self) -> Wanted {
        match self.join_type {
            JoinType::LeftSemi | JoinType::RightSemi => Wanted::Partnered,
            JoinType::LeftAnti | JoinType::RightAnti => Wanted::Lonely,
            JoinType::Left | JoinType::Right => Wanted::PairsAndLonely,
            _ => Wanted::Pairs,
        }
    }

    /// What comes out when sides of these schemas are joined.
    pub(crate) fn layout(&self, left: &Schema, right: &Schema) -> Result<JoinOutput> {
        let bounds =
            [(left, self.left.start), (left, self.left.end), (right, self.right.start), (right, self.right.end)];
        let clock = Clock::of(bounds.map(|(schema, place)| schema.field(place).data_type()))
            .ok_or_else(|| plan_datafusion_err!("interval_join: bounds must be numbers"))?;
        let (schema, columns) = build_join_schema(left, right, &self.join_type);
        let mut origins: Vec<OutputOrigin> =
            columns.iter().map(|column| OutputOrigin::Input(column.side, column.index)).collect();
        let Some(places) = &self.projection else {
            return Ok(JoinOutput { schema: Arc::new(schema), origins, clock });
        };
        origins.extend([OutputOrigin::OverlapStart, OutputOrigin::OverlapEnd]);
        let mut fields = schema.fields().to_vec();
        let overlap = |name: &str| Arc::new(Field::new(name, clock.data_type(), true));
        fields.extend([overlap(OVERLAP_START), overlap(OVERLAP_END)]);
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone()).project(places)?;
        Ok(JoinOutput {
            schema: Arc::new(schema),
            origins: places.iter().map(|place| origins[*place]).collect(),
            clock,
        })
    }

    /// The same join with the overlap after all other columns.
    pub(crate) fn with_overlap(&self, left: &Schema, right: &Schema) -> JoinSpec {
        let width = build_join_schema(left, right, &self.join_type).1.len();
        let mut places = self.projection.clone().unwrap_or_else(|| (0..width).collect());
        places.extend([width, width + 1]);
        JoinSpec { projection: Some(places), ..self.clone() }
    }

    /// The same join with fewer columns out.
    pub(crate) fn project(&self, places: &[usize]) -> JoinSpec {
        let places = match &self.projection {
            None => places.to_vec(),
            Some(before) => places.iter().map(|place| before[*place]).collect(),
        };
        JoinSpec { projection: Some(places), ..self.clone() }
    }

    /// Visits the keys and bounds of both sides.
    pub(crate) fn apply_expressions(
        &self,
        left: &Schema,
        right: &Schema,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let mut recursion = TreeNodeRecursion::Continue;
        for expression in self.left.expressions(left).iter().chain(&self.right.expressions(right)) {
            recursion = f(expression)?;
            if recursion == TreeNodeRecursion::Stop {
                break;
            }
        }
        Ok(recursion)
    }

    /// `, projection=[…]`, if there is one, for EXPLAIN.
    pub(crate) fn describe_projection(&self, layout: &JoinOutput, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.projection.is_none() {
            return Ok(());
        }
        let names: Vec<&str> = layout.schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, ", projection=[{}]", names.join(", "))
    }

    /// `kind=inner, by=[container_id]`, for EXPLAIN.
    pub(crate) fn describe(&self, left: &Schema, right: &Schema, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.join_type {
            JoinType::LeftSemi => "semi".to_string(),
            JoinType::LeftAnti => "anti".to_string(),
            other => other.to_string().to_lowercase(),
        };
        let keys: Vec<String> = self
            .left
            .keys
            .iter()
            .zip(&self.right.keys)
            .map(|(one, other)| match (left.field(*one).name(), right.field(*other).name()) {
                (one, other) if one == other => one.clone(),
                (one, other) => format!("{one} = {other}"),
            })
            .collect();
        write!(f, "kind={kind}, by=[{}]", keys.join(", "))
    }
}
