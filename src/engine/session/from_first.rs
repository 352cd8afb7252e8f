//! `FROM t WHERE …` without SELECT: all columns, as DuckDB has it.
//!
//! The parser knows a FROM without SELECT too, but neither WHERE nor GROUP BY after it. So the tokens `SELECT *` are
//! put before a FROM that begins a query and is followed by no SELECT of the same query.

#[cfg(test)]
mod tests;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The tokens, with `SELECT *` where it was left out.
pub(super) fn complete(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let starts = queries_without_select(&tokens);
    if starts.is_empty() {
        return tokens;
    }
    let mut completed = Vec::with_capacity(tokens.len() + 4 * starts.len());
    for (index, token) in tokens.into_iter().enumerate() {
        if starts.contains(&index) {
            for added in [Token::make_keyword("SELECT"), Token::Mul] {
                completed.push(TokenWithSpan { token: added, span: token.span });
            }
        }
        completed.push(token);
    }
    completed
}

/// The places of each FROM that begins a query without SELECT.
fn queries_without_select(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let mut starts = vec![];
    let mut levels = vec![QueryStart::default()];
    let mut previous = None;
    let mut in_set_operation = false;
    for (index, TokenWithSpan { token, .. }) in tokens.iter().enumerate() {
        if matches!(token, Token::Whitespace(_)) {
            continue;
        }
        let keyword = keyword_of(token);
        match token {
            Token::LParen => levels.push(QueryStart::default()),
            Token::RParen if levels.len() > 1 => drop(levels.pop()),
            Token::SemiColon => levels = vec![QueryStart::default()],
            _ => {}
        }
        if let Some(level) = levels.last_mut() {
            match keyword {
                Some(Keyword::WITH) => level.has_with = true,
                Some(Keyword::SELECT) => level.has_select = true,
                Some(Keyword::FROM)
                    if (in_set_operation || level.begins_query(previous)) && !select_follows(&tokens[index + 1..]) =>
                {
                    starts.push(index);
                }
                _ => {}
            }
        }
        in_set_operation = match keyword {
            Some(Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT) => true,
            // `UNION ALL BY NAME`
            Some(Keyword::ALL | Keyword::DISTINCT | Keyword::BY | Keyword::NAME) => in_set_operation,
            _ => false,
        };
        previous = Some(token);
    }
    starts
}

/// What a query has so far, at one level of parentheses.
#[derive(Debug, Default)]
struct QueryStart {
    has_with: bool,
    has_select: bool,
}

impl QueryStart {
    /// Whether a FROM after this token is the first word of a query. In `extract(year FROM x)` it is not.
    fn begins_query(&self, previous: Option<&Token>) -> bool {
        match previous {
            None | Some(Token::SemiColon | Token::LParen) => true,
            // After the queries of WITH.
            Some(Token::RParen) => self.has_with && !self.has_select,
            Some(token) => {
                matches!(
                    keyword_of(token),
                    Some(
                        Keyword::AS
                            | Keyword::EXPLAIN
                            | Keyword::ANALYZE
                            | Keyword::VERBOSE
                            | Keyword::DESCRIBE
                            | Keyword::DESC
                    )
                ) || matches!(token, Token::Word(word) if word.value.eq_ignore_ascii_case("summarize"))
            }
        }
    }
}

/// Whether the query that goes on here has a SELECT.
fn select_follows(tokens: &[TokenWithSpan]) -> bool {
    let mut depth = 0_usize;
    for TokenWithSpan { token, .. } in tokens {
        match token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 0 => return false,
            Token::RParen => depth -= 1,
            Token::SemiColon => return false,
            token if depth == 0 => match keyword_of(token) {
                Some(Keyword::SELECT) => return true,
                Some(Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT) => return false,
                _ => {}
            },
            _ => {}
        }
    }
    false
}

fn keyword_of(token: &Token) -> Option<Keyword> {
    match token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.keyword),
        _ => None,
    }
}
