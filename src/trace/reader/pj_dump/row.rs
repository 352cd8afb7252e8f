//! One row that pj_dump prints.
//!
//! ```text
//! Container, parent or 0, type, start, end, duration, name
//! State, container, type, start, end, duration, imbrication, value
//! Variable, container, type, start, end, duration, value
//! Event, container, type, time, value
//! Link, container, type, start, end, duration, value, start container, end container, key
//! ```
//! Fields are separated by a comma and a blank, and may be quoted as in CSV. pj_dump does not quote: a comma within a
//! name makes more fields. Times are where numbers are; what is too much belongs to the text beside them.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// A row; times and numbers are text still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DumpRow<'a> {
    Container { parent: Cow<'a, str>, type_: Cow<'a, str>, start: &'a str, end: &'a str, name: Cow<'a, str> },
    State { at: DumpPlace<'a>, end: &'a str, depth: &'a str, value: Cow<'a, str> },
    Variable { at: DumpPlace<'a>, end: &'a str, value: &'a str },
    Event { at: DumpPlace<'a>, value: Cow<'a, str> },
    Link { at: DumpPlace<'a>, end: &'a str, value: Cow<'a, str>, ends: [Cow<'a, str>; 2], key: Cow<'a, str> },
}

/// What most rows begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DumpPlace<'a> {
    pub container: Cow<'a, str>,
    pub type_: Cow<'a, str>,
    pub start: &'a str,
}

impl<'a> DumpRow<'a> {
    /// Reads a line; `None` when it is no such row.
    pub fn parse(line: &'a str) -> Option<DumpRow<'a>> {
        let fields = split(line);
        let kind = *fields.first()?;
        let times = if kind == "Event" { 1 } else { 3 };
        // The first place where the times can be.
        let is_time = |place: usize| fields.get(place).is_some_and(|field| field.parse::<f64>().is_ok());
        let anchor = (3..fields.len()).find(|place| (0..times).all(|more| is_time(place + more)))?;
        let rest = fields.get(anchor + times..)?;
        let at = DumpPlace {
            container: joined(line, &fields[1..anchor - 1]),
            type_: unquoted(fields[anchor - 1]),
            start: fields[anchor],
        };
        let end = || fields[anchor + 1];
        match kind {
            "Container" => {
                let name = joined(line, non_empty(rest)?);
                Some(DumpRow::Container { parent: at.container, type_: at.type_, start: at.start, end: end(), name })
            }
            "State" => {
                let (depth, value) = rest.split_first()?;
                Some(DumpRow::State { at, end: end(), depth, value: joined(line, non_empty(value)?) })
            }
            "Variable" => match rest {
                [value] => Some(DumpRow::Variable { at, end: end(), value }),
                _ => None,
            },
            "Event" => Some(DumpRow::Event { at, value: joined(line, non_empty(rest)?) }),
            "Link" => match rest {
                [value @ .., source, target, key] if !value.is_empty() => {
                    let ends = [unquoted(source), unquoted(target)];
                    Some(DumpRow::Link { at, end: end(), value: joined(line, value), ends, key: unquoted(key) })
                }
                _ => None,
            },
            _ => None,
        }
    }
}

fn non_empty<'a, 'b>(fields: &'b [&'a str]) -> Option<&'b [&'a str]> {
    (!fields.is_empty()).then_some(fields)
}

/// The fields of a line; those that are quoted keep their quotes.
fn split(line: &str) -> Vec<&str> {
    let mut fields = vec![];
    let mut rest = line.trim_end();
    loop {
        let end = match rest.strip_prefix('"').and_then(quote_end) {
            Some(end) if rest[end..].is_empty() || rest[end..].starts_with(',') => end,
            _ => rest.find(", ").unwrap_or(rest.len()),
        };
        fields.push(&rest[..end]);
        match rest[end..].strip_prefix(',') {
            Some(more) => rest = more.strip_prefix(' ').unwrap_or(more),
            None => return fields,
        }
    }
}

/// Where a field ends whose first quote was taken; two quotes are one of the text.
fn quote_end(inner: &str) -> Option<usize> {
    let bytes = inner.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', Some(b'"')) => at += 2,
            (b'"', _) => return Some(at + 2),
            _ => at += 1,
        }
    }
    None
}

fn unquoted(field: &str) -> Cow<'_, str> {
    match field.strip_prefix('"').and_then(|field| field.strip_suffix('"')) {
        Some(inner) => Cow::Owned(inner.replace("\"\"", "\"")),
        None => Cow::Borrowed(field),
    }
}

/// The text from the first field to the last, with the commas between them.
fn joined<'a>(line: &'a str, fields: &[&'a str]) -> Cow<'a, str> {
    match fields {
        [] => Cow::Borrowed(""),
        [one] => unquoted(one),
        [first, .., last] => {
            let place = |field: &str| field.as_ptr() as usize - line.as_ptr() as usize;
            Cow::Borrowed(&line[place(first)..place(last) + last.len()])
        }
    }
}
