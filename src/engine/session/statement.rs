//! Statements: SQL text is split at semicolons, and our own statements are understood.
//!
//! ```text
//! text      = { statement ';' }
//! statement = SUMMARIZE ( table | '(' query ')' | query ) | whatever DataFusion understands
//! ```

#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::sql::parser::{DFParser, DFParserBuilder, Statement as SqlStatement};
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::Token;

use super::{complexity, repairs};

/// One statement of a text.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The text that it was read from, for messages: places count from its start.
    pub(super) text: Arc<str>,
    pub(super) sql: Arc<SqlStatement>,
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
    complexity::check(text, dialect)?;
    let mut parser = DFParserBuilder::new(text).with_dialect(dialect).with_recursion_limit(recursion_limit).build()?;
    let text: Arc<str> = Arc::from(text);
    let mut statements = vec![];
    loop {
        while parser.parser.consume_token(&Token::SemiColon) {}
        if parser.parser.peek_token().token == Token::EOF {
            return Ok(statements);
        }
        let mut sql = match is_summarize(&parser) {
            true => summarize(&mut parser, dialect, recursion_limit)?,
            false => parser.parse_statement()?,
        };
        repairs::repair(&mut sql, dialect)?;
        statements.push(Statement { text: Arc::clone(&text), sql: Arc::new(sql) });
        let next = parser.parser.peek_token();
        if !matches!(next.token, Token::SemiColon | Token::EOF) {
            return parser_error(format!(
                "Expected: end of statement, found: {} at Line: {}, Column: {}",
                next.token, next.span.start.line, next.span.start.column
            ));
        }
    }
}

fn is_summarize(parser: &DFParser<'_>) -> bool {
    match parser.parser.peek_token().token {
        Token::Word(word) => word.quote_style.is_none() && word.value.eq_ignore_ascii_case("summarize"),
        _ => false,
    }
}

/// `SUMMARIZE t` is short for `SELECT * FROM summarize((SELECT * FROM t))`.
fn summarize(parser: &mut DFParser<'_>, dialect: &dyn Dialect, recursion_limit: usize) -> Result<SqlStatement> {
    parser.parser.next_token();
    let next = parser.parser.peek_token();
    let starts_query = match &next.token {
        Token::LParen => true,
        Token::Word(word) => matches!(word.keyword, Keyword::SELECT | Keyword::WITH | Keyword::VALUES),
        _ => false,
    };
    let relation = if starts_query {
        parser.parser.parse_query()?.to_string()
    } else {
        format!("SELECT * FROM {}", parser.parser.parse_object_name(false)?)
    };
    let sql = format!("SELECT * FROM summarize(({relation}))");
    let mut rewritten =
        DFParserBuilder::new(sql.as_str()).with_dialect(dialect).with_recursion_limit(recursion_limit).build()?;
    rewritten.parse_statement()
}

fn parser_error<T>(message: String) -> Result<T> {
    Err(DataFusionError::SQL(Box::new(ParserError::ParserError(message)), None))
}
