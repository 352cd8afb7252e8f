//! Reads the words of a statement, one after the other.

use sqlparser::tokenizer::Token;

use super::error::PgError;
use super::script::{ScriptStatement, ScriptToken};

/// Reads words one after the other.
pub(super) struct TokenCursor<'a> {
    statement: &'a ScriptStatement,
    at: usize,
}

impl<'a> TokenCursor<'a> {
    pub(super) fn new(statement: &'a ScriptStatement) -> TokenCursor<'a> {
        TokenCursor { statement, at: 0 }
    }

    fn peek(&self) -> Option<&'a ScriptToken> {
        self.statement.tokens.get(self.at)
    }

    /// A word without quotes, in capital letters.
    pub(super) fn peek_keyword(&self) -> Option<String> {
        match &self.peek()?.token {
            Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_uppercase()),
            _ => None,
        }
    }

    pub(super) fn keyword(&mut self) -> Option<String> {
        let keyword = self.peek_keyword()?;
        self.at += 1;
        Some(keyword)
    }

    pub(super) fn take(&mut self, keyword: &str) -> bool {
        let found = self.peek_keyword().is_some_and(|found| found == keyword);
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_sign(&mut self, sign: &Token) -> bool {
        let found = self.peek().is_some_and(|word| word.token == *sign);
        self.at += usize::from(found);
        found
    }

    /// A name: lower case unless it is quoted.
    pub(super) fn name(&mut self) -> Result<String, PgError> {
        let name = match self.peek().map(|word| &word.token) {
            Some(Token::Word(word)) if word.quote_style.is_some() => word.value.replace("\"\"", "\""),
            Some(Token::Word(word)) => word.value.to_lowercase(),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(name)
    }

    pub(super) fn name_or_all(&mut self) -> Result<Option<String>, PgError> {
        match self.take("ALL") {
            true => Ok(None),
            false => self.name().map(Some),
        }
    }

    /// A word, a text or a number, as the value of a setting.
    pub(super) fn value(&mut self) -> Result<String, PgError> {
        let minus = self.take_sign(&Token::Minus);
        let value = match self.peek().map(|word| &word.token) {
            Some(Token::Word(word)) if word.quote_style.is_some() => word.value.replace("\"\"", "\""),
            Some(Token::Word(word)) => word.value.clone(),
            Some(Token::SingleQuotedString(text)) => text.replace("''", "'"),
            Some(Token::EscapedStringLiteral(text)) => unescaped(text),
            Some(Token::Number(number, _)) => number.clone(),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(if minus { format!("-{value}") } else { value })
    }

    /// The text of all further words.
    pub(super) fn rest(&mut self) -> Result<String, PgError> {
        let word = self.peek().ok_or_else(|| self.unexpected())?;
        self.at = self.statement.tokens.len();
        Ok(self.statement.text[word.start..].to_string())
    }

    /// The texts between parentheses, cut at commas; none when there are no parentheses.
    pub(super) fn parts(&mut self) -> Result<Vec<String>, PgError> {
        let Some(open) = self.peek().filter(|word| word.token == Token::LParen) else { return Ok(vec![]) };
        let (mut depth, mut start, mut parts) = (0, open.end, vec![]);
        while let Some(word) = self.peek() {
            self.at += 1;
            match word.token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && word.token == Token::Comma) {
                parts.push(self.statement.text[start..word.start].trim().to_string());
                start = word.end;
            }
            if depth == 0 {
                return Ok(parts);
            }
        }
        Err(self.unexpected())
    }

    pub(super) fn skip_to_end<T>(&mut self, command: T) -> T {
        self.at = self.statement.tokens.len();
        command
    }

    pub(super) fn end(&self) -> Result<(), PgError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected()),
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.peek().is_none()
    }

    pub(super) fn unexpected(&self) -> PgError {
        let mut error = match self.peek() {
            Some(word) => PgError::syntax(format!(
                "syntax error at or near \"{}\"",
                &self.statement.text[word.start..word.end].trim_end()
            )),
            None => PgError::syntax("syntax error at end of input"),
        };
        let place = self.peek().map_or(self.statement.text.len(), |word| word.start);
        error.position = Some(self.statement.text[..place].chars().count() + 1);
        error
    }

    pub(super) fn number(&mut self) -> Option<String> {
        let Token::Number(number, _) = &self.peek()?.token else { return None };
        self.at += 1;
        Some(number.clone())
    }

    /// The text of the words that the function reads.
    pub(super) fn spanned(&mut self, read: impl FnOnce(&mut Self) -> Result<(), PgError>) -> Result<String, PgError> {
        let start = self.peek().ok_or_else(|| self.unexpected())?.start;
        read(self)?;
        let end = self.statement.tokens[self.at - 1].end;
        Ok(self.statement.text[start..end].to_string())
    }
}

/// A text with backslashes: those that COPY's options need.
fn unescaped(text: &str) -> String {
    text.replace("\\t", "\t")
        .replace("\\n", "\n")
        .replace("\\r", "\r")
        .replace("\\\\", "\\")
        .replace("\\'", "'")
        .replace("''", "'")
}
