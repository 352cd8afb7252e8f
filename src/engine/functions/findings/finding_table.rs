//! The one table in which all inputs of findings stand, one below the other.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::cast;

/// Where a row comes from; the first column of the table.
pub(crate) mod source {
    pub(crate) const CONTAINER: i8 = 0;
    pub(crate) const ACTIVITY: i8 = 1;
    pub(crate) const STATE: i8 = 2;
    pub(crate) const BEGUN: i8 = 3;
    pub(crate) const LINK: i8 = 4;
    pub(crate) const PAIR: i8 = 5;
    pub(crate) const WAIT: i8 = 6;
    pub(crate) const VARIABLE: i8 = 7;
    pub(crate) const DIAGNOSTIC: i8 = 8;
    pub(crate) const TRACE: i8 = 9;
    pub(crate) const RESOURCE: i8 = 10;
}

/// The columns of the table. What the numbers are depends on the source.
pub(crate) const INPUT_NAMES: [&str; 12] = [
    "source",
    "container",
    "partner",
    "slice",
    "type",
    "value",
    "note",
    "number_1",
    "number_2",
    "number_3",
    "number_4",
    "number_5",
];
/// Their types.
pub(crate) const INPUT_TYPES: [DataType; 12] = [
    DataType::Int8,
    DataType::Int32,
    DataType::Int32,
    DataType::Int64,
    DataType::Utf8View,
    DataType::Utf8View,
    DataType::Utf8View,
    DataType::Float64,
    DataType::Float64,
    DataType::Float64,
    DataType::Float64,
    DataType::Float64,
];

/// Places of the columns that a source fills.
pub(super) const CONTAINER: usize = 1;
pub(super) const PARTNER: usize = 2;
pub(super) const SLICE: usize = 3;
pub(super) const TYPE: usize = 4;
pub(super) const VALUE: usize = 5;
pub(super) const NOTE: usize = 6;
pub(super) const NUMBER: usize = 7;

/// A plan with the columns of the table; those that are not given are NULL.
pub(super) fn input(plan: LogicalPlanBuilder, source: i8, given: Vec<(usize, Expr)>) -> Result<LogicalPlan> {
    let mut columns = vec![];
    for (place, (name, kind)) in INPUT_NAMES.iter().zip(&INPUT_TYPES).enumerate() {
        let found = given.iter().find(|(known, _)| *known == place);
        let expression = match found {
            _ if place == 0 => lit(source),
            Some((_, expression)) => cast(expression.clone(), kind.clone()),
            None => lit(ScalarValue::try_from(kind)?),
        };
        columns.push(expression.alias(*name));
    }
    plan.project(columns)?.build()
}
