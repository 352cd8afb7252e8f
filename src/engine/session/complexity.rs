//! How large and how deep a text makes its syntax tree.
//!
//! A byte of text can become a token of a hundred bytes, and a token a part of the tree of some kilobytes, before any
//! limit on memory sees it. So a text that has too many parts is refused before it is cut into tokens, and one with too
//! many tokens before it is parsed.
//!
//! A chain such as `1 + 1 + 1 …` or `EXPLAIN EXPLAIN …` becomes a tree as deep as it is long, and whoever walks,
//! copies or drops the tree recurses: a text of some kilobytes could end the program. So the tokens are counted
//! before they are parsed, whatever production of the grammar they belong to:
//!
//! - Each keyword and each symbol is a link; names, numbers and strings are operands.
//! - What stands in brackets, or between CASE and END, begins with the links outside of them.
//! - A comma begins a new item, which starts with the links before the list; so do WHEN, THEN and ELSE.
//! - AND and OR begin a new operand, and are counted by themselves: long conditions are common, and cheap.
//! - Joins and set operations are operators of the plan, which no comma ends; they are counted by themselves.
//! - Words that the parser recurses at without a limit of its own, such as INTERVAL, count [`UNGUARDED`] links.

#[cfg(test)]
mod tests;

use datafusion::common::{DataFusionError, Result};
use sqlparser::keywords::Keyword;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// Words, spaces and signs of one text, those in quotes and comments too: each may be a token.
const MOST_PIECES: usize = 1_000_000;

/// Tokens of one text besides spaces and comments.
const MOST_TOKENS: usize = 200_000;

/// Statements of one text: the tree of the shortest takes more than ten kilobytes.
const MOST_STATEMENTS: usize = 10_000;

/// Links of one chain: the time to plan one grows with the third power of its length.
const LONGEST_CHAIN: usize = 500;

/// AND and OR of one condition with those around it.
const MOST_CONDITIONS: usize = 2_000;

/// Joins of one FROM clause with those around it: the time to plan them grows with their third power.
const MOST_JOINS: usize = 100;

/// LATERAL of one FROM clause with those around it: the plan of each has what stands before it twice.
const MOST_LATERALS: usize = 8;

/// UNION, EXCEPT and INTERSECT of one query with those around it.
const MOST_SET_OPERATIONS: usize = 1_000;

/// Forms such as `CAST(…)` in each other: the parser reads the inside of each twice if there is an error in it.
const MOST_NESTED_FORMS: usize = 16;

/// Set operations that count as one link: their operands are planned one by one.
const SHALLOW: usize = 4;

/// Links of a word that the parser recurses at without counting.
const UNGUARDED: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LevelOpening {
    Statement,
    Bracket,
    Case,
}

/// What is open at one level of brackets.
#[derive(Debug, Clone, Copy)]
struct BracketLevel {
    opening: LevelOpening,
    /// Links that each item of the level begins with.
    base: usize,
    /// Links of the current item.
    links: usize,
    /// AND and OR outside of the current item, and with those in it.
    outer_conditions: usize,
    conditions: usize,
    /// BETWEEN whose AND is to come.
    betweens: usize,
    joins: usize,
    set_operations: usize,
    forms: usize,
    laterals: usize,
    /// Whether a comma is one between relations.
    in_from: bool,
}

impl BracketLevel {
    const STATEMENT: BracketLevel = BracketLevel {
        opening: LevelOpening::Statement,
        base: 0,
        links: 0,
        outer_conditions: 0,
        conditions: 0,
        betweens: 0,
        joins: 0,
        set_operations: 0,
        forms: 0,
        laterals: 0,
        in_from: false,
    };

    fn inside(self, opening: LevelOpening) -> BracketLevel {
        BracketLevel {
            opening,
            base: self.links,
            outer_conditions: self.conditions,
            betweens: 0,
            in_from: false,
            ..self
        }
    }

    /// Begins the next item of a list.
    fn next_item(&mut self) {
        self.links = self.base;
        self.conditions = self.outer_conditions;
        self.betweens = 0;
    }
}

/// What is to be said of a text that would become too many tokens.
pub fn too_long_text(text: &str) -> Option<String> {
    (pieces(text) > MOST_PIECES).then(|| {
        format!("the text has more than {MOST_PIECES} words, spaces and signs; put values into a file and query that")
    })
}

/// Refuses a text that would become too many tokens.
pub(super) fn check_length(text: &str) -> Result<()> {
    too_long_text(text).map_or(Ok(()), refuse)
}

