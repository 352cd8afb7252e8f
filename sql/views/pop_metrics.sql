-- How efficient the run is over time: the POP metrics, in 100 slices of the trace.
--
-- Definitions of the POP centre of excellence, with the slice as the run. Useful is the time in states of
-- computation, by the rules of state_activities; where a type has no such state, as in traces that mark MPI
-- calls only, it is the time in no state. A container counts in the slices in which it lives. The cookbook
-- computes the metrics of the whole run, and shows where to change the rules.
--
-- Columns:
--   slice                     BIGINT  Number of the slice, from 0 on.
--   slice_start               DOUBLE  When the slice begins, in seconds.
--   slice_end                 DOUBLE  When it ends, in seconds.
--   type                      TEXT    Type of the states.
--   containers                BIGINT  How many containers count.
--   mean_seconds              DOUBLE  Mean of their useful times within the slice.
--   max_seconds               DOUBLE  The longest of them.
--   load_balance              DOUBLE  1 when all have the same useful time; NULL when none has any.
--   communication_efficiency  DOUBLE  1 when the one with the most useful time did nothing else.
--   parallel_efficiency       DOUBLE  1 when all time of all is useful.
--
-- Example:
--   SELECT slice_start, containers, load_balance, communication_efficiency, parallel_efficiency
--   FROM pop_metrics
--   WHERE slice IN (38, 39)
--   ORDER BY slice

-- Useful is the time in states of computation (see state_activities). Where a trace marks only its
-- communication, so that a type has no state of computation, the time in no state at all is useful.
-- With useful times u of all containers that have states of the type and live in the slice:
--
--   load balance              mean(u) / max(u)
--   communication efficiency  max(u) / length of the slice
--   parallel efficiency       mean(u) / length of the slice, the product of both
WITH activities AS (
    SELECT
        type,
        value,
        CASE WHEN activity = 'computation' THEN 1 ELSE 0 END AS is_useful,
        max(CASE WHEN activity = 'computation' THEN 1 ELSE 0 END) OVER (PARTITION BY type) AS marks_useful
    FROM state_activities
),
times AS (
    SELECT
        cells.slice,
        cells.container_id,
        cells.type,
        sum(cells.seconds) AS all_seconds,
        sum(cells.seconds * activities.is_useful) AS useful_seconds
    FROM state_slices(state_segments, slices => 100) AS cells
    JOIN activities
        ON activities.type = cells.type
        AND activities.value = cells.value
    GROUP BY cells.slice, cells.container_id, cells.type
),
lives AS (
    SELECT
        slice,
        slice_start,
        slice_end,
        container_id,
        seconds,
        seconds / share AS slice_seconds
    FROM state_slices(
        (SELECT container_id, type, start_time, end_time, start_tick, end_tick FROM containers),
        slices => 100
    )
    WHERE seconds > 0
),
carriers AS (
    SELECT
        segments.container_id,
        segments.type,
        max(activities.marks_useful) AS marks_useful
    FROM (SELECT DISTINCT container_id, type FROM state_segments) AS segments
    JOIN activities
        ON activities.type = segments.type
    GROUP BY segments.container_id, segments.type
),
useful AS (
    SELECT
        lives.slice,
        lives.slice_start,
        lives.slice_end,
        lives.slice_seconds,
        carriers.type,
        CASE
            WHEN carriers.marks_useful = 1 THEN coalesce(times.useful_seconds, 0)
            ELSE greatest(lives.seconds - coalesce(times.all_seconds, 0), 0)
        END AS seconds
    FROM lives
    JOIN carriers
        ON carriers.container_id = lives.container_id
    LEFT JOIN times
        ON times.slice = lives.slice
        AND times.container_id = lives.container_id
        AND times.type = carriers.type
)
SELECT
    slice,
    slice_start,
    slice_end,
    type,
    count(*) AS containers,
    avg(seconds) AS mean_seconds,
    max(seconds) AS max_seconds,
    avg(seconds) / nullif(max(seconds), 0) AS load_balance,
    max(seconds) / max(slice_seconds) AS communication_efficiency,
    avg(seconds) / max(slice_seconds) AS parallel_efficiency
FROM useful
GROUP BY slice, slice_start, slice_end, type
