//! The arguments of `ocellus generate`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use ocellus_trace::synth::{FaultKind, ProgramShape};

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
    /// A program with one planted fault, by a simulation: who waits for whom follows from the cause
    Fault {
        /// What is wrong
        #[arg(long, default_value = "none", value_parser = fault_kinds())]
        kind: FaultKind,
        /// What the program is like
        #[arg(long, default_value = "stencil", value_parser = program_shapes())]
        shape: ProgramShape,
        /// Place, time, strength and noise follow from it
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Ranks of the program: a multiple of 4
        #[arg(long, value_name = "N", default_value_t = 32)]
        ranks: u32,
        /// Iterations of the program [default: 60, of a pipeline 200, with small_messages 20]
        #[arg(long, value_name = "N")]
        iterations: Option<u32>,
        /// Standard deviation of the logarithm of compute times
        #[arg(long, value_name = "X", default_value_t = 0.01)]
        noise: f64,
        /// How strong the fault is, in the unit of its kind; the seed chooses when not given
        #[arg(long, value_name = "X")]
        strength: Option<f64>,
        /// File for what was planted, as JSON
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        truth: Option<PathBuf>,
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

/// Reads the name of a fault.
fn fault_kinds() -> impl TypedValueParser<Value = FaultKind> {
    let named = |name: String| FaultKind::ALL.into_iter().find(|kind| kind.name() == name);
    PossibleValuesParser::new(FaultKind::ALL.map(FaultKind::name))
        .try_map(move |name| named(name).ok_or("no such fault"))
}

/// Reads the name of a shape.
fn program_shapes() -> impl TypedValueParser<Value = ProgramShape> {
    let named = |name: String| ProgramShape::ALL.into_iter().find(|shape| shape.name() == name);
    PossibleValuesParser::new(ProgramShape::ALL.map(ProgramShape::name))
        .try_map(move |name| named(name).ok_or("no such shape"))
}
