//! DUMPI, the traces of SST: a `.meta` file and one binary file per rank, or the text that
//! `dumpi2ascii` prints of them.
//!
//! ```text
//! file of a rank ─► calls ─► steps ─┐ first pass: members of communicators, order of receives
//! file of a rank ─► calls ─► steps ─┼─► merged by time: how far clocks are off      second pass
//! file of a rank ─► calls ─► steps ─┴─► merged by time, clocks put right: told      third pass
//! ```
//! Every pass reads the files through one window per rank, so that memory grows with the ranks, the
//! communicators and the messages under way, and not with the calls.

mod call;
mod clocks;
mod communicators;
mod datatypes;
mod file;
mod rank;
mod stream;
mod table;
mod tell;
mod text;
mod world;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use rayon::prelude::*;

use self::clocks::{Leads, Offsets};
use self::file::{About, MAGIC, RankFile};
use self::stream::{Moment, RankTrace, Stream, Survey, What, survey};
use self::table::{Function, layouts};
use self::tell::{RankFacts, Teller};
use self::text::TextFile;
use self::world::{Route, World};
use super::{Consumer, Format, Merge, Origin, Reader, ReaderOptions, Story};
use crate::diagnostics::{Code, quote};
use crate::error::{Error, Result};
use crate::model::Batch;

/// Bytes of the windows of all ranks together.
const WINDOWS: usize = 64 << 20;
/// Ranks of the first pass, and moments of the second, between two looks whether the user wants to stop.
const AT_A_TIME: usize = 64;
const MOMENTS: u64 = 1 << 18;
const SECOND: i64 = 1_000_000_000;

/// Reads DUMPI traces.
pub struct DumpiReader {
    format: Format,
    options: ReaderOptions,
    origin_ms: Option<i64>,
}

impl DumpiReader {
    /// A reader of binary files, or of text.
    pub fn new(format: Format, options: ReaderOptions) -> DumpiReader {
        DumpiReader { format, options, origin_ms: None }
    }

    fn open(&self, origin: &Origin) -> Result<Set> {
        if self.format == Format::DumpiText { open_text(origin) } else { open_binary(origin) }
    }
}

impl Reader for DumpiReader {
    fn read(&mut self, origin: &Origin, consume: &mut Consumer<'_>) -> Result<()> {
        let set = self.open(origin)?;
        let window = (WINDOWS / set.ranks.len().max(1)).clamp(4 << 10, 256 << 10);
        let mut surveys: Vec<Survey> = vec![];
        for some in set.ranks.chunks(AT_A_TIME) {
            surveys.extend(some.par_iter().map(|trace| survey(trace, window)).collect::<Result<Vec<_>>>()?);
            pause(consume)?;
        }
        let world = World::new(&mut surveys);
        let offsets = measure_clocks(&set, &surveys, &world, window, consume)?;
        let first = surveys.iter().zip(&offsets.by_rank).filter_map(|(survey, offset)| Some(survey.first? + offset)).min().unwrap_or(0);
        // Whole seconds are taken off, so that fractions stay as the trace prints them.
        let zero = first.div_euclid(SECOND) * SECOND;
        self.origin_ms = set.ranks.iter().filter_map(|trace| trace.about().started).min().and_then(|started| started.checked_mul(1000));
        let mut story = Story::new(self.options.clock.resolution, consume);
        let facts: Vec<RankFacts> = set.ranks.iter().map(facts_of).collect();
        let mut teller = Teller::begin(&mut story, &world, &facts, &set.name, self.options.collectives, (zero, first))?;
        for fault in set.faults.iter().cloned().chain(faults_of(&set, &surveys, &world, &offsets)) {
            teller.fault(fault.code, fault.byte, fault.message)?;
        }
        let streams = streams_of(&set, &surveys, &offsets, window)?;
        let mut merge = Merge::new(streams, |moment: &Moment| moment.at)?;
        while let Some((rank, moment)) = merge.next()? {
            teller.tell(rank, moment)?;
        }
        teller.end()?;
        story.finish()
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}

/// Lets the consumer stop the work while there is nothing to tell yet.
fn pause(consume: &mut Consumer<'_>) -> Result<()> {
    consume(&Batch::default()).map(|_| ())
}

/// The files of a trace, by rank.
struct Set {
    name: String,
    ranks: Vec<RankTrace>,
    faults: Vec<SetFault>,
}

#[derive(Debug, Clone)]
struct SetFault {
    code: Code,
    byte: u64,
    message: String,
}

impl SetFault {
    fn new(code: Code, message: String) -> SetFault {
        SetFault { code, byte: 0, message }
    }
}

/// What the metafile says.
#[derive(Debug, Default)]
struct Meta {
    prefix: Option<String>,
    ranks: Option<usize>,
}

/// Most ranks that are believed.
const MOST_RANKS: usize = 1 << 24;

fn read_meta(text: &str) -> Meta {
    let mut meta = Meta::default();
    for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
        match key.trim() {
            "fileprefix" => meta.prefix = Path::new(value.trim()).file_name().map(|name| name.to_string_lossy().into_owned()),
            "numprocs" => meta.ranks = value.trim().parse().ok().filter(|ranks| *ranks <= MOST_RANKS),
            _ => {}
        }
    }
    meta
}

