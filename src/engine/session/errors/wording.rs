//! Messages of DataFusion in plain words: what it prints of its own plans, expressions and types means nothing to a
//! user.
//!
//! [`reworded`] knows the messages that a wrong statement can provoke, [`cleaned`] writes values and types as SQL does,
//! and cuts off whatever of a plan or an expression is left.

use super::explanation::Explanation;

/// A message that says what to write, for one that is known.
pub(super) fn reworded(message: &str) -> Option<Explanation> {
    let has = |words: &str| message.contains(words);
    if let Some((_, expression)) = message.split_once("hysical plan does not support logical expression ") {
        return Some(misplaced(expression));
    }
    if has("must appear in the GROUP BY clause") {
        return Some(ungrouped(message));
    }
    if has("subquery can only be used in") {
        let place = if has("[Sort:") || !has("but was used in") { "in ORDER BY" } else { "here" };
        return Some(Explanation::with_hint(
            format!("a subquery cannot stand {place}"),
            "give it a name in the SELECT of a query in FROM, and use that name",
        ));
    }
    for (words, plain, hint) in KNOWN {
        if has(words) {
            return Some(Explanation::with_hint(*plain, *hint));
        }
    }
    duplicate(message)
}

/// Words of a message, what they mean, and what to do.
const KNOWN: &[(&str, &str, &str)] = &[
    ("nsupported LIMIT expression", "LIMIT takes a number or a parameter", "write the number itself"),
    ("nsupported OFFSET expression", "OFFSET takes a number or a parameter", "write the number itself"),
    ("ot access not supported", "a field of such a value is not named with a dot", "write it in brackets: x['field']"),
    ("hould only return one column", "a subquery that is a value must have one column", "select the one that you need"),
    ("ubstring without for/from", "substr misses the place to start at", "write substr(text, start, length)"),
    (
        "cannot contain window function calls",
        "an aggregate function cannot contain a window function",
        "compute the window function in a subquery in FROM",
    ),
    (
        "ggregate function calls cannot be nested",
        "an aggregate function cannot contain another one",
        "compute the inner one in a subquery in FROM",
    ),
    (
        "FILTER clause can only be used with aggregate",
        "FILTER belongs to aggregate functions only",
        "write CASE WHEN … END within the call",
    ),
    ("ompound identifier: [", "a name has too many parts", "write table.column, or schema.table.column"),
    (
        "outer_ref(",
        "a column of an outer query is not known at this place",
        "join the two queries, or name the column in the query between",
    ),
];

/// What stands in a clause that cannot have it.
fn misplaced(expression: &str) -> Explanation {
    let (what, hint) = match expression.split(['(', ' ']).next().unwrap_or_default() {
        "WindowFunction" => (
            "a window function cannot stand in WHERE, HAVING, ON or GROUP BY",
            "write QUALIFY, or compute it in a subquery in FROM",
        ),
        "Wildcard" => ("* is no argument of this function", "name the columns; count(*) counts rows"),
        "AggregateFunction" => ("an aggregate function cannot stand here", "compute it in a subquery in FROM"),
        "OuterReferenceColumn" => {
            ("a column of an outer query is not known at this place", "join the two queries instead")
        }
        "Exists" | "InSubquery" | "ScalarSubquery" | "SetComparison" => {
            ("a subquery cannot stand here", "join it, or compute it in a query in FROM")
        }
        "GroupingSet" => ("GROUPING SETS, ROLLUP and CUBE belong into GROUP BY", "write the columns alone here"),
        "Placeholder" => ("a parameter has no value", "write EXECUTE name (value), or the value itself"),
        "Unnest" => ("unnest cannot stand here", "write it in FROM or alone in SELECT"),
        _ => ("an expression cannot stand where it is written", "compute it in a subquery in FROM"),
    };
    Explanation::with_hint(what, hint)
}

/// A column that has no single value per group.
fn ungrouped(message: &str) -> Explanation {
    let quoted = message.split_once("column \"").and_then(|(_, rest)| rest.split_once('"'));
    let referred = message.split_once("references: ").and_then(|(_, rest)| rest.split_once(" must appear"));
    let column = quoted.or(referred).map_or("", |(column, _)| column);
    let column = cleaned(column);
    let name = column.rsplit('.').next().unwrap_or_default();
    let what = if name.contains(' ') { "expression" } else { "column" };
    Explanation::with_hint(
        format!("the {what} {name} is neither in GROUP BY nor within an aggregate function"),
        format!("add it to GROUP BY, or write any_value({name})"),
    )
}

