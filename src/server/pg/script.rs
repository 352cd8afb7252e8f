//! What a client sends, cut into statements and words, without building any tree.

#[cfg(test)]
mod tests;

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::super::parameters::{Placeholder, Template};
use super::super::position::Position;
use super::error::PgError;

/// One statement of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScriptStatement {
    pub(super) text: String,
    /// Characters before it in the text.
    pub(super) before: usize,
    pub(super) tokens: Vec<ScriptToken>,
}

/// A word, a number, a sign: with its place in the text of its statement, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScriptToken {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Cuts a text at its semicolons; empty statements are left out.
pub(super) fn split_script(text: &str) -> Result<Vec<ScriptStatement>, PgError> {
    let mut statements = vec![];
    let mut tokens: Vec<ScriptToken> = vec![];
    for word in tokens_of(text)? {
        match word.token {
            Token::SemiColon => statements.extend(statement(text, std::mem::take(&mut tokens))),
            _ => tokens.push(word),
        }
    }
    statements.extend(statement(text, tokens));
    Ok(statements)
}

fn statement(text: &str, mut tokens: Vec<ScriptToken>) -> Option<ScriptStatement> {
    let (start, end) = (tokens.first()?.start, tokens.last()?.end);
    for word in &mut tokens {
        word.start -= start;
        word.end -= start;
    }
    Some(ScriptStatement { text: text[start..end].to_string(), before: text[..start].chars().count(), tokens })
}

/// The words of a text, without spaces and comments.
fn tokens_of(text: &str) -> Result<Vec<ScriptToken>, PgError> {
    if let Some(reason) = ocellus_engine::too_long_text(text) {
        return Err(PgError::syntax(reason));
    }
    let dialect = PostgreSqlDialect {};
    let raw_tokens = Tokenizer::new(&dialect, text).with_unescape(false).tokenize_with_location();
    let mut position = Position::new(text);
    let raw_tokens = raw_tokens.map_err(|tokenizer_error| {
        let mut error = PgError::syntax(tokenizer_error.message);
        let at = position.advance(tokenizer_error.location);
        error.position = Some(text[..at].chars().count() + 1);
        error
    })?;
    let mut tokens: Vec<ScriptToken> = vec![];
    let mut starts = vec![];
    for token in &raw_tokens {
        starts.push(position.advance(token.span.start));
    }
    starts.push(text.len());
    for (index, token) in raw_tokens.into_iter().enumerate() {
        if !matches!(token.token, Token::Whitespace(_) | Token::EOF) {
            tokens.push(ScriptToken { token: token.token, start: starts[index], end: starts[index + 1] });
        }
    }
    Ok(tokens)
}

impl ScriptStatement {
    pub(super) fn template(&self) -> Template {
        let place = |word: &ScriptToken| {
            word.parameter().map(|parameter| Placeholder { start: word.start, end: word.end, parameter })
        };
        Template { text: self.text.clone(), placeholders: self.tokens.iter().filter_map(place).collect() }
    }

    /// Numbers of parameters that count rows, after LIMIT and OFFSET.
    pub(super) fn counts(&self) -> Vec<usize> {
        let is_limit = |word: &ScriptToken| matches!(&word.token, Token::Word(word) if matches!(word.keyword, Keyword::LIMIT | Keyword::OFFSET));
        let pairs = self.tokens.windows(2).filter(|pair| is_limit(&pair[0]));
        pairs.filter_map(|pair| pair[1].parameter()).collect()
    }
}

impl ScriptToken {
    /// The number of a parameter `$1`.
    pub(super) fn parameter(&self) -> Option<usize> {
        match &self.token {
            Token::Placeholder(name) => {
                name.strip_prefix('$')?.parse().ok().filter(|number| (1..=65_535).contains(number))
            }
            _ => None,
        }
    }
}
