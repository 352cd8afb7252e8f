//! Statements as clients write them.

use super::super::script::split_script;
use super::*;

fn read(text: &str) -> Result<PgCommand, PgError> {
    PgCommand::read(&split_script(text)?.remove(0))
}

fn command(text: &str) -> PgCommand {
    read(text).unwrap_or_else(|error| panic!("{text}: {}", error.message))
}

#[test]
fn transactions_are_understood() {
    for begin in ["BEGIN", "begin transaction isolation level read committed", "START TRANSACTION READ ONLY"] {
        assert_eq!(command(begin), PgCommand::Begin);
    }
    assert_eq!(command("END"), PgCommand::Commit);
    assert_eq!(command("ROLLBACK WORK TO SAVEPOINT \"A b\""), PgCommand::RollbackTo("A b".to_string()));
    assert_eq!(command("RELEASE sa_1"), PgCommand::Release("sa_1".to_string()));
}

#[test]
fn settings_are_understood() {
    let set = |name: &str, values: &[&str]| PgCommand::Set {
        name: name.to_string(),
        values: values.iter().map(ToString::to_string).collect(),
        lifetime: CursorLifetime::Session,
    };
    assert_eq!(command("SET search_path TO lu, \"$user\", public"), set("search_path", &["lu", "$user", "public"]));
    assert_eq!(command("set session DateStyle = 'ISO'"), set("datestyle", &["ISO"]));
    assert_eq!(command("SET extra_float_digits = -3"), set("extra_float_digits", &["-3"]));
    assert_eq!(command("SET TIME ZONE 'UTC'"), set("timezone", &["UTC"]));
    assert_eq!(command("SET my.own TO on"), set("my.own", &["on"]));
    assert_eq!(command("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"), PgCommand::Nothing("SET"));
    assert_eq!(command("SHOW transaction isolation level"), PgCommand::Show("transaction_isolation".to_string()));
    assert_eq!(command("USE \"Run 1\""), PgCommand::Use("Run 1".to_string()));
    assert_eq!(command("use LU"), PgCommand::Use("lu".to_string()));
    assert_eq!(command("SHOW TABLES"), PgCommand::Query("SHOW TABLES".to_string()));
    let local = PgCommand::Set {
        name: "jit".to_string(),
        values: vec!["off".to_string()],
        lifetime: CursorLifetime::Transaction,
    };
    assert_eq!(command("SET LOCAL jit = off"), local);
    assert!(read("SET a").is_err());
}

#[test]
fn cursors_are_understood() {
    let declared = command("DECLARE \"C\" NO SCROLL CURSOR WITH HOLD FOR SELECT 1 ");
    assert_eq!(
        declared,
        PgCommand::Declare { name: "C".to_string(), query: "SELECT 1".to_string(), lifetime: CursorLifetime::Session }
    );
    let fetch = |step| PgCommand::Fetch { name: "c".to_string(), step };
    assert_eq!(command("FETCH c"), fetch(CursorStep::Forward(1)));
    assert_eq!(command("FETCH FORWARD 10 FROM c"), fetch(CursorStep::Forward(10)));
    assert_eq!(command("FETCH 5 IN c"), fetch(CursorStep::Forward(5)));
    assert_eq!(command("FETCH FORWARD ALL FROM C"), fetch(CursorStep::All));
    assert_eq!(
        command("MOVE ABSOLUTE 3 IN c"),
        PgCommand::Move { name: "c".to_string(), step: CursorStep::Absolute(3) }
    );
    assert_eq!(read("FETCH BACKWARD 1 FROM c").map_err(|error| error.code), Err("55000"));
}

#[test]
fn prepared_statements_are_understood() {
    let prepared = command("PREPARE p (int, numeric(10, 2)) AS SELECT $1");
    let types = vec!["int".to_string(), "numeric(10, 2)".to_string()];
    assert_eq!(prepared, PgCommand::Prepare { name: "p".to_string(), types, text: "SELECT $1".to_string() });
    let values = vec!["1".to_string(), "f(2, ')')".to_string()];
    assert_eq!(command("EXECUTE p (1, f(2, ')'))"), PgCommand::Execute { name: "p".to_string(), values });
    assert_eq!(command("DEALLOCATE ALL"), PgCommand::Deallocate(None));
}

#[test]
fn copy_gives_a_query() {
    let query = |text: &str| command(text).query().map(str::to_string);
    assert_eq!(query("COPY (SELECT (1), ')') TO STDOUT").as_deref(), Some("SELECT (1), ')'"));
    assert_eq!(
        query("COPY lu.\"States\" (a, b) TO STDOUT (FORMAT csv)").as_deref(),
        Some("SELECT a, b FROM lu.\"States\"")
    );
    assert_eq!(query("copy t to stdout").as_deref(), Some("SELECT * FROM t"));
    assert_eq!(read("COPY t FROM STDIN").map_err(|error| error.code), Err("25006"));
    assert_eq!(read("COPY t TO '/tmp/x'").map_err(|error| error.code), Err("42501"));
    assert_eq!(read("COPY t TO PROGRAM 'x'").map_err(|error| error.code), Err("42501"));
}

#[test]
fn writes_are_refused() {
    for text in ["INSERT INTO t VALUES (1)", "create table t (a int)", "DROP TABLE t", "UPDATE t SET a = 1", "VACUUM"] {
        let refused = read(text);
        assert!(matches!(&refused, Err(error) if error.code == "25006"), "{text}");
    }
    assert!(matches!(command("SELECT 1"), PgCommand::Query(_)));
    assert!(matches!(command("(SELECT 1)"), PgCommand::Query(_)));
}
