//! The files of a trace: the metafile, the file of each rank, and which of them are missing.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::file::{FileMetadata, MAGIC, RankFile};
use super::stream::RankTrace;
use super::text::TextFile;
use crate::diagnostics::Code;
use crate::error::{Error, Result};
use crate::reader::{TraceFormat, TraceOrigin};

/// The files of a trace, by rank.
pub(super) struct RankFiles {
    pub name: String,
    pub ranks: Vec<RankTrace>,
    pub faults: Vec<SetFault>,
}

/// What is wrong with the files.
#[derive(Debug, Clone)]
pub(super) struct SetFault {
    pub code: Code,
    pub byte: u64,
    pub message: String,
}

impl SetFault {
    pub(super) fn new(code: Code, message: String) -> SetFault {
        SetFault { code, byte: 0, message }
    }
}

/// What the metafile says.
#[derive(Debug, Default)]
struct MetaFile {
    prefix: Option<String>,
    ranks: Option<usize>,
}

/// Most ranks that are believed.
const MOST_RANKS: usize = 1 << 24;

fn is_meta(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "meta")
}

fn read_meta(path: &Path) -> Result<MetaFile> {
    let text = std::fs::read(path).map_err(|e| Error::io("read", path, e))?;
    let text = String::from_utf8_lossy(&text);
    let mut meta = MetaFile::default();
    for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
        match key.trim() {
            "fileprefix" => {
                meta.prefix = Path::new(value.trim()).file_name().map(|name| name.to_string_lossy().into_owned())
            }
            "numprocs" => meta.ranks = value.trim().parse().ok().filter(|ranks| *ranks <= MOST_RANKS),
            _ => {}
        }
    }
    Ok(meta)
}

/// The files of a trace: all of a folder; of a metafile those that it names; else the file alone.
pub(in crate::reader) fn files(origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
    if origin.folder().is_some() {
        return origin.files();
    }
    let path = origin.path()?;
    if !is_meta(path) {
        return Ok(vec![path.to_path_buf()]);
    }
    let prefix = read_meta(path)?.prefix.unwrap_or_else(|| name_of(path));
    let mut files = vec![path.to_path_buf()];
    files.extend(origin.beside()?.into_iter().filter(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file.as_path() != path && !is_meta(file) && name.starts_with(&prefix)
    }));
    Ok(files)
}

/// Finds the metafile and the files of the ranks.
pub(super) fn open_binary(origin: &TraceOrigin) -> Result<RankFiles> {
    let path = origin.path()?.to_path_buf();
    let files = files(origin)?;
    let metas: Vec<&PathBuf> = files.iter().filter(|file| is_meta(file)).collect();
    if metas.len() > 1 {
        return Err(Error::Trace(format!(
            "{} holds {} DUMPI traces; give the .meta file of one of them",
            path.display(),
            metas.len()
        )));
    }
    let meta = match metas.first() {
        Some(meta) => read_meta(meta)?,
        None => MetaFile::default(),
    };
    // A rank on its own is a trace of one rank.
    let single = origin.folder().is_none() && metas.is_empty();
    let mut by_rank: Vec<(usize, PathBuf)> = vec![];
    for file in files.iter().filter(|file| starts_with_magic(file)) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let Some((prefix, rank)) = stem.rsplit_once('-') else {
            by_rank.push((by_rank.len(), file.clone()));
            continue;
        };
        if meta.prefix.as_deref().is_none_or(|wanted| wanted == prefix)
            && let Ok(rank) = rank.parse::<usize>()
        {
            by_rank.push((if single { 0 } else { rank }, file.clone()));
        }
    }
    by_rank.sort();
    let name = meta.prefix.clone().unwrap_or_else(|| name_of(&path));
    let mut set = RankFiles { name, ranks: vec![], faults: vec![] };
    if by_rank.is_empty() {
        return Err(Error::Trace(format!(
            "{}: no DUMPI file of a rank is there; they end with -0000.bin, -0001.bin …",
            path.display()
        )));
    }
    let count = check_ranks(&mut set, &mut by_rank, meta.ranks)?;
    let opened: Vec<Result<RankFile>> = by_rank.par_iter().map(|(_, path)| RankFile::open(path)).collect();
    set.ranks = vec![RankTrace::Missing(FileMetadata::default()); count];
    for ((rank, _), file) in by_rank.iter().zip(opened) {
        set.ranks[*rank] = RankTrace::Binary(file?);
    }
    Ok(set)
}

fn starts_with_magic(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0; 8];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && &magic == MAGIC
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// How many ranks there are; no rank has two files, and few have none.
fn check_ranks(set: &mut RankFiles, by_rank: &mut Vec<(usize, PathBuf)>, wanted: Option<usize>) -> Result<usize> {
    let is_double = |pair: &&[(usize, PathBuf)]| pair[0].0 == pair[1].0;
    if let Some(pair) = by_rank.windows(2).find(is_double) {
        return Err(Error::Trace(format!(
            "rank {} has two files, {} and {}; give the .meta file of the trace",
            pair[0].0,
            pair[0].1.display(),
            pair[1].1.display()
        )));
    }
    let count = wanted.unwrap_or_else(|| by_rank.last().map_or(0, |(rank, _)| rank + 1));
    let surplus = by_rank.iter().filter(|(rank, _)| *rank >= count).count();
    if surplus > 0 {
        set.faults.push(SetFault::new(
            Code::DamagedFile,
            format!("{surplus} files are of ranks beyond the {count} that the trace has; they are not read"),
        ));
        by_rank.retain(|(rank, _)| *rank < count);
    }
    let missing = count - by_rank.len();
    if missing > 0 {
        let first = by_rank
            .iter()
            .enumerate()
            .find(|(place, (rank, _))| place != rank)
            .map_or(by_rank.len(), |(place, _)| place);
        let message = format!("{missing} of the {count} ranks have no file that can be read, first rank {first}");
        if missing > 1000 + by_rank.len() {
            return Err(Error::Trace(format!("{message}; bring the files of the trace together")));
        }
        set.faults.push(SetFault::new(Code::DamagedFile, message));
    }
    Ok(count)
}

/// Finds the texts of the ranks.
pub(super) fn open_text(origin: &TraceOrigin) -> Result<RankFiles> {
    let name = origin.path().map(name_of).unwrap_or_else(|_| "trace".to_string());
    let mut set = RankFiles { name, ranks: vec![], faults: vec![] };
    if origin.folder().is_none() {
        let path = origin.path().map(Path::to_path_buf).unwrap_or_else(|_| PathBuf::from(&origin.name));
        set.ranks.push(RankTrace::Text(TextFile::open(&path, origin.clone())?));
        return Ok(set);
    }
    let mut by_rank = vec![];
    for path in origin.files()? {
        let file = TraceOrigin::open(&path)?;
        if file.bytes > 0 && TraceFormat::of(&file).is_ok_and(|format| format == TraceFormat::DumpiText) {
            by_rank.push((rank_in(&path).unwrap_or(by_rank.len()), path));
        }
    }
    by_rank.sort();
    let count = check_ranks(&mut set, &mut by_rank, None)?;
    set.ranks = vec![RankTrace::Missing(FileMetadata::default()); count];
    for (rank, path) in by_rank {
        let origin = TraceOrigin::open(&path)?;
        set.ranks[rank] = RankTrace::Text(TextFile::open(&path, origin)?);
    }
    Ok(set)
}

/// The last number in the name of a file, before its extensions.
fn rank_in(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = name.trim_end_matches(|c: char| !c.is_ascii_digit());
    let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    stem[stem.len() - digits..].parse().ok()
}
