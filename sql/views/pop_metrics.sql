-- How efficient the run is over time: the POP metrics, in 100 slices of the trace.
--
-- Definitions of the POP centre of excellence, with the slice as the run: see pop_metrics_of_the_run, which has the
-- metrics of the whole run. Useful is the time of computation: in states (see state_activities) and, where a
-- type records calls of communication only, in no state (see no_state_activities). The same containers count in every slice; one
-- that has not begun or has ended has no useful time. So the mean_seconds of all slices add up to those of the run,
-- and the efficiency of the run is the mean of theirs. Types that record no computation have no rows.
--
-- Columns:
--   slice                     BIGINT  Slice index, from 0.
--   slice_start               DOUBLE  Start of the slice, in seconds.
--   slice_end                 DOUBLE  End of it, in seconds.
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

-- With useful times u of all containers that count:
--
--   load balance              mean(u) / max(u)
--   communication efficiency  max(u) / length of the slice
--   parallel efficiency       mean(u) / length of the slice, the product of both
--
-- Where time in no state is useful, u is the part of the slice in which the container lives, less that in states:
--
--   life    |...............|     u of the slice: 6 - 4
--   states     ###  #  ##
--   slice      [     )
WITH slices AS (
    SELECT
        slice,
        slice_start,
        slice_end,
        seconds / nullif(share, 0) AS slice_seconds
    FROM state_slices(
        (SELECT CAST(0 AS INTEGER) AS container_id, start_time, end_time, start_tick, end_tick FROM trace_info),
        slices => 100,
        fill => true
    )
),
parts AS (
    SELECT
        cells.slice,
        cells.container_id,
        cells.type,
        cells.seconds * (
            CASE WHEN names.activity = 'computation' THEN 1 ELSE 0 END
            - CASE WHEN names.no_state_activity = 'computation' THEN 1 ELSE 0 END
        ) AS seconds
    FROM state_slices(state_segments, slices => 100) AS cells
    JOIN state_activities AS names
        ON names.type = cells.type
        AND names.value = cells.value
    UNION ALL
    SELECT slice, container_id, type, seconds
    FROM state_slices(
        (
            SELECT
                carriers.container_id,
                carriers.type,
                containers.start_time,
                containers.end_time,
                containers.start_tick,
                containers.end_tick
            FROM (SELECT DISTINCT container_id, type FROM state_segments) AS carriers
            JOIN containers
                ON containers.container_id = carriers.container_id
            JOIN no_state_activities
                ON no_state_activities.type = carriers.type
            WHERE no_state_activities.activity = 'computation'
        ),
        slices => 100
    )
),
useful AS (
    SELECT
        slice,
        container_id,
        type,
        sum(seconds) AS seconds
    FROM parts
    GROUP BY slice, container_id, type
),
-- What is left of a difference of two equal times is not useful.
sums AS (
    SELECT
        useful.slice,
        useful.type,
        sum(least(useful.seconds, slices.slice_seconds))
            FILTER (WHERE useful.seconds > 1e-9 * slices.slice_seconds) AS total_seconds,
        max(least(useful.seconds, slices.slice_seconds))
            FILTER (WHERE useful.seconds > 1e-9 * slices.slice_seconds) AS max_seconds
    FROM useful
    JOIN slices
        ON slices.slice = useful.slice
    GROUP BY useful.slice, useful.type
),
metrics AS (
    SELECT
        slices.slice,
        slices.slice_start,
        slices.slice_end,
        slices.slice_seconds,
        run.type,
        run.containers,
        coalesce(sums.total_seconds, 0) / run.containers AS mean_seconds,
        coalesce(sums.max_seconds, 0) AS max_seconds
    FROM pop_metrics_of_the_run AS run
    CROSS JOIN slices
    LEFT JOIN sums
        ON sums.slice = slices.slice
        AND sums.type = run.type
    WHERE run.mean_seconds IS NOT NULL
)
SELECT
    slice,
    slice_start,
    slice_end,
    type,
    containers,
    mean_seconds,
    max_seconds,
    mean_seconds / nullif(max_seconds, 0) AS load_balance,
    max_seconds / slice_seconds AS communication_efficiency,
    mean_seconds / slice_seconds AS parallel_efficiency
FROM metrics
