//! Statements that are as deep as they are long, one for each production of the grammar: each is answered or refused on
//! the small stack of a test's thread, and none ends the process.
// size: a list with one line for each production

use std::io::Write;

use ocellus::engine::{Engine, EngineOptions};

use crate::support::{block_on, engine_with, rows_of, sample};

/// A production in each other: its name, what comes before, what is repeated, what is inside, what is repeated to
/// close it, and what comes after.
type Production = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

const PRODUCTIONS: &[Production] = &[
    ("explain", "", "EXPLAIN ", "SELECT 1", "", ""),
    ("explain analyze", "", "EXPLAIN ANALYZE ", "SELECT 1", "", ""),
    ("interval", "SELECT ", "INTERVAL ", "'1 day'", "", ""),
    ("like", "SELECT 'a'", " LIKE 'a'", "", "", ""),
    ("ilike", "SELECT 'a'", " ILIKE 'a'", "", "", ""),
    ("rlike", "SELECT 'a'", " RLIKE 'a'", "", "", ""),
    ("similar", "SELECT 'a'", " SIMILAR TO 'a'", "", "", ""),
    ("in", "SELECT 1", " IN (1)", "", "", ""),
    ("notin", "SELECT 1", " NOT IN (1)", "", "", ""),
    ("insub", "SELECT 1", " IN (SELECT 1)", "", "", ""),
    ("xor", "SELECT true", " XOR true", "", "", ""),
    ("overlaps", "SELECT (1,2)", " OVERLAPS (1,2)", "", "", ""),
    ("attz", "SELECT now()", " AT TIME ZONE 'UTC'", "", "", ""),
    ("pivot", "SELECT * FROM states", " PIVOT (sum(duration) FOR value IN ('a'))", "", "", ""),
    ("unpivot", "SELECT * FROM states", " UNPIVOT (v FOR n IN (start_time))", "", "", ""),
    ("between", "SELECT 1", " BETWEEN 0 AND 1", "", "", ""),
    ("isnull", "SELECT 1", " IS NULL", "", "", ""),
    ("isdistinct", "SELECT 1", " IS DISTINCT FROM 1", "", "", ""),
    ("istrue", "SELECT true", " IS TRUE", "", "", ""),
    ("cast", "SELECT 1", "::int", "", "", ""),
    ("castfn", "SELECT ", "CAST(", "1", " AS INT)", ""),
    ("collate", "SELECT 'a'", " COLLATE \"C\"", "", "", ""),
    ("subscript", "SELECT [1]", "[1]", "", "", ""),
    ("dot", "SELECT a", ".a", "", "", ""),
    ("not", "SELECT ", "NOT ", "true", "", ""),
    ("minus", "SELECT ", "- ", "1", "", ""),
    ("plus", "SELECT 1", "+1", "", "", ""),
    ("concat", "SELECT 'a'", "||'a'", "", "", ""),
    ("and", "SELECT true", " AND true", "", "", ""),
    ("or", "SELECT true", " OR true", "", "", ""),
    ("cmp", "SELECT 1", " = 1", "", "", ""),
    ("bitand", "SELECT 1", " & 1", "", "", ""),
    ("arrow", "SELECT '{}'", " -> 'a'", "", "", ""),
    ("regex", "SELECT 'a'", " ~ 'a'", "", "", ""),
    ("case", "SELECT ", "CASE WHEN true THEN ", "1", " END", ""),
    ("caseelse", "SELECT ", "CASE WHEN true THEN 1 ELSE ", "1", " END", ""),
    ("paren", "SELECT ", "(", "1", ")", ""),
    ("array", "SELECT ", "[", "1", "]", ""),
    ("arraycomma", "SELECT ", "[1,", "1", "]", ""),
    ("struct", "SELECT ", "{'a':", "1", "}", ""),
    ("fn", "SELECT ", "abs(", "1", ")", ""),
    ("subq", "SELECT ", "(SELECT ", "1", ")", ""),
    ("fromsub", "", "SELECT * FROM (", "SELECT 1", ") AS t", ""),
    ("fromparen", "SELECT * FROM ", "(", "states", ")", ""),
    ("exists", "SELECT 1 WHERE ", "EXISTS (SELECT 1 WHERE ", "true", ")", ""),
    ("union", "SELECT 1", " UNION ALL SELECT 1", "", "", ""),
    ("uniondist", "SELECT 1", " UNION SELECT 1", "", "", ""),
    ("except", "SELECT 1", " EXCEPT SELECT 1", "", "", ""),
    ("intersect", "SELECT 1", " INTERSECT SELECT 1", "", "", ""),
    ("join", "SELECT 1 FROM states", " CROSS JOIN states", "", "", ""),
    ("natural", "SELECT 1 FROM states", " NATURAL JOIN states", "", "", ""),
    ("ctenest", "", "WITH c AS (", "SELECT 1", ") SELECT * FROM c", ""),
    ("types", "SELECT CAST(NULL AS ", "ARRAY<", "INT", ">", ")"),
    ("typestruct", "SELECT CAST(NULL AS ", "STRUCT<a INT, b ", "INT", ">", ")"),
    ("typebr", "SELECT CAST(NULL AS INT", "[]", ")", "", ""),
    ("alias", "SELECT 1", " AS a", "", "", ""),
    ("window", "SELECT ", "sum(", "1", ") OVER ()", ""),
    ("withinparenjoin", "SELECT * FROM ", "(states CROSS JOIN ", "states", ")", ""),
    ("prepare", "", "PREPARE p AS ", "SELECT 1", "", ""),
    ("copy", "", "COPY (", "SELECT 1", ") TO 'x.csv'", ""),
    ("describe", "", "DESCRIBE ", "SELECT 1", "", ""),
    ("values", "SELECT * FROM ", "(VALUES (1), ((SELECT 1 FROM ", "states", ")))", ""),
    ("extract", "SELECT ", "EXTRACT(DAY FROM ", "now()", ")", ""),
    ("position", "SELECT ", "POSITION('a' IN ", "'a'", ")", ""),
    ("substring", "SELECT ", "SUBSTRING(", "'a'", " FROM 1)", ""),
    ("trim", "SELECT ", "TRIM(BOTH FROM ", "'a'", ")", ""),
    ("grouping", "SELECT 1 FROM states GROUP BY ", "ROLLUP(", "value", ")", ""),
    ("filter", "SELECT count(*)", " FILTER (WHERE true)", " FROM states", "", ""),
    ("named", "SELECT * FROM ", "summarize((SELECT * FROM ", "states", "))", ""),
    ("lambda", "SELECT ", "x -> ", "1", "", ""),
    ("anyop", "SELECT 1", " = ANY([1])", "", "", ""),
    ("escape", "SELECT 'a'", " LIKE 'a' ESCAPE 'b'", "", "", ""),
    ("summarize", "", "SUMMARIZE ", "states", "", ""),
    ("summarizep", "", "SUMMARIZE (", "SELECT 1", ")", ""),
    ("set", "SET a = ", "- ", "1", "", ""),
    ("begin", "", "BEGIN ", "", "", ""),
    ("if", "", "IF true THEN ", "SELECT 1;", " END IF;", ""),
    ("createfn", "CREATE FUNCTION f() RETURNS INT RETURN ", "- ", "1", "", ""),
    ("matchrec", "SELECT * FROM states", " MATCH_RECOGNIZE (PATTERN (a) DEFINE a AS true)", "", "", ""),
    ("tablesample", "SELECT * FROM states", " TABLESAMPLE (1)", "", "", ""),
    ("pipe", "FROM states", " |> WHERE true", "", "", ""),
    ("exclude", "SELECT * ", " EXCLUDE (value)", " FROM states", "", ""),
    ("quantified", "SELECT 1 WHERE 1", " > ALL (SELECT 1)", "", "", ""),
    ("typed", "SELECT ", "DATE ", "'2020-01-01'", "", ""),
    ("prior", "SELECT ", "PRIOR ", "1", "", ""),
    ("jsonaccess", "SELECT a", ":a", "", "", ""),
    ("exclam", "SELECT ", "! ", "true", "", ""),
    ("tilde", "SELECT ", "~ ", "1", "", ""),
    ("dml", "", "INSERT INTO t ", "SELECT 1", "", ""),
    ("orjoin", "SELECT 1 FROM states s JOIN states t ON true", " OR s.value = t.value", "", "", ""),
    ("grouplist", "SELECT 1 FROM states GROUP BY value", ", (value, type)", "", "", ""),
    ("isjson", "SELECT 'a'", " IS JSON", "", "", ""),
    ("notlike", "SELECT 'a'", " NOT LIKE 'a'", "", "", ""),
    ("memberof", "SELECT 1", " MEMBER OF('[1]')", "", "", ""),
    ("div", "SELECT 1", " DIV 1", "", "", ""),
    ("patternops", "SELECT 'a'", " REGEXP 'a'", "", "", ""),
    ("operator", "SELECT 1", " OPERATOR(pg_catalog.+) 1", "", "", ""),
    ("bracketed union", "SELECT 1", " UNION (SELECT 1)", "", "", ""),
    ("join as a name", "SELECT 1", " + join", "", "", ""),
    ("union as a name", "SELECT 1", " + union", "", "", ""),
    ("not in brackets", "SELECT ", "NOT (", "true", ")", ""),
    ("unfinished cast", "SELECT ", "CAST(", "1", "", ""),
    ("unfinished not", "SELECT ", "NOT (", "1", "", ""),
    ("unfinished case", "SELECT ", "CASE WHEN ", "1", "", ""),
    ("field of a field", "SELECT (1)", ".a", "", "", ""),
    ("nullable types", "SELECT CAST(NULL AS ", "Nullable(", "INT", ")", ")"),
    ("map types", "SELECT CAST(NULL AS ", "MAP(INT, ", "INT", ")", ")"),
    ("brackets of FROM", "SELECT * FROM ", "((SELECT 1) UNION ", "(SELECT 1)", ")", ""),
    ("apply", "SELECT 1 FROM (SELECT 1) AS t", " CROSS APPLY (SELECT 1) AS u", "", "", ""),
    ("grouping sets", "SELECT 1 FROM states GROUP BY ", "GROUPING SETS((value), ", "value", ")", ""),
    ("with in with", "", "WITH c AS (SELECT 1), d AS (", "SELECT 1", ") SELECT 1", ""),
    ("create view", "", "CREATE VIEW v AS ", "SELECT 1", "", ""),
    ("execute", "EXECUTE p(", "- ", "1", "", ")"),
    ("order by", "SELECT 1 ORDER BY ", "- ", "1", "", ""),
    ("limit", "SELECT 1 LIMIT ", "- ", "1", "", ""),
    ("try_cast", "SELECT ", "TRY_CAST(", "1", " AS INT)", ""),
    ("window frame", "SELECT sum(1) OVER (ORDER BY ", "- ", "1", "", ")"),
    ("semantic array index", "SELECT make_array(1)", "[1:1]", "", "", ""),
    ("json arrow text", "SELECT '{}'", " ->> 'a'", "", "", ""),
    ("at operator", "SELECT [1]", " @> [1]", "", "", ""),
    ("string concatenation of columns", "SELECT value", " || value", "", "", "FROM states"),
];

