//! A hierarchy whose leaves share their time between two states along a cosine.
//!
//! ```text
//!  leaf        0         1         2   …         n
//!  angle       0 ─────────────────────────────► end of the cosine
//!  State-0     (1 + cos(angle)) / 2 of the time, and State-1 the rest
//!
//!  round       |  0000011  |  0000011  |         the same shares in every round, unless there is noise
//! ```
//! In: how many containers each level has, and how long it all lasts. Out: the lines of containers and
//! states in the order of time. Memory holds one change of state per leaf.

use std::io::Write;

use super::cosine::{BITS, ONE, cosine};
use super::header::HEADER;
use super::lines::TraceLines;
use super::random::RandomSource;
use crate::error::{Error, Result};

/// More leaves than this are refused: each takes sixteen bytes of memory.
const MOST_LEAVES: u64 = 100_000_000;
const MOST_LEVELS: usize = 16;
/// Names of the lowest levels.
const NAMES: [&str; 4] = ["Site", "Cluster", "Machine", "Processor"];

/// What the hierarchy looks like, and how its leaves spend their time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyOptions {
    /// Containers of each level below one of the level above; the root has the first ones.
    pub shape: Vec<u64>,
    /// Length of the trace in nanoseconds.
    pub duration: u64,
    /// Where the cosine ends, in millionths.
    pub cosine_end: u64,
    /// How often every leaf goes through its two states.
    pub rounds: u64,
    /// By how many percent of a round a share may differ at random.
    pub noise: u64,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for HierarchyOptions {
    fn default() -> HierarchyOptions {
        HierarchyOptions {
            shape: vec![10, 10, 10, 100],
            duration: 20_000_000_000,
            cosine_end: 7_500_000,
            rounds: 1,
            noise: 0,
            seed: 1,
        }
    }
}

impl HierarchyOptions {
    fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::Usage(message));
        if self.shape.is_empty() || self.shape.len() > MOST_LEVELS || self.shape.contains(&0) {
            let shape = self.shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
            return refuse(format!("a shape has 1 to {MOST_LEVELS} levels of at least 1 container, got '{shape}'"));
        }
        let leaves = self.shape.iter().try_fold(1_u64, |product, count| product.checked_mul(*count));
        if leaves.is_none_or(|leaves| leaves > MOST_LEAVES) {
            return refuse(format!("a hierarchy has at most {MOST_LEAVES} leaves"));
        }
        if self.cosine_end > 1_000_000_000 {
            return refuse("the cosine ends at 1000 at most".to_string());
        }
        if self.noise > 100 {
            return refuse(format!("the noise is between 0 and 100 percent, got {}", self.noise));
        }
        if self.rounds == 0 || self.duration < self.rounds || self.duration > 1 << 60 {
            return refuse("there is at least one round, and each lasts at least a nanosecond".to_string());
        }
        Ok(())
    }
}

/// Writes the containers and states; what else happens is written between its steps.
pub(super) struct Stage<'a> {
    pub(super) lines: TraceLines<'a>,
    pub(super) random: RandomSource,
    pub(super) leaves: u64,
    options: HierarchyOptions,
    names: Vec<String>,
    /// When each leaf goes from its first state to its second, in this round; sorted.
    changes: Vec<(u64, u64)>,
    written: usize,
}

