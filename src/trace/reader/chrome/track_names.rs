//! What processes and threads are called.
//!
//! Processes of one name are told apart by their `pid` (`python 1234`), threads of one name in one process by their `tid`
//! (`worker 11`), and threads of one name in different processes by their process (`python 1234 main`).

#[cfg(test)]
mod tests;

use crate::reader::distinct_names::{number, repeated};

/// A process, as far as metadata describe it.
#[derive(Debug, Default)]
pub(super) struct Process {
    pub id: String,
    pub name: Option<String>,
    pub labels: Option<String>,
    pub sort_index: Option<i64>,
}

/// A thread, as far as metadata describe it.
#[derive(Debug, Default)]
pub(super) struct Thread {
    pub process: usize,
    pub id: String,
    pub name: Option<String>,
    pub sort_index: Option<i64>,
}

/// The shown names, by number of the process and of the thread.
#[derive(Debug, Default)]
pub(super) struct TrackNames {
    pub processes: Vec<String>,
    pub threads: Vec<String>,
}

/// The name of a process as the trace has it.
pub(super) fn process_plain_name(process: &Process) -> String {
    process.name.clone().unwrap_or_else(|| format!("process {}", process.id))
}

/// The name of a thread as the trace has it.
pub(super) fn thread_plain_name(thread: &Thread) -> String {
    thread.name.clone().unwrap_or_else(|| format!("thread {}", thread.id))
}

impl TrackNames {
    /// Names that differ from each other.
    pub fn of(processes: &[Process], threads: &[Thread]) -> TrackNames {
        let mut process_names: Vec<String> = processes.iter().map(process_plain_name).collect();
        let alike = repeated(process_names.iter().cloned());
        for (name, process) in process_names.iter_mut().zip(processes) {
            if alike.contains(name) {
                *name = format!("{name} {}", process.id);
            }
        }
        number(&mut process_names);
        let thread_names = threads_of(threads, &process_names);
        TrackNames { processes: process_names, threads: thread_names }
    }
}

fn threads_of(threads: &[Thread], processes: &[String]) -> Vec<String> {
    let mut names: Vec<String> = threads.iter().map(thread_plain_name).collect();
    let alike = repeated(names.iter().cloned().zip(threads.iter().map(|thread| thread.process)));
    for (name, thread) in names.iter_mut().zip(threads) {
        if alike.contains(&(name.clone(), thread.process)) {
            *name = format!("{name} {}", thread.id);
        }
    }
    let alike = repeated(names.iter().cloned());
    for (name, thread) in names.iter_mut().zip(threads) {
        if alike.contains(name) {
            *name = format!("{} {name}", processes[thread.process]);
        }
    }
    number(&mut names);
    names
}
