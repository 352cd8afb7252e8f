//! Containers that send messages in a pattern: ring, full, star, hierarchical star, swap, pipeline.
//!
//! ```text
//!  ring   0 ► 1 ► 2 ► 0        one message after the other
//!  full   i ► i+1, i ► i+2 …   every container to every other, all at once
//!  star   0 ► i, then i ► 0    a master hands out work and gets the results back
//!  hierarchical star           the same down a tree and up again, level by level
//!  swap                        stages of image compositing, see [`super::swap`]
//!  pipeline                    eight times to both neighbors on a ring, a stencil; then a whole swap
//! ```
//! A round consists of slots; the messages of a slot start and end within it, so that what a later
//! slot sends was received before. In: [`CommunicationOptions`]. Out: a trace in the order of time with
//! the containers and states of a hierarchy, and links between its leaves. Memory holds one slot.

#[cfg(test)]
mod tests;

use std::io::Write;

use super::stage::{HierarchyOptions, Stage};
use super::swap;
use crate::error::{Error, Result};

/// Who sends to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Each to the next one, the last to the first.
    Ring,
    /// Each to all others.
    Full,
    /// One to all others, and back.
    Star,
    /// As a star, down a tree and up again.
    HierarchicalStar {
        /// How many containers each one hands work to.
        children: u64,
    },
    /// A swap of a number of containers that is a power of two.
    BinarySwap,
    /// A swap of groups of two and three.
    TwoThreeSwap,
    /// Several exchanges with both neighbors on a ring, then a whole swap.
    Pipeline,
}

/// What the trace looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommunicationOptions {
    /// The containers.
    pub hierarchy: HierarchyOptions,
    /// Who sends to whom.
    pub pattern: Pattern,
}

/// Shortest slot, in nanoseconds: its messages must find room in it.
const SHORTEST_SLOT: u64 = 4;
/// Rounds of the stencil in a pipeline, before the swap.
const STENCILS: u64 = 8;
/// Bytes that neighbors of the stencil exchange.
const STENCIL_BYTES: u64 = 1 << 16;

/// Writes the trace of communicating containers.
pub fn communication(options: &CommunicationOptions, out: &mut dyn Write) -> Result<()> {
    let hierarchy = &options.hierarchy;
    let mut stage = Stage::new(hierarchy, out)?;
    let slots = slots(options.pattern, stage.leaves)?;
    let stages = match options.pattern {
        Pattern::BinarySwap | Pattern::TwoThreeSwap | Pattern::Pipeline => swap::stages(stage.leaves),
        _ => vec![],
    };
    let parts = if options.pattern == Pattern::Pipeline { 2 * stages.len().max(1) as u64 } else { 1 };
    if slots.saturating_mul(parts * SHORTEST_SLOT) > hierarchy.duration / hierarchy.rounds {
        return Err(Error::Usage(format!("{slots} messages one after the other need a longer round")));
    }
    let kind = stage.leaf_type();
    let definitions = [format!("4 L Grid {kind} {kind} Message"), "5 m L message \"0.4 0.4 0.4\"".to_string()];
    stage.begin(&format!("communication: {} leaves, seed {}", stage.leaves, hierarchy.seed), &definitions)?;
    let mut wire = MessageWire::default();
    for round in 0..hierarchy.rounds {
        stage.begin_round(round)?;
        let start = stage.round_start(round);
        let length = stage.round_start(round + 1) - start;
        for slot in 0..slots {
            let at = |slot: u64| start + (u128::from(length) * u128::from(slot) / u128::from(slots)) as u64;
            let (from, length) = (at(slot), at(slot + 1) - at(slot));
            match options.pattern {
                Pattern::BinarySwap | Pattern::TwoThreeSwap => {
                    wire.plan(&stages[slot as usize]);
                    wire.send(&mut stage, from, length)?;
                }
                // The stages of the swap share the first half of a slot, so that phases stay apart.
                Pattern::Pipeline if slot == STENCILS => {
                    for (place, messages) in (0..).zip(&stages) {
                        wire.plan(messages);
                        wire.send(&mut stage, from + length * place / parts, length / parts)?;
                    }
                }
                pattern => {
                    wire.messages.clear();
                    messages(pattern, stage.leaves, slot, &mut wire.messages);
                    wire.send(&mut stage, from, length)?;
                }
            }
        }
        stage.end_round(round)?;
    }
    stage.finish()
}

/// How many slots a round has.
fn slots(pattern: Pattern, leaves: u64) -> Result<u64> {
    Ok(match pattern {
        _ if leaves == 1 => 0,
        Pattern::Ring => leaves,
        Pattern::Full => leaves - 1,
        Pattern::Star => 2,
        Pattern::HierarchicalStar { children: 0 } => {
            return Err(Error::Usage("a hierarchical star has at least 1 child per container, got 0".to_string()));
        }
        Pattern::HierarchicalStar { children } => 2 * (tree_level(leaves - 1, children)),
        Pattern::BinarySwap if !leaves.is_power_of_two() => {
            return Err(Error::Usage(format!(
                "binary swap takes a power of two, got {leaves}; two-three-swap takes any number"
            )));
        }
        Pattern::BinarySwap | Pattern::TwoThreeSwap => swap::stage_count(leaves),
        Pattern::Pipeline => STENCILS + 1,
    })
}

