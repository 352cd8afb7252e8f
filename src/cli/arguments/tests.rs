//! Tests of `arguments`.

use clap::CommandFactory;

use super::*;

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn sql_comes_from_one_place() {
    let parse = |arguments: &[&str]| Cli::try_parse_from([&["ocellus", "sql", "store"], arguments].concat());
    assert!(parse(&["SELECT 1"]).is_ok());
    assert!(parse(&["-c", "SELECT 1", "-c", "SELECT 2"]).is_ok());
    assert!(parse(&["SELECT 1", "-f", "x.sql"]).is_err());
    assert!(parse(&["-c", "SELECT 1", "-f", "x.sql"]).is_err());
    assert!(parse(&["--format", "xml"]).is_err());
    assert!(parse(&["--time-unit", "days"]).is_err());
    assert!(parse(&["--threads", "0"]).is_err());
}

#[cfg(feature = "server")]
#[test]
fn the_log_of_a_server_has_names() {
    let parse = |arguments: &[&str]| Cli::try_parse_from([&["ocellus", "serve", "store"], arguments].concat());
    assert!(parse(&["--log-level", "warn", "--log-format", "json", "--log-slow", "0.25"]).is_ok());
    let refusal = |arguments: &[&str]| parse(arguments).expect_err("refused").to_string();
    assert!(refusal(&["--log-level", "loud"]).contains("off, error, warn, info, debug"));
    assert!(refusal(&["--log-format", "xml"]).contains("text or json"));
    assert!(refusal(&["--log-slow=-1"]).contains("--log-slow") && refusal(&["--log-slow=nan"]).contains("0.5"));
}
