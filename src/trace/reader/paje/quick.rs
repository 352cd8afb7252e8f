//! Lines of the usual shape, read in one go: nearly all lines of nearly all traces.
//!
//! ```text
//! line = id , time , two words , [ value | number | value , end , key ] , [ whole number ] , line end
//! ```
//! One blank stands between the fields, and no field is quoted. A line is first cut into fields, eight
//! bytes at a time and without a side effect; what does not fit is left to the parser that
//! understands everything. The byte after a word is looked at once, as the blank before the next.

use super::lexer::LineField;
use super::numbers::parse_double;
use super::parser::LineParser;
use super::plan::{LinePlan, PlanTail, WordOrder};
use crate::model::{BatchSpan, Event, Extra, ExtraData, Payload, Symbol};
use crate::time::Clock;

/// A word: its packed bytes, or the place of a long one.
#[derive(Debug, Clone, Copy)]
struct PackedWord(u64);

/// Longer words are not usual.
const LONGEST_WORD: usize = 256;

/// The highest byte of a long word; packed words have 0 there.
const LONG: u64 = 0xfe << 56;

/// What is left of the text. Fields are taken from its start; all of them give up on what is unusual.
#[derive(Clone, Copy)]
struct LineRest<'t>(&'t [u8]);

impl<'t> LineRest<'t> {
    /// The word at the very start of a line.
    #[inline(always)]
    fn id(self) -> Option<(u64, LineRest<'t>)> {
        let word = u64::from_le_bytes(*self.0.first_chunk()?);
        let marks = mark_ends(word);
        if marks == 0 {
            return None;
        }
        Some((word & up_to_mark(marks), self.after(marks)))
    }

    /// What follows the byte of the lowest mark in the first eight.
    #[inline(always)]
    fn after(self, marks: u64) -> LineRest<'t> {
        LineRest(&self.0[(marks.trailing_zeros() / 8) as usize..])
    }

    /// One blank.
    #[inline(always)]
    fn blank(self) -> Option<LineRest<'t>> {
        match self.0 {
            [b' ' | b'\t', rest @ ..] => Some(LineRest(rest)),
            _ => None,
        }
    }

    /// One blank and a word, in a text of that length.
    #[inline(always)]
    fn word(self, text_len: usize) -> Option<(PackedWord, LineRest<'t>)> {
        let rest = self.blank()?;
        let word = u64::from_le_bytes(*rest.0.first_chunk()?);
        let marks = mark_ends(word);
        if marks == 0 {
            let place = text_len - rest.0.len();
            return Some((PackedWord(LONG | place as u64), rest.after_long_word()?));
        }
        let packed = word & up_to_mark(marks);
        if packed == 0 {
            return None;
        }
        Some((PackedWord(packed), rest.after(marks)))
    }

    #[inline(never)]
    fn after_long_word(self) -> Option<LineRest<'t>> {
        self.0.chunks_exact(8).zip(0..LONGEST_WORD / 8).find_map(|(chunk, index)| {
            let marks = mark_ends(u64::from_le_bytes(chunk.try_into().ok()?));
            (marks != 0).then(|| LineRest(&self.0[8 * index..]).after(marks))
        })
    }

    /// One blank and `digits[.digits]`, up to nine digits before the point, and not finer than a tick.
    #[inline(always)]
    fn time(self, scale: usize) -> Option<(i64, LineRest<'t>)> {
        let mut rest = self.blank()?.0;
        let mut whole = digit(rest)?;
        rest = &rest[1..];
        for _ in 1..9 {
            let Some(next) = digit(rest) else { break };
            whole = whole * 10 + next;
            rest = &rest[1..];
        }
        let ticks = whole as i64 * POWERS[scale];
        let [b'.', rest @ ..] = rest else { return Some((ticks, LineRest(rest))) };
        let chunk = u64::from_le_bytes(*rest.first_chunk()?);
        let bits = digit_bits(chunk);
        if bits == 0 {
            return None;
        }
        let (mut fraction, mut len) = (number_of(chunk, bits), (bits / 8) as usize);
        if bits == 64
            && let Some(ninth) = digit(&rest[8..])
        {
            (fraction, len) = (fraction * 10 + ninth, 9);
        }
        let missing = scale.checked_sub(len)?;
        Some((ticks + fraction as i64 * POWERS[missing], LineRest(rest.get(len..)?)))
    }

    /// One blank and a number.
    #[inline(always)]
    fn number(self) -> Option<(f64, LineRest<'t>)> {
        let (word, rest) = self.word(self.0.len())?;
        let number = match whole_number(word) {
            Some(number) => number as f64,
            None => parse_double(&self.0[1..self.0.len() - rest.0.len()])?,
        };
        Some((number, rest))
    }

    /// One blank and digits.
    #[inline(always)]
    fn whole_number(self) -> Option<(i64, LineRest<'t>)> {
        let (word, rest) = self.word(self.0.len())?;
        Some((whole_number(word)? as i64, rest))
    }

    #[inline(always)]
    fn line_end(self) -> Option<LineRest<'t>> {
        match self.0 {
            // SimGrid writes a blank after the last field.
            [b'\n', rest @ ..] | [b'\r' | b' ', b'\n', rest @ ..] => Some(LineRest(rest)),
            _ => None,
        }
    }
}

