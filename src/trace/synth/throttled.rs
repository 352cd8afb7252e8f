//! A program on cabinets of eight ranks, of which one cabinet has a slow uplink for a moment.
//!
//! In: how many cabinets. Out: a trace of 192 steps with the names that SMPI writes. In each step a rank computes for about
//! a millisecond, sends a message to the rank whose number differs in one bit, and waits for that of the other.
//!
//! ```text
//!  rank       [ computing ][ PMPI_Wait ]      what leaves cabinet-1 from 0.1 to 0.15 s takes twenty times as long
//!                         └──────► the other, within the cabinet for three bits, else across
//! ```

#[cfg(test)]
mod tests;

use std::io::Write;

use super::header::HEADER;
use super::lines::TraceLines;
use super::random::RandomSource;
use crate::error::{Error, Result};

const PER_CABINET: u32 = 8;
const STEPS: u32 = 192;
/// Times are microseconds.
const THROTTLED_FROM: u64 = 100_000;
const THROTTLED_UNTIL: u64 = 150_000;
const THROTTLED_CABINET: u32 = 1;
const SLOWER: u64 = 20;
const BYTES: u64 = 16_384;

const DEFINITIONS: [&str; 10] = [
    "0 C 0 Cluster",
    "0 K C Cabinet",
    "0 P K Rank",
    "2 S P MPI_STATE",
    "4 L C P P MPI_LINK",
    "5 c S computing \"0.3 0.7 0.3\"",
    "5 r S PMPI_Irecv \"0.9 0.7 0.2\"",
    "5 s S PMPI_Send \"0.2 0.5 0.8\"",
    "5 w S PMPI_Wait \"0.8 0.2 0.2\"",
    "5 m L PTP \"0.5 0.5 0.5\"",
];

/// What to generate.
#[derive(Debug, Clone, Copy)]
pub struct ThrottledOptions {
    /// How many cabinets there are: a power of two, at least 2.
    pub cabinets: u32,
    /// Where the random numbers start.
    pub seed: u64,
}

/// What happens to a rank.
enum RankEvent {
    Begin(&'static str),
    End,
    /// With the number of the message.
    Send(u64),
    Receive(u64),
}

/// Writes the trace.
pub fn throttled(options: &ThrottledOptions, out: &mut dyn Write) -> Result<()> {
    let ThrottledOptions { cabinets, seed } = *options;
    if !(2..=1024).contains(&cabinets) || !cabinets.is_power_of_two() {
        return Err(Error::Usage(format!("cabinets must be a power of two from 2 to 1024, got {cabinets}")));
    }
    let ranks = cabinets * PER_CABINET;
    let (events, end) = run(ranks, seed);
    let mut lines = TraceLines::new(out);
    lines.text("# ocellus generate throttled: ").number(u64::from(cabinets)).text(" cabinets, seed ").number(seed);
    lines.text("\n").text(HEADER);
    for definition in DEFINITIONS {
        lines.text(definition).end()?;
    }
    lines.text("6 ").seconds(0).text(" cluster C 0 cluster").end()?;
    for rank in 0..ranks {
        let (cabinet, rank_number) = (u64::from(rank / PER_CABINET), u64::from(rank));
        if rank % PER_CABINET == 0 {
            lines.text("6 ").seconds(0).text(" k").number(cabinet).text(" K cluster cabinet-").number(cabinet).end()?;
        }
        lines.text("6 ").seconds(0).text(" p").number(rank_number).text(" P k").number(cabinet);
        lines.text(" rank-").number(rank_number).end()?;
    }
    for (time, rank, event) in events {
        let nanoseconds = time * 1000;
        match event {
            RankEvent::Begin(state) => {
                lines.text("12 ").seconds(nanoseconds).text(" S p").number(u64::from(rank)).text(" ").text(state)
            }
            RankEvent::End => lines.text("13 ").seconds(nanoseconds).text(" S p").number(u64::from(rank)),
            RankEvent::Send(number) => {
                lines.text("15 ").seconds(nanoseconds).text(" L cluster m p").number(u64::from(rank));
                lines.text(" k").number(number).text(" ").number(BYTES)
            }
            RankEvent::Receive(number) => {
                lines.text("16 ").seconds(nanoseconds).text(" L cluster m p").number(u64::from(rank));
                lines.text(" k").number(number)
            }
        };
        lines.end()?;
    }
    for rank in 0..ranks {
        lines.text("7 ").seconds(end * 1000).text(" P p").number(u64::from(rank)).end()?;
    }
    for cabinet in 0..cabinets {
        lines.text("7 ").seconds(end * 1000).text(" K k").number(u64::from(cabinet)).end()?;
    }
    lines.text("7 ").seconds(end * 1000).text(" C cluster").end()?;
    lines.flush()
}

/// The events of all ranks in the order of time, and when the last one ends.
fn run(ranks: u32, seed: u64) -> (Vec<(u64, u32, RankEvent)>, u64) {
    let mut random = RandomSource::new(seed);
    let mut events = vec![];
    let mut now = vec![0_u64; ranks as usize];
    for step in 0..STEPS {
        let bit = 1 << (step % ranks.ilog2());
        let mut sent = vec![];
        let mut arrives = vec![];
        for rank in 0..ranks {
            let ready = now[rank as usize] + 900 + random.below(200);
            let usual = 150 + random.below(100);
            let is_slow = rank / PER_CABINET == THROTTLED_CABINET
                && bit >= PER_CABINET
                && (THROTTLED_FROM..THROTTLED_UNTIL).contains(&ready);
            sent.push(ready);
            arrives.push(ready + if is_slow { usual * SLOWER } else { usual });
        }
        for rank in 0..ranks {
            let (begun, ready) = (now[rank as usize], sent[rank as usize]);
            let done = arrives[(rank ^ bit) as usize].max(ready + 1);
            let number = |rank: u32| u64::from(step) * u64::from(ranks) + u64::from(rank);
            let happens = [
                (begun, RankEvent::Begin("c")),
                (ready, RankEvent::End),
                (ready, RankEvent::Begin("r")),
                (ready, RankEvent::End),
                (ready, RankEvent::Begin("s")),
                (ready, RankEvent::Send(number(rank))),
                (ready, RankEvent::End),
                (ready, RankEvent::Begin("w")),
                (done, RankEvent::Receive(number(rank ^ bit))),
                (done, RankEvent::End),
            ];
            events.extend(happens.map(|(time, event)| (time, rank, event)));
            now[rank as usize] = done;
        }
    }
    // What happens at one time stays in the order of steps and ranks.
    events.sort_by_key(|(time, ..)| *time);
    (events, now.into_iter().max().unwrap_or(0))
}
