-- How long each container was in each state: counting what is nested in the state, and without it.
--
-- Inclusive time counts a state from its start to its end, exclusive time only while it is the innermost of its
-- type. A state nested in one of the same value (recursion) is counted in states, and adds nothing to the
-- inclusive time. The exclusive times of a container and type add up to the time that it was in any state of the
-- type. States of no length count with zero seconds. Sum over containers for the profile of the whole trace;
-- state_slices gives the profile of a window. Without states there are no rows.
--
-- Columns:
--   container_id       INTEGER  The container.
--   container          TEXT     Name of the container.
--   type               TEXT     Type of the states.
--   value              TEXT     Name of the state.
--   states             BIGINT   How often the container was in it, recursion included.
--   inclusive_seconds  DOUBLE   Time in it and in what is nested in it.
--   exclusive_seconds  DOUBLE   Time in it alone.
--
-- Example:
--   SELECT container, value, states, inclusive_seconds, exclusive_seconds
--   FROM flat_profile
--   ORDER BY container_id, value

-- Inclusive time counts a state from its start to its end, exclusive time only while it is the
-- innermost. A state nested in one of the same value (recursion) adds nothing to the inclusive time:
--
--   f  ########      inclusive of f: 8, not 8 + 4
--   f    ####        exclusive of f: 2 + 3 + 2 = 7, one second is of g
--   g     #
--
-- Only values that a container has at several depths can be nested in themselves; only their states
-- are sorted.
WITH totals AS (
    SELECT
        container_id,
        container,
        type,
        value,
        count(*) AS states,
        sum(end_tick - start_tick) AS ticks,
        min(depth) < max(depth) AS may_recur
    FROM states
    GROUP BY container_id, container, type, value
),
reaches AS (
    SELECT
        states.container_id,
        states.type,
        states.value,
        states.start_tick,
        states.end_tick,
        max(states.end_tick) OVER (
            PARTITION BY states.container_id, states.type, states.value
            ORDER BY states.start_tick, states.end_tick DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached_tick
    FROM states
    JOIN totals
        ON totals.container_id = states.container_id
        AND totals.type = states.type
        AND totals.value = states.value
    WHERE totals.may_recur
),
recursive AS (
    SELECT
        container_id,
        type,
        value,
        sum(end_tick - start_tick) AS ticks
    FROM reaches
    WHERE end_tick <= reached_tick
    GROUP BY container_id, type, value
),
exclusive AS (
    SELECT
        container_id,
        type,
        value,
        sum(end_tick - start_tick) AS ticks
    FROM state_segments
    GROUP BY container_id, type, value
)
SELECT
    totals.container_id,
    totals.container,
    totals.type,
    totals.value,
    totals.states,
    tick_seconds(
        totals.ticks - coalesce(recursive.ticks, 0),
        (SELECT ticks_per_second FROM trace_info)
    ) AS inclusive_seconds,
    tick_seconds(coalesce(exclusive.ticks, 0), (SELECT ticks_per_second FROM trace_info)) AS exclusive_seconds
FROM totals
LEFT JOIN recursive
    ON recursive.container_id = totals.container_id
    AND recursive.type = totals.type
    AND recursive.value = totals.value
LEFT JOIN exclusive
    ON exclusive.container_id = totals.container_id
    AND exclusive.type = totals.type
    AND exclusive.value = totals.value
