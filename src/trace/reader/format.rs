//! Which format a trace has: detected from its content, or given by the user.

#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::TraceOrigin;
use super::ctf::{metadata, stream};
use super::gpu::tables;
use super::kernel_text::{self, KernelSyntax};
use super::perfetto::packets;
use super::sqlite::database;
use crate::error::{Error, Result};

/// How much of a file is looked at.
const HEAD: u64 = 1 << 16;

/// The first bytes of a report of Nsight Systems.
const NSYS_REPORT: &[u8] = b"NVIDIA Tegra Profiler Report";

/// A trace format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TraceFormat {
    /// Text with `%EventDef` lines.
    Paje,
    /// The binary files of SST's DUMPI library, one per rank, and their `.meta` file.
    Dumpi,
    /// What `dumpi2ascii` prints.
    DumpiText,
    /// An OTF2 archive.
    Otf2,
    /// Chrome trace event JSON.
    Chrome,
    /// A `.prv` file, with `.pcf` and `.row` beside it.
    Paraver,
    /// The rows that pj_dump prints.
    PjDump,
    /// Text of ftrace or trace-cmd.
    Ftrace,
    /// Text of perf script.
    PerfScript,
    /// The Common Trace Format: a folder with `metadata`.
    Ctf,
    /// Perfetto's protocol buffers.
    Perfetto,
    /// The SQLite or Parquet export of Nsight Systems.
    Nsight,
    /// The database of rocprofv3 and rocprof-sys.
    Rocpd,
}

impl TraceFormat {
    /// All formats.
    pub const ALL: &'static [TraceFormat] = &[
        TraceFormat::Paje,
        TraceFormat::Dumpi,
        TraceFormat::DumpiText,
        TraceFormat::Otf2,
        TraceFormat::Chrome,
        TraceFormat::Paraver,
        TraceFormat::PjDump,
        TraceFormat::Ftrace,
        TraceFormat::PerfScript,
        TraceFormat::Ctf,
        TraceFormat::Perfetto,
        TraceFormat::Nsight,
        TraceFormat::Rocpd,
    ];

    /// The name on the command line and in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            TraceFormat::Paje => "paje",
            TraceFormat::Dumpi => "dumpi",
            TraceFormat::DumpiText => "dumpi-text",
            TraceFormat::Otf2 => "otf2",
            TraceFormat::Chrome => "chrome",
            TraceFormat::Paraver => "paraver",
            TraceFormat::PjDump => "pj-dump",
            TraceFormat::Ftrace => "ftrace",
            TraceFormat::PerfScript => "perf-script",
            TraceFormat::Ctf => "ctf",
            TraceFormat::Perfetto => "perfetto",
            TraceFormat::Nsight => "nsight",
            TraceFormat::Rocpd => "rocpd",
        }
    }

    /// Finds the format by the content of a file, or of the files in a folder.
    pub fn of(origin: &TraceOrigin) -> Result<TraceFormat> {
        match origin.folder() {
            Some(folder) => TraceFormat::of_folder(folder, &origin.files()?),
            None => TraceFormat::detect(&origin.head(HEAD)?, &origin.name),
        }
    }

    /// Whether a folder holds a trace.
    pub fn is_trace_folder(folder: &Path) -> bool {
        TraceOrigin::open(folder).is_ok_and(|origin| TraceFormat::of(&origin).is_ok())
    }

    fn of_folder(folder: &Path, files: &[PathBuf]) -> Result<TraceFormat> {
        let of_set = |path: &PathBuf| TraceFormat::of_head(&head_of(path)?).filter(|format| format.has_folders());
        let exported = || (!tables::exported_folders(files).is_empty()).then_some(TraceFormat::Nsight);
        files.iter().find_map(of_set).or_else(exported).ok_or_else(|| {
            Error::Trace(format!(
                "{} is a directory and holds no DUMPI, OTF2 or CTF trace and no report of a GPU profiler; give a trace file in it, or a store made by ocellus import",
                folder.display()
            ))
        })
    }

    /// Finds the format by the first bytes of the content.
    pub fn detect(head: &[u8], source: &str) -> Result<TraceFormat> {
        if head.starts_with(b"PERFILE2") {
            return Err(Error::Trace(format!(
                "{source} is a file of perf record, whose symbols only perf finds; let it write text: \
                 perf script -i {source} | ocellus import - --store DIR --name NAME"
            )));
        }
        if let Some(what) = known_binary(head) {
            return Err(Error::Trace(format!("{source} is {what}, not a trace; ocellus reads {FORMATS}")));
        }
        if head.starts_with(NSYS_REPORT) {
            return Err(Error::Trace(format!(
                "{source} is a report of Nsight Systems, which only that reads; export it: nsys export --type sqlite {source}"
            )));
        }
        if let Some(format) = TraceFormat::of_head(head) {
            return Ok(format);
        }
        let has_header = lines(head).any(|line| line.trim_ascii_start().starts_with(b"%"));
        if !has_header && head.contains(&0) {
            return Err(Error::Trace(format!(
                "{source} is binary and no format that ocellus knows; it reads {FORMATS}"
            )));
        }
        Ok(TraceFormat::Paje)
    }

    /// The formats with a mark of their own; Pajé has none.
    fn of_head(head: &[u8]) -> Option<TraceFormat> {
        // The packets of a CTF trace, in either order of bytes: its metadata tell what they are.
        if head.starts_with(&stream::MAGIC.to_le_bytes()) || head.starts_with(&stream::MAGIC.to_be_bytes()) {
            return None;
        }
        if head.starts_with(b"\xff\xaa\xddDUMPI") || is_dumpi_meta(head) {
            return Some(TraceFormat::Dumpi);
        }
        if head.first() == Some(&3) && head.get(2..6) == Some(b"OTF2") {
            return Some(TraceFormat::Otf2);
        }
        if is_json(head) {
            return Some(TraceFormat::Chrome);
        }
        if head.starts_with(b"#Paraver (") || head.starts_with(b"new format\n") {
            return Some(TraceFormat::Paraver);
        }
        if super::pj_dump::is_dump(head) {
            return Some(TraceFormat::PjDump);
        }
        match kernel_text::syntax_of(head) {
            Some(KernelSyntax::Ftrace) => return Some(TraceFormat::Ftrace),
            Some(KernelSyntax::Perf) => return Some(TraceFormat::PerfScript),
            None => (),
        }
        if head.starts_with(database::MAGIC) {
            // Which of both it is, the reader finds by the tables, all of which need not be in the head.
            let is_rocpd = contains(head, b"rocpd_") && !contains(head, b"StringIds");
            return Some(if is_rocpd { TraceFormat::Rocpd } else { TraceFormat::Nsight });
        }
        if metadata::is_metadata(head) {
            return Some(TraceFormat::Ctf);
        }
        if packets::is_trace(head) {
            return Some(TraceFormat::Perfetto);
        }
        let is_call = |line: &[u8]| line.starts_with(b"MPI") && contains(line, b" entering at ");
        lines(head).take(1000).any(is_call).then_some(TraceFormat::DumpiText)
    }

    /// Whether the traces of the format are folders of files.
    fn has_folders(self) -> bool {
        !matches!(self, TraceFormat::Paje | TraceFormat::Chrome | TraceFormat::Perfetto)
    }
}

