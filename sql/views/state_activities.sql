-- What containers do in each state, by the rules of activity_rules.
--
-- One row per type and name of states. The rules look at names only, and capitals do not matter; activity_rules lists
-- all of them in their order, and says how to replace them. Every view and function that speaks of computation,
-- communication or waiting takes it from here, and what time in no state is from no_state_activities.
--
-- waiting: blocking receives, probes, waits and barriers of MPI (also PMPI), OpenSHMEM, GASPI and OpenMP; locks and sleeps
-- of POSIX threads; cudaDeviceSynchronize and the like; threads that do not run (Runnable, Sleeping, Uninterruptible,
-- Stopped, Traced, Parked, Waking); idle, wait, sleep, block, suspended, stalled, barrier, receive and such words, when
-- they come first.
--
-- communication: all other calls of MPI, OpenSHMEM, GASPI and NCCL that send, start, test or finish messages, and
-- collectives that move data (in a blocking collective, waiting cannot be told by the name: see wait_states); copies of
-- CUDA, HIP and StarPU, by the call and on the device (Host-to-Device, Memcpy HtoD); send, broadcast, transfer and such
-- words.
--
-- input/output: MPI_File_…, POSIX calls on files, HDF5, netCDF and ADIOS. start and end: MPI_Init, MPI_Initialized,
-- MPI_Finalize and the like; threads that have ended (Dead, Zombie). overhead: calls that only look something up or
-- prepare (MPI_Comm_rank, MPI_Type_…, cudaMalloc, cudaLaunchKernel), and scheduling, progressing, submitting and such
-- words of runtimes. unknown: what tools mark as not recorded, and the type profiler_overhead of Nsight. computation:
-- every other state, such as functions, kernels and tasks.
--
-- Columns:
--   type               TEXT     Type of the states.
--   value              TEXT     Name of the state.
--   activity           TEXT     Computation, communication, waiting, input/output, start and end, overhead or unknown.
--   family             TEXT     Family of the rule that says so; NULL when none fits.
--   rule               INTEGER  Number of that rule.
--   no_state_activity  TEXT     What time in no state of the type is; see no_state_activities.
--   no_state_rule      INTEGER  Number of the rule that says so; NULL when none fits.
--
-- Example:
--   SELECT value, activity
--   FROM state_activities
--   ORDER BY value
WITH names AS (
    SELECT
        type,
        value
    FROM states
    GROUP BY type, value
),
rules AS (
    SELECT
        CAST(rule AS INTEGER) AS rule,
        CAST(family AS TEXT) AS family,
        CAST(type_pattern AS TEXT) AS type_pattern,
        CAST(value_pattern AS TEXT) AS value_pattern,
        CAST(activity AS TEXT) AS activity
    FROM activity_rules
),
fits AS (
    SELECT
        names.type,
        names.value,
        rules.rule,
        rules.family,
        rules.activity
    FROM names
    LEFT JOIN rules
        ON (rules.type_pattern IS NULL OR regexp_like(CAST(names.type AS TEXT), rules.type_pattern, 'i'))
        AND regexp_like(CAST(names.value AS TEXT), rules.value_pattern, 'i')
),
sorted AS (
    SELECT
        type,
        value,
        coalesce(first_value(activity ORDER BY rule, activity, family), 'unknown') AS activity,
        first_value(family ORDER BY rule, activity, family) AS family,
        min(rule) AS rule
    FROM fits
    GROUP BY type, value
),
marked AS (
    SELECT
        type,
        value,
        activity,
        family,
        rule,
        max(CASE WHEN activity = 'computation' THEN 1 ELSE 0 END) OVER (PARTITION BY type) AS marks_computation
    FROM sorted
),
-- A rule about time in no state fits a type when it fits one of its names.
ranked AS (
    SELECT
        marked.type,
        marked.value,
        marked.activity,
        marked.family,
        marked.rule,
        first_value(rules.activity) OVER type_rules AS no_state_activity,
        first_value(rules.rule) OVER type_rules AS no_state_rule,
        row_number() OVER (PARTITION BY marked.type, marked.value ORDER BY rules.rule) AS place
    FROM marked
    LEFT JOIN rules
        ON rules.value_pattern IS NULL
        AND (rules.type_pattern IS NULL OR regexp_like(CAST(marked.type AS TEXT), rules.type_pattern, 'i'))
        AND (rules.family IS NULL OR rules.family = marked.family AND marked.marks_computation = 0)
    WINDOW type_rules AS (PARTITION BY marked.type ORDER BY rules.rule NULLS LAST, rules.activity)
)
SELECT
    type,
    value,
    activity,
    family,
    rule,
    coalesce(no_state_activity, 'unknown') AS no_state_activity,
    no_state_rule
FROM ranked
WHERE place = 1
