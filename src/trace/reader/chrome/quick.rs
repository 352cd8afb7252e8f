//! Events of the usual shape, read in one pass: nearly all events of nearly all traces.
//!
//! Keys are compared and strings, numbers and brackets are stepped over eight bytes at a time; times are numbers when
//! their ends are found, and the members of the arguments are noted on the way. What is unusual (a damaged event, one
//! at the end of the window, deep nesting, an escape in a key) gives `None`, and [`RawEvent::read`], which understands
//! everything, reads the event again. What both read is equal, down to the last byte.

#[cfg(test)]
mod tests;

use super::event::{JsonDecimal, MemberSpan, RawEvent, first_character};
use super::known_keys::KnownKeys;
use super::packed::{
    before_mark, eight_at, leading_digits, marks_of, marks_of_closings, marks_of_openings, short_word, short_word_of,
};

/// Values that are nested deeper are not usual.
const DEEPEST_QUICK: usize = 64;
/// Bytes of a string after which it is searched by a call: that is faster for long ones only.
const LONG_STRING: usize = 32;
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Reads events; keeps its memory from one to the next.
#[derive(Debug, Default)]
pub(super) struct QuickScanner {
    members: Vec<MemberSpan>,
    /// Of events.
    keys: KnownKeys<EventField>,
    /// Of arguments, with the place of the key in what stands before the value.
    argument_keys: KnownKeys<(u8, u8)>,
}

/// What a member of an event is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventField {
    Phase,
    Name,
    Category,
    Start,
    Duration,
    Process,
    Thread,
    Id,
    Scope,
    Binding,
    FlowId,
    FlowIn,
    FlowOut,
    Reach,
    Arguments,
    Other,
}

/// Where a value ends, and the number that it is.
type ScannedValue = (usize, Option<JsonDecimal>);

impl QuickScanner {
    /// The event that starts here, and the place behind it.
    #[inline]
    pub fn read<'a>(&'a mut self, text: &'a [u8], start: usize) -> Option<(RawEvent<'a>, usize)> {
        let mut event = RawEvent::default();
        let mut has_members = false;
        let mut at = after(text, start, b'{')?;
        let mut number = 0;
        loop {
            let (field, value_start) = match self.keys.find(number, text, at) {
                Some((field, behind)) => (field, blank(text, behind)?),
                None => {
                    let Some(key_start) = key_start(text, at, number)? else { break };
                    let (key_end, eight) = key_end(text, key_start)?;
                    let value_start = blank(text, after(text, key_end + 1, b':')?)?;
                    let field = field_of(&text[key_start..key_end], eight);
                    self.keys.note(number, &text[at..value_start], field);
                    (field, value_start)
                }
            };
            number += 1;
            if field == EventField::Arguments && text[value_start] == b'{' {
                at = self.members(text, value_start)?;
                event.arguments = &text[value_start..at];
                has_members = true;
                continue;
            }
            let (end, decimal) = value_end(text, value_start)?;
            let value = &text[value_start..end];
            match field {
                EventField::Phase => event.phase = first_character(value),
                EventField::Name => event.name = value,
                EventField::Category => event.category = value,
                EventField::Start => (event.start, event.start_number) = (value, decimal),
                EventField::Duration => (event.duration, event.duration_number) = (value, decimal),
                EventField::Process => event.process = value,
                EventField::Thread => event.thread = value,
                EventField::Id => event.id = value,
                EventField::Scope => event.scope = value,
                EventField::Binding => event.binding = value,
                EventField::FlowId => event.flow_id = value,
                EventField::FlowIn => event.flow_in = value == b"true",
                EventField::FlowOut => event.flow_out = value == b"true",
                EventField::Reach => event.reach = first_character(value),
                EventField::Arguments => (event.arguments, has_members) = (value, false),
                EventField::Other => (),
            }
            at = end;
        }
        if has_members {
            event.members = Some(&self.members);
        }
        // The brace that ends it.
        Some((event, blank(text, at)? + 1))
    }

    /// Notes the members of the object that starts here; gives the place behind it.
    #[inline]
    fn members(&mut self, text: &[u8], start: usize) -> Option<usize> {
        self.members.clear();
        let mut at = start + 1;
        let first = blank(text, at)?;
        if text[first] == b'}' {
            return Some(first + 1);
        }
        let mut number = 0;
        loop {
            let (key, value_start) = match self.argument_keys.find(number, text, at) {
                Some(((from, len), behind)) => {
                    let key_start = at + usize::from(from);
                    (key_start..key_start + usize::from(len), blank(text, behind)?)
                }
                None => {
                    let Some(key_start) = key_start(text, at, number)? else { break };
                    let key_end = string_end(text, key_start)?;
                    let value_start = blank(text, after(text, key_end + 1, b':')?)?;
                    let place = (u8::try_from(key_start - at), u8::try_from(key_end - key_start));
                    if let (Ok(from), Ok(len)) = place {
                        self.argument_keys.note(number, &text[at..value_start], (from, len));
                    }
                    (key_start..key_end, value_start)
                }
            };
            number += 1;
            let (value_end, decimal) = value_end(text, value_start)?;
            let whole = decimal.filter(|number| number.decimals == 0).map(|number| number.digits);
            self.members.push(MemberSpan {
                key: key.start - start..key.end - start,
                value: value_start - start..value_end - start,
                whole: whole.filter(|_| is_plain(&text[value_start..value_end])),
            });
            at = value_end;
        }
        Some(blank(text, at)? + 1)
    }
}

