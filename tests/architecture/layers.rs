//! Layers inside crates. Between crates the compiler guards them.

use crate::checkout::{checkout, files, read};
use crate::imports::imports;
use crate::modules::Crate;
use crate::report::assert_none;
use crate::rust_text::code_only;
use crate::tree::{crates, shown};

/// The modules of a crate in layers, lowest first; a module imports only from its own layer and those before it.
struct LayeredCrate {
    root: &'static str,
    layers: &'static [&'static [&'static str]],
}

const LAYERED: [LayeredCrate; 2] = [
    LayeredCrate {
        root: "src/trace/lib.rs",
        layers: &[
            &["error", "diagnostics", "panics", "processors", "time"],
            &["model", "schema"],
            &["reader", "synth"],
            &["simulator"],
            &["store"],
            &["import"],
            &["dump", "convert"],
        ],
    },
    LayeredCrate {
        root: "src/engine/lib.rs",
        layers: &[&["catalog"], &["functions"], &["optimizer"], &["session"], &["completion", "remote"]],
    },
];

/// Crates that know nothing of SQL.
const WITHOUT_DATAFUSION: [&str; 2] = ["src/kernels", "src/trace"];
/// Folders that may open sockets.
const WITH_SOCKETS: [&str; 3] = ["src/server/", "src/cluster/", "src/cli/"];

impl LayeredCrate {
    /// The module directly below the root that a file belongs to; `None` for the root itself.
    fn module<'a>(&self, file: &'a str) -> Option<&'a str> {
        if file == self.root {
            return None;
        }
        let below = file.strip_prefix(self.root.trim_end_matches("lib.rs")).unwrap_or(file);
        Some(below.split('/').next().unwrap_or(below).trim_end_matches(".rs"))
    }

    fn layer(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.contains(&module))
    }

    fn faults(&self, tree: &Crate) -> Vec<String> {
        let mut faults = vec![];
        for file in tree.files() {
            if self.module(file).is_some_and(|module| self.layer(module).is_none()) {
                faults.push(format!("{file} belongs to no layer: add its module to LAYERED"));
            }
        }
        for ((from, to), names) in imports(tree) {
            let layer = |file: &str| self.module(file).and_then(|module| self.layer(module));
            if layer(&from) < layer(&to) && layer(&from).is_some() {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                faults.push(format!("{from} -> {to}: {}", names.join(", ")));
            }
        }
        faults
    }
}

#[test]
fn imports_go_down() {
    let mut faults = vec![];
    for layered in LAYERED {
        let tree = crates().iter().find(|tree| tree.root == layered.root).expect("a crate with layers");
        faults.extend(layered.faults(tree));
    }
    assert_none("a module knows nothing of the layers above it", &faults);
}

#[test]
fn kernels_and_traces_know_nothing_of_sql() {
    let mut faults = vec![];
    for folder in WITHOUT_DATAFUSION {
        for path in files(&checkout().join(folder), ".rs") {
            if code_only(&read(&path)).contains("datafusion") {
                faults.push(shown(&path));
            }
        }
        let manifest = checkout().join(folder).join("Cargo.toml");
        if read(&manifest).contains("datafusion") {
            faults.push(shown(&manifest));
        }
    }
    assert_none("datafusion appears from the engine on", &faults);
}

#[test]
fn sockets_are_opened_by_servers_clusters_and_the_command_line() {
    let mut faults = vec![];
    for path in files(&checkout().join("src"), ".rs") {
        let (code, name) = (code_only(&read(&path)), shown(&path));
        let is_allowed = WITH_SOCKETS.iter().any(|folder| name.starts_with(folder));
        if !is_allowed && (code.contains("std::net") || code.contains("tokio::net")) {
            faults.push(name);
        }
    }
    assert_none(&format!("sockets are opened only below {}", WITH_SOCKETS.join(", ")), &faults);
}
