//! Casts to types of PostgreSQL, and operators in its way of writing.
//!
//! `E::regclass` is the call `regclassin(E)`, which gives the number of a relation; followed by `::text`, or
//! at the top of a statement, it is `regclassout(E)`, which gives its name.

use sqlparser::ast::{BinaryOperator, DataType, Expr, Ident, ObjectName, Query, SelectItem, SetExpr, Value};

use super::raw_sql::{raw, raw_text};

/// Types that stand for numbers of objects.
const OBJECTS: &[&str] = &["regclass", "regtype", "regnamespace", "regproc", "regrole"];

/// A cast.
pub(super) fn cast(expression: &mut Expr) {
    let Expr::Cast { expr: inner, data_type, .. } = expression else { return };
    let kind = data_type.to_string().to_lowercase().replace('"', "");
    let kind = kind.strip_prefix("pg_catalog.").unwrap_or(&kind);
    let kind = if kind == "regprocedure" { "regproc" } else { kind };
    let known = raw_text(inner).map(ToString::to_string);
    match kind {
        kind if OBJECTS.contains(&kind) => *expression = raw(format!("{kind}in({inner})")),
        "text" | "varchar" | "character varying" | "name" | "bpchar" | "char" => match known {
            Some(call) if object_call(&call).is_some() => *expression = raw(output(&call)),
            _ => *data_type = custom("text"),
        },
        "oid" | "xid" | "cid" | "xid8" | "regoper" | "regoperator" | "regconfig" | "regdictionary" | "regcollation" => {
            match known {
                Some(call) if call.starts_with("regprocin(") => {
                    *expression = raw(call.replacen("regprocin", "regproc_number", 1))
                }
                // In parentheses it stays a number, even where names are shown.
                Some(call) if object_call(&call).is_some() => *expression = raw(format!("({call})")),
                _ => *data_type = custom("int"),
            }
        }
        "int2vector" | "oidvector" | "pg_node_tree" | "aclitem[]" | "anyarray" => *expression = raw(inner.to_string()),
        "json" | "jsonb" => *data_type = custom("text"),
        "information_schema.cardinal_number" => *data_type = custom("int"),
        kind if kind.starts_with("information_schema.") => *data_type = custom("text"),
        kind if kind.ends_with("[]") => array(expression, kind.to_string()),
        kind => {
            if data_type.to_string().to_lowercase().starts_with("pg_catalog.") {
                *data_type = custom(kind);
            }
        }
    }
}

/// A cast to an array: a literal is one already.
fn array(expression: &mut Expr, kind: String) {
    let Expr::Cast { expr: inner, data_type, .. } = expression else { return };
    let element = match kind.trim_end_matches("[]").trim_start_matches("pg_catalog.") {
        "oid" | "regtype" | "regclass" | "regproc" => "int",
        "name" | "char" | "bpchar" => "text",
        element => element,
    };
    *data_type = custom(&format!("{element}[]"));
    let Expr::Value(literal) = inner.as_ref() else { return };
    let Value::SingleQuotedString(text) = &literal.value else { return };
    let items = super::super::value::CatalogValue::of(text.as_str()).items().unwrap_or_default();
    let items: Vec<String> =
        items.iter().filter_map(|item| item.text()).map(|item| format!("'{}'", item.replace('\'', "''"))).collect();
    **inner = raw(format!("ARRAY[{}]", items.join(", ")));
}

fn custom(name: &str) -> DataType {
    DataType::Custom(ObjectName::from(vec![Ident::new(name)]), vec![])
}

/// The type that a call such as `regclassin(E)` stands for.
fn object_call(call: &str) -> Option<&'static str> {
    OBJECTS.iter().copied().find(|kind| call.strip_prefix(kind).is_some_and(|rest| rest.starts_with("in(")))
}

fn output(call: &str) -> String {
    match object_call(call) {
        Some(kind) => call.replacen(&format!("{kind}in("), &format!("{kind}out("), 1),
        None => call.to_string(),
    }
}