/// The level of a container in the tree of the hierarchical star; the root has 0.
fn tree_level(mut leaf: u64, children: u64) -> u64 {
    let mut level = 0;
    while leaf > 0 {
        leaf = (leaf - 1) / children;
        level += 1;
    }
    level
}

/// A message to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlannedMessage {
    source: u64,
    target: u64,
    /// `None` for any size.
    bytes: Option<u64>,
}

/// The messages of a slot.
fn messages(pattern: Pattern, leaves: u64, slot: u64, messages: &mut Vec<PlannedMessage>) {
    let mut send = |source: u64, target: u64| messages.push(PlannedMessage { source, target, bytes: None });
    match pattern {
        Pattern::Ring => send(slot, (slot + 1) % leaves),
        Pattern::Full => (0..leaves).for_each(|leaf| send(leaf, (leaf + slot + 1) % leaves)),
        Pattern::Star => (1..leaves).for_each(|leaf| if slot == 0 { send(0, leaf) } else { send(leaf, 0) }),
        Pattern::HierarchicalStar { children } => {
            let levels = tree_level(leaves - 1, children);
            let is_down = slot < levels;
            let level = if is_down { slot + 1 } else { 2 * levels - slot };
            // A level is numbered without gaps, from the first child of the first of the level above.
            let first = (1..level).fold(1_u64, |first, _| first * children + 1);
            let last = first.saturating_mul(children).min(leaves - 1);
            for leaf in first..=last {
                let parent = (leaf - 1) / children;
                if is_down { send(parent, leaf) } else { send(leaf, parent) }
            }
        }
        Pattern::Pipeline => {
            let ring = alternating_ring(leaves);
            let at = |place: usize| ring[place % ring.len()];
            for (place, source) in ring.iter().copied().enumerate() {
                let sides = [at(place + ring.len() - 1), at(place + 1)];
                // Two containers have one neighbor.
                let sides = if leaves == 2 { &sides[1..] } else { &sides[..] };
                let bytes = Some(STENCIL_BYTES);
                messages.extend(sides.iter().map(|target| PlannedMessage { source, target: *target, bytes }));
            }
        }
        // Their stages are known from the start.
        Pattern::BinarySwap | Pattern::TwoThreeSwap => {}
    }
}

/// A ring on which containers of the first and second half alternate: its neighbors are not those of a swap.
fn alternating_ring(leaves: u64) -> Vec<u64> {
    let half = leaves.div_ceil(2);
    (0..half).flat_map(|leaf| [leaf, leaf + half]).filter(|leaf| *leaf < leaves).collect()
}

/// One end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MessageEndpoint {
    time: u64,
    key: u64,
    leaf: u64,
    /// What is sent; `None` where it is received.
    bytes: Option<u64>,
}

/// The messages of one slot.
#[derive(Debug, Default)]
struct MessageWire {
    messages: Vec<PlannedMessage>,
    ends: Vec<MessageEndpoint>,
    sent: u64,
}

impl MessageWire {
    fn plan(&mut self, messages: &[swap::SwapMessage]) {
        self.messages.clear();
        let message = |(source, target, bytes): &swap::SwapMessage| PlannedMessage {
            source: *source,
            target: *target,
            bytes: Some(*bytes),
        };
        self.messages.extend(messages.iter().map(message));
    }

    fn send(&mut self, stage: &mut Stage<'_>, start: u64, length: u64) -> Result<()> {
        self.ends.clear();
        for PlannedMessage { source, target, bytes } in self.messages.iter().copied() {
            let time = start + stage.random.below(length / 4);
            let end = time + 1 + stage.random.below(length / 2);
            let bytes = bytes.unwrap_or_else(|| 1024 * (1 + stage.random.below(1024)));
            self.ends.push(MessageEndpoint { time, key: self.sent, leaf: source, bytes: Some(bytes) });
            self.ends.push(MessageEndpoint { time: end, key: self.sent, leaf: target, bytes: None });
            self.sent += 1;
        }
        self.ends.sort_unstable();
        for end in &self.ends {
            stage.advance(end.time)?;
            stage.lines.text(if end.bytes.is_some() { "15 " } else { "16 " });
            stage.lines.seconds(end.time).text(" L grid m ");
            stage.leaf(end.leaf);
            stage.lines.text(" ").number(end.key);
            if let Some(bytes) = end.bytes {
                stage.lines.text(" ").number(bytes);
            }
            stage.lines.end()?;
        }
        Ok(())
    }
}
