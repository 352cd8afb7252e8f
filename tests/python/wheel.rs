//! The environment of the tools, the wheel, and the fresh environment that it is tried in.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::checkout::checkout;
use crate::without_cargo;

const REQUIREMENTS: &str = include_str!("requirements.txt");
/// Written into an environment when everything is in it.
const READY: &str = "ready";
/// Lets the test install Python.
const INSTALL: &str = "OCELLUS_INSTALL_CLIENTS";
/// Leaves the test out.
pub const SKIP: &str = "OCELLUS_SKIP_CLIENTS";

/// The environment with maturin, pytest, and what the package works together with; `None` when it is to be left out.
pub fn tools() -> Option<PathBuf> {
    if env::var_os(SKIP).is_some() {
        return None;
    }
    let check = ["-c", "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))"];
    if !succeeds(Command::new("python3").args(check)) {
        install_python();
    }
    let mut hash = DefaultHasher::new();
    REQUIREMENTS.hash(&mut hash);
    let folder = temporary().with_file_name(format!("python-venv-{:016x}", hash.finish()));
    if !folder.join(READY).exists() {
        // Of a run that was cut short.
        let _ = fs::remove_dir_all(&folder);
        must(Command::new("python3").args(["-m", "venv"]).arg(&folder), "a virtual environment of Python");
        let pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "-r", "tests/python/requirements.txt"];
        must(
            Command::new(folder.join("bin/python")).args(pip).current_dir(checkout()),
            "the wheels of tests/python/requirements.txt",
        );
        fs::write(folder.join(READY), "").expect("the environment can be written to");
    }
    Some(folder)
}

/// Builds the wheel in the target folder of this run, in which everything but the package itself is built already.
pub fn build_wheel(tools: &Path) -> PathBuf {
    let folder = temporary().join("wheels");
    let _ = fs::remove_dir_all(&folder);
    // maturin reads the list of all dependencies, those of other systems too, which a build here has not fetched.
    must(without_cargo(Command::new("cargo").args(["fetch", "--locked"])), "all crates of Cargo.lock");
    let mut maturin = Command::new(tools.join("bin/maturin"));
    maturin.args(["build", "--release", "--locked", "--offline", "--auditwheel", "skip", "--manifest-path"]);
    maturin.args(["src/python/Cargo.toml", "--out"]).arg(&folder);
    maturin.env("CARGO_TARGET_DIR", target()).env("CARGO_TERM_COLOR", "never");
    let output = without_cargo(&mut maturin).output().expect("maturin runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "maturin: {}\n{text}", output.status);
    let compiled = text.lines().filter_map(|line| line.trim_start().strip_prefix("Compiling "));
    // maturin tells pyo3 which Python there is.
    let is_ours = |name: &&str| name.starts_with("ocellus-python") || name.starts_with("pyo3");
    let again: Vec<&str> = compiled.filter(|name| !is_ours(name)).collect();
    assert!(again.is_empty(), "maturin builds with other features or variables than cargo test: {}", again.join(", "));
    let wheels = fs::read_dir(&folder).expect("a folder of wheels").flatten().map(|entry| entry.path());
    let wheels: Vec<PathBuf> =
        wheels.filter(|path| path.extension().is_some_and(|extension| extension == "whl")).collect();
    assert_eq!(wheels.len(), 1, "maturin made {wheels:?}");
    wheels.into_iter().next().expect("one wheel")
}

/// An environment with the wheel and nothing else, until packages are added.
pub struct FreshEnvironment {
    folder: PathBuf,
}

impl FreshEnvironment {
    /// Installs the wheel alone, without a network.
    pub fn with(tools: &Path, wheel: &Path) -> FreshEnvironment {
        let folder = temporary().join("fresh");
        let _ = fs::remove_dir_all(&folder);
        must(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&folder), "a fresh environment");
        let mut pip = Command::new(tools.join("bin/python"));
        pip.args(["-m", "pip", "--python"]).arg(folder.join("bin/python"));
        must(pip.args(["install", "--quiet", "--no-index", "--no-deps"]).arg(wheel), "the wheel");
        FreshEnvironment { folder }
    }

    /// Makes the packages of the tools importable, too.
    pub fn add_packages(&self, tools: &Path) {
        let packages = |folder: &Path| {
            let found = fs::read_dir(folder.join("lib")).expect("a folder lib").flatten().next();
            found.expect("a folder of Python").path().join("site-packages")
        };
        let line = format!("{}\n", packages(tools).display());
        fs::write(packages(&self.folder).join("tools.pth"), line).expect("the environment can be written to");
    }

    /// Its Python, in the checkout, with a cache of its own.
    pub fn python(&self) -> Command {
        let mut python = Command::new(self.folder.join("bin/python"));
        let program = target().join("release/ocellus");
        let program = if program.exists() { program } else { self.folder.join("bin/ocellus") };
        python.env("OCELLUS", program).env("OCELLUS_CACHE", temporary().join("python-cache"));
        python.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH");
        without_cargo(&mut python);
        python
    }
}

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The target folder: that of temporary files lies in it.
fn target() -> &'static Path {
    temporary().parent().expect("a target folder")
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn install_python() {
    assert!(
        env::var_os(INSTALL).is_some_and(|value| value == "1"),
        "the tests of the Python package need Python 3.11 or later with its module venv: install the package python3-venv, or set \
         {INSTALL}=1 to let the tests do so by apt, as root, or {SKIP}=1 to leave them out"
    );
    // Lists may be old but good enough.
    let _ = Command::new("apt-get").arg("update").stdout(Stdio::null()).status();
    let install = ["install", "-y", "--no-install-recommends", "python3-venv"];
    must(Command::new("apt-get").args(install).env("DEBIAN_FRONTEND", "noninteractive"), "python3-venv");
}

fn must(command: &mut Command, needed: &str) {
    let is_done = command.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(
        is_done,
        "the tests of the Python package need {needed}, and {command:?} failed: install it, or set {SKIP}=1 to leave them out"
    );
}