/// What a statement shows of objects is their names.
pub(super) fn show_names(query: &mut Query) {
    show_names_of(&mut query.body);
}

fn show_names_of(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => {
            for (item, place) in select.projection.iter_mut().zip(1..) {
                match item {
                    SelectItem::ExprWithAlias { expr, .. } => {
                        if let Some(call) = raw_text(expr) {
                            *expr = raw(output(call));
                        }
                    }
                    SelectItem::UnnamedExpr(expr) => {
                        let call = raw_text(expr).and_then(|call| Some((output(call), object_call(call)?)));
                        if let Some((call, kind)) = call {
                            let alias = if place == 1 { kind.to_string() } else { format!("{kind}{place}") };
                            *item = SelectItem::ExprWithAlias { expr: raw(call), alias: Ident::new(alias) };
                        }
                    }
                    _ => {}
                }
            }
        }
        SetExpr::Query(query) => show_names_of(&mut query.body),
        SetExpr::SetOperation { left, right, .. } => {
            show_names_of(left);
            show_names_of(right);
        }
        _ => {}
    }
}

/// Columns of function names, which are compared with 0 when there may be none.
const FUNCTION_COLUMNS: &[&str] =
    &["typinput", "typoutput", "typreceive", "typsend", "typmodin", "typmodout", "typanalyze"];

/// Operators and comparisons.
pub(super) fn operator(expression: &mut Expr) {
    match expression {
        Expr::Collate { expr, .. } => *expression = raw(expr.to_string()),
        Expr::BinaryOp { left, op, right } => {
            if let BinaryOperator::PGCustomBinaryOperator(name) = op {
                *op = match name.last().map(String::as_str) {
                    Some("~") => BinaryOperator::PGRegexMatch,
                    Some("~*") => BinaryOperator::PGRegexIMatch,
                    Some("!~") => BinaryOperator::PGRegexNotMatch,
                    Some("!~*") => BinaryOperator::PGRegexNotIMatch,
                    Some("~~") => BinaryOperator::PGLikeMatch,
                    Some("!~~") => BinaryOperator::PGNotLikeMatch,
                    Some("=") => BinaryOperator::Eq,
                    Some("<>") => BinaryOperator::NotEq,
                    Some("||") => BinaryOperator::StringConcat,
                    _ => return,
                };
            }
            let is_function = column(left).is_some_and(|name| FUNCTION_COLUMNS.contains(&name));
            if is_function && right.to_string() == "0" {
                **right = raw("'0'");
            }
        }
        Expr::Like { negated, expr, pattern, escape_char: Some(escape), .. } => {
            let not = if *negated { "NOT " } else { "" };
            *expression = raw(format!("({not}pg_like({expr}, {pattern}, {escape}))"));
        }
        _ => {}
    }
}

/// The name of a column, without that of its table.
pub(super) fn column(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Identifier(ident) => Some(&ident.value),
        Expr::CompoundIdentifier(parts) => parts.last().map(|part| part.value.as_str()),
        _ => None,
    }
}

/// Comparisons with the elements of an array, which may be written as text.
pub(super) fn any(expression: &mut Expr) {
    match expression {
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => {
            if let Some(call) = is_element(left, right) {
                *expression = raw(call);
            }
        }
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => {
            if let Some(call) = is_element(left, right) {
                *expression = raw(format!("(NOT {call})"));
            }
        }
        _ => {}
    }
}

/// `left = ANY (right)`; `None` for a subquery, which DataFusion knows.
fn is_element(left: &Expr, right: &Expr) -> Option<String> {
    match right {
        Expr::Subquery(_) => None,
        Expr::Array(array) if array.elem.is_empty() => Some("false".to_string()),
        Expr::Array(array) => {
            let items: Vec<String> = array.elem.iter().map(ToString::to_string).collect();
            Some(format!("({left} IN ({}))", items.join(", ")))
        }
        Expr::Nested(inner) => is_element(left, inner),
        right => Some(format!("pg_any({left}, {right})")),
    }
}
