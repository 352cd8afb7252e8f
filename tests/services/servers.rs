//! Real clients against `ocellus serve`: their rows, many of them at once, and those who mean ill.
//!
//! The tests are Python programs below `tests/servers/`. The clients of its `requirements.txt` are installed as wheels
//! into an environment of their own below `target/`. Nothing is installed elsewhere, unless `OCELLUS_INSTALL_CLIENTS=1`
//! asks for it: then apt brings psql, curl, Python and chromium where they are missing. `OCELLUS_SKIP_CLIENTS=1` leaves all
//! of it out, `OCELLUS_SKIP_BROWSER=1` the tests of the page in a chromium.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::support::checkout;
use crate::turns;

const REQUIREMENTS: &str = include_str!("../servers/requirements.txt");
/// Written into an environment when everything is in it.
const READY: &str = "ready";
/// Lets the tests install what is missing on the system.
const INSTALL: &str = "OCELLUS_INSTALL_CLIENTS";
/// Leaves the tests out.
const SKIP: &str = "OCELLUS_SKIP_CLIENTS";
/// Leaves those out that need a browser.
const SKIP_BROWSER: &str = "OCELLUS_SKIP_BROWSER";
/// The program of the browser, where it is not the chromium of the system.
const CHROMIUM_PROGRAM: &str = "OCELLUS_CHROMIUM";
/// Which modules of `tests/page` the tests of the page run.
const PAGE_MODULES: &str = "OCELLUS_PAGE_TESTS";

/// About half of the tests of the page, by time: they and the others run at once.
const EXACT: [&str; 6] = ["test_behavior", "test_cancel", "test_compare", "test_pixels", "test_rows", "test_settings"];

/// A program of the system that the clients need.
struct Requirement {
    name: &'static str,
    /// Package of Debian and Ubuntu that holds it.
    package: &'static str,
    /// A command that succeeds where it is installed.
    check: &'static [&'static str],
}

const SYSTEM_REQUIREMENTS: [Requirement; 3] = [
    Requirement { name: "psql", package: "postgresql-client", check: &["psql", "--version"] },
    Requirement { name: "curl", package: "curl", check: &["curl", "--version"] },
    Requirement {
        name: "python3 with its module venv",
        package: "python3-venv",
        check: &["python3", "-c", "import ensurepip, venv"],
    },
];

const R_REQUIREMENTS: [Requirement; 3] = [
    Requirement {
        name: "RPostgreSQL",
        package: "r-cran-rpostgresql",
        check: &["Rscript", "-e", "library(RPostgreSQL)"],
    },
    Requirement { name: "dbplyr", package: "r-cran-dbplyr", check: &["Rscript", "-e", "library(dbplyr)"] },
    Requirement { name: "ggplot2", package: "r-cran-ggplot2", check: &["Rscript", "-e", "library(ggplot2)"] },
];

const CHROMIUM: Requirement = Requirement { name: "chromium", package: "chromium", check: &["chromium", "--version"] };

#[test]
fn every_client_gets_the_rows_of_the_engine() {
    let _turn = turns::beside_others();
    run("test_clients");
}

#[test]
fn clients_find_their_way_and_give_parameters() {
    let _turn = turns::beside_others();
    run("test_catalogs");
}

#[test]
fn many_clients_and_those_who_leave_are_no_burden() {
    let _turn = turns::alone();
    run("test_load");
}

#[test]
fn limits_hold_and_doors_are_closed() {
    let _turn = turns::alone();
    run("test_security");
}

#[test]
fn queries_share_one_limit_of_memory() {
    let _turn = turns::alone();
    run("test_memory");
}

#[test]
fn a_server_follows_its_store_and_stops_with_grace() {
    let _turn = turns::beside_others();
    run("test_life");
}

#[test]
fn assistants_get_answers_of_bounded_size() {
    let _turn = turns::alone();
    run("test_assistants");
}

#[test]
fn the_page_is_served_and_other_sites_are_not() {
    let _turn = turns::beside_others();
    run("test_page");
}

#[test]
fn r_lists_fetches_and_draws() {
    let missing: Vec<&Requirement> = R_REQUIREMENTS.iter().filter(|requirement| !requirement.is_met()).collect();
    if !missing.is_empty() && env::var_os(INSTALL).is_none_or(|value| value != "1") {
        let names: Vec<&str> = missing.iter().map(|requirement| requirement.name).collect();
        eprintln!("R is left out: {} is missing, and {INSTALL}=1 installs it", names.join(", "));
        return;
    }
    if !missing.is_empty() {
        install_packages(&missing, SKIP);
    }
    let _turn = turns::beside_others();
    run("test_r");
}

#[test]
fn the_page_is_exact_in_a_browser() {
    run_in_a_browser(|module| EXACT.contains(&module));
}

#[test]
fn the_page_is_for_everyone_in_a_browser() {
    run_in_a_browser(|module| !EXACT.contains(&module));
}

