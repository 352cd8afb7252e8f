//! Statements that ask for values of gigabytes: each is an error of the statement, in bounded memory, and the program
//! goes on. The sizes in the comments are what a program without bounds would allocate.

use std::io::Write;
use std::process::Stdio;

use crate::sandbox::{Sandbox, stdout_of, text};

/// Bytes that the program may use at its peak, of which more than a hundred million are the program itself.
#[cfg(target_os = "linux")]
const PEAK: u64 = 700 << 20;

const ABUSES: &[&str] = &[
    // Lists in lists.
    "SELECT array_repeat(array_repeat(array_repeat(1, 100000), 100000), 100000)",
    "SELECT array_repeat(array_repeat(array_repeat(array_repeat(1,9999),9999),9999),9999)",
    "SELECT array_repeat(1, 10000000000)",
    "SELECT array_repeat(NULL, 10000000000)",
    "SELECT array_repeat('a', 9223372036854775807)",
    "SELECT list_repeat(true, 4000000000)",
    "SELECT array_repeat(value, 1000000000) FROM states",
    "SELECT cardinality(array_repeat(array_repeat(1, 10000), 1000000))",
    "SELECT array_resize([1], 10000000000, 2)",
    "SELECT list_resize([1], 10000000000)",
    "SELECT array_resize([value], 3000000000, value) FROM states",
    "SELECT range(0, 100000000000)",
    "SELECT range(10000000000)",
    "SELECT generate_series(0, 9223372036854775807)",
    "SELECT generate_series(9223372036854775807, 0, -1)",
    "SELECT generate_series(0, 100000000000, 2) FROM states",
    "SELECT range(DATE '1900-01-01', DATE '2900-01-01', INTERVAL '1 second')",
    "SELECT generate_series(TIMESTAMP '2000-01-01', TIMESTAMP '2020-01-01', INTERVAL '1 millisecond')",
    "SELECT generate_series(TIMESTAMP '2000-01-01', TIMESTAMP '2020-01-01', INTERVAL '1 microsecond') FROM states",
    "SELECT string_to_array(repeat('a,', 15000000), ',')",
    "SELECT string_to_list(repeat('a,', 15000000), ',')",
    "SELECT array_to_string(array_repeat('a', 10000), repeat(',', 1000000))",
    "SELECT list_to_string(range(0, 10000), repeat('x', 1000000))",
    "SELECT array_join([NULL, NULL], ',', repeat('x', 40000000))",
    "SELECT array_replace_all(array_repeat('1', 10000), '1', repeat('a', 1000000))",
    "SELECT list_replace(array_repeat('a', 10000), 'a', repeat('b', 10000000))",
    "SELECT array_concat([repeat('a', 20000000)], [repeat('b', 20000000)])",
    "SELECT list_cat([repeat('a', 20000000)], [repeat('b', 20000000)])",
    "SELECT array_append([repeat('a', 20000000)], repeat('b', 20000000))",
    "SELECT array_union([repeat('a', 20000000)], [repeat('b', 20000000)])",
    "SELECT [repeat('a', 30000000), repeat('b', 30000000)]",
    "SELECT make_array(repeat('a', 20000000), repeat('b', 20000000))",
    "SELECT map(['a', 'b'], [repeat('a', 20000000), repeat('b', 20000000)])",
    // Texts.
    "SELECT repeat('a', 4000000000)",
    "SELECT repeat('a', 9223372036854775807)",
    "SELECT repeat(repeat(repeat('a', 10000), 10000), 10000)",
    "SELECT length(repeat('abcdefgh', 1000000000))",
    "SELECT repeat(value, 1000000000) FROM states",
    "SELECT repeat('a', 1000000000) FROM states",
    "SELECT repeat('a', 2000000000) || value FROM states",
    "SELECT lpad('a', 2000000000)",
    "SELECT lpad('a', 2000000000, 'xyz')",
    "SELECT rpad('a', 2000000000)",
    "SELECT rpad(value, 2000000000, 'ab') FROM states",
    "SELECT lpad(lpad('a', 100000000), 200000000, 'x')",
    "SELECT replace(repeat('a', 100000), 'a', repeat('b', 100000))",
    "SELECT replace(replace('aaaaaaaa', 'a', repeat('a', 10000)), 'a', repeat('a', 10000))",
    "SELECT replace(value, 'c', repeat('b', 30000000) || repeat('c', 30000000)) FROM states",
    "SELECT translate(repeat('a', 30000000), 'a', '𝄞')",
    "SELECT concat(repeat('a', 30000000), repeat('a', 30000000))",
    "SELECT concat_ws(repeat('a', 10000000), 'a', 'b', 'c', 'd', 'e')",
    "SELECT repeat('a', 30000000) || repeat('b', 30000000)",
    "SELECT max(length(p)) FROM (SELECT state_path(repeat('a', 60000), value) OVER (ORDER BY value) AS p FROM range(0, 3000))",
    "SELECT overlay(repeat('a', 20000000) PLACING repeat('b', 20000000) FROM 1)",
    "SELECT regexp_replace(repeat('a', 1000000), 'a', repeat('b', 1000000), 'g')",
    "SELECT regexp_replace(repeat('a', 1000000), '(a*)', repeat('\\1', 1000))",
    "SELECT encode(repeat('a', 30000000), 'hex')",
    "SELECT encode(encode(repeat('a', 15000000), 'hex'), 'hex')",
    "SELECT to_char(now(), repeat('%c', 10000000))",
    "SELECT arrow_cast('a', 'FixedSizeBinary(2000000000)')",
    "SELECT arrow_cast(value, 'FixedSizeBinary(1000000000)') FROM states",
    "SELECT arrow_cast([1], 'FixedSizeList(1000000000 x Int64)')",
    "SELECT arrow_try_cast('a', 'FixedSizeBinary(2000000000)')",
    // Many constants, each of which is allowed.
    "SELECT repeat('a', 30000000), repeat('b', 30000000), repeat('c', 30000000), repeat('d', 30000000), repeat('e', 30000000)",
    "VALUES (repeat('a', 30000000)), (repeat('b', 30000000)), (repeat('c', 30000000)), (repeat('d', 30000000)), (repeat('e', 30000000))",
    // Constants in many rows.
    "SELECT repeat('a', 30000000) AS x FROM range(0, 100000)",
    "SELECT coalesce(NULLIF(value, value), repeat('a', 30000000)) FROM range(0, 100000) AS r(value)",
];