/// Runs of letters and digits, and each other character by itself.
fn pieces(text: &str) -> usize {
    let is_part = |character: char| character.is_alphabetic() || character.is_ascii_digit() || character == '_';
    let mut was_part = false;
    text.chars().filter(|&character| !(std::mem::replace(&mut was_part, is_part(character)) && was_part)).count()
}

/// Refuses a text whose syntax tree would be too large or too deep.
pub(super) fn check(tokens: &[TokenWithSpan], recursion_limit: usize) -> Result<()> {
    let tokens: Vec<&Token> =
        tokens.iter().map(|token| &token.token).filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    if tokens.len() > MOST_TOKENS {
        return refuse(format!(
            "the text has more than {MOST_TOKENS} words, numbers and signs; put values into a file and query that"
        ));
    }
    if tokens.iter().filter(|token| ***token == Token::SemiColon).count() > MOST_STATEMENTS {
        return refuse(format!("the text has more than {MOST_STATEMENTS} statements; send them one by one"));
    }
    let mut outer = vec![];
    let mut level = BracketLevel::STATEMENT;
    for (place, token) in tokens.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|place| tokens.get(place)).copied();
        let after = tokens.get(place + 1).copied();
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                level.links += 1;
                let mut inside = level.inside(LevelOpening::Bracket);
                inside.forms += usize::from(keyword(before).is_some_and(is_form));
                outer.push(std::mem::replace(&mut level, inside));
                check_nesting(&outer, &level, recursion_limit)?;
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                while level.opening == LevelOpening::Case
                    && let Some(around) = outer.pop()
                {
                    level = around;
                }
                if level.opening == LevelOpening::Bracket
                    && let Some(around) = outer.pop()
                {
                    level = around;
                }
            }
            Token::SemiColon => {
                outer.clear();
                level = BracketLevel::STATEMENT;
            }
            Token::Comma => {
                level.next_item();
                level.joins += usize::from(level.in_from);
            }
            Token::Number(..) | Token::SingleQuotedString(_) | Token::Placeholder(_) => {}
            // One period qualifies a name; more of them reach into values.
            Token::Period => {
                let owner = place.checked_sub(2).and_then(|place| tokens.get(place)).copied();
                let is_deep = !matches!(before, Some(Token::Word(_))) || owner == Some(&Token::Period);
                level.links += usize::from(is_deep);
            }
            Token::VerticalBarRightAngleBracket => level.joins += 1,
            Token::Word(word) if word.keyword == Keyword::CASE => {
                level.links += 1;
                let inside = level.inside(LevelOpening::Case);
                outer.push(std::mem::replace(&mut level, inside));
            }
            Token::Word(word) if word.keyword == Keyword::END && level.opening == LevelOpening::Case => {
                level = outer.pop().unwrap_or(BracketLevel::STATEMENT);
            }
            Token::Word(word) => count_word(&mut level, word, before, after),
            _ => level.links += 1,
        }
        check_limits(&level)?;
    }
    Ok(())
}

fn count_word(level: &mut BracketLevel, word: &Word, before: Option<&Token>, after: Option<&Token>) {
    if word.keyword == Keyword::NoKeyword {
        return;
    }
    level.links += 1;
    match word.keyword {
        Keyword::WHEN | Keyword::THEN | Keyword::ELSE if level.opening == LevelOpening::Case => level.next_item(),
        Keyword::BETWEEN => level.betweens += 1,
        Keyword::AND if level.betweens > 0 => level.betweens -= 1,
        Keyword::AND | Keyword::OR => {
            level.conditions += 1;
            if before.is_some_and(ends_operand) {
                level.links = level.base;
            }
        }
        Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT => {
            level.set_operations += 1;
            level.in_from = false;
            // Anywhere else the word is a name in an expression, which goes on.
            if matches!(keyword(after), Some(Keyword::SELECT | Keyword::ALL | Keyword::DISTINCT | Keyword::VALUES)) {
                level.next_item();
                level.links += level.set_operations / SHALLOW;
            }
        }
        Keyword::JOIN => {
            level.joins += 1;
            if matches!(after, Some(Token::Word(name)) if name.keyword == Keyword::NoKeyword) {
                level.next_item();
                level.links += level.set_operations / SHALLOW + level.joins;
            }
        }
        Keyword::LATERAL => level.laterals += 1,
        Keyword::PIVOT | Keyword::UNPIVOT | Keyword::MATCH_RECOGNIZE | Keyword::TABLESAMPLE | Keyword::APPLY => {
            level.joins += 1;
        }
        Keyword::FROM if keyword(before) != Some(Keyword::DISTINCT) => level.in_from = true,
        Keyword::SELECT
        | Keyword::WHERE
        | Keyword::GROUP
        | Keyword::ORDER
        | Keyword::HAVING
        | Keyword::WINDOW
        | Keyword::QUALIFY
        | Keyword::LIMIT => level.in_from = false,
        Keyword::EXPLAIN | Keyword::DESCRIBE | Keyword::DESC => level.links += statement_links(before),
        Keyword::INTERVAL if keyword(after).is_some() => level.links += UNGUARDED,
        Keyword::ARRAY | Keyword::STRUCT | Keyword::MAP if after == Some(&Token::Lt) => {
            level.base += UNGUARDED;
            level.links += UNGUARDED;
        }
        _ => {}
    }
}

