//! How deep a text makes its syntax tree.
//!
//! A chain such as `1 + 1 + 1 …` or `SELECT … UNION SELECT …` becomes a tree as deep as it is long. The
//! parser builds it in a loop, and whoever walks or drops it recurses: a text of some kilobytes could
//! end the program. So the tokens are counted first, and a longer chain is refused. Parentheses are
//! the parser's own business.

#[cfg(test)]
mod tests;

use datafusion::common::{DataFusionError, Result};
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::{Token, Tokenizer};

/// Operators in one chain.
const LONGEST_CHAIN: usize = 4_000;

/// The chains that are open at one level of parentheses.
#[derive(Debug, Default, Clone, Copy)]
struct OpenChains {
    /// Operators since the last comma or clause.
    operators: usize,
    /// UNION, JOIN and the like: a comma does not end them.
    relations: usize,
}

/// Refuses a text whose syntax tree would be too deep.
pub(super) fn check(text: &str, dialect: &dyn Dialect) -> Result<()> {
    // A chain has at least a byte and an operator for each link.
    if text.len() < 2 * LONGEST_CHAIN {
        return Ok(());
    }
    let tokens = Tokenizer::new(dialect, text).tokenize();
    let tokens = tokens.map_err(|error| DataFusionError::SQL(Box::new(ParserError::from(error)), None))?;
    let mut levels = vec![OpenChains::default()];
    for token in &tokens {
        match token {
            Token::LParen => levels.push(OpenChains::default()),
            Token::RParen if levels.len() > 1 => drop(levels.pop()),
            token => count(levels.last_mut(), token)?,
        }
    }
    Ok(())
}

fn count(level: Option<&mut OpenChains>, token: &Token) -> Result<()> {
    let Some(level) = level else { return Ok(()) };
    match token {
        Token::SemiColon => *level = OpenChains::default(),
        Token::Comma => level.operators = 0,
        Token::Whitespace(_) | Token::Number(..) | Token::SingleQuotedString(_) => {}
        Token::Word(word) => match word.keyword {
            Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::JOIN => level.relations += 1,
            Keyword::AND | Keyword::OR | Keyword::NOT | Keyword::IS | Keyword::CASE | Keyword::COLLATE => {
                level.operators += 1
            }
            Keyword::SELECT | Keyword::FROM | Keyword::WHERE | Keyword::THEN | Keyword::ELSE => level.operators = 0,
            _ => {}
        },
        _ => level.operators += 1,
    }
    if level.operators.max(level.relations) <= LONGEST_CHAIN {
        return Ok(());
    }
    let message =
        format!("the statement chains more than {LONGEST_CHAIN} operators; use IN, VALUES or a table instead");
    Err(DataFusionError::SQL(Box::new(ParserError::ParserError(message)), None))
}
