//! Statements: SQL text is split at semicolons, and our own statements are understood.
//!
//! ```text
//! text      = { statement ';' }
//! statement = SUMMARIZE ( table | '(' query ')' | query ) | PIVOT … (see `pivot`) | whatever DataFusion understands
//! ```

#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, not_impl_err};
use datafusion::sql::parser::{DFParser, DFParserBuilder, Statement as SqlStatement};
use ocellus_planning::{DeepTree, on_deep_stack};
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::pivot::PivotStatement;
use super::{complexity, from_first, misplaced};

/// One statement of a text.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The text that it was read from, for messages: places count from its start.
    pub(super) text: Arc<str>,
    pub(super) sql: Arc<DeepTree<SqlStatement>>,
    /// A statement PIVOT that does not say its values: then `sql` is the query that finds them.
    pub(super) pivot: Option<Arc<PivotStatement>>,
}

impl Statement {
    /// The text that it was read from, with all other statements of that text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The statement as DataFusion's parser read it.
    pub fn parsed(&self) -> &SqlStatement {
        &self.sql
    }

    /// The statement as SQL, in normal form.
    pub fn sql(&self) -> String {
        self.sql.to_string()
    }
}

/// Splits a text into statements; empty ones are left out.
pub(super) fn split(text: &str, dialect: &dyn Dialect, recursion_limit: usize) -> Result<Vec<Statement>> {
    on_deep_stack(|| {
        complexity::check_length(text)?;
        let tokens = Tokenizer::new(dialect, text).tokenize_with_location().map_err(ParserError::from)?;
        complexity::check(&tokens, recursion_limit)?;
        let advice = misplaced::advice(&tokens);
        let statements = split_tokens(text, from_first::complete(tokens), dialect, recursion_limit);
        statements.map_err(|error| advice.map_or(error, DataFusionError::NotImplemented))
    })
}

fn split_tokens(
    text: &str,
    tokens: Vec<TokenWithSpan>,
    dialect: &dyn Dialect,
    recursion_limit: usize,
) -> Result<Vec<Statement>> {
    let mut parser =
        DFParserBuilder::new(tokens).with_dialect(dialect).with_recursion_limit(recursion_limit).build()?;
    let text: Arc<str> = Arc::from(text);
    let mut statements = vec![];
    loop {
        while parser.parser.consume_token(&Token::SemiColon) {}
        if parser.parser.peek_token().token == Token::EOF {
            return Ok(statements);
        }
        let (sql, pivot) = match first_word(&parser).as_deref() {
            Some("SUMMARIZE") => (summarize(&mut parser, dialect, recursion_limit)?, None),
            Some("PIVOT") => pivot(&mut parser, dialect, recursion_limit)?,
            Some("UNPIVOT") => {
                return not_impl_err!("UNPIVOT; write one SELECT per column, joined by UNION ALL");
            }
            _ => (parser.parse_statement()?, None),
        };
        statements.push(Statement { text: Arc::clone(&text), sql: Arc::new(DeepTree::new(sql)), pivot });
        let next = parser.parser.peek_token();
        if !matches!(next.token, Token::SemiColon | Token::EOF) {
            return parser_error(format!(
                "Expected: end of statement, found: {} at Line: {}, Column: {}",
                next.token, next.span.start.line, next.span.start.column
            ));
        }
    }
}

/// The word that the next statement begins with.
fn first_word(parser: &DFParser<'_>) -> Option<String> {
    match parser.parser.peek_token().token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_uppercase()),
        _ => None,
    }
}

/// Parses a text that was made from a statement.
pub(super) fn parse_made(sql: &str, dialect: &dyn Dialect, recursion_limit: usize) -> Result<SqlStatement> {
    on_deep_stack(|| {
        let tokens = Tokenizer::new(dialect, sql).tokenize_with_location().map_err(ParserError::from)?;
        complexity::check(&tokens, recursion_limit)?;
        let parser = DFParserBuilder::new(tokens).with_dialect(dialect).with_recursion_limit(recursion_limit);
        parser.build()?.parse_statement()
    })
}

/// The query that a statement PIVOT stands for, or else the one that finds its values.
fn pivot(
    parser: &mut DFParser<'_>,
    dialect: &dyn Dialect,
    recursion_limit: usize,
) -> Result<(SqlStatement, Option<Arc<PivotStatement>>)> {
    parser.parser.next_token();
    let pivot = PivotStatement::parse(&mut parser.parser)?;
    match pivot.query()? {
        Some(query) => Ok((parse_made(&query, dialect, recursion_limit)?, None)),
        None => Ok((parse_made(&pivot.question(), dialect, recursion_limit)?, Some(Arc::new(pivot)))),
    }
}

/// `SUMMARIZE t` is short for `SELECT * FROM summarize((SELECT * FROM t))`.
fn summarize(parser: &mut DFParser<'_>, dialect: &dyn Dialect, recursion_limit: usize) -> Result<SqlStatement> {
    parser.parser.next_token();
    let next = parser.parser.peek_token();
    let starts_query = match &next.token {
        Token::LParen => true,
        Token::Word(word) => {
            matches!(word.keyword, Keyword::SELECT | Keyword::WITH | Keyword::VALUES)
        }
        _ => false,
    };
    let relation = if starts_query {
        parser.parser.parse_query()?.to_string()
    } else {
        format!("SELECT * FROM {}", parser.parser.parse_object_name(false)?)
    };
    parse_made(&format!("SELECT * FROM summarize(({relation}))"), dialect, recursion_limit)
}

fn parser_error<T>(message: String) -> Result<T> {
    Err(DataFusionError::SQL(Box::new(ParserError::ParserError(message)), None))
}
