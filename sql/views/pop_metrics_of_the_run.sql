-- How efficient the whole run is: the POP metrics, one row per type of states.
--
-- Definitions of the POP centre of excellence. Useful is the time of computation by container_activities, in states or in
-- no state; the run is the whole trace, with its start and end. Containers count that have states of the type and
-- whose time is not all unknown; time before and after the life of a container is not useful. Efficiency is 1 when
-- all time of all is useful. pop_metrics has the same for each of 100 slices: the mean_seconds of the slices add up to
-- those of the run.
--
-- Types of states have rows of their own: read the one whose states are the work (that of workers for StarPU, not that of
-- memory nodes). A type that records no computation has NULL metrics. Where containers are short-lived, such as
-- a thread per task, or several share a processor, such as the streams of a GPU, look at container_activities instead.
--
-- Columns:
--   type                      TEXT    Type of the states.
--   useful                    TEXT    What counts as useful: states, time in no state, both, or not recorded.
--   containers                BIGINT  How many containers count.
--   run_seconds               DOUBLE  Length of the run.
--   mean_seconds              DOUBLE  Mean of their useful times.
--   max_seconds               DOUBLE  The longest of them.
--   load_balance              DOUBLE  Mean / max: 1 when all have the same useful time; NULL when none has any.
--   communication_efficiency  DOUBLE  Max / run: 1 when the one with the most useful time did nothing else.
--   parallel_efficiency       DOUBLE  Mean / run, the product of both.
--
-- Example:
--   SELECT useful, containers, run_seconds, round(load_balance, 6) AS load_balance,
--       communication_efficiency, parallel_efficiency
--   FROM pop_metrics_of_the_run

-- With useful times u of all containers that count:
--
--   load balance              mean(u) / max(u)
--   communication efficiency  max(u) / length of the run
--   parallel efficiency       mean(u) / length of the run
WITH useful AS (
    SELECT
        container_id,
        type,
        coalesce(sum(ticks) FILTER (WHERE activity = 'computation'), 0) AS ticks
    FROM container_activities
    GROUP BY container_id, type
    HAVING count(*) FILTER (WHERE activity <> 'unknown') > 0
),
sums AS (
    SELECT
        type,
        count(*) AS containers,
        CAST(sum(ticks) AS DOUBLE) / count(*) AS mean_ticks,
        CAST(max(ticks) AS DOUBLE) AS max_ticks
    FROM useful
    GROUP BY type
),
sources AS (
    SELECT
        type,
        max(CASE WHEN activity = 'computation' THEN 1 ELSE 0 END) AS in_states,
        max(CASE WHEN no_state_activity = 'computation' THEN 1 ELSE 0 END) AS in_no_state
    FROM state_activities
    GROUP BY type
),
metrics AS (
    SELECT
        sums.type,
        CASE
            WHEN sources.in_states = 1 AND sources.in_no_state = 1 THEN 'both'
            WHEN sources.in_states = 1 THEN 'states'
            WHEN sources.in_no_state = 1 THEN 'time in no state'
            ELSE 'not recorded'
        END AS useful,
        sums.containers,
        CAST(trace_info.end_tick - trace_info.start_tick AS DOUBLE) AS run_ticks,
        CASE WHEN sources.in_states + sources.in_no_state > 0 THEN sums.mean_ticks END AS mean_ticks,
        CASE WHEN sources.in_states + sources.in_no_state > 0 THEN sums.max_ticks END AS max_ticks,
        trace_info.ticks_per_second
    FROM sums
    JOIN sources
        ON sources.type = sums.type
    CROSS JOIN trace_info
)
SELECT
    type,
    useful,
    containers,
    run_ticks / ticks_per_second AS run_seconds,
    mean_ticks / ticks_per_second AS mean_seconds,
    max_ticks / ticks_per_second AS max_seconds,
    mean_ticks / nullif(max_ticks, 0) AS load_balance,
    max_ticks / nullif(run_ticks, 0) AS communication_efficiency,
    mean_ticks / nullif(run_ticks, 0) AS parallel_efficiency
FROM metrics