/// Finds the metafile and the files of the ranks.
fn open_binary(origin: &Origin) -> Result<Set> {
    let path = origin.path()?.to_path_buf();
    let files = origin.set()?;
    let is_meta = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "meta");
    let metas: Vec<&PathBuf> = if origin.folder().is_some() { files.iter().filter(is_meta).collect() } else { files.iter().filter(|file| **file == path).filter(is_meta).collect() };
    if metas.len() > 1 {
        return Err(Error::Trace(format!(
            "{} holds {} DUMPI traces; give the .meta file of one of them",
            path.display(),
            metas.len()
        )));
    }
    let meta = match metas.first() {
        Some(meta) => read_meta(&std::fs::read_to_string(meta).map_err(|e| Error::io("read", meta, e))?),
        None => Meta::default(),
    };
    // A rank on its own is a trace of one rank.
    let single = origin.folder().is_none() && metas.is_empty();
    let files = if single { vec![path.clone()] } else { files };
    let mut by_rank: Vec<(usize, PathBuf)> = vec![];
    for file in files.iter().filter(|file| starts_with_magic(file)) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let Some((prefix, rank)) = stem.rsplit_once('-') else {
            by_rank.push((by_rank.len(), file.clone()));
            continue;
        };
        if meta.prefix.as_deref().is_none_or(|wanted| wanted == prefix) && let Ok(rank) = rank.parse::<usize>() {
            by_rank.push((if single { 0 } else { rank }, file.clone()));
        }
    }
    by_rank.sort();
    let name = meta.prefix.clone().unwrap_or_else(|| name_of(&path));
    let mut set = Set { name, ranks: vec![], faults: vec![] };
    if by_rank.is_empty() {
        return Err(Error::Trace(format!("{}: no DUMPI file of a rank is there; they end with -0000.bin, -0001.bin …", path.display())));
    }
    let count = check_ranks(&mut set, &mut by_rank, meta.ranks)?;
    let opened: Vec<Result<RankFile>> = by_rank.par_iter().map(|(_, path)| RankFile::open(path)).collect();
    set.ranks = vec![RankTrace::Missing(About::default()); count];
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
fn check_ranks(set: &mut Set, by_rank: &mut Vec<(usize, PathBuf)>, wanted: Option<usize>) -> Result<usize> {
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
        set.faults.push(SetFault::new(Code::DamagedFile, format!("{surplus} files are of ranks beyond the {count} that the trace has; they are not read")));
        by_rank.retain(|(rank, _)| *rank < count);
    }
    let missing = count - by_rank.len();
    if missing > 0 {
        let first = by_rank.iter().enumerate().find(|(place, (rank, _))| place != rank).map_or(by_rank.len(), |(place, _)| place);
        let message = format!("{missing} of the {count} ranks have no file that can be read, first rank {first}");
        if missing > 1000 + by_rank.len() {
            return Err(Error::Trace(format!("{message}; bring the files of the trace together")));
        }
        set.faults.push(SetFault::new(Code::DamagedFile, message));
    }
    Ok(count)
}

