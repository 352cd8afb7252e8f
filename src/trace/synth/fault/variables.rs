//! What is measured on nodes: the memory in use, and what their ranks send to other nodes.
//!
//! Memory walks around its half; that of a node at its ceiling climbs there, stays, and falls back when the fault ends.

use super::layout::{MachinePart, RANKS_PER_NODE, share_a_node};
use super::noise::NoiseField;
use super::options::FaultKind;
use super::plan::FaultPlan;
use super::record::RunRecord;

/// Megabytes of a node.
pub(super) const MEMORY_CEILING: u64 = 16_384;
const SAMPLES: u64 = 100;

/// A value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeSample {
    pub(super) time: u64,
    pub(super) node: u32,
    pub(super) variable: NodeVariable,
    pub(super) value: u64,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeVariable {
    /// Megabytes.
    Memory,
    /// Megabytes in a second.
    Sending,
}

/// All samples of a run, in the order of time.
pub(super) fn samples(run: &RunRecord, plan: &FaultPlan, nodes: u32, noise: NoiseField) -> Vec<NodeSample> {
    let period = (run.end / SAMPLES).max(1);
    let mut sent = vec![0_u64; nodes as usize * (SAMPLES as usize + 1)];
    for message in run.messages.iter().filter(|message| !share_a_node(message.source, message.target)) {
        let sample = (message.sent / period).min(SAMPLES) as usize;
        sent[sample * nodes as usize + (message.source / RANKS_PER_NODE) as usize] += message.bytes;
    }
    let mut samples = vec![];
    let mut memory: Vec<u64> = (0..nodes).map(|_| MEMORY_CEILING / 2).collect();
    for sample in 0..SAMPLES {
        let time = sample * period;
        for node in 0..nodes {
            let used = &mut memory[node as usize];
            let mut random = noise.random([u64::from(node), sample, 7]);
            // A step of at most 128, with a pull to the middle.
            *used = (*used * 15 + MEMORY_CEILING / 2) / 16 + random.below(257) - 128;
            let value = ceiling(plan, node, time, run.end).map_or(*used, |climbed| climbed.max(*used));
            samples.push(NodeSample { time, node, variable: NodeVariable::Memory, value });
            let bytes = sent[sample as usize * nodes as usize + node as usize];
            samples.push(NodeSample { time, node, variable: NodeVariable::Sending, value: bytes * 1000 / period });
        }
    }
    samples
}

/// What the memory of a node is at least.
fn ceiling(plan: &FaultPlan, node: u32, time: u64, end: u64) -> Option<u64> {
    let strikes = plan.kind == FaultKind::MemoryCeiling && plan.part == MachinePart::Node(node);
    if !strikes || time >= plan.end {
        return None;
    }
    // It climbs for a tenth of the run.
    let climb = (end / 10).max(1);
    let missing = plan.start.saturating_sub(time).min(climb);
    Some(MEMORY_CEILING - MEMORY_CEILING / 2 * missing / climb)
}
