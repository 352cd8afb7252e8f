//! What the tests of the program share: a trace, a folder to run in, and what to expect of a run.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Two ranks, three seconds.
///
/// ```text
///          0         1         2         3
/// rank0    compute   compute   wait
/// rank1    compute   wait      wait
/// ```
pub const TRACE: &str = "\
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 4
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 5
% Time date
% Type string
% Container string
% Value string
%EndEventDef
1 R 0 Rank
2 S R State
3 0 r0 R 0 rank0
3 0 r1 R 0 rank1
5 0 S r0 compute
5 0 S r1 compute
5 1 S r1 wait
5 2 S r0 wait
4 3 R r0
4 3 R r1
";

pub const SUMS: &str = "SELECT container, value, sum(duration) AS seconds FROM states GROUP BY 1, 2 ORDER BY 1, 2";
pub const SUMS_CSV: &str =
    "container,value,seconds\nrank0,compute,2.0\nrank0,wait,1.0\nrank1,compute,1.0\nrank1,wait,2.0\n";

/// A folder with the trace, and a cache of its own.
pub struct Sandbox {
    pub folder: TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        let sandbox = Sandbox { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::write(sandbox.path("run.trace"), TRACE).expect("the trace is written");
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ocellus"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("OCELLUS_CACHE", self.path("cache"))
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // The program may have left before it read everything.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().expect("the program ends")
    }

    /// Runs, expects success, gives standard output.
    pub fn stdout(&self, arguments: &[&str]) -> String {
        stdout_of(&self.run(arguments))
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn stdout_of(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Expects an exit code and words on standard error, and nothing on standard output.
pub fn assert_fails(output: &Output, code: i32, words: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains("error") && stderr.contains(words), "{stderr}");
    assert_eq!(text(&output.stdout), "");
}
