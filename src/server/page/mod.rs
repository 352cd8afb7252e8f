//! The page: the files that a browser gets, from the binary or, during development, from a folder.
//!
//! In: names. Out: files with their types, their tags and a compressed form. The addresses of embedded files hold a hash of
//! all of them, so that a browser may keep them for ever.

mod embedded;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use ring::digest::{Context, SHA256};

use ocellus_trace::error::{Error, Result};

/// The file that the page starts with.
pub(super) const INDEX: &str = "index.html";

/// Digits of the hash in addresses.
const HASH_DIGITS: usize = 16;

/// The hash of a folder that may change.
const CHANGING: &str = "folder";

/// The files of the page.
#[derive(Debug)]
pub(super) enum Page {
    /// Those of the binary.
    Embedded { hash: String, files: BTreeMap<&'static str, PageFile> },
    /// A folder, read at each request.
    Folder(PathBuf),
}

/// A file of the page.
#[derive(Debug)]
pub(super) struct PageFile {
    /// Its content.
    pub(super) content: Bytes,
    /// Its media type.
    pub(super) content_type: &'static str,
    /// Differs when the content does.
    pub(super) tag: String,
    compressed: OnceLock<Bytes>,
}

impl Page {
    /// The page of the binary.
    pub(super) fn embedded() -> Page {
        let files = embedded::FILES.iter();
        let hash = digest(files.clone().map(|(name, content)| (*name, *content)));
        let files = files.map(|(name, content)| (*name, PageFile::new(name, Bytes::from_static(content)))).collect();
        Page::Embedded { hash: hash[..HASH_DIGITS].to_string(), files }
    }

    /// The page of a folder.
    pub(super) fn folder(folder: &Path) -> Result<Page> {
        check_page(folder)?;
        Ok(Page::Folder(folder.to_path_buf()))
    }

    /// What stands in the addresses of the files.
    pub(super) fn hash(&self) -> &str {
        match self {
            Page::Embedded { hash, .. } => hash,
            Page::Folder(_) => CHANGING,
        }
    }

    /// Whether a file under an address never changes.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self, Page::Embedded { .. })
    }

    /// Hands a file to a closure; `None` when there is no such file.
    pub(super) fn with_file<T>(&self, name: &str, use_file: impl FnOnce(&PageFile) -> T) -> io::Result<Option<T>> {
        match self {
            Page::Embedded { files, .. } => Ok(files.get(name).map(use_file)),
            Page::Folder(_) if !is_plain_name(name) => Ok(None),
            Page::Folder(folder) => match fs::read(folder.join(name)) {
                Ok(content) => Ok(Some(use_file(&PageFile::new(name, content.into())))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            },
        }
    }
}

impl PageFile {
    fn new(name: &str, content: Bytes) -> PageFile {
        let tag = digest([(name, content.as_ref())]);
        PageFile { content_type: content_type(name), tag, content, compressed: OnceLock::new() }
    }

    /// The content as gzip, made once.
    pub(super) fn compressed(&self) -> io::Result<Bytes> {
        if let Some(made) = self.compressed.get() {
            return Ok(made.clone());
        }
        let mut encoder = GzEncoder::new(vec![], Compression::best());
        encoder.write_all(&self.content)?;
        let made = Bytes::from(encoder.finish()?);
        Ok(self.compressed.get_or_init(|| made).clone())
    }
}

/// An error if a folder holds no page.
pub fn check_page(folder: &Path) -> Result<()> {
    let index = folder.join(INDEX);
    fs::metadata(&index).map(|_| ()).map_err(|e| Error::io("open the page", &index, e))
}

/// SHA-256 of files: of each its name, a zero byte, its length in decimal digits, a zero byte, and its content.
fn digest<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut context = Context::new(&SHA256);
    for (name, content) in files {
        context.update(format!("{name}\0{}\0", content.len()).as_bytes());
        context.update(content);
    }
    context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a name can only mean a file of the folder itself.
fn is_plain_name(name: &str) -> bool {
    !name.starts_with('.')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "._-".contains(character))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "text/plain; charset=utf-8",
    }
}