/// Finds the texts of the ranks.
fn open_text(origin: &Origin) -> Result<Set> {
    let name = origin.path().map(name_of).unwrap_or_else(|_| "trace".to_string());
    let mut set = Set { name, ranks: vec![], faults: vec![] };
    if origin.folder().is_none() {
        let path = origin.path().map(Path::to_path_buf).unwrap_or_else(|_| PathBuf::from(&origin.name));
        set.ranks.push(RankTrace::Text(TextFile::open(&path, origin.clone())?));
        return Ok(set);
    }
    let mut by_rank = vec![];
    for path in origin.files()? {
        let file = Origin::open(&path)?;
        if file.bytes > 0 && Format::of(&file).is_ok_and(|format| format == Format::DumpiText) {
            by_rank.push((rank_in(&path).unwrap_or(by_rank.len()), path));
        }
    }
    by_rank.sort();
    let count = check_ranks(&mut set, &mut by_rank, None)?;
    set.ranks = vec![RankTrace::Missing(About::default()); count];
    for (rank, path) in by_rank {
        let origin = Origin::open(&path)?;
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

fn facts_of(trace: &RankTrace) -> RankFacts {
    let about = trace.about();
    RankFacts {
        file: trace.name(),
        host: if about.host == "<none>" { String::new() } else { about.host.clone() },
        counters: about.counters.clone(),
        addresses: about.addresses.iter().cloned().collect(),
    }
}

fn streams_of(set: &Set, surveys: &[Survey], offsets: &Offsets, window: usize) -> Result<Vec<Stream>> {
    let ranks = set.ranks.iter().zip(surveys).zip(&offsets.by_rank);
    ranks.map(|((trace, survey), offset)| Stream::new(trace, &survey.foresight, *offset, window)).collect()
}

/// Matches all messages to see which clocks are late.
fn measure_clocks(set: &Set, surveys: &[Survey], world: &World, window: usize, consume: &mut Consumer<'_>) -> Result<Offsets> {
    let none = Offsets { by_rank: vec![0; set.ranks.len()], is_exact: true };
    let mut merge = Merge::new(streams_of(set, surveys, &none, window)?, |moment: &Moment| moment.at)?;
    let mut leads = Leads::default();
    let mut numbers = HashMap::new();
    // Of each route the times of sends, or else of receives, that wait for the other.
    let mut sent: HashMap<Route, VecDeque<i64>> = HashMap::new();
    let mut received: HashMap<Route, VecDeque<i64>> = HashMap::new();
    let mut moments = 0_u64;
    while let Some((rank, moment)) = merge.next()? {
        moments += 1;
        if moments.is_multiple_of(MOMENTS) {
            pause(consume)?;
        }
        match moment.what {
            What::Send { comm, to, tag, .. } => {
                let Some(route) = world.sent(rank, comm, to, tag, &mut numbers) else { continue };
                match take(&mut received, route) {
                    Some(at) => leads.message(route.from, route.to, moment.at, at),
                    None => sent.entry(route).or_default().push_back(moment.at),
                }
            }
            What::Receive { channel, number, .. } => {
                let Some(route) = world.received(rank, channel, number) else { continue };
                match take(&mut sent, route) {
                    Some(at) => leads.message(route.from, route.to, at, moment.at),
                    None => received.entry(route).or_default().push_back(moment.at),
                }
            }
            _ => {}
        }
    }
    Ok(leads.offsets(set.ranks.len()))
}

fn take(waiting: &mut HashMap<Route, VecDeque<i64>>, route: Route) -> Option<i64> {
    let queue = waiting.get_mut(&route)?;
    let first = queue.pop_front();
    if queue.is_empty() {
        waiting.remove(&route);
    }
    first
}

/// What is known to be wrong before the trace is told.
fn faults_of(set: &Set, surveys: &[Survey], world: &World, offsets: &Offsets) -> Vec<SetFault> {
    let mut faults = vec![];
    for (rank, (trace, survey)) in set.ranks.iter().zip(surveys).enumerate() {
        let (name, about) = (trace.name(), trace.about());
        let told = about.faults.iter().map(|(byte, what)| SetFault { code: Code::DamagedFile, byte: *byte, message: format!("{name}: {what}") });
        faults.extend(told);
        if about.version.is_some_and(|version| version < [0, 6, 9]) {
            let message = format!("{name} was written by a library older than 0.6.9, whose records differ; some may be misread");
            faults.push(SetFault::new(Code::CountMismatch, message));
        }
        faults.extend(count_faults(&name, about.footer.as_deref(), survey));
        if survey.unknown_senders > 0 {
            let message = format!("{name}: {} messages were received from anyone or with any tag, and no status tells from whom; they have no link", survey.unknown_senders);
            faults.push(SetFault::new(Code::UnknownSender, message));
        }
        let offset = offsets.by_rank[rank];
        if offset > 0 {
            let message = format!(
                "the clock of rank {rank} was moved by {}.{:09} seconds: it received messages before they were sent",
                offset / SECOND,
                offset % SECOND
            );
            faults.push(SetFault::new(Code::ClockMoved, message));
        }
    }
    if !offsets.is_exact {
        let message = "the clocks drift: moving them does not put all messages right".to_string();
        faults.push(SetFault::new(Code::ClockMoved, message));
    }
    let unsolved = world.communicators.faults.iter().cloned();
    faults.extend(unsolved.map(|message| SetFault::new(Code::UnknownCommunicator, message)));
    faults
}

/// Compares the counts of the footer with the calls that were read.
fn count_faults(name: &str, footer: Option<&[u32]>, survey: &Survey) -> Vec<SetFault> {
    let Some(footer) = footer else { return vec![] };
    let calls = layouts().len().min(footer.len());
    let differs = |number: &usize| {
        let read = survey.counts.get(&Function(*number as u16)).copied().unwrap_or(0);
        read != u64::from(footer[*number])
    };
    let fault = |number: usize| {
        let function = Function(number as u16);
        let read = survey.counts.get(&function).copied().unwrap_or(0);
        let message = format!("{name}: the footer counts {} calls of {}, and {read} were read", footer[number], quote(function.name().as_bytes()));
        SetFault::new(Code::CountMismatch, message)
    };
    (0..calls).filter(differs).map(fault).collect()
}