/// Productions whose links differ from each other.
fn numbered(links: usize) -> Vec<(&'static str, String)> {
    let all = |first: &str, link: &dyn Fn(usize) -> String| {
        first.to_string() + &(1..=links).map(link).collect::<Vec<_>>().concat()
    };
    let one = "SELECT 1 FROM (SELECT 1 AS x) t0";
    vec![
        ("joins", all(one, &|i| format!(" JOIN (SELECT 1 AS x) t{i} ON t{i}.x = t0.x"))),
        ("joins with USING", all(one, &|i| format!(" JOIN (SELECT 1 AS x) AS t{i} USING (x)"))),
        ("relations with commas", all(one, &|i| format!(", (SELECT 1 AS x) t{i}"))),
        ("tables with commas", all("SELECT 1 FROM states t0", &|i| format!(", states t{i}")) + " WHERE false"),
        ("lateral", all(one, &|i| format!(", LATERAL (SELECT t0.x) t{i}"))),
        (
            "names that read the one before",
            all("WITH c0 AS (SELECT 1 AS x)", &|i| format!(", c{i} AS (SELECT * FROM c{})", i - 1))
                + &format!(" SELECT * FROM c{links}"),
        ),
        (
            "names that double the one before",
            all("WITH c0 AS (SELECT 1 AS x)", &|i| format!(", c{i} AS (SELECT * FROM c{0}, c{0} x)", i - 1))
                + &format!(" SELECT * FROM c{links}"),
        ),
        (
            "names that double a union",
            all("WITH c0 AS (SELECT 1 AS x)", &|i| {
                format!(", c{i} AS (SELECT * FROM c{0} UNION ALL SELECT * FROM c{0})", i - 1)
            }) + &format!(" SELECT count(*) FROM c{links}"),
        ),
        (
            "names that chain expressions",
            all("WITH c0 AS (SELECT duration AS x FROM states)", &|i| {
                format!(", c{i} AS (SELECT x{} AS x FROM c{})", " + 1".repeat(50), i - 1)
            }) + &format!(" SELECT * FROM c{links}"),
        ),
    ]
}