/// Links of a word that begins a statement, or ends an item of ORDER BY.
fn statement_links(before: Option<&Token>) -> usize {
    match before {
        None | Some(Token::SemiColon) => UNGUARDED,
        before => match keyword(before) {
            Some(_) => UNGUARDED,
            None => 0,
        },
    }
}

/// Whether an operand may end with a token: then AND after it is no name.
fn ends_operand(token: &Token) -> bool {
    match token {
        Token::Word(word) => !matches!(word.keyword, Keyword::AND | Keyword::OR | Keyword::NOT),
        Token::RParen | Token::RBracket | Token::RBrace => true,
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Placeholder(_) => true,
        _ => false,
    }
}

fn keyword(token: Option<&Token>) -> Option<Keyword> {
    match token {
        Some(Token::Word(word)) if word.keyword != Keyword::NoKeyword => Some(word.keyword),
        _ => None,
    }
}

/// Words that the parser reads, if the first way fails, a second time as the name of a function.
fn is_form(word: Keyword) -> bool {
    matches!(
        word,
        Keyword::ARRAY
            | Keyword::CAST
            | Keyword::CEIL
            | Keyword::CONVERT
            | Keyword::EXTRACT
            | Keyword::FLOOR
            | Keyword::LAMBDA
            | Keyword::MAP
            | Keyword::MATCH
            | Keyword::NOT
            | Keyword::OVERLAY
            | Keyword::POSITION
            | Keyword::PRIOR
            | Keyword::SAFE_CAST
            | Keyword::SUBSTR
            | Keyword::SUBSTRING
            | Keyword::TRY_CAST
            | Keyword::TRY_CONVERT
    )
}

fn check_nesting(outer: &[BracketLevel], level: &BracketLevel, recursion_limit: usize) -> Result<()> {
    if outer.len() > recursion_limit {
        return refuse(format!(
            "the statement nests more than {recursion_limit} brackets; name its parts in a WITH clause"
        ));
    }
    if level.forms > MOST_NESTED_FORMS {
        return refuse(format!(
            "the statement nests more than {MOST_NESTED_FORMS} of CAST, NOT, SUBSTRING and the like; name its parts \
             in subqueries"
        ));
    }
    Ok(())
}

fn check_limits(level: &BracketLevel) -> Result<()> {
    if level.joins > MOST_JOINS {
        return refuse(format!("the statement joins more than {MOST_JOINS} relations; join them in steps, by tables"));
    }
    if level.laterals > MOST_LATERALS {
        return refuse(format!(
            "the statement has more than {MOST_LATERALS} of LATERAL in one FROM; use joins instead"
        ));
    }
    if level.set_operations > MOST_SET_OPERATIONS {
        return refuse(format!(
            "the statement has more than {MOST_SET_OPERATIONS} of UNION, EXCEPT and INTERSECT; use VALUES or a table \
             instead"
        ));
    }
    if level.conditions > MOST_CONDITIONS {
        return refuse(format!(
            "the statement has more than {MOST_CONDITIONS} of AND and OR in one condition; use IN, VALUES or a table \
             instead"
        ));
    }
    if level.links > LONGEST_CHAIN {
        return refuse(format!(
            "the statement chains more than {LONGEST_CHAIN} operators; use IN, VALUES or a table instead"
        ));
    }
    Ok(())
}

fn refuse<T>(message: String) -> Result<T> {
    Err(DataFusionError::SQL(Box::new(ParserError::ParserError(message)), None))
}
