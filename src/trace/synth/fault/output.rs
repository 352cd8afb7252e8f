//! Writes a run as Pajé text, in the order of time.
//!
//! A node whose clock differs has its own times; of damaged lines, the end is missing.

use std::io::Write;

use super::layout::{NODES_PER_RACK, RANKS_PER_NODE, ROOT};
use super::noise::NoiseField;
use super::operations::names;
use super::options::{FaultKind, FaultOptions};
use super::plan::{FaultPlan, FaultVariant};
use super::record::RunRecord;
use super::variables::{NodeSample, NodeVariable};
use crate::error::Result;
use crate::synth::header::HEADER;
use crate::synth::lines::TraceLines;

const DEFINITIONS: [&str; 8] = [
    "0 M 0 Machine",
    "0 K M Rack",
    "0 N K Node",
    "0 P N Rank",
    "1 memory N memory \"0.9 0.5 0.1\"",
    "1 sending N sending \"0.1 0.5 0.9\"",
    "2 S P \"MPI state\"",
    "4 L M P P Message",
];

/// A line that has a time.
#[derive(Debug, Clone, Copy)]
enum TimedLine {
    Sample(NodeSample),
    Push { rank: u32, state: &'static str },
    Pop { rank: u32 },
    Send { rank: u32, key: usize, bytes: u64 },
    Receive { rank: u32, key: usize },
}

/// Writes the trace.
pub(super) fn write(
    options: &FaultOptions,
    plan: &FaultPlan,
    run: &RunRecord,
    samples: &[NodeSample],
    noise: NoiseField,
    out: &mut dyn Write,
) -> Result<()> {
    let lines = timed_lines(plan, run, samples);
    let end = lines.last().map_or(run.end, |(time, _)| run.end.max(*time));
    let mut writer = TraceLines::new(out);
    begin(options, &mut writer)?;
    for (number, (time, line)) in (0..).zip(lines) {
        let is_damaged = is_damaged(plan, noise, number);
        write_line(&mut writer, time, line, is_damaged)?;
    }
    finish(options.ranks, end, &mut writer)
}

/// All lines in the order of their times: those of one rank at one time stay in their order.
fn timed_lines(plan: &FaultPlan, run: &RunRecord, samples: &[NodeSample]) -> Vec<(u64, TimedLine)> {
    let clock = |rank: u32, time: u64| time + plan.clock_offset(rank);
    let mut lines: Vec<(u64, TimedLine)> =
        samples.iter().map(|sample| (sample.time, TimedLine::Sample(*sample))).collect();
    for span in &run.spans {
        lines.push((clock(span.rank, span.start), TimedLine::Push { rank: span.rank, state: span.state }));
        lines.push((clock(span.rank, span.end), TimedLine::Pop { rank: span.rank }));
    }
    for (key, message) in run.messages.iter().enumerate() {
        let (source, target, bytes) = (message.source, message.target, message.bytes);
        lines.push((clock(source, message.sent), TimedLine::Send { rank: source, key, bytes }));
        lines.push((clock(target, message.received), TimedLine::Receive { rank: target, key }));
    }
    lines.sort_by_key(|(time, _)| *time);
    lines
}

fn begin(options: &FaultOptions, writer: &mut TraceLines<'_>) -> Result<()> {
    writer.text("# ocellus generate fault: ").text(options.kind.name()).text(", ").text(options.shape.name());
    writer.text(", ").number(u64::from(options.ranks)).text(" ranks, seed ").number(options.seed).text("\n");
    writer.text(HEADER);
    for definition in DEFINITIONS {
        writer.text(definition).end()?;
    }
    for (name, color) in names::ALL {
        writer.text("5 ").text(name).text(" S ").text(name).text(" \"").text(color).text("\"").end()?;
    }
    writer.text("5 m L message \"0.4 0.4 0.4\"").end()?;
    writer.text("6 ").seconds(0).text(" machine M 0 ").text(ROOT).end()?;
    for rank in 0..options.ranks {
        let node = rank / RANKS_PER_NODE;
        let rack = u64::from(node / NODES_PER_RACK);
        if rank % (RANKS_PER_NODE * NODES_PER_RACK) == 0 {
            writer.text("6 ").seconds(0).text(" k").number(rack).text(" K machine rack-").number(rack).end()?;
        }
        let node = u64::from(node);
        if rank % RANKS_PER_NODE == 0 {
            writer.text("6 ").seconds(0).text(" n").number(node).text(" N k").number(rack);
            writer.text(" node-").number(node).end()?;
        }
        let rank = u64::from(rank);
        writer.text("6 ").seconds(0).text(" p").number(rank).text(" P n").number(node);
        writer.text(" rank-").number(rank).end()?;
    }
    Ok(())
}

/// Writes one line; a damaged one breaks off after its time.
fn write_line(writer: &mut TraceLines<'_>, time: u64, line: TimedLine, is_damaged: bool) -> Result<()> {
    let event = match line {
        TimedLine::Sample(_) => "8 ",
        TimedLine::Push { .. } => "12 ",
        TimedLine::Pop { .. } => "13 ",
        TimedLine::Send { .. } => "15 ",
        TimedLine::Receive { .. } => "16 ",
    };
    writer.text(event).seconds(time);
    if is_damaged {
        return writer.end();
    }
    match line {
        TimedLine::Sample(sample) => {
            let variable = match sample.variable {
                NodeVariable::Memory => " memory n",
                NodeVariable::Sending => " sending n",
            };
            writer.text(variable).number(u64::from(sample.node)).text(" ").number(sample.value)
        }
        TimedLine::Push { rank, state } => writer.text(" S p").number(u64::from(rank)).text(" ").text(state),
        TimedLine::Pop { rank } => writer.text(" S p").number(u64::from(rank)),
        TimedLine::Send { rank, key, bytes } => {
            writer.text(" L machine m p").number(u64::from(rank)).text(" ").number(key as u64).text(" ").number(bytes)
        }
        TimedLine::Receive { rank, key } => {
            writer.text(" L machine m p").number(u64::from(rank)).text(" ").number(key as u64)
        }
    };
    writer.end()
}

fn finish(ranks: u32, end: u64, writer: &mut TraceLines<'_>) -> Result<()> {
    for rank in 0..u64::from(ranks) {
        writer.text("7 ").seconds(end).text(" P p").number(rank).end()?;
    }
    let nodes = ranks / RANKS_PER_NODE;
    for node in 0..u64::from(nodes) {
        writer.text("7 ").seconds(end).text(" N n").number(node).end()?;
    }
    for rack in 0..u64::from(nodes.div_ceil(NODES_PER_RACK)) {
        writer.text("7 ").seconds(end).text(" K k").number(rack).end()?;
    }
    writer.text("7 ").seconds(end).text(" M machine").end()?;
    writer.flush()
}

fn is_damaged(plan: &FaultPlan, noise: NoiseField, number: u64) -> bool {
    plan.kind == FaultKind::TraceQuality
        && plan.variant == FaultVariant::First
        && noise.random([number, 0, 11]).below(1000) < plan.strength
}
