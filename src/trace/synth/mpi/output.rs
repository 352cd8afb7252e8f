//! The lines of a generated MPI program, one function per kind of line.
//!
//! In: instants, ranks and values. Out: Pajé text. Containers: site, clusters, machines, ranks.

use std::io::Write;

use super::options::MpiOptions;
use crate::error::Result;
use crate::synth::header::HEADER;
use crate::synth::lines::TraceLines;

pub(super) const RANKS_PER_MACHINE: u32 = 8;
const MACHINES_PER_CLUSTER: u32 = 4;

const DEFINITIONS: [&str; 18] = [
    "0 Site 0 Site",
    "0 Cluster Site Cluster",
    "0 Machine Cluster Machine",
    "0 Rank Machine Rank",
    "2 S Rank \"MPI state\"",
    "3 I Rank Iteration",
    "1 M Rank memory \"0.3 0.5 0.8\"",
    "1 P Machine power \"0.9 0.3 0.2\"",
    "4 L Site Rank Rank Message",
    "5 1 S compute \"0.2 0.7 0.3\"",
    "5 2 S kernel \"0.1 0.5 0.6\"",
    "5 3 S MPI_Send \"0.9 0.5 0.1\"",
    "5 4 S MPI_Isend \"0.9 0.7 0.3\"",
    "5 5 S MPI_Recv \"0.8 0.2 0.2\"",
    "5 6 S MPI_Wait \"0.6 0.2 0.6\"",
    "5 7 S MPI_Allreduce \"0.4 0.2 0.7\"",
    "5 p2p L p2p \"0.5 0.5 0.5\"",
    "5 go I start \"0.0 0.0 0.0\"",
];

/// The states of a rank; their numbers are the aliases of [`DEFINITIONS`].
#[derive(Debug, Clone, Copy)]
pub(super) enum RankStateValue {
    Compute,
    Kernel,
    Send,
    Isend,
    Recv,
    Wait,
    Allreduce,
}

impl RankStateValue {
    /// The end of a line that names the value.
    fn alias(self) -> &'static str {
        match self {
            RankStateValue::Compute => " 1",
            RankStateValue::Kernel => " 2",
            RankStateValue::Send => " 3",
            RankStateValue::Isend => " 4",
            RankStateValue::Recv => " 5",
            RankStateValue::Wait => " 6",
            RankStateValue::Allreduce => " 7",
        }
    }
}

pub(super) fn machines(ranks: u32) -> u32 {
    ranks.div_ceil(RANKS_PER_MACHINE)
}

fn clusters(ranks: u32) -> u32 {
    machines(ranks).div_ceil(MACHINES_PER_CLUSTER)
}

pub(super) struct Output<'a> {
    lines: TraceLines<'a>,
    ranks: u32,
}