/// Runs the chosen modules of `tests/page` in a chromium, on a server of their own.
fn run_in_a_browser(is_chosen: impl Fn(&str) -> bool) {
    if env::var_os(SKIP_BROWSER).is_some() || env::var_os(SKIP).is_some() {
        eprintln!("the page in a browser is left out: {SKIP_BROWSER} or {SKIP} is set");
        return;
    }
    if env::var_os(CHROMIUM_PROGRAM).is_none() && !CHROMIUM.is_met() {
        install_packages(&[&CHROMIUM], SKIP_BROWSER);
    }
    let modules: Vec<String> = page_modules().into_iter().filter(|module| is_chosen(module)).collect();
    let _turn = turns::beside_others();
    run_with("test_browser", &[(PAGE_MODULES, modules.join(","))]);
}

/// The names of all modules of `tests/page` that hold tests.
fn page_modules() -> Vec<String> {
    let entries = fs::read_dir(checkout().join("tests/page")).expect("tests/page is there");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let mut modules: Vec<String> = names.filter_map(|name| name.strip_suffix(".py").map(String::from)).collect();
    modules.retain(|name| name.starts_with("test_"));
    modules.sort();
    modules
}

/// Runs one of the programs; fails with what it printed.
fn run(module: &str) {
    run_with(module, &[]);
}

/// The same with variables of its own.
fn run_with(module: &str, variables: &[(&str, String)]) {
    let Some(python) = python() else {
        eprintln!("{module} is left out: {SKIP} is set");
        return;
    };
    let output = Command::new(python)
        .args(["-X", "faulthandler", "-W", "ignore", "-m", "unittest", "-v", module])
        .current_dir(folder())
        .env("OCELLUS", env!("CARGO_BIN_EXE_ocellus"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // No settings of the user's own, nor a proxy, between the clients and this machine.
        .env("PSQLRC", "/dev/null")
        .env("no_proxy", "127.0.0.1,localhost")
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{module}: {}\n{text}", output.status);
    assert!(!text.contains("Ran 0 tests"), "{module} has no tests:\n{text}");
    print!("{text}");
}

fn folder() -> PathBuf {
    checkout().join("tests/servers")
}

/// The Python of the clients; `None` when they are to be left out.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON.get_or_init(|| env::var_os(SKIP).is_none().then(install)).as_deref()
}

/// Installs the clients below `target/`, once; fails where the system lacks what they need.
fn install() -> PathBuf {
    let missing: Vec<&Requirement> = SYSTEM_REQUIREMENTS.iter().filter(|requirement| !requirement.is_met()).collect();
    if !missing.is_empty() {
        install_packages(&missing, SKIP);
    }
    let environment = environment();
    let python = environment.join("bin/python");
    if !environment.join(READY).exists() {
        // Of a run that was cut short.
        let _ = fs::remove_dir_all(&environment);
        must(Command::new("python3").args(["-m", "venv"]).arg(&environment), "a virtual environment of Python");
        let pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "-r", "requirements.txt"];
        must(Command::new(&python).args(pip).current_dir(folder()), "the wheels of tests/servers/requirements.txt");
        fs::write(environment.join(READY), "").expect("the environment can be written to");
    }
    python
}

/// An environment for each list of requirements, beside the folder for temporary files of tests.
fn environment() -> PathBuf {
    let mut hash = DefaultHasher::new();
    REQUIREMENTS.hash(&mut hash);
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(format!("clients-venv-{:016x}", hash.finish()))
}

impl Requirement {
    fn is_met(&self) -> bool {
        let mut command = Command::new(self.check[0]);
        command.args(&self.check[1..]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

/// Installs packages by apt, which works for root only, if the user allows it; `skip` is the variable that does without.
fn install_packages(missing: &[&Requirement], skip: &str) {
    let names: Vec<&str> = missing.iter().map(|requirement| requirement.name).collect();
    let names = names.join(", ");
    let packages: Vec<&str> = missing.iter().map(|requirement| requirement.package).collect();
    assert!(
        env::var_os(INSTALL).is_some_and(|value| value == "1"),
        "the tests of the servers need {names}: install the packages {}, or set {INSTALL}=1 to let the tests do so by apt, as \
         root, or {skip}=1 to leave them out",
        packages.join(" ")
    );
    // Tests that run at once must not run apt at once.
    static APT: Mutex<()> = Mutex::new(());
    let _turn = APT.lock().unwrap_or_else(PoisonError::into_inner);
    // Lists may be old but good enough.
    let _ = apt(&["update"]).status();
    must(apt(&["install", "-y", "--no-install-recommends"]).args(&packages), &names);
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
    command
}

fn must(command: &mut Command, needed: &str) {
    let is_done = command.status().is_ok_and(|status| status.success());
    assert!(
        is_done,
        "the tests of the servers need {needed}, and {command:?} failed: install it, or set {SKIP}=1 to leave them out"
    );
}
