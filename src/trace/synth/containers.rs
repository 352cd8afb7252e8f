//! A trace that is mostly containers: a grid of clusters of machines of processes.
//!
//! In: how many containers. Out: a trace with exactly that many, created depth first, each process
//! with one state and each machine with one value of a variable, all destroyed at the end.

#[cfg(test)]
mod tests;

use std::io::Write;

use super::header::HEADER;
use super::lines::TraceLines;
use super::random::RandomSource;
use crate::error::{Error, Result};

/// Containers of a machine: itself and its processes.
const MACHINE: u64 = 1 + 15;
/// Containers of a cluster: itself and its machines.
const CLUSTER: u64 = 1 + 62 * MACHINE;

const DEFINITIONS: [&str; 8] = [
    "0 G 0 Grid",
    "0 C G Cluster",
    "0 M C Machine",
    "0 P M Process",
    "1 load M load \"0.2 0.6 0.9\"",
    "2 S P State",
    "5 run S running \"0.1 0.7 0.2\"",
    "5 wait S waiting \"0.8 0.2 0.1\"",
];

/// Where a container stands in the tree, worked out from its number alone.
enum ContainerPlace {
    Grid,
    Cluster,
    Machine { cluster: u64 },
    Process { machine: u64 },
}

/// Writes a trace with `count` containers.
pub fn containers(count: u64, seed: u64, out: &mut dyn Write) -> Result<()> {
    if count == 0 {
        return Err(Error::Usage("a trace has at least 1 container, got 0".to_string()));
    }
    let mut random = RandomSource::new(seed);
    let mut lines = TraceLines::new(out);
    lines.text("# ocellus generate containers: ").number(count);
    lines.text(" containers, seed ").number(seed).text("\n").text(HEADER);
    for definition in DEFINITIONS {
        lines.text(definition).end()?;
    }
    let mut now = 0;
    for number in 0..count {
        now += 1 + random.below(2000);
        create(&mut lines, number, now)?;
        now = live(&mut lines, number, now, &mut random)?;
    }
    // Children come after their parents, so that the way back meets them first.
    for number in (0..count).rev() {
        now += 1;
        let (kind, alias) = alias_of(number);
        lines.text("7 ").seconds(now).text(kind).text(alias).number(number).end()?;
    }
    lines.flush()
}

fn place(number: u64) -> ContainerPlace {
    if number == 0 {
        return ContainerPlace::Grid;
    }
    let within_cluster = (number - 1) % CLUSTER;
    let cluster = number - within_cluster;
    if within_cluster == 0 {
        return ContainerPlace::Cluster;
    }
    let within_machine = (within_cluster - 1) % MACHINE;
    match within_machine {
        0 => ContainerPlace::Machine { cluster },
        _ => ContainerPlace::Process { machine: number - within_machine },
    }
}

/// The type's alias between spaces, and the first letter of the container's alias.
fn alias_of(number: u64) -> (&'static str, &'static str) {
    match place(number) {
        ContainerPlace::Grid => (" G ", "g"),
        ContainerPlace::Cluster => (" C ", "c"),
        ContainerPlace::Machine { .. } => (" M ", "m"),
        ContainerPlace::Process { .. } => (" P ", "p"),
    }
}

fn create(lines: &mut TraceLines<'_>, number: u64, now: u64) -> Result<()> {
    let (kind, alias) = alias_of(number);
    lines.text("6 ").seconds(now).text(" ").text(alias).number(number).text(kind);
    match place(number) {
        ContainerPlace::Grid => lines.text("0 grid-"),
        ContainerPlace::Cluster => lines.text("g0 cluster-"),
        ContainerPlace::Machine { cluster } => lines.text("c").number(cluster).text(" machine-"),
        ContainerPlace::Process { machine } => lines.text("m").number(machine).text(" process-"),
    };
    lines.number(number).end()
}

/// Writes the few events of a container; gives the time of the last.
fn live(lines: &mut TraceLines<'_>, number: u64, now: u64, random: &mut RandomSource) -> Result<u64> {
    match place(number) {
        ContainerPlace::Grid | ContainerPlace::Cluster => Ok(now),
        ContainerPlace::Machine { .. } => {
            lines.text("8 ").seconds(now).text(" load m").number(number);
            lines.text(" ").number(random.below(100)).end()?;
            Ok(now)
        }
        ContainerPlace::Process { .. } => {
            let value = if random.percent(70) { " run" } else { " wait" };
            lines.text("12 ").seconds(now).text(" S p").number(number).text(value).end()?;
            let end = now + 1 + random.below(1000);
            lines.text("13 ").seconds(end).text(" S p").number(number).end()?;
            Ok(end)
        }
    }
}
