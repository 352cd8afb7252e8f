//! Names that FROM and WITH give: `t (a, a)` is `t (a, a_1)`, and `(a JOIN b ON …) AS t` a query, so that its columns
//! get distinct names like those of any other.

use ocellus_planning::Rewriter;
use sqlparser::ast::{Ident, Query, TableAlias, TableFactor, TableWithJoins};

use super::question::select_all;
use crate::session::distinct_names::numbered;
use crate::session::rewrite::normal;

/// See the file's head.
pub(super) struct DistinctAliases;

impl Rewriter for DistinctAliases {
    fn enter_query(&mut self, query: &mut Query) {
        for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            number_columns(&mut cte.alias);
        }
    }

    fn leave_table(&mut self, table: &mut TableFactor) {
        if let TableFactor::NestedJoin { table_with_joins, alias: alias @ Some(_) } = table {
            let relation = TableFactor::Table {
                name: Vec::<Ident>::new().into(),
                alias: None,
                args: None,
                with_hints: vec![],
                version: None,
                with_ordinality: false,
                partitions: vec![],
                json_path: None,
                sample: None,
                index_hints: vec![],
            };
            let nothing = TableWithJoins { relation, joins: vec![] };
            let tables = std::mem::replace(table_with_joins.as_mut(), nothing);
            let alias = alias.take();
            if let Some(subquery) = select_all(vec![tables]) {
                *table = TableFactor::Derived { lateral: false, subquery, alias, sample: None };
            }
        }
        if let TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. } = table
        {
            number_columns(alias);
        }
    }
}

fn number_columns(alias: &mut TableAlias) {
    let names: Vec<String> = alias.columns.iter().map(|column| normal(&column.name)).collect();
    let Some(names) = numbered(names.iter().map(String::as_str)) else { return };
    for (column, name) in alias.columns.iter_mut().zip(names) {
        if normal(&column.name) != name {
            column.name = Ident::with_quote('"', name);
        }
    }
}