/// Where the key of a member starts, behind its quote; `Some(None)` at the end of the object, which a first member has
/// not.
#[inline(always)]
#[expect(clippy::option_option, reason = "what is unusual, and the end of an object, differ")]
fn key_start(text: &[u8], at: usize, number: usize) -> Option<Option<usize>> {
    if number == 0 {
        return after(text, at, b'"').map(Some);
    }
    let at = blank(text, at)?;
    match text[at] {
        b',' => after(text, at + 1, b'"').map(Some),
        b'}' => Some(None),
        _ => None,
    }
}

/// Where a key without escapes ends, and its first eight bytes.
#[inline(always)]
fn key_end(text: &[u8], start: usize) -> Option<(usize, u64)> {
    let eight = eight_at(text, start)?;
    let count = before_mark(marks_of(eight, b'"') | marks_of(eight, b'\\'));
    let end = if count < 8 { start + count } else { string_end(text, start)? };
    (text[end] == b'"').then_some((end, eight))
}

/// What a key is for; `eight` are its first bytes.
fn field_of(key: &[u8], eight: u64) -> EventField {
    if key.len() > 7 {
        return if key == b"flow_out" { EventField::FlowOut } else { EventField::Other };
    }
    match short_word(eight, key.len()) {
        PHASE => EventField::Phase,
        NAME => EventField::Name,
        CATEGORY => EventField::Category,
        START => EventField::Start,
        DURATION => EventField::Duration,
        PROCESS => EventField::Process,
        THREAD => EventField::Thread,
        ID | ID2 => EventField::Id,
        SCOPE => EventField::Scope,
        BINDING => EventField::Binding,
        FLOW_ID => EventField::FlowId,
        FLOW_IN => EventField::FlowIn,
        REACH => EventField::Reach,
        ARGS => EventField::Arguments,
        _ => EventField::Other,
    }
}

const PHASE: u64 = short_word_of(b"ph");
const NAME: u64 = short_word_of(b"name");
const CATEGORY: u64 = short_word_of(b"cat");
const START: u64 = short_word_of(b"ts");
const DURATION: u64 = short_word_of(b"dur");
const PROCESS: u64 = short_word_of(b"pid");
const THREAD: u64 = short_word_of(b"tid");
const ID: u64 = short_word_of(b"id");
const ID2: u64 = short_word_of(b"id2");
const SCOPE: u64 = short_word_of(b"scope");
const BINDING: u64 = short_word_of(b"bp");
const FLOW_ID: u64 = short_word_of(b"bind_id");
const FLOW_IN: u64 = short_word_of(b"flow_in");
const REACH: u64 = short_word_of(b"s");
const ARGS: u64 = short_word_of(b"args");

