//! The Python package: maturin builds the wheel, a fresh environment gets it, and pytest runs `tests/python/*.py` there.
//!
//! The packages of its `requirements.txt` are installed as wheels into an environment of their own below `target/`, once.
//! `OCELLUS_INSTALL_CLIENTS=1` lets apt bring Python where it is missing; `OCELLUS_SKIP_CLIENTS=1` leaves all of it out.

#[path = "../support/checkout.rs"]
mod checkout;
mod wheel;

use std::env;
use std::process::{Command, Stdio};
use std::time::Instant;

use checkout::checkout;
use wheel::{FreshEnvironment, SKIP, build_wheel, tools};

/// One test: the wheel is built and installed once, and each part needs it.
#[test]
fn the_wheel_is_built_and_works_in_a_fresh_environment() {
    let Some(tools) = tools() else {
        eprintln!("the Python package is left out: {SKIP} is set");
        return;
    };
    let started = Instant::now();
    let wheel = build_wheel(&tools);
    let size = wheel.metadata().expect("a wheel").len();
    println!("wheel: {:.1} MB, built in {:.0} s", size as f64 / 1e6, started.elapsed().as_secs_f64());
    let fresh = FreshEnvironment::with(&tools, &wheel);
    run_bare(&fresh);
    fresh.add_packages(&tools);
    run_pytest(&fresh);
}

/// Nothing but Python is needed for rows, pictures and files.
fn run_bare(fresh: &FreshEnvironment) {
    let program = "import sys, time; start = time.perf_counter(); import ocellus; took = time.perf_counter() - start
assert not {'pandas', 'pyarrow', 'polars', 'IPython'} & set(sys.modules), sorted(sys.modules)
con = ocellus.connect('traces/quickstart.trace')
rows = con.sql('SELECT count(*) FROM containers WHERE parent_id IS NULL').fetchall()
assert rows == [(1,)], rows
assert con.draw('timeline').svg.startswith('<svg')
print(f'import ocellus: {took:.3f} s')";
    let output = fresh.python().args(["-I", "-c", program]).output().expect("python runs");
    assert!(output.status.success(), "without any package: {}", String::from_utf8_lossy(&output.stderr));
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

fn run_pytest(fresh: &FreshEnvironment) {
    let mut pytest = fresh.python();
    pytest.args([
        "-X",
        "faulthandler",
        "-m",
        "pytest",
        "-q",
        "-rP",
        "-p",
        "no:cacheprovider",
        "--durations=8",
        "tests/python",
    ]);
    let output = pytest.stdin(Stdio::null()).output().expect("pytest runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(" passed"), "no test was run:\n{text}");
    print!("{text}");
}

/// The environment of a child, without what cargo tells a test: builds that see it start anew.
fn without_cargo(command: &mut Command) -> &mut Command {
    let told = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_", "CARGO_TARGET_TMPDIR"];
    for (name, _) in env::vars_os() {
        let is_told = name.to_str().is_some_and(|name| told.iter().any(|start| name.starts_with(start)));
        if is_told || name == "LD_LIBRARY_PATH" {
            command.env_remove(name);
        }
    }
    command.current_dir(checkout())
}