impl<'a> Stage<'a> {
    pub(super) fn new(options: &HierarchyOptions, out: &'a mut dyn Write) -> Result<Stage<'a>> {
        options.check()?;
        Ok(Stage {
            lines: TraceLines::new(out),
            random: RandomSource::new(options.seed),
            leaves: options.shape.iter().product(),
            names: names(options.shape.len()),
            options: options.clone(),
            changes: vec![],
            written: 0,
        })
    }

    /// Name of the type of leaves.
    pub(super) fn leaf_type(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// Writes the header, the types and values, and all containers; `title` is a comment.
    pub(super) fn begin(&mut self, title: &str, definitions: &[String]) -> Result<()> {
        self.lines.text("# ocellus generate ").text(title).text("\n").text(HEADER);
        self.lines.text("0 Grid 0 Grid").end()?;
        let mut parent = "Grid";
        for name in &self.names {
            self.lines.text("0 ").text(name).text(" ").text(parent).text(" ").text(name).end()?;
            parent = name;
        }
        self.lines.text("2 S ").text(parent).text(" State").end()?;
        self.lines.text("5 0 S State-0 \"0.2 0.6 0.8\"").end()?;
        self.lines.text("5 1 S State-1 \"0.9 0.6 0.2\"").end()?;
        for definition in definitions {
            self.lines.text(definition).end()?;
        }
        self.lines.text("6 ").seconds(0).text(" grid Grid 0 grid").end()?;
        for level in 0..self.names.len() {
            self.create_level(level)?;
        }
        Ok(())
    }

    fn count(&self, level: usize) -> u64 {
        self.options.shape.iter().take(level + 1).product()
    }

    fn create_level(&mut self, level: usize) -> Result<()> {
        let prefix = format!(" {}-", self.names[level].to_lowercase());
        let kind = format!(" {} ", self.names[level]);
        for index in 0..self.count(level) {
            self.lines.text("6 ").seconds(0).text(" ");
            self.alias(level, index);
            self.lines.text(&kind);
            match level.checked_sub(1) {
                None => self.lines.text("grid"),
                Some(above) => {
                    self.alias(above, index / self.options.shape[level]);
                    &mut self.lines
                }
            };
            self.lines.text(&prefix).number(index).end()?;
        }
        Ok(())
    }

    fn alias(&mut self, level: usize, index: u64) {
        self.lines.text(&"abcdefghijklmnop"[level..=level]).number(index);
    }

    /// The alias of a leaf.
    pub(super) fn leaf(&mut self, index: u64) {
        self.alias(self.options.shape.len() - 1, index);
    }

    /// When a round starts; the last one ends where the next would start.
    pub(super) fn round_start(&self, round: u64) -> u64 {
        (u128::from(self.options.duration) * u128::from(round) / u128::from(self.options.rounds)) as u64
    }

    /// Enters the first state of every leaf.
    pub(super) fn begin_round(&mut self, round: u64) -> Result<()> {
        let (start, end) = (self.round_start(round), self.round_start(round + 1));
        self.changes.clear();
        self.written = 0;
        for leaf in 0..self.leaves {
            let change = start + self.first_state(leaf, end - start);
            self.push(start, leaf, if change == start { " 1" } else { " 0" })?;
            if start < change && change < end {
                self.changes.push((change, leaf));
            }
        }
        self.changes.sort_unstable();
        Ok(())
    }

    /// Nanoseconds that a leaf spends in its first state, out of those of a round.
    fn first_state(&mut self, leaf: u64, length: u64) -> u64 {
        let angle = i128::from(self.options.cosine_end) * i128::from(leaf);
        let angle = (angle << BITS) / (i128::from(self.leaves) * 1_000_000);
        let share = i128::from(ONE) + i128::from(cosine(angle));
        let exact = (i128::from(length) * share + i128::from(ONE)) >> (BITS + 1);
        if self.options.noise == 0 {
            return exact as u64;
        }
        let deviation = i128::from(self.random.below(2001)) - 1000;
        let noisy = exact + i128::from(length) * i128::from(self.options.noise) * deviation / 100_000;
        noisy.clamp(0, i128::from(length)) as u64
    }

    /// Writes the changes of state up to an instant, itself included.
    pub(super) fn advance(&mut self, until: u64) -> Result<()> {
        while let Some((time, leaf)) = self.changes.get(self.written).copied()
            && time <= until
        {
            self.pop(time, leaf)?;
            self.push(time, leaf, " 1")?;
            self.written += 1;
        }
        Ok(())
    }

    /// Writes what is left of a round, and leaves the states.
    pub(super) fn end_round(&mut self, round: u64) -> Result<()> {
        let end = self.round_start(round + 1);
        self.advance(end)?;
        (0..self.leaves).try_for_each(|leaf| self.pop(end, leaf))
    }

    /// Destroys all containers, children first, and writes out the last block.
    pub(super) fn finish(&mut self) -> Result<()> {
        let end = self.options.duration;
        for level in (0..self.names.len()).rev() {
            let kind = format!(" {} ", self.names[level]);
            for index in 0..self.count(level) {
                self.lines.text("7 ").seconds(end).text(&kind);
                self.alias(level, index);
                self.lines.end()?;
            }
        }
        self.lines.text("7 ").seconds(end).text(" Grid grid").end()?;
        self.lines.flush()
    }

    fn push(&mut self, time: u64, leaf: u64, value: &str) -> Result<()> {
        self.lines.text("12 ").seconds(time).text(" S ");
        self.leaf(leaf);
        self.lines.text(value).end()
    }

    fn pop(&mut self, time: u64, leaf: u64) -> Result<()> {
        self.lines.text("13 ").seconds(time).text(" S ");
        self.leaf(leaf);
        self.lines.end()
    }
}

/// The names of that many levels: the lowest are those of a grid, those above have a number.
fn names(levels: usize) -> Vec<String> {
    let named = NAMES.len().min(levels);
    let above = (0..levels - named).map(|level| format!("Level{level}"));
    above.chain(NAMES[NAMES.len() - named..].iter().map(|name| name.to_string())).collect()
}
