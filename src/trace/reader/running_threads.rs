//! Which thread runs on each CPU, by the switches of the scheduler, where some of these may be missing.
//!
//! ```text
//!  cpu 0       | a → b |              | c → d |     how b left, and c came, was not recorded
//!  thread b            |   Running    |             it runs until then, as the row of the CPU says, and not for ever
//! ```
//! Switches are missing where a tracer lost events, or recorded those of one program: `perf record` without `-a`.

#[cfg(test)]
mod tests;

use std::hash::Hash;

use hashbrown::HashMap;

use super::EventWriter;
use crate::diagnostics::Code;
use crate::error::Result;

/// The threads that run, by CPU.
#[derive(Debug)]
pub(super) struct RunningThreads<C, T> {
    on_cpu: HashMap<C, T>,
    cpu_of: HashMap<T, C>,
    switches: u64,
    /// Switches from a thread that was not seen to start on that CPU.
    unexpected: u64,
}

impl<C, T> Default for RunningThreads<C, T> {
    fn default() -> RunningThreads<C, T> {
        RunningThreads { on_cpu: HashMap::new(), cpu_of: HashMap::new(), switches: 0, unexpected: 0 }
    }
}

impl<C: Copy + Eq + Hash, T: Copy + Eq + Hash> RunningThreads<C, T> {
    /// A CPU goes from one thread to another. Gives the thread that was there, if it is a third one that runs nowhere else:
    /// it has left before.
    pub fn switch(&mut self, cpu: C, previous: T, next: T) -> Option<T> {
        self.switches += 1;
        let was = self.on_cpu.insert(cpu, next).filter(|was| *was != previous);
        self.unexpected += u64::from(was.is_some());
        let left = was.filter(|was| self.cpu_of.get(was) == Some(&cpu));
        if let Some(left) = left {
            self.cpu_of.remove(&left);
        }
        self.cpu_of.remove(&previous);
        self.cpu_of.insert(next, cpu);
        left
    }

    /// Reports that switches are missing, if they are.
    pub fn finish(&self, writer: &mut EventWriter<'_>) -> Result<()> {
        let RunningThreads { switches, unexpected, .. } = self;
        if *unexpected == 0 {
            return Ok(());
        }
        let message = format!(
            "{unexpected} of {switches} switches leave a thread that was not seen to start on that CPU: switches are missing, \
             and times in states of threads and CPUs are those of the recorded ones"
        );
        writer.fault_many(Code::MissedSwitch, *unexpected, message)
    }
}
