//! SQL text as tokens, however unfinished it is.
//!
//! ```text
//! quote   = '…'  with '' inside,  "…",  `…`,  $tag$…$tag$
//! comment = "--" up to the line end,  "/*" … "*/", nested
//! ```

#[cfg(test)]
mod tests;

/// Whether a text has nothing but spaces and comments that are closed.
pub fn is_blank(text: &str) -> bool {
    SqlScanner::new(text).all(|token| match token.kind {
        TokenKind::Space => true,
        TokenKind::Comment => {
            let comment = &text[token.start..token.end];
            comment.starts_with("--") || comment_length(comment).is_some()
        }
        _ => false,
    })
}

/// What a token is, as far as completion and colors care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Spaces and line ends.
    Space,
    /// A comment of either form.
    Comment,
    /// A text constant, or a quoted name.
    Quote,
    /// A number.
    Number,
    /// A keyword or a name.
    Word,
    /// What ends a statement.
    Semicolon,
    /// An operator, a parenthesis, a comma.
    Other,
}

/// A token of SQL text; the tokens of a text cover all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte in the text.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// Cuts SQL text into tokens; never fails, since the text may not be finished.
pub struct SqlScanner<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> SqlScanner<'a> {
    /// A scanner at the start of a text.
    pub fn new(text: &'a str) -> SqlScanner<'a> {
        SqlScanner { text, position: 0 }
    }
}

impl Iterator for SqlScanner<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = &self.text[self.position..];
        let first = rest.chars().next()?;
        let (kind, length) = match first {
            ';' => (TokenKind::Semicolon, 1),
            '\'' | '"' | '`' => (TokenKind::Quote, quote_length(rest, first)),
            '$' if dollar_tag(rest).is_some() => (TokenKind::Quote, dollar_length(rest)),
            _ if rest.starts_with("--") => (TokenKind::Comment, rest.find('\n').unwrap_or(rest.len())),
            _ if rest.starts_with("/*") => (TokenKind::Comment, comment_length(rest).unwrap_or(rest.len())),
            _ if first.is_whitespace() => (TokenKind::Space, run_length(rest, char::is_whitespace)),
            _ if first.is_ascii_digit() => (TokenKind::Number, number_length(rest)),
            _ if is_word_start(first) => (TokenKind::Word, run_length(rest, is_word_part)),
            other => (TokenKind::Other, other.len_utf8()),
        };
        let start = self.position;
        self.position += length;
        Some(Token { kind, start, end: self.position })
    }
}

fn is_word_start(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

/// Whether a character can stand in a word, after its first.
pub fn is_word_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn run_length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character)).unwrap_or(text.len())
}

fn number_length(text: &str) -> usize {
    let mut previous = ' ';
    for (index, character) in text.char_indices() {
        let is_sign_of_exponent = matches!(character, '+' | '-') && matches!(previous, 'e' | 'E');
        if !(character.is_ascii_alphanumeric() || character == '.' || character == '_' || is_sign_of_exponent) {
            return index;
        }
        previous = character;
    }
    text.len()
}

/// A doubled quote reads as one quote that ends and another that starts: the same cut.
fn quote_length(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |end| end + 2)
}

/// Length of the `/* … */` that a text starts with; `None` when it is still open.
fn comment_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut index) = (0_usize, 0);
    while index + 1 < bytes.len() {
        match (bytes[index], bytes[index + 1]) {
            (b'/', b'*') => depth += 1,
            (b'*', b'/') => depth -= 1,
            _ => {
                index += 1;
                continue;
            }
        }
        index += 2;
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// The `$tag$` that a text starts with.
fn dollar_tag(text: &str) -> Option<&str> {
    let end = text[1..].find('$')? + 1;
    let name = &text[1..end];
    let is_tag = name.is_empty() || (name.starts_with(is_word_start) && name.chars().all(is_word_part));
    is_tag.then(|| &text[..=end])
}

fn dollar_length(text: &str) -> usize {
    let Some(tag) = dollar_tag(text) else { return 1 };
    text[tag.len()..].find(tag).map_or(text.len(), |end| end + 2 * tag.len())
}
