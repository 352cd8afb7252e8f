//! What is written in one way means what it means in another.

use sqlparser::dialect::GenericDialect;

use super::*;

fn parsed(text: &str) -> Result<Ast> {
    let parser = Parser::new(&GenericDialect {}).try_with_sql(text);
    let statement = parser.and_then(|mut parser| parser.parse_statement());
    statement.map_err(|error| DataFusionError::SQL(Box::new(error), None))
}

fn repaired(text: &str) -> Result<String> {
    let mut statement = parsed(text)?;
    repair(&mut statement, &GenericDialect {})?;
    Ok(statement.to_string())
}

/// The conditions of two queries are the same tree once parentheses are set aside.
fn same(written: &str, meant: &str) {
    let query = |condition: &str| repaired(&format!("SELECT {condition}")).expect("a statement");
    let plain = |text: String| text.replace("SELECT ", "");
    assert_eq!(plain(query(written)), meant, "{written}");
    // And it is read again as the same.
    assert_eq!(plain(query(meant)), meant, "{meant}");
}

#[test]
fn distinct_from_holds_tighter_than_and_or_and_not() {
    same("a IS DISTINCT FROM b", "a IS DISTINCT FROM b");
    same("a IS DISTINCT FROM b AND c", "(a IS DISTINCT FROM b) AND c");
    same("a IS NOT DISTINCT FROM b OR c", "(a IS NOT DISTINCT FROM b) OR c");
    same("x AND a IS DISTINCT FROM b OR c", "x AND (a IS DISTINCT FROM b) OR c");
    same("NOT a IS DISTINCT FROM b AND c", "NOT (a IS DISTINCT FROM b) AND c");
    same("a IS DISTINCT FROM b AND c OR d", "(a IS DISTINCT FROM b) AND c OR d");
    same("a IS DISTINCT FROM b OR c AND d", "(a IS DISTINCT FROM b) OR c AND d");
    same("a IS DISTINCT FROM b IS NULL", "(a IS DISTINCT FROM b) IS NULL");
    // What stands in parentheses, and comparisons and sums, are one operand.
    same("a IS DISTINCT FROM (b AND c)", "a IS DISTINCT FROM (b AND c)");
    same("a IS DISTINCT FROM b + 1 AND c", "(a IS DISTINCT FROM b + 1) AND c");
    same(
        "a IS DISTINCT FROM b IS NULL AND c IS DISTINCT FROM d AND e",
        "(a IS DISTINCT FROM b) IS NULL AND (c IS DISTINCT FROM d) AND e",
    );
}

#[test]
fn the_tree_is_the_one_that_parentheses_make() {
    let tree = |text: &str| {
        let mut statement = parsed(text).expect("a statement");
        repair(&mut statement, &GenericDialect {}).expect("a repaired statement");
        let Ast::Query(query) = statement else { panic!("no query") };
        let SetExpr::Select(select) = *query.body else { panic!("no SELECT") };
        select.selection.expect("a condition")
    };
    let Expr::BinaryOp { op, right, .. } = tree("SELECT 1 WHERE x AND a IS DISTINCT FROM b OR c") else {
        panic!("no operator at the top")
    };
    assert_eq!((op, right.to_string()), (BinaryOperator::Or, "c".to_string()));
}

#[test]
fn fetch_first_is_limit() {
    let query = |text: &str| repaired(text).map_err(|error| error.to_string());
    assert_eq!(query("SELECT 1 FETCH FIRST 3 ROWS ONLY"), Ok("SELECT 1 LIMIT 3".to_string()));
    assert_eq!(query("SELECT 1 FETCH FIRST ROW ONLY"), Ok("SELECT 1 LIMIT 1".to_string()));
    let skipped = query("SELECT 1 OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY").expect("a query");
    assert!(skipped.contains("LIMIT 3") && skipped.contains("OFFSET 2"), "{skipped}");
    assert!(query("SELECT 1 FETCH FIRST 3 ROWS WITH TIES").expect_err("an error").contains("rank()"));
    assert!(query("SELECT 1 LIMIT 2 FETCH FIRST 3 ROWS ONLY").expect_err("an error").contains("LIMIT and FETCH"));
    // Within EXPLAIN and COPY, too.
    assert_eq!(query("EXPLAIN SELECT 1 FETCH FIRST 3 ROWS ONLY"), Ok("EXPLAIN SELECT 1 LIMIT 3".to_string()));
    let copied = query("COPY (SELECT 1 FETCH FIRST 3 ROWS ONLY) TO 'x.csv'").expect("a statement");
    assert!(copied.contains("LIMIT 3"), "{copied}");
}

#[test]
fn rows_in_a_query_exist_in_it() {
    let query = repaired("SELECT 1 FROM t WHERE (a, b) IN (SELECT x, y FROM u) AND c").expect("a statement");
    assert_eq!(
        query,
        "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM (SELECT x, y FROM u) AS __row (__row_0, __row_1) \
         WHERE __row.__row_0 = (a) AND __row.__row_1 = (b)) AND c"
    );
    let query = repaired("SELECT (a, b) NOT IN (SELECT x, y FROM u) FROM t").expect("a statement");
    assert!(
        query.starts_with("SELECT NOT CASE WHEN EXISTS (") && query.contains("THEN NULL ELSE false END"),
        "{query}"
    );
}

#[test]
fn similar_to_fits_the_whole_text() {
    assert_eq!(patterns::regular("a%_c"), "^(?s:a.*.c)$");
    assert_eq!(patterns::regular("a.b|[%.]+"), "^(?s:a\\.b|[%.]+)$");
    assert_eq!(patterns::regular("100\\%"), "^(?s:100\\%)$");
    assert_eq!(repaired("SELECT x NOT SIMILAR TO 'a%'").expect("a statement"), "SELECT ((x) !~ '^(?s:a.*)$')");
    assert!(repaired("SELECT x SIMILAR TO y").expect_err("an error").to_string().contains("pattern in quotes"));
}

#[test]
fn joins_are_spelt_as_the_planner_knows_them() {
    let query = |text: &str| repaired(text).map_err(|error| error.to_string());
    assert!(query("SELECT 1 FROM a SEMI JOIN b ON true").expect("a query").contains("LEFT SEMI JOIN"));
    assert!(query("SELECT 1 FROM a ANTI JOIN b ON true").expect("a query").contains("LEFT ANTI JOIN"));
    assert!(query("SELECT k FROM a FULL JOIN b USING (k)").is_ok());
    assert!(query("SELECT a.v FROM a FULL JOIN b USING (k) WHERE k > 1").is_ok());
    assert!(query("SELECT a.k FROM a LEFT JOIN b USING (k)").is_ok());
    for text in [
        "SELECT a.k FROM a FULL JOIN b USING (k)",
        "SELECT v FROM a RIGHT JOIN b USING (k) WHERE b.k IS NULL",
        "SELECT v FROM a RIGHT JOIN b USING (k) ORDER BY a.K",
        "SELECT a.* FROM a FULL JOIN b USING (k)",
    ] {
        let error = query(text).expect_err(text);
        assert!(error.contains("coalesce(a.k, b.k)"), "{error}");
    }
}

#[test]
fn an_operator_with_two_meanings_is_refused() {
    assert!(repaired("SELECT 2 ^ 3").expect_err("an error").to_string().contains("power(a, b)"));
}
