//! `regexp_like` with a column of patterns: those that were met before are not compiled again.
//!
//! The rules of activities are sixty patterns, which every question about computation or waiting asks anew, some of them
//! several times. Compiling them took longer than all matches together.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};
use hashbrown::HashMap;
use regex::{Regex, RegexBuilder};

/// How many patterns are kept; then all are forgotten.
const MOST_PATTERNS: usize = 256;
/// Bytes of the largest pattern that is kept, compiled, and of what it remembers of matches.
const LARGEST_PATTERN: usize = 256 << 10;

/// Patterns that were compiled, and whether capitals do not matter to them.
static PATTERNS: LazyLock<Mutex<HashMap<(String, bool), Regex>>> = LazyLock::new(Mutex::default);

/// The answer to a call; `None` where the patterns are no column, or one of them is not kept: then DataFusion answers.
pub(super) fn matches(arguments: &ScalarFunctionArgs) -> Result<Option<ColumnarValue>> {
    let [texts, ColumnarValue::Array(patterns), flags @ ..] = arguments.args.as_slice() else { return Ok(None) };
    let ignores_capitals = match flags {
        [] => false,
        [ColumnarValue::Scalar(flag)] if flag_of(flag) == Some("i") => true,
        _ => return Ok(None),
    };
    let texts = texts.to_array(arguments.number_rows)?;
    let (Some(texts), Some(patterns)) = (texts_of(&texts), texts_of(patterns)) else { return Ok(None) };
    let mut known: HashMap<&str, Regex> = HashMap::new();
    let mut found = vec![];
    for (text, pattern) in texts.zip(patterns) {
        let (Some(text), Some(pattern)) = (text, pattern) else {
            found.push(None);
            continue;
        };
        if !known.contains_key(pattern) {
            let Some(compiled) = compiled(pattern, ignores_capitals) else { return Ok(None) };
            known.insert(pattern, compiled);
        }
        found.push(known.get(pattern).map(|pattern| pattern.is_match(text)));
    }
    let found: ArrayRef = Arc::new(BooleanArray::from(found));
    Ok(Some(ColumnarValue::Array(found)))
}

fn flag_of(value: &ScalarValue) -> Option<&str> {
    value.try_as_str().flatten()
}

fn texts_of(array: &ArrayRef) -> Option<Box<dyn Iterator<Item = Option<&str>> + '_>> {
    match array.data_type() {
        DataType::Utf8 => Some(Box::new(array.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Some(Box::new(array.as_string::<i64>().iter())),
        DataType::Utf8View => Some(Box::new(array.as_string_view().iter())),
        _ => None,
    }
}

/// A pattern, compiled; `None` if it is none, or too large.
fn compiled(pattern: &str, ignores_capitals: bool) -> Option<Regex> {
    let key = (pattern.to_string(), ignores_capitals);
    let patterns = || PATTERNS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = patterns().get(&key) {
        return Some(known.clone());
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(ignores_capitals).size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN);
    let compiled = builder.build().ok()?;
    let mut patterns = patterns();
    if patterns.len() >= MOST_PATTERNS {
        patterns.clear();
    }
    patterns.insert(key, compiled.clone());
    Some(compiled)
}