/// A text of 1,024 characters that doubles at each level: 32 TB.
fn doubled(double: &str) -> String {
    let levels = (1..=35).map(|level| format!(", c{level} AS (SELECT {double} AS x FROM c{})", level - 1));
    let levels: String = levels.collect();
    format!("WITH c0 AS (SELECT repeat(value, 128) AS x FROM states){levels} SELECT x FROM c35")
}

/// Runs a statement; gives the exit code, none for a signal, with the peak of resident memory and the messages.
#[cfg(target_os = "linux")]
#[expect(clippy::zombie_processes, reason = "wait4 waits for it, and says how much memory it took")]
fn run(sandbox: &Sandbox, statement: &str) -> (Option<i32>, u64, String) {
    let errors = sandbox.path("errors.txt");
    let mut child = sandbox
        .command(&["sql", "run.trace", "--format", "csv", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&errors).expect("a file"))
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(statement.as_bytes());
    drop(stdin);
    let mut status = 0;
    let pid = libc::pid_t::try_from(child.id()).expect("a process");
    // SAFETY: rusage is a struct of numbers, for which zero is a value; wait4 writes the two places that it is given.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &mut status, 0, &mut usage), usage)
    };
    assert_eq!(waited, pid);
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    let peak = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
    (code, peak, std::fs::read_to_string(&errors).unwrap_or_default())
}

#[cfg(target_os = "linux")]
#[test]
fn values_of_gigabytes_are_refused() {
    let sandbox = Sandbox::new();
    let doubled = ["x || x", "concat(x, x)", "replace(x, 'a', 'aa') || x"].map(doubled);
    // A type within a type within a type: its words are a text, which no grammar bounds.
    let deep = [61, 3_700, 50_000].map(|levels| {
        let (open, close) = ("List(".repeat(levels), ")".repeat(levels));
        format!("SELECT arrow_cast(NULL, '{open}Int64{close}')")
    });
    let made = "SELECT arrow_cast(NULL, repeat('List(', 50000) || 'Int64' || repeat(')', 50000))";
    let written = doubled.iter().chain(&deep).map(String::as_str);
    let abuses = ABUSES.iter().copied().chain(written).chain([made]);
    let mut failures = vec![];
    for statement in abuses {
        let (code, peak, errors) = run(&sandbox, statement);
        if code != Some(1) || peak > PEAK || errors.contains("panicked") || errors.contains("internal") {
            failures.push(format!("{statement}: exit code {code:?}, {peak} bytes at the peak: {errors}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn large_values_within_bounds_are_made() {
    let sandbox = Sandbox::new();
    let cases = [
        ("SELECT length(repeat('ab', 2000000)) AS x", "4000000"),
        ("SELECT cardinality(array_repeat(array_repeat(1, 100), 100)) AS x", "10000"),
        ("SELECT length(lpad('a', 1000000, 'xy')) AS x", "1000000"),
        ("SELECT array_length(range(0, 10000)) AS x", "10000"),
        ("SELECT length(replace(repeat('a', 1000), 'a', repeat('b', 1000))) AS x", "1000000"),
        ("SELECT sum(length(repeat(value, 1000))) AS x FROM states", "22000"),
        ("SELECT max(length('<' || value || '>')) AS x FROM states", "9"),
        ("SELECT NULL || 'a' IS NULL AS x", "true"),
        ("SELECT concat('a', NULL, 'b') AS x", "ab"),
        ("SELECT arrow_typeof(arrow_cast([[1]], 'List(List(Int8))')) IS NOT NULL AS x", "true"),
        ("SELECT array_to_string([1, 2] || [3], '-') AS x", "1-2-3"),
        ("SELECT regexp_replace('a1b2', '[0-9]', '<\\0>', 'g') IS NOT NULL AS x", "true"),
    ];
    for (statement, expected) in cases {
        let output = sandbox.run(&["sql", "run.trace", statement, "--format", "csv"]);
        assert_eq!(stdout_of(&output), format!("x\n{expected}\n"), "{statement}: {}", text(&output.stderr));
    }
}
