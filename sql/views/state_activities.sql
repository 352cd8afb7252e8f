-- What containers do in each state, told by its name: computation, communication, waiting or overhead.
--
-- The page of the view lists the rules; they look at the name only. Other views take their notion of
-- computation, communication and waiting from here: for other rules, join with state_slices or flat_profile by
-- hand, as the cookbook does.
--
-- Columns:
--   type      TEXT  Type of the states.
--   value     TEXT  Name of the state.
--   activity  TEXT  Computation, communication, waiting or overhead.
--
-- Example:
--   SELECT value, activity
--   FROM state_activities
--   ORDER BY value

-- Capitals do not matter. The first rule that fits counts:
--   waiting        MPI_Wait…, MPI_Recv, MPI_Mrecv, MPI_Probe, MPI_Mprobe, MPI_Barrier (or PMPI_…);
--                  idle, idling, wait, waiting, sleep, sleeping, block, blocked, blocking, suspended,
--                  stalled, starving or barrier, as the first word
--   communication  MPI_…, PMPI_…, SHMEM_…, GASPI_…, NCCL…; send, isend, recv, irecv, receive, bcast,
--                  broadcast, communicate, communication, transfer, as the first word; the copies
--                  of StarPU: FetchingInput, PushingOutput, DriverCopy…
--   overhead       what runtimes do for themselves: overhead, scheduling, progressing, initializing,
--                  deinitializing, submitting, building or callback, as the first word
--   computation    every other state
SELECT
    type,
    value,
    CASE
        WHEN regexp_like(value, '^p?mpi_(wait|recv|mrecv|probe|mprobe|barrier)', 'i') THEN 'waiting'
        WHEN regexp_like(
            value,
            '^(idle|idling|wait|waiting|sleep|sleeping|block|blocked|blocking|suspended|stalled|starving|barrier)([^a-z]|$)',
            'i'
        ) THEN 'waiting'
        WHEN regexp_like(value, '^(p?mpi_|p?shmem_|gaspi_|nccl|fetchinginput|pushingoutput|drivercopy)', 'i')
            THEN 'communication'
        WHEN regexp_like(
            value,
            '^(send|isend|recv|irecv|receive|bcast|broadcast|communicate|communication|transfer)([^a-z]|$)',
            'i'
        ) THEN 'communication'
        WHEN regexp_like(
            value,
            '^(overhead|scheduling|progressing|initializing|deinitializing|submitting|building|callback)([^a-z]|$)',
            'i'
        ) THEN 'overhead'
        ELSE 'computation'
    END AS activity
FROM states
GROUP BY type, value
