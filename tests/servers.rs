//! Real clients against `ocellus serve`: their rows, many of them at once, and those who mean ill.
//!
//! The tests are Python programs below `tests/servers/`. What they need is installed here: the clients of
//! `requirements.txt` into an environment of their own below `target/`, psql and curl by apt when they are
//! missing. `OCELLUS_SKIP_CLIENTS=1` leaves all of it out.
#![cfg(feature = "server")]

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

const REQUIREMENTS: &str = include_str!("servers/requirements.txt");
/// Written into an environment when everything is in it.
const READY: &str = "ready";

#[test]
fn every_client_gets_the_rows_of_the_engine() {
    run("test_clients");
}

#[test]
fn clients_find_their_way_and_give_parameters() {
    run("test_catalogues");
}

#[test]
fn many_clients_and_those_who_leave_are_no_burden() {
    run("test_load");
}

#[test]
fn limits_hold_and_doors_are_closed() {
    run("test_security");
}

#[test]
fn a_server_follows_its_store_and_stops_with_grace() {
    run("test_life");
}

/// Runs one of the programs; fails with what it printed.
fn run(module: &str) {
    let Some(python) = python() else {
        eprintln!("{module} is left out: OCELLUS_SKIP_CLIENTS is set");
        return;
    };
    // One after the other: a crowd of clients would keep the others waiting beyond their patience.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new(python)
        .args(["-X", "faulthandler", "-W", "ignore", "-m", "unittest", "-v", module])
        .current_dir(folder())
        .env("OCELLUS", env!("CARGO_BIN_EXE_ocellus"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // No settings of the user's own, nor a proxy, between the clients and this machine.
        .env("PSQLRC", "/dev/null")
        .env("no_proxy", "127.0.0.1,localhost")
        .stdin(Stdio::null())
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{module}: {}\n{text}", output.status);
    assert!(!text.contains("Ran 0 tests"), "{module} has no tests:\n{text}");
    print!("{text}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers")
}

/// The Python of the clients; `None` when they are to be left out.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON.get_or_init(|| env::var_os("OCELLUS_SKIP_CLIENTS").is_none().then(install)).as_deref()
}

fn install() -> PathBuf {
    for (program, package) in [("psql", "postgresql-client"), ("curl", "curl")] {
        if !is_there(program) {
            install_package(program, package);
        }
    }
    let place = environment();
    let python = place.join("bin/python");
    if !place.join(READY).exists() {
        // Of a run that was cut short.
        let _ = fs::remove_dir_all(&place);
        must(Command::new("python3").args(["-m", "venv"]).arg(&place), "python3 with its module venv (python3-venv)");
        let pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "-r", "requirements.txt"];
        must(Command::new(&python).args(pip).current_dir(folder()), "the wheels of tests/servers/requirements.txt");
        fs::write(place.join(READY), "").expect("the environment can be written to");
    }
    python
}

/// An environment for each list of requirements, beside the folder for temporary files of tests.
fn environment() -> PathBuf {
    let mut hash = DefaultHasher::new();
    REQUIREMENTS.hash(&mut hash);
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(format!("clients-venv-{:016x}", hash.finish()))
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Asks apt, which works for root only.
fn install_package(program: &str, package: &str) {
    let needed = format!("{program} (package {package})");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        command
    };
    // Lists may be old but good enough.
    let _ = apt(&["update"]).status();
    must(&mut apt(&["install", "-y", "--no-install-recommends", package]), &needed);
}

fn must(command: &mut Command, needed: &str) {
    let is_done = command.status().is_ok_and(|status| status.success());
    assert!(
        is_done,
        "the tests of the servers need {needed}, and {command:?} failed: install it, or set OCELLUS_SKIP_CLIENTS=1 to leave them out"
    );
}
