//! What a rank does, one operation after the other, and the names that states have in the trace.

/// Names of the computation and of other activities.
pub(super) mod names {
    pub(crate) const BEFORE: &str = "update_boundary";
    pub(crate) const MAIN: &str = "update_interior";
    pub(crate) const AFTER: &str = "apply_halo";
    pub(crate) const TAIL: &str = "update_solution";
    pub(crate) const TASK: &str = "process_task";
    pub(crate) const HOUSEKEEPING: &str = "update_cache";
    pub(crate) const PLANNING: &str = "plan_tasks";
    pub(crate) const MERGE: &str = "merge_result";
    pub(crate) const STAGE: &str = "process_item";
    pub(crate) const SECTION: &str = "global_section";
    pub(crate) const WRITE: &str = "write";
    pub(crate) const INIT: &str = "MPI_Init";
    pub(crate) const FINALIZE: &str = "MPI_Finalize";
    pub(crate) const POST: &str = "MPI_Irecv";
    pub(crate) const SEND: &str = "MPI_Isend";
    pub(crate) const WAIT: &str = "MPI_Wait";
    pub(crate) const WAIT_ALL: &str = "MPI_Waitall";
    pub(crate) const WAIT_ANY: &str = "MPI_Waitany";
    pub(crate) const REDUCE: &str = "MPI_Allreduce";
    pub(crate) const BARRIER: &str = "MPI_Barrier";

    /// All of them, with their colors.
    pub(crate) const ALL: [(&str, &str); 20] = [
        (BEFORE, "0.2 0.6 0.2"),
        (MAIN, "0.3 0.8 0.3"),
        (AFTER, "0.5 0.8 0.2"),
        (TAIL, "0.6 0.9 0.5"),
        (TASK, "0.3 0.8 0.3"),
        (HOUSEKEEPING, "0.5 0.8 0.2"),
        (PLANNING, "0.2 0.6 0.2"),
        (MERGE, "0.6 0.9 0.5"),
        (STAGE, "0.3 0.8 0.3"),
        (SECTION, "0.1 0.5 0.4"),
        (WRITE, "0.6 0.4 0.2"),
        (INIT, "0.9 0.8 0.2"),
        (FINALIZE, "0.9 0.8 0.4"),
        (POST, "0.6 0.7 0.9"),
        (SEND, "0.2 0.5 0.8"),
        (WAIT, "0.8 0.2 0.2"),
        (WAIT_ALL, "0.8 0.3 0.2"),
        (WAIT_ANY, "0.8 0.2 0.3"),
        (REDUCE, "0.6 0.2 0.7"),
        (BARRIER, "0.5 0.1 0.5"),
    ];
}

/// What a rank does next. Lengths are nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// Computes; noise is that of the iteration and the slot, so that moved work stays the same.
    Compute { state: &'static str, length: u64, slot: u64 },
    /// Spends exactly that long.
    Spend { state: &'static str, length: u64 },
    /// Is ready for the next message of a rank.
    PostReceive { source: u32 },
    /// Starts to send a message.
    StartSend { target: u32, bytes: u64 },
    /// Waits for all messages that it is ready for.
    AwaitReceives { state: &'static str },
    /// Waits for the first of them.
    AwaitAnyReceive,
    /// Waits until everything that it sent may be written over.
    AwaitSends { state: &'static str },
    /// Meets all other ranks.
    Meet { state: &'static str },
}
