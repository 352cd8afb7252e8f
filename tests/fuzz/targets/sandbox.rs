//! A folder for the files of one input, with the memory of what is already there.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that inputs are written to; what did not change since the input before is not written again.
#[derive(Debug)]
pub struct Sandbox {
    folder: PathBuf,
    written: HashMap<String, Vec<u8>>,
    /// How many inputs it has had.
    pub count: u64,
}

impl Sandbox {
    /// A sandbox in a folder that nobody else uses.
    pub fn new(folder: PathBuf) -> Sandbox {
        fs::create_dir_all(&folder).expect("a folder for inputs");
        Sandbox { folder, written: HashMap::new(), count: 0 }
    }

    /// Where the files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file; `None` removes it.
    pub fn put(&mut self, name: &str, bytes: Option<&[u8]>) -> PathBuf {
        let path = self.folder.join(name);
        match (bytes, self.written.get(name)) {
            (None, None) => {}
            (None, Some(_)) => {
                fs::remove_file(&path).expect("the file was written before");
                self.written.remove(name);
            }
            (Some(bytes), Some(before)) if before == bytes => {}
            (Some(bytes), _) => {
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).expect("a folder for inputs");
                }
                fs::write(&path, bytes).expect("a file for an input");
                self.written.insert(name.to_string(), bytes.to_vec());
            }
        }
        path
    }
}