/// What can be read, for messages.
const FORMATS: &str = "paje (text with %EventDef lines), dumpi (.meta and .bin files), dumpi-text \
    (printed by dumpi2ascii), otf2 (an archive), chrome (trace event JSON), paraver (.prv), pj-dump (rows of pj_dump), \
    ftrace and perf-script (text of these), ctf (a folder with metadata), perfetto (protocol buffers), nsight (SQLite or Parquet exports) \
    and rocpd traces, plain, gzip or zstd";

impl fmt::Display for TraceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TraceFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<TraceFormat, String> {
        let found = TraceFormat::ALL.iter().copied().find(|format| format.name() == text.to_ascii_lowercase());
        found.ok_or_else(|| {
            let names: Vec<&str> = TraceFormat::ALL.iter().map(|format| format.name()).collect();
            let names = names.join(", ");
            format!("the format of a trace must be one of {names}, got {text}")
        })
    }
}

fn head_of(path: &Path) -> Option<Vec<u8>> {
    let mut head = vec![];
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    Some(head)
}

/// The beginning of an object with a key, or of an array of objects.
fn is_json(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let Some((first, rest)) = text.split_first() else { return false };
    match (first, rest.trim_ascii_start().first()) {
        (b'{', second) => matches!(second, Some(b'"' | b'}')),
        (b'[', second) => matches!(second, Some(b'{' | b']') | None),
        _ => false,
    }
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(head);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(b'\n', text);
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(line, part).is_some()
}

/// Lines `key=value`, the number of ranks and the prefix of their files among them.
fn is_dumpi_meta(head: &[u8]) -> bool {
    let has = |key: &[u8]| lines(head).any(|line| line.starts_with(key));
    head.len() < HEAD as usize && has(b"numprocs=") && has(b"fileprefix=")
}

/// What a file is that is certainly no trace.
fn known_binary(head: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 10] = [
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"%PDF-", "a PDF document"),
        (b"\x7fELF", "a program"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"PAR1", "a Parquet file"),
        (b"ARROW1", "an Arrow file"),
        (b"BZh", "a bzip2 file"),
        (b"\xfd7zXZ\0", "an xz file"),
    ];
    SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)).map(|(_, what)| *what)
}