/// Whether a whole number is written as Rust writes it: no zero in front, and no zero below zero.
#[inline(always)]
fn is_plain(value: &[u8]) -> bool {
    match value {
        [b'0'] => true,
        [b'-', first, ..] | [first, ..] => *first != b'0',
        [] => false,
    }
}

/// The place of the next byte that is no white space.
#[inline(always)]
fn blank(text: &[u8], mut at: usize) -> Option<usize> {
    while let b' ' | b'\n' | b'\r' | b'\t' = *text.get(at)? {
        at += 1;
    }
    Some(at)
}

/// The place behind a byte, which white space may stand before.
#[inline(always)]
fn after(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = blank(text, at)?;
    (text[at] == byte).then_some(at + 1)
}

/// The place of the quote that ends a string, whose first byte behind the quote is given.
#[inline(always)]
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let eight = eight_at(text, at)?;
        let marks = marks_of(eight, b'"') | marks_of(eight, b'\\');
        at += before_mark(marks);
        if marks == 0 && at - start >= LONG_STRING {
            at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        } else if marks == 0 {
            continue;
        }
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[inline(always)]
fn value_end(text: &[u8], start: usize) -> Option<ScannedValue> {
    match text[start] {
        b'"' => Some((string_end(text, start + 1)? + 1, None)),
        b'-' | b'0'..=b'9' => number_end(text, start),
        b'{' | b'[' => Some((nested_end(text, start)?, None)),
        b'+' | b'.' | b'a'..=b'z' | b'A'..=b'Z' => Some((scalar_end(text, start)?, None)),
        _ => None,
    }
}

/// Whether a byte belongs to a number, or to `true` and its like.
#[inline(always)]
fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

fn scalar_end(text: &[u8], start: usize) -> Option<usize> {
    let len = text[start..].iter().position(|byte| !is_scalar(*byte))?;
    Some(start + len)
}

/// A number; its value is left out when it is of another form than `-123.45`, or too long.
#[inline(always)]
fn number_end(text: &[u8], start: usize) -> Option<ScannedValue> {
    let is_negative = text[start] == b'-';
    let mut at = start + usize::from(is_negative);
    let (count, mut digits) = leading_digits(eight_at(text, at)?);
    at += count;
    let mut is_usual = count > 0;
    if count == 8 {
        let (more, low) = leading_digits(eight_at(text, at)?);
        digits = digits * POWERS[more] + low;
        at += more;
    }
    let mut decimals = 0;
    if *text.get(at)? == b'.' {
        let (fraction, low) = leading_digits(eight_at(text, at + 1)?);
        is_usual &= fraction > 0;
        decimals = fraction as u32;
        match digits.checked_mul(POWERS[fraction]).and_then(|digits| digits.checked_add(low)) {
            Some(all) => digits = all,
            None => is_usual = false,
        }
        at += 1 + fraction;
    }
    if is_scalar(*text.get(at)?) {
        return Some((scalar_end(text, at)?, None));
    }
    let digits = i64::try_from(digits).ok().filter(|_| is_usual);
    let number = digits.map(|digits| JsonDecimal { digits: if is_negative { -digits } else { digits }, decimals });
    Some((at, number))
}

/// The place behind an object or array: strings are stepped over, brackets counted.
#[inline(never)]
fn nested_end(text: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0);
    loop {
        let eight = eight_at(text, at)?;
        let marks = marks_of(eight, b'"') | marks_of_openings(eight) | marks_of_closings(eight);
        at += before_mark(marks);
        if marks == 0 {
            continue;
        }
        match text[at] {
            b'"' => at = string_end(text, at + 1)?,
            b'{' | b'[' if depth == DEEPEST_QUICK => return None,
            b'{' | b'[' => depth += 1,
            _ if depth == 1 => return Some(at + 1),
            _ => depth -= 1,
        }
        at += 1;
    }
}
