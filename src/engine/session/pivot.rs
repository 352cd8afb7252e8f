//! DuckDB's statement PIVOT: values of a column become columns.
//!
//! ```text
//! PIVOT relation ON column [ IN ( value { ',' value } ) ] [ USING aggregate [AS name] { ',' … } ]
//!     [ GROUP BY column { ',' … } ] [ ORDER BY … ] [ LIMIT … ]
//! ```
//! In: the tokens after PIVOT. Out: a query: with the clause `PIVOT (… FOR … IN (…))`, which planning knows, or with
//! the same aggregates over the columns of GROUP BY. Without IN, the values have to be asked for first.

#[cfg(test)]
mod tests;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;
use datafusion::common::{DataFusionError, Result, not_impl_err, plan_err};
use datafusion::execution::SendableRecordBatchStream;
use futures::TryStreamExt;
use sqlparser::ast::{Expr, ExprWithAlias, Ident};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::functions::{pivot_column, pivot_filter};

/// Values that may become columns.
const MOST_VALUES: usize = 1000;

/// A statement PIVOT.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PivotStatement {
    relation: String,
    column: Expr,
    /// `None`: those that the column has.
    values: Option<Vec<Expr>>,
    aggregates: Vec<ExprWithAlias>,
    /// Empty: all columns that are not mentioned otherwise.
    groups: Vec<Expr>,
    /// ORDER BY and LIMIT.
    rest: String,
}

impl PivotStatement {
    /// Reads a statement whose first word is read already.
    pub(super) fn parse(parser: &mut Parser<'_>) -> Result<PivotStatement, ParserError> {
        let relation = parser.parse_table_factor()?.to_string();
        parser.expect_keyword(Keyword::ON)?;
        let (column, values) = match parser.parse_expr()? {
            Expr::InList { expr, list, negated: false } => (*expr, Some(list)),
            column => (column, None),
        };
        if parser.peek_token().token == Token::Comma {
            let message = "PIVOT over several columns is not supported; join them to one first: a || ',' || b";
            return Err(ParserError::ParserError(message.to_string()));
        }
        let aggregates = match parser.parse_keyword(Keyword::USING) {
            true => parser.parse_comma_separated(Parser::parse_expr_with_alias)?,
            false => vec![ExprWithAlias { expr: parse_count()?, alias: None }],
        };
        let groups = match parser.parse_keywords(&[Keyword::GROUP, Keyword::BY]) {
            true => parser.parse_comma_separated(Parser::parse_expr)?,
            false => vec![],
        };
        let mut rest = String::new();
        if parser.parse_keywords(&[Keyword::ORDER, Keyword::BY]) {
            let order = parser.parse_comma_separated(Parser::parse_order_by_expr)?;
            rest.push_str(&format!(" ORDER BY {}", list_of(&order)));
        }
        if parser.parse_keyword(Keyword::LIMIT) {
            rest.push_str(&format!(" LIMIT {}", parser.parse_expr()?));
        }
        Ok(PivotStatement { relation, column, values, aggregates, groups, rest })
    }

    /// The query; `None` when the statement does not say the values.
    pub(super) fn query(&self) -> Result<Option<String>> {
        self.values.as_deref().map(|values| self.query_of(values)).transpose()
    }

    fn query_of(&self, values: &[Expr]) -> Result<String> {
        let PivotStatement { relation, column, aggregates, groups, rest, .. } = self;
        if groups.is_empty() {
            let (aggregates, values) = (list_of(aggregates), list_of(values));
            return Ok(format!("SELECT * FROM {relation} PIVOT ({aggregates} FOR {column} IN ({values})){rest}"));
        }
        let mut columns: Vec<String> = groups.iter().map(Expr::to_string).collect();
        for value in values {
            for aggregate in aggregates {
                let filtered = pivot_filter(&aggregate.expr, column, value)?;
                let name = pivot_column(value, None, aggregate, aggregates.len());
                columns.push(format!("{filtered} AS {}", Ident::with_quote('"', name)));
            }
        }
        let groups = list_of(groups);
        Ok(format!("SELECT {} FROM {relation} GROUP BY {groups}{rest}", columns.join(", ")))
    }

    /// The query that finds the values.
    pub(super) fn question(&self) -> String {
        let PivotStatement { relation, column, .. } = self;
        let limit = MOST_VALUES + 1;
        format!("SELECT DISTINCT {column} FROM {relation} WHERE ({column}) IS NOT NULL ORDER BY 1 LIMIT {limit}")
    }

    /// The query, with the values that [`PivotStatement::question`] found.
    pub(super) async fn query_with(&self, found: SendableRecordBatchStream) -> Result<String> {
        let batches: Vec<RecordBatch> = found.try_collect().await?;
        let mut values = vec![];
        for column in batches.iter().flat_map(|batch| batch.columns().first()) {
            for row in 0..column.len() {
                values.push(literal(column, row)?);
            }
        }
        match values.len() {
            0 => plan_err!("PIVOT: {} has no values", self.column),
            count if count > MOST_VALUES => {
                plan_err!(
                    "PIVOT: {} has more than {MOST_VALUES} values; choose some: ON {} IN (…)",
                    self.column,
                    self.column
                )
            }
            _ => self.query_of(&values),
        }
    }
}

fn list_of(parts: &[impl std::fmt::Display]) -> String {
    parts.iter().map(|part| part.to_string()).collect::<Vec<_>>().join(", ")
}

fn parse_count() -> Result<Expr, ParserError> {
    Parser::new(&sqlparser::dialect::GenericDialect {}).try_with_sql("count(*)")?.parse_expr()
}

/// A value as SQL writes it.
fn literal(column: &dyn Array, row: usize) -> Result<Expr> {
    let text = array_value_to_string(column, row)?;
    let text = match column.data_type() {
        kind if kind.is_integer() || *kind == DataType::Boolean => text,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => format!("'{}'", text.replace('\'', "''")),
        _ => return not_impl_err!("PIVOT over values of this type; write them: ON column IN (…)"),
    };
    let parsed = Parser::new(&sqlparser::dialect::GenericDialect {})
        .try_with_sql(&text)
        .and_then(|mut parser| parser.parse_expr());
    parsed.map_err(|error| DataFusionError::SQL(Box::new(error), None))
}