impl<'a> Output<'a> {
    pub(super) fn new(ranks: u32, out: &'a mut dyn Write) -> Output<'a> {
        Output { lines: TraceLines::new(out), ranks }
    }

    /// Lines of every trace with that many ranks: definitions, containers twice, first values.
    pub(super) fn fixed_lines(ranks: u32) -> u64 {
        let (ranks, machines, clusters) = (u64::from(ranks), u64::from(machines(ranks)), u64::from(clusters(ranks)));
        DEFINITIONS.len() as u64 + 2 * (1 + clusters + machines + ranks) + machines + ranks
    }

    /// Writes the header, the types and values, the containers, and the first values of variables.
    pub(super) fn begin(&mut self, options: &MpiOptions) -> Result<()> {
        self.lines.text("# ocellus generate mpi: ").number(options.events).text(" events, ");
        self.lines.number(u64::from(options.ranks)).text(" ranks, seed ").number(options.seed);
        self.lines.text("\n").text(HEADER);
        for definition in DEFINITIONS {
            self.lines.text(definition).end()?;
        }
        self.lines.text("6 ").seconds(0).text(" site Site 0 site").end()?;
        for cluster in 0..clusters(self.ranks) {
            self.lines.text("6 ").seconds(0).text(" c").number(u64::from(cluster));
            self.lines.text(" Cluster site cluster-").number(u64::from(cluster)).end()?;
        }
        for machine in 0..machines(self.ranks) {
            self.lines.text("6 ").seconds(0).text(" m").number(u64::from(machine));
            self.lines.text(" Machine c").number(u64::from(machine / MACHINES_PER_CLUSTER));
            self.lines.text(" machine-").number(u64::from(machine)).end()?;
            self.power(0, machine, 100)?;
        }
        for rank in 0..self.ranks {
            self.lines.text("6 ").seconds(0).text(" rank").number(u64::from(rank));
            self.lines.text(" Rank m").number(u64::from(rank / RANKS_PER_MACHINE));
            self.lines.text(" rank-").number(u64::from(rank)).end()?;
            self.variable("8 ", 0, rank, 0)?;
        }
        Ok(())
    }

    /// Destroys all containers, children first, and writes out the last block.
    pub(super) fn finish(&mut self, end: u64) -> Result<()> {
        let ranks = self.ranks;
        for (kind, count) in [(" Rank rank", ranks), (" Machine m", machines(ranks)), (" Cluster c", clusters(ranks))] {
            for number in 0..count {
                self.lines.text("7 ").seconds(end).text(kind).number(u64::from(number)).end()?;
            }
        }
        self.lines.text("7 ").seconds(end).text(" Site site").end()?;
        self.lines.flush()
    }

    #[inline]
    pub(super) fn push_state(&mut self, now: u64, rank: u32, value: RankStateValue) -> Result<()> {
        self.lines.text("12 ").seconds(now).text(" S rank").number(u64::from(rank));
        self.lines.text(value.alias()).end()
    }

    #[inline]
    pub(super) fn pop_state(&mut self, now: u64, rank: u32) -> Result<()> {
        self.lines.text("13 ").seconds(now).text(" S rank").number(u64::from(rank)).end()
    }

    pub(super) fn iteration(&mut self, now: u64, rank: u32) -> Result<()> {
        self.lines.text("17 ").seconds(now).text(" I rank").number(u64::from(rank));
        self.lines.text(" go").end()
    }

    pub(super) fn power(&mut self, now: u64, machine: u32, watts: u64) -> Result<()> {
        self.lines.text("8 ").seconds(now).text(" P m").number(u64::from(machine));
        self.lines.text(" ").number(watts).end()
    }

    pub(super) fn add_memory(&mut self, now: u64, rank: u32, change: u64) -> Result<()> {
        self.variable("9 ", now, rank, change)
    }

    pub(super) fn sub_memory(&mut self, now: u64, rank: u32, change: u64) -> Result<()> {
        self.variable("10 ", now, rank, change)
    }

    fn variable(&mut self, event: &str, now: u64, rank: u32, value: u64) -> Result<()> {
        self.lines.text(event).seconds(now).text(" M rank").number(u64::from(rank));
        self.lines.text(" ").number(value).end()
    }

    pub(super) fn start_link(&mut self, now: u64, source: u32, target: u32, sequence: u32, bytes: u64) -> Result<()> {
        self.lines.text("15 ").seconds(now).text(" L site p2p rank").number(u64::from(source));
        self.key(source, target, sequence);
        self.lines.text(" ").number(bytes).end()
    }

    pub(super) fn end_link(&mut self, now: u64, source: u32, target: u32, sequence: u32) -> Result<()> {
        self.lines.text("16 ").seconds(now).text(" L site p2p rank").number(u64::from(target));
        self.key(source, target, sequence);
        self.lines.end()
    }

    fn key(&mut self, source: u32, target: u32, sequence: u32) {
        self.lines.text(" ").number(u64::from(source)).text("_").number(u64::from(target));
        self.lines.text("_").number(u64::from(sequence));
    }
}