fn statement(production: &Production, links: usize) -> String {
    let (_, before, open, inside, close, after) = production;
    format!("{before}{}{inside}{}{after}", open.repeat(links), close.repeat(links))
}

/// Runs a statement. A stack overflow ends the process without a word, so that its name is written first.
fn answer(engine: &Engine, name: &str, links: usize, statement: &str) {
    let mut errors = std::io::stderr().lock();
    writeln!(errors, "{name}, {links} links").expect("a place for messages");
    drop(errors);
    if let Err(error) = block_on(engine.sql(statement)) {
        let error = error.to_string();
        assert!(!error.to_lowercase().contains("internal error"), "{name}, {links} links: {error}");
    }
}

fn engine() -> (tempfile::TempDir, Engine) {
    engine_with(&sample("short_lived.trace"), EngineOptions::default())
}

#[test]
fn no_production_is_too_deep() {
    let (_folder, engine) = engine();
    for links in [600, 3_000, 100_000] {
        for production in PRODUCTIONS {
            answer(&engine, production.0, links, &statement(production, links));
        }
    }
}

#[test]
fn no_chain_of_relations_is_too_long() {
    let (_folder, engine) = engine();
    for links in [8, 100, 3_000] {
        for (name, statement) in numbered(links) {
            answer(&engine, name, links, &statement);
        }
    }
}

#[test]
fn long_lists_are_answered() {
    let (_folder, engine) = engine();
    let value = |sql: String| {
        let batches = rows_of(&engine, &sql);
        let batch = batches.last().expect("a row");
        arrow::util::display::array_value_to_string(batch.column(0), 0).expect("a value")
    };
    let numbers = (1..=50_000).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    assert_eq!(value(format!("SELECT 49999 IN ({numbers}) AS x")), "true");
    let rows = (1..=20_000).map(|n| format!("({n})")).collect::<Vec<_>>().join(", ");
    assert_eq!(value(format!("SELECT count(*) FROM (VALUES {rows}) t")), "20000");
    let branches = (1..=1_000).map(|n| format!(" WHEN x = {n} AND true THEN {n} + 1")).collect::<String>();
    assert_eq!(value(format!("SELECT CASE{branches} END AS y FROM (SELECT 700 AS x)")), "701");
    assert_eq!(value(format!("SELECT 1{} AS x", " + 1".repeat(200))), "201");
    assert_eq!(value(format!("SELECT true{} AS x", " AND 1 = 1".repeat(1_000))), "true");
}
