//! Which columns of a relation are the container, the keys and the measures.

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::try_cast;

use crate::catalog::did_you_mean;

pub(super) const CONTAINER_ID: &str = "container_id";

/// What the rows of the relation are called in the plan.
pub(super) const MEASURED: &str = "measured";

/// Columns that say which container a row belongs to, so nothing is grouped by them.
const OF_CONTAINER: [&str; 2] = [CONTAINER_ID, "container"];

/// Columns of the result that a relation may not have as keys.
const OF_RESULT: [&str; 2] = ["container_type", "depth"];

/// A relation as this function sees it.
pub(super) struct MeasuredRelation {
    /// container_id (INTEGER), the keys and the measures, named `measured`.
    pub(super) rows: LogicalPlan,
    pub(super) keys: Vec<String>,
    pub(super) measures: Vec<String>,
}

impl MeasuredRelation {
    /// Sorts the columns of a relation.
    pub(super) fn of(relation: LogicalPlan, measures: &str) -> Result<MeasuredRelation> {
        let columns = columns_of(&relation)?;
        let names: Vec<&str> = columns.iter().map(|(_, name, _)| name.as_str()).collect();
        let measures = measures_of(measures, &names)?;
        let keys: Vec<String> = names
            .iter()
            .filter(|name| !OF_CONTAINER.contains(name) && !measures.iter().any(|measure| measure == *name))
            .map(|name| name.to_string())
            .collect();
        if let Some(taken) = keys.iter().chain(&measures).find(|name| OF_RESULT.contains(&name.as_str())) {
            return plan_err!(
                "hierarchy_aggregate: the relation has a column {taken}, and so has the result; \
                 leave it out of the relation or give it another name"
            );
        }
        let mut kept = vec![container_id(&columns)?];
        for name in keys.iter().chain(&measures) {
            kept.extend(columns.iter().filter(|(_, known, _)| known == name).map(|(column, ..)| column.clone()));
        }
        let rows = LogicalPlanBuilder::from(relation).project(kept)?.alias(MEASURED)?.build()?;
        Ok(MeasuredRelation { rows, keys, measures })
    }
}

/// Expression, name and type of every column; an error when two have the same name.
fn columns_of(relation: &LogicalPlan) -> Result<Vec<(Expr, String, DataType)>> {
    let mut columns: Vec<(Expr, String, DataType)> = vec![];
    for (qualifier, field) in relation.schema().iter() {
        let name = field.name();
        if columns.iter().any(|(_, known, _)| known == name) {
            return plan_err!("hierarchy_aggregate: the relation has two columns {name}; give one another name");
        }
        let column = Expr::Column(Column::new(qualifier.cloned(), name));
        columns.push((column, name.clone(), field.data_type().clone()));
    }
    Ok(columns)
}

/// The names in a list with commas, each a column that can be measured.
fn measures_of(list: &str, columns: &[&str]) -> Result<Vec<String>> {
    let mut measures: Vec<String> = vec![];
    for name in list.split(',').map(str::trim) {
        if OF_CONTAINER.contains(&name) {
            return plan_err!("hierarchy_aggregate: measure must name measures, and {name} identifies the container");
        }
        if measures.iter().any(|known| known == name) {
            return plan_err!("hierarchy_aggregate: measure names {name} twice");
        }
        if !columns.contains(&name) {
            return plan_err!(
                "hierarchy_aggregate: measure must name columns of the relation ({}), got '{name}'{}",
                columns.join(", "),
                did_you_mean(name, columns.iter().copied())
            );
        }
        measures.push(name.to_string());
    }
    Ok(measures)
}

/// The column container_id as INTEGER; a number too large for any container becomes NULL.
fn container_id(columns: &[(Expr, String, DataType)]) -> Result<Expr> {
    match columns.iter().find(|(_, name, _)| name == CONTAINER_ID) {
        Some((column, _, DataType::Int32)) => Ok(column.clone()),
        Some((column, _, kind)) if kind.is_integer() => {
            Ok(try_cast(column.clone(), DataType::Int32).alias(CONTAINER_ID))
        }
        Some((_, _, kind)) => plan_err!(
            "hierarchy_aggregate: container_id must be a whole number, got {}",
            crate::catalog::type_name(kind)
        ),
        None => plan_err!("hierarchy_aggregate: the relation needs a column container_id"),
    }
}

/// A column of a relation by its name.
pub(super) fn from(relation: &str, name: &str) -> Expr {
    Expr::Column(Column::new(Some(relation), name))
}
