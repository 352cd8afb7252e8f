//! Tests of `settings`.

use super::*;

#[test]
fn settings_change_and_go_back() {
    let settings = SessionSettings::new("reader");
    assert_eq!(settings.get("SERVER_VERSION").as_deref(), Some(SERVER_VERSION));
    assert_eq!(settings.get("session_authorization").as_deref(), Some("reader"));
    assert_eq!(settings.set("application_NAME", "psql"), Ok(Some("application_name")));
    assert_eq!(settings.set("my.own", "1"), Ok(None));
    assert_eq!(settings.get("My.Own").as_deref(), Some("1"));
    assert_eq!(settings.start_of("application_name").as_deref(), Ok(""));
    for name in ["nonsense", "datafusion.execution.batch_size"] {
        assert_eq!(settings.set(name, "1").map_err(|error| error.code), Err("42704"));
    }
    assert_eq!(settings.set("server_version", "9").map_err(|error| error.code), Err("55P02"));
    assert!(settings.all().len() > 40);
    assert_eq!(settings.reported().len(), REPORTED.len());
}

#[test]
fn values_are_checked() {
    let settings = SessionSettings::new("");
    for (name, value) in [
        ("client_encoding", "latin1"),
        ("datestyle", "German"),
        ("timezone", "Mars/Olympus"),
        ("statement_timeout", "x"),
    ] {
        assert!(settings.set(name, value).is_err(), "{name}");
    }
    assert!(settings.set("client_encoding", "'utf-8'").is_ok() && settings.set("TimeZone", "Europe/Paris").is_ok());
    assert!(settings.set("TimeZone", "GMT-02:00").is_ok());
    let east: Tz = "+02:00".parse().expect("a zone");
    assert_eq!(format!("{:?}", settings.style().zone), format!("{east:?}"));
    assert_eq!(settings.set("statement_timeout", "2500"), Ok(None));
    assert_eq!(settings.get("statement_timeout").as_deref(), Some("2500ms"));
    assert_eq!(settings.statement_timeout(), Some(Duration::from_millis(2500)));
    assert!(settings.set("statement_timeout", "0").is_ok() && settings.statement_timeout().is_none());
}
