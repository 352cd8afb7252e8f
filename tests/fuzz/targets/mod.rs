//! What is fuzzed: each target takes bytes from outside and must neither panic, nor hang, nor take much memory.
//!
//! The same functions run in three places: under libFuzzer (`guided`), on seeded mutations (`mutate`), and on the
//! files of `corpus/` in the tests of the crates.

mod bundle;
mod descriptions;
mod manifest;
mod readers;
mod sandbox;

use std::fs;
use std::path::{Path, PathBuf};

pub use sandbox::Sandbox;

/// Something that reads bytes from outside.
#[derive(Debug, Clone, Copy)]
pub struct FuzzTarget {
    /// Its name, and that of its folder in `corpus/`.
    pub name: &'static str,
    /// Gives it one input. A panic is a find.
    pub run: fn(&mut Sandbox, &[u8]),
    /// Inputs that it reads without complaint, from the samples of the checkout.
    samples: fn(&Path) -> Vec<Vec<u8>>,
}

/// All targets of the trace crate.
pub const TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "paje", run: readers::paje, samples: readers::paje_samples },
    FuzzTarget { name: "chrome", run: readers::chrome, samples: readers::chrome_samples },
    FuzzTarget { name: "dumpi", run: readers::dumpi, samples: readers::dumpi_samples },
    FuzzTarget { name: "dumpi_text", run: readers::dumpi_text, samples: readers::dumpi_text_samples },
    FuzzTarget { name: "otf2", run: readers::otf2, samples: readers::otf2_samples },
    FuzzTarget { name: "paraver", run: readers::paraver, samples: readers::paraver_samples },
    FuzzTarget { name: "pj_dump", run: readers::pj_dump, samples: readers::pj_dump_samples },
    FuzzTarget { name: "ftrace", run: readers::ftrace, samples: readers::ftrace_samples },
    FuzzTarget { name: "perf_script", run: readers::perf_script, samples: readers::perf_script_samples },
    FuzzTarget { name: "ctf", run: readers::ctf, samples: readers::ctf_samples },
    FuzzTarget { name: "perfetto", run: readers::perfetto, samples: readers::perfetto_samples },
    FuzzTarget { name: "gpu", run: readers::gpu, samples: readers::gpu_samples },
    FuzzTarget { name: "dot", run: descriptions::dot, samples: descriptions::dot_samples },
    FuzzTarget { name: "plist", run: descriptions::plist, samples: descriptions::plist_samples },
    FuzzTarget { name: "yaml", run: descriptions::yaml, samples: descriptions::yaml_samples },
    FuzzTarget { name: "manifest", run: manifest::manifest, samples: manifest::samples },
];

impl FuzzTarget {
    /// The samples and the corpus of a target, with their names.
    pub fn inputs(&self, checkout: &Path) -> Vec<(String, Vec<u8>)> {
        let samples = (self.samples)(checkout).into_iter().enumerate();
        let mut inputs: Vec<_> = samples.map(|(number, input)| (format!("sample-{number}"), input)).collect();
        inputs.extend(self.kept(checkout));
        inputs
    }

    /// The inputs that fuzzing kept, with their names.
    pub fn kept(&self, checkout: &Path) -> Vec<(String, Vec<u8>)> {
        let paths = files(&checkout.join("tests/fuzz/corpus").join(self.name));
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.iter().map(|path| (name(path), read(path))).collect()
    }
}

/// The files of a folder by name; none when there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}
