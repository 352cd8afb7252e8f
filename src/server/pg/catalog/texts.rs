//! Functions of texts and arrays that PostgreSQL has and DataFusion has not.

#[cfg(test)]
mod tests;

use datafusion::common::{Result, plan_err};

use super::function::{CatalogCallContext, identifiers};
use super::value::CatalogValue;

/// A text as SQL writes it.
pub(super) fn literal(text: &str) -> String {
    let quoted = format!("'{}'", text.replace('\'', "''"));
    if text.contains('\\') { format!("E{}", quoted.replace('\\', "\\\\")) } else { quoted }
}

/// The parts of a name.
pub(super) fn parse_ident(_: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let name = arguments.first().and_then(CatalogValue::text);
    Ok(name.map_or(CatalogValue::Null, |name| {
        CatalogValue::List(identifiers(&name).into_iter().map(CatalogValue::Text).collect())
    }))
}

/// A bound of the first dimension; NULL for an empty array.
pub(super) fn bound(arguments: &[CatalogValue], bound_of: fn(&[CatalogValue]) -> i64) -> CatalogValue {
    let items = arguments.first().and_then(CatalogValue::items).filter(|items| !items.is_empty());
    match (items, arguments.get(1).and_then(CatalogValue::int)) {
        (Some(items), None | Some(1)) => CatalogValue::Int(bound_of(&items)),
        _ => CatalogValue::Null,
    }
}

/// `value = ANY (array)`.
pub(super) fn any(_: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let [value, array] = arguments else { return plan_err!("pg_any takes a value and an array") };
    let (Some(wanted), Some(items)) = (value.text(), array.items()) else { return Ok(CatalogValue::Null) };
    let has_null = items.contains(&CatalogValue::Null);
    let is_found = items.iter().any(|item| item.text().is_some_and(|item| item == wanted));
    Ok(if !is_found && has_null { CatalogValue::Null } else { CatalogValue::Bool(is_found) })
}

/// `value LIKE pattern ESCAPE letter`.
pub(super) fn like(_: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let [value, pattern, escape] = arguments else { return plan_err!("pg_like takes a value, a pattern and a letter") };
    let (Some(value), Some(pattern)) = (value.text(), pattern.text()) else { return Ok(CatalogValue::Null) };
    let value: Vec<char> = value.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    Ok(CatalogValue::Bool(is_like(&value, &pattern, escape.text().and_then(|escape| escape.chars().next()))))
}

fn is_like(value: &[char], pattern: &[char], escape: Option<char>) -> bool {
    // Where the last % stood, and the letter after those that it took: there we go on when all else fails.
    let (mut at, mut place, mut last) = (0, 0, None);
    loop {
        let (step, fits) = match pattern.get(place) {
            Some('%') => {
                place += 1;
                last = Some((place, at));
                continue;
            }
            Some(letter) if Some(*letter) == escape => {
                (2, pattern.get(place + 1).is_some_and(|literal| value.get(at) == Some(literal)))
            }
            Some('_') => (1, at < value.len()),
            Some(letter) => (1, value.get(at) == Some(letter)),
            None if at == value.len() => return true,
            None => (0, false),
        };
        match (fits, last) {
            (true, _) => (at, place) = (at + 1, place + step),
            (false, Some((after, taken))) if taken < value.len() => {
                (at, place, last) = (taken + 1, after, Some((after, taken + 1)));
            }
            (false, _) => return false,
        }
    }
}
