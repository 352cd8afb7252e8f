//! What a client sends, cut into statements and words, without building any tree.

#[cfg(test)]
mod tests;

use pgwire::api::Type;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Tokenizer};

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

/// A statement with places for values: what is kept of it when it is prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) text: String,
    /// Start, end and number of each parameter.
    places: Vec<(usize, usize, usize)>,
    /// Numbers of parameters that count rows, after LIMIT and OFFSET.
    counts: Vec<usize>,
}

impl ScriptStatement {
    pub(super) fn template(&self) -> Template {
        let place = |word: &ScriptToken| word.parameter().map(|number| (word.start, word.end, number));
        let is_limit = |word: &ScriptToken| matches!(&word.token, Token::Word(word) if matches!(word.keyword, Keyword::LIMIT | Keyword::OFFSET));
        let pairs = self.tokens.windows(2).filter(|pair| is_limit(&pair[0]));
        let counts = pairs.filter_map(|pair| pair[1].parameter()).collect();
        Template { text: self.text.clone(), places: self.tokens.iter().filter_map(place).collect(), counts }
    }
}

impl Template {
    /// How many parameters it has: the highest number.
    pub(super) fn parameters(&self) -> usize {
        self.places.iter().map(|(_, _, number)| *number).max().unwrap_or(0)
    }

    /// The type of a parameter that counts rows.
    pub(super) fn count(&self, number: usize) -> Option<Type> {
        self.counts.contains(&number).then_some(Type::INT8)
    }

    /// The statement with every parameter replaced.
    pub(super) fn with(&self, value: impl Fn(usize) -> String) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut done = 0;
        for (start, end, number) in &self.places {
            text.push_str(&self.text[done..*start]);
            // Spaces, so that words do not grow together.
            text.push(' ');
            text.push_str(&value(*number));
            text.push(' ');
            done = *end;
        }
        text.push_str(&self.text[done..]);
        text
    }
}

impl ScriptToken {
    /// The number of a parameter `$1`.
    fn parameter(&self) -> Option<usize> {
        match &self.token {
            Token::Placeholder(name) => {
                name.strip_prefix('$')?.parse().ok().filter(|number| (1..=65_535).contains(number))
            }
            _ => None,
        }
    }
}

/// A text in quotes. PostgreSQL's quotes know no other escape than their doubling.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
