//! Where the bytes of a trace come from: files, folders, standard input, gzip and zstd, distinguished by
//! content.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::TraceInput;
use crate::error::{Error, Result};

/// How deep below a folder the files of a trace may lie.
const DEEPEST: usize = 6;

/// Where a trace comes from: a file, one file of a set, or a folder. Can be read several times.
#[derive(Debug, Clone)]
pub struct TraceOrigin {
    /// `None` for a folder.
    file: Option<Arc<File>>,
    /// `None` for what came through a pipe.
    path: Option<PathBuf>,
    /// What to call it in messages and in `trace_info`.
    pub name: String,
    /// Bytes of the file, or of all files below the folder.
    pub bytes: u64,
}

/// How a file is compressed.
enum Compression {
    None,
    Gzip,
    Zstd,
}

impl TraceOrigin {
    /// Opens a regular file, a pipe or a folder.
    pub fn open(path: &Path) -> Result<TraceOrigin> {
        let metadata = std::fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
        let name = path.display().to_string();
        if metadata.is_dir() {
            let mut origin = TraceOrigin { file: None, path: Some(path.to_path_buf()), name, bytes: 0 };
            origin.bytes = bytes_of(&origin.files()?);
            return Ok(origin);
        }
        let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
        if !metadata.is_file() {
            return TraceOrigin::spool(file, &name);
        }
        Ok(TraceOrigin { file: Some(Arc::new(file)), path: Some(path.to_path_buf()), name, bytes: metadata.len() })
    }

    /// The folder, when it is one.
    pub fn folder(&self) -> Option<&Path> {
        if self.file.is_some() { None } else { self.path.as_deref() }
    }

    /// The file or folder; a trace of several files cannot come through a pipe.
    pub fn path(&self) -> Result<&Path> {
        self.path.as_deref().ok_or_else(|| {
            Error::Trace(format!("{} is one file of a trace that has several; give their folder", self.name))
        })
    }

    /// The file, or all files below the folder, by name.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        match self.folder() {
            Some(folder) => files_below(folder, DEEPEST),
            None => Ok(self.path.iter().cloned().collect()),
        }
    }

    /// The files in the folder of the file, by name.
    pub fn beside(&self) -> Result<Vec<PathBuf>> {
        let parent = self.path()?.parent().filter(|parent| !parent.as_os_str().is_empty());
        let entries = entries_of(parent.unwrap_or(Path::new(".")))?;
        Ok(entries.into_iter().filter(|path| path.is_file()).collect())
    }

    /// The files that belong together: all below the folder; else the file, and what lies beside it
    /// and below folders beside it and begins with the same stem, as in `a.meta`, `a-0001.bin` or
    /// `a.otf2`, `a.def`, `a/0.evt`.
    pub fn set(&self) -> Result<Vec<PathBuf>> {
        let Some(file) = self.path.as_deref().filter(|_| self.file.is_some()) else {
            return self.files();
        };
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let stem = file.file_stem().unwrap_or_default().as_encoded_bytes();
        let mut files = vec![];
        for path in entries_of(parent)? {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            if !name.starts_with(stem) {
                continue;
            }
            if path.is_dir() {
                files.extend(files_below(&path, DEEPEST - 1)?);
            } else {
                files.push(path);
            }
        }
        Ok(files)
    }

    /// Takes all of standard input, by way of a temporary file: an import may read it twice.
    pub fn stdin() -> Result<TraceOrigin> {
        TraceOrigin::spool(io::stdin().lock(), "-")
    }

    fn spool(mut source: impl Read, name: &str) -> Result<TraceOrigin> {
        let failed = |source| Error::Io { context: format!("cannot read {name} into a temporary file"), source };
        let mut file = tempfile::tempfile().map_err(failed)?;
        let bytes = io::copy(&mut source, &mut file).map_err(failed)?;
        Ok(TraceOrigin { file: Some(Arc::new(file)), path: None, name: name.to_string(), bytes })
    }

    /// Starts to read from the beginning.
    pub fn input(&self) -> Result<TraceInput> {
        let file = self.file()?;
        if self.bytes == 0 {
            return Err(Error::Trace(format!("{} is empty; there is nothing to read", self.name)));
        }
        Ok(match self.packing()? {
            Compression::None => TraceInput::plain(Arc::clone(file), &self.name, self.bytes),
            _ => TraceInput::stream(self.reader()?, &self.name),
        })
    }

    /// All bytes of the file from the beginning, uncompressed.
    pub fn reader(&self) -> Result<Box<dyn Read + Send>> {
        let packing = self.packing()?;
        let file = self.rewound()?;
        Ok(match packing {
            Compression::None => Box::new(file),
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(file).map_err(|e| self.failed(e))?),
        })
    }

    /// The first bytes, uncompressed; fewer where the stream is damaged.
    pub fn head(&self, bytes: u64) -> Result<Vec<u8>> {
        self.file()?;
        if self.bytes == 0 {
            return Err(Error::Trace(format!("{} is empty; there is nothing to read", self.name)));
        }
        let mut head = vec![];
        // What a damaged stream gave before it broke is enough here; the reader reports the damage.
        let _ = self.reader()?.take(bytes).read_to_end(&mut head);
        Ok(head)
    }

    /// How the file is compressed, by its first bytes.
    fn packing(&self) -> Result<Compression> {
        let mut magic = [0; 4];
        let count = self.read_at_start(&mut magic)?;
        Ok(match &magic[..count] {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd] => Compression::Zstd,
            _ => Compression::None,
        })
    }

    fn file(&self) -> Result<&Arc<File>> {
        self.file.as_ref().ok_or_else(|| {
            Error::Trace(format!(
                "{} is a directory, not a trace file; give a file in it, or a store made by ocellus import",
                self.name
            ))
        })
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { context: format!("cannot read {}", self.name), source }
    }

    fn read_at_start(&self, buffer: &mut [u8]) -> Result<usize> {
        let mut file = self.rewound()?;
        let mut count = 0;
        while count < buffer.len() {
            match file.read(&mut buffer[count..]).map_err(|e| self.failed(e))? {
                0 => break,
                more => count += more,
            }
        }
        Ok(count)
    }

    fn rewound(&self) -> Result<File> {
        let mut file = self.file()?.try_clone().map_err(|e| self.failed(e))?;
        file.seek(SeekFrom::Start(0)).map_err(|e| self.failed(e))?;
        Ok(file)
    }
}

/// What lies in a folder, by name.
fn entries_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io("read the folder", folder, e);
    let mut paths = vec![];
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn files_below(folder: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let mut files = vec![];
    for path in entries_of(folder)? {
        if path.is_file() {
            files.push(path);
        } else if path.is_dir() && depth > 1 {
            files.extend(files_below(&path, depth - 1)?);
        }
    }
    Ok(files)
}

/// How large files are together.
pub fn bytes_of(files: &[PathBuf]) -> u64 {
    files.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|metadata| metadata.len()).sum()
}