impl<'t> LineParser<'t> {
    /// Reads lines as long as they are of the usual shape; stops at the start of one that is not.
    #[inline(never)]
    pub(super) fn quick_lines(&mut self) {
        let Some(scale) = scale_of(self.clock) else { return };
        let text = self.lexer.text;
        let lines_before = self.batch.lines;
        let Some(left) = text.get(self.lexer.at..) else { return };
        let mut rest = LineRest(left);
        self.line_start = self.lexer.at;
        while let Some(after) = self.quick_line(rest, scale) {
            rest = after;
            self.line_start = text.len() - rest.0.len();
            self.batch.lines += 1;
        }
        self.batch.event_lines += self.batch.lines - lines_before;
        self.lexer.at = self.line_start;
    }

    /// Reads a line of the usual shape; gives what comes after it.
    #[inline(always)]
    fn quick_line(&mut self, rest: LineRest<'t>, scale: usize) -> Option<LineRest<'t>> {
        let text_len = self.lexer.text.len();
        let (id, rest) = rest.id()?;
        let plan = self.definitions.plans.get(id)?;
        let (tick, rest) = rest.time(scale)?;
        let (first, rest) = rest.word(text_len)?;
        let (second, rest) = rest.word(text_len)?;
        let none = Symbol::NONE;
        match plan.tail {
            PlanTail::Nothing => {
                let (extra, rest) = extra_and_end(rest, plan)?;
                self.push_quick(plan, tick, first, second, (none, none, 0), extra);
                Some(rest)
            }
            PlanTail::Value => {
                let (value, rest) = rest.word(text_len)?;
                let (extra, rest) = extra_and_end(rest, plan)?;
                let value = self.word_symbol(value);
                self.push_quick(plan, tick, first, second, (value, none, 0), extra);
                Some(rest)
            }
            PlanTail::Number => {
                let (number, rest) = rest.number()?;
                let (extra, rest) = extra_and_end(rest, plan)?;
                self.push_quick(plan, tick, first, second, (none, none, Payload::number(number)), extra);
                Some(rest)
            }
            PlanTail::EndAndKey | PlanTail::KeyAndEnd => {
                let (value, rest) = rest.word(text_len)?;
                let (key_start, key_end, end, rest) = match plan.tail {
                    PlanTail::EndAndKey => {
                        let (end, key) = rest.word(text_len)?;
                        let (_, rest) = key.word(text_len)?;
                        (key, rest, end, rest)
                    }
                    _ => {
                        let (_, after) = rest.word(text_len)?;
                        let (end, after_end) = after.word(text_len)?;
                        (rest, after, end, after_end)
                    }
                };
                let (extra, rest) = extra_and_end(rest, plan)?;
                let (value, end) = (self.word_symbol(value), self.word_symbol(end));
                let key = LineField::new(text_len - key_start.0.len() + 1, text_len - key_end.0.len(), 0);
                let key = Payload::key(self.text(key));
                self.push_quick(plan, tick, first, second, (value, end, key), extra);
                Some(rest)
            }
        }
    }

    /// Adds an event. The last but one are its value, its end container, and its number or key.
    #[inline(always)]
    fn push_quick(
        &mut self,
        plan: LinePlan,
        tick: i64,
        first: PackedWord,
        second: PackedWord,
        (value, other, payload): (Symbol, Symbol, u64),
        extra: Option<Extra>,
    ) {
        let (first, second) = (self.word_symbol(first), self.word_symbol(second));
        let (type_, container) = match plan.order {
            WordOrder::TypeFirst => (first, second),
            WordOrder::ContainerFirst => (second, first),
        };
        let mut extras = 0;
        if let Some(extra) = extra {
            let start = self.batch.extra_values.len() as u32;
            self.batch.extra_values.push(extra);
            self.batch.extra_rows.push(BatchSpan { start, len: 1 });
            extras = self.batch.extra_rows.len() as u32;
        }
        let (kind, line, byte) = (plan.kind, self.batch.lines, self.line_start as u32);
        self.batch.events.push(Event { tick, payload, container, type_, value, other, extras, line, byte, kind });
    }

    #[inline(always)]
    fn word_symbol(&mut self, word: PackedWord) -> Symbol {
        match self.symbols.known(word.0) {
            Some(symbol) => symbol,
            None => self.new_symbol(word),
        }
    }

    /// The symbol of a word that is long, or new.
    #[inline(never)]
    fn new_symbol(&mut self, word: PackedWord) -> Symbol {
        if word.0 & LONG == 0 {
            return self.find_symbol(&word.0.to_le_bytes()[..8 - word.0.leading_zeros() as usize / 8], word.0);
        }
        let rest = &self.lexer.text[word.0 as u32 as usize..];
        let len = rest.iter().position(|byte| *byte <= b' ').unwrap_or(rest.len());
        self.find_symbol(&rest[..len], 0)
    }
}

/// The whole number that may end a line, and the line end.
#[inline(always)]
fn extra_and_end(rest: LineRest<'_>, plan: LinePlan) -> Option<(Option<Extra>, LineRest<'_>)> {
    let Some(field) = plan.extra else { return Some((None, rest.line_end()?)) };
    let (number, rest) = rest.whole_number()?;
    Some((Some(Extra { field: u32::from(field), data: ExtraData::Int(number) }), rest.line_end()?))
}

/// The power of ten between the numbers of the trace and ticks, if it is a usual one.
fn scale_of(clock: Clock) -> Option<usize> {
    let scale = i32::from(clock.resolution.digits()) - clock.unit.shift();
    (0..=9).contains(&scale).then_some(scale as usize)
}

const POWERS: [i64; 10] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// Marks, in the high bit of each byte, what may end a word of a usual line, or makes the line an
/// unusual one: blanks, control characters, quotes, comments. The lowest mark is right; those above
/// it may be wrong.
#[inline(always)]
fn mark_ends(word: u64) -> u64 {
    const PAST: u64 = u64::from_le_bytes([b'#' + 1; 8]);
    word.wrapping_sub(PAST) & !word & u64::from_le_bytes([0x80; 8])
}

/// All bits of the bytes below the lowest mark.
#[inline(always)]
fn up_to_mark(marks: u64) -> u64 {
    (marks ^ marks.wrapping_sub(1)) >> 8
}

#[inline(always)]
fn digit(text: &[u8]) -> Option<u64> {
    let digit = text.first()?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

/// How many bits the digits at the start of eight bytes have.
#[inline(always)]
fn digit_bits(chunk: u64) -> u32 {
    let above = chunk.wrapping_add(0x4646_4646_4646_4646);
    let below = chunk.wrapping_sub(0x3030_3030_3030_3030);
    ((above | below) & 0x8080_8080_8080_8080).trailing_zeros() & !7
}

/// The number that the digits in the lowest bits make, of which there is at least one: three
/// multiplications instead of eight.
#[inline(always)]
fn number_of(chunk: u64, bits: u32) -> u64 {
    let digits = chunk.wrapping_sub(0x3030_3030_3030_3030).wrapping_shl(bits.wrapping_neg());
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// The number that a packed word of digits alone makes.
#[inline(always)]
fn whole_number(PackedWord(packed): PackedWord) -> Option<u64> {
    let bits = digit_bits(packed);
    if bits == 0 || packed >> bits != 0 {
        return None;
    }
    Some(number_of(packed, bits))
}

#[cfg(test)]
mod tests;