/// Names that FROM has twice.
fn duplicate(message: &str) -> Option<Explanation> {
    let (_, name) = message.split_once("contains duplicate qualified field name ").or_else(|| {
        let (_, rest) = message.split_once("contains qualified field name ")?;
        rest.split_once(' ').map(|(name, _)| ("", name))
    })?;
    let name = name.replace('"', "");
    let mut parts = name.rsplit('.').skip(1);
    let relation = parts.next()?.to_string();
    Some(Explanation::with_hint(format!("two relations of FROM are called {relation}"), "rename one with AS"))
}

/// A message without the words of plans and expressions.
pub(super) fn cleaned(message: &str) -> String {
    let mut text = message.replace("[return_type] ", "").replace("[process_row_number] ", "");
    for kind in LITERALS {
        text = without_literals(&text, kind);
    }
    for (arrow, sql) in TYPES {
        text = text.replace(arrow, sql);
    }
    cut(&text)
}

/// Types whose values are printed as `Int64(1)` and `Utf8("x")`; longer names come first.
const LITERALS: &[&str] = &[
    "LargeUtf8",
    "Utf8View",
    "Utf8",
    "UInt64",
    "UInt32",
    "UInt16",
    "UInt8",
    "Int64",
    "Int32",
    "Int16",
    "Int8",
    "Float64",
    "Float32",
    "Float16",
    "Boolean",
    "Date32",
    "Date64",
    "IntervalMonthDayNano",
    "IntervalDayTime",
    "IntervalYearMonth",
    "TimestampNanosecond",
    "TimestampMicrosecond",
    "TimestampMillisecond",
    "TimestampSecond",
];

/// Arrow's names of types, and SQL's; longer names come first.
const TYPES: &[(&str, &str)] = &[
    ("Timestamp(Nanosecond, None)", "TIMESTAMP"),
    ("Timestamp(ns)", "TIMESTAMP"),
    ("Timestamp(µs)", "TIMESTAMP"),
    ("Timestamp(ms)", "TIMESTAMP"),
    ("Timestamp(s)", "TIMESTAMP"),
    ("Interval(MonthDayNano)", "INTERVAL"),
    ("Interval(YearMonth)", "INTERVAL"),
    ("Interval(DayTime)", "INTERVAL"),
    ("LargeUtf8", "TEXT"),
    ("Utf8View", "TEXT"),
    ("Utf8", "TEXT"),
    ("LargeBinary", "BLOB"),
    ("BinaryView", "BLOB"),
    ("UInt64", "BIGINT UNSIGNED"),
    ("UInt32", "INTEGER UNSIGNED"),
    ("UInt16", "SMALLINT UNSIGNED"),
    ("UInt8", "TINYINT UNSIGNED"),
    ("Int64", "BIGINT"),
    ("Int32", "INTEGER"),
    ("Int16", "SMALLINT"),
    ("Int8", "TINYINT"),
    ("Float64", "DOUBLE"),
    ("Float32", "REAL"),
    ("Decimal128", "DECIMAL"),
    ("Decimal256", "DECIMAL"),
    ("Boolean", "BOOLEAN"),
    ("Date32", "DATE"),
    ("Date64", "DATE"),
];

/// `Int64(1)` is 1, and `Utf8("x")` is 'x'.
fn without_literals(text: &str, kind: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    let start = format!("{kind}(");
    while let Some((before, after)) = rest.split_once(start.as_str()) {
        clean.push_str(before);
        let (value, behind) = match after.strip_prefix('"') {
            Some(quoted) => match quoted.split_once("\")") {
                Some((value, behind)) => (format!("'{value}'"), behind),
                None => (String::new(), ""),
            },
            None => match after.split_once(')') {
                Some((value, behind)) => (value.to_string(), behind),
                None => (String::new(), ""),
            },
        };
        clean.push_str(&value);
        rest = behind;
    }
    clean.push_str(rest);
    clean
}

/// Beginnings of printed plans and expressions.
const INTERNALS: &[&str] = &[
    "Column {",
    "Some(",
    "Expr::",
    "Expr {",
    "Expr(",
    "PhysicalExpr",
    "LogicalPlan",
    "TableScan",
    "<subquery>",
    "Location(",
    "Ident {",
    "Span(",
    "Field {",
    "Signature {",
    "This issue was likely caused",
    "This was likely caused",
    "Literal(",
    "BinaryOp {",
    "ValueWithSpan",
];

/// The message up to where something of the program's insides begins.
fn cut(text: &str) -> String {
    let Some(place) = INTERNALS.iter().filter_map(|word| text.find(word)).min() else { return text.to_string() };
    let before = &text[..place];
    let end = [": ", " '", " [", ". ", "; ", " \"", "\n"].iter().filter_map(|mark| before.rfind(mark)).max();
    match end.map(|end| before[..end].trim()) {
        Some(plain) if plain.split(' ').count() > 2 => plain.to_string(),
        _ => "a part of the statement is not supported where it stands".to_string(),
    }
}
