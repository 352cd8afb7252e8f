//! The arguments of `ocellus generate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

#[derive(Debug, Args)]
pub struct GenerateArguments {
    #[command(subcommand)]
    pub kind: TraceKind,
}

#[derive(Debug, Subcommand)]
pub enum TraceKind {
    /// A parallel program: ranks under machines and clusters with states, links and variables
    Mpi {
        /// Event lines to write
        #[arg(long, default_value_t = 100_000)]
        events: u64,
        /// Ranks of the program
        #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
        ranks: u32,
        /// The same seed gives the same trace
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// File to write; standard output when not given
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
    },
    /// A large hierarchy whose leaves share their time between two states, along a cosine
    Hierarchy {
        /// Containers of each level below one of the level above
        #[arg(long, default_value = "10x10x10x100")]
        shape: String,
        #[command(flatten)]
        hierarchy: HierarchyArguments,
    },
    /// Containers in two states that send messages: in a ring, all to all, from a master, in swaps
    Communication {
        /// Who sends to whom
        #[arg(long, value_enum, default_value_t = PatternName::Ring)]
        pattern: PatternName,
        /// How many containers each one hands work to, in a hierarchical star
        #[arg(long, value_name = "N", default_value_t = 2)]
        children: u64,
        /// Containers of each level below one of the level above; those of the last one communicate
        #[arg(long, default_value = "20")]
        shape: String,
        #[command(flatten)]
        hierarchy: HierarchyArguments,
    },
    /// Many containers in a deep hierarchy
    Containers {
        /// Containers to write
        #[arg(long, default_value_t = 10_000)]
        count: u64,
        /// The same seed gives the same trace
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// File to write; standard output when not given
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
    },
    /// A program in which some processes are disturbed for a moment
    Perturbation {
        /// Processes of the program
        #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
        processes: u32,
        /// Processes that are disturbed
        #[arg(long, default_value_t = 26)]
        disturbed: u32,
        /// The same seed gives the same trace
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// File to write; standard output when not given
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
    },
    /// A program on cabinets of eight ranks, of which one has a slow uplink for a moment
    Throttled {
        /// Cabinets: a power of two
        #[arg(long, default_value_t = 8)]
        cabinets: u32,
        /// The same seed gives the same trace
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// File to write; standard output when not given
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
    },
}

/// A hierarchy whose leaves share their time between two states.
#[derive(Debug, Args)]
pub struct HierarchyArguments {
    /// Seconds that the trace lasts
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    pub duration: f64,
    /// Where the cosine ends that gives each leaf its share of the first state
    #[arg(long, value_name = "X", default_value_t = 7.5)]
    pub cosine_end: f64,
    /// How often every leaf goes through its two states, and the pattern is repeated
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub rounds: u64,
    /// Percent of a round by which the share of a leaf may differ at random
    #[arg(long, value_name = "PERCENT", default_value_t = 0)]
    pub noise: u64,
    /// The same seed gives the same trace
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// File to write; standard output when not given
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// Who sends to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PatternName {
    Ring,
    Full,
    Star,
    HierarchicalStar,
    /// Image compositing: partners exchange half of what they have, stage by stage
    BinarySwap,
    /// The same for any number of containers
    TwoThreeSwap,
    /// Eight times a stencil with both neighbors, then a swap; --rounds says how often
    Pipeline,
}
