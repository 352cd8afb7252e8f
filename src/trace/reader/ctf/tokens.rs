//! The tokens of TSDL, the language of CTF 1.8's metadata.
//!
//! ```text
//! token   = word | number | text | mark         word = [A-Za-z_][A-Za-z0-9_]*
//! number  = [0-9]+ | 0x… | 0… | 'c'             with the suffixes u, l of C
//! text    = " … "                               with the escapes of C
//! mark    = := ... -> . = : ; , { } [ ] ( ) < > + - *
//! blank   = white space | /* … */ | // …
//! ```

#[cfg(test)]
mod tests;

use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_until, take_while, take_while1};
use nom::character::complete::{anychar, char, digit1, hex_digit1, multispace1, oct_digit1};
use nom::combinator::{map, map_opt, recognize, rest, value};
use nom::multi::many0_count;
use nom::sequence::{delimited, pair, preceded, terminated};
use nom::{IResult, Parser};

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TsdlToken {
    Word(String),
    Number(i128),
    Text(String),
    Mark(&'static str),
}

/// The marks, longer ones first.
const MARKS: [&str; 20] =
    [":=", "...", "->", ".", "=", ":", ";", ",", "{", "}", "[", "]", "(", ")", "<", ">", "+", "-", "*", "/"];

/// The tokens of a text, as far as there are any; the number of characters that are none, which are skipped.
pub(super) fn tokens(text: &str) -> (Vec<TsdlToken>, usize) {
    let (mut found, mut skipped) = (vec![], 0);
    let mut left = text;
    // Where one text has no end, none behind it has: each would be read to the end of all.
    let mut has_ends = true;
    loop {
        left = blank(left).map_or(left, |(left, _)| left);
        if left.is_empty() {
            return (found, skipped);
        }
        let is_text = left.starts_with('"');
        match Some(left).filter(|_| has_ends || !is_text).and_then(|left| token(left).ok()) {
            Some((behind, token)) => {
                found.push(token);
                left = behind;
            }
            None => {
                has_ends &= !is_text;
                skipped += 1;
                left = left.char_indices().nth(1).map_or("", |(next, _)| &left[next..]);
            }
        }
    }
}

fn blank(text: &str) -> IResult<&str, usize> {
    let comment = preceded(tag("/*"), alt((terminated(take_until("*/"), tag("*/")), rest)));
    let line = preceded(tag("//"), take_while(|character| character != '\n'));
    many0_count(alt((value((), multispace1), value((), comment), value((), line)))).parse(text)
}

fn token(text: &str) -> IResult<&str, TsdlToken> {
    alt((
        map(word, |word| TsdlToken::Word(word.to_string())),
        map(number, TsdlToken::Number),
        map(quoted, TsdlToken::Text),
        mark,
    ))
    .parse(text)
}

fn word(text: &str) -> IResult<&str, &str> {
    let is_first = |character: char| character.is_ascii_alphabetic() || character == '_';
    let is_other = |character: char| character.is_ascii_alphanumeric() || character == '_';
    recognize(pair(take_while1(is_first), take_while(is_other))).parse(text)
}

fn number(text: &str) -> IResult<&str, i128> {
    let radix = |radix| move |digits: &str| i128::from_str_radix(digits, radix).ok();
    let hex = map_opt(preceded(alt((tag("0x"), tag("0X"))), hex_digit1), radix(16));
    let octal = map_opt(preceded(char('0'), oct_digit1), radix(8));
    let decimal = map_opt(digit1, radix(10));
    let character = map(delimited(char('\''), anychar, char('\'')), |character| character as i128);
    let suffix = take_while(|character| matches!(character, 'u' | 'U' | 'l' | 'L'));
    terminated(alt((hex, octal, decimal, character)), suffix).parse(text)
}

fn quoted(text: &str) -> IResult<&str, String> {
    let plain = map(is_not("\"\\"), str::to_string);
    let escaped = map(preceded(char('\\'), anychar), |character| match character {
        'n' => "\n".to_string(),
        't' => "\t".to_string(),
        'r' => "\r".to_string(),
        other => other.to_string(),
    });
    let parts = nom::multi::fold_many0(alt((plain, escaped)), String::new, |all, part| all + &part);
    delimited(char('"'), parts, char('"')).parse(text)
}

fn mark(text: &str) -> IResult<&str, TsdlToken> {
    let found = MARKS.iter().find(|mark| text.starts_with(**mark));
    match found {
        Some(mark) => Ok((&text[mark.len()..], TsdlToken::Mark(mark))),
        None => Err(nom::Err::Error(nom::error::Error::new(text, nom::error::ErrorKind::Tag))),
    }
}
