-- When containers were in no state: the gaps between states, before the first and after the last.
--
-- Looks at each container and type that it has states of, from the creation of the container to its end. A
-- container that has no state of a type at all has no rows; states of no length do not end a gap. Gaps and
-- states together are the life of the container. A gap is not idle by itself: where a trace records calls of MPI only,
-- containers compute between them. The column activity says so, by no_state_activities; WHERE activity <> 'computation'
-- omits computation. Sorts all segments once.
--
-- Columns:
--   container_id    INTEGER  The container.
--   container       TEXT     Name of the container.
--   type            TEXT     The type of state that is missing.
--   start_time      DOUBLE   Start of the gap, in seconds.
--   end_time        DOUBLE   End of it, in seconds.
--   seconds         DOUBLE   How long it is.
--   previous_value  TEXT     The state before it; NULL for a gap before the first.
--   next_value      TEXT     The state after it; NULL for a gap after the last.
--   activity        TEXT     What the container does in it: computation, unknown and so on.
--
-- Example:
--   SELECT container, start_time, end_time, previous_value, next_value, activity
--   FROM idle_gaps
--   ORDER BY container_id, start_time

-- Every container with states of a type is looked at from its creation to its end; states of no
-- length do not end a gap. A mark at the end of the container makes the last gap one that ends where
-- the next state begins:
--
--   states  ..###..##...|      three gaps
WITH marks AS (
    SELECT
        container_id,
        type,
        value,
        start_tick,
        end_tick
    FROM state_segments
    WHERE start_tick < end_tick
    UNION ALL
    SELECT
        containers.container_id,
        carried.type,
        NULL AS value,
        containers.end_tick AS start_tick,
        containers.end_tick
    FROM (SELECT DISTINCT container_id, type FROM state_segments) AS carried
    JOIN containers
        ON containers.container_id = carried.container_id
),
neighbors AS (
    SELECT
        container_id,
        type,
        lag(value) OVER (PARTITION BY container_id, type ORDER BY start_tick) AS previous_value,
        value AS next_value,
        lag(end_tick) OVER (PARTITION BY container_id, type ORDER BY start_tick) AS gap_start_tick,
        start_tick AS gap_end_tick
    FROM marks
),
gaps AS (
    SELECT
        neighbors.container_id,
        containers.name AS container,
        neighbors.type,
        coalesce(neighbors.gap_start_tick, containers.start_tick) AS start_tick,
        neighbors.gap_end_tick AS end_tick,
        neighbors.previous_value,
        neighbors.next_value
    FROM neighbors
    JOIN containers
        ON containers.container_id = neighbors.container_id
    WHERE coalesce(neighbors.gap_start_tick, containers.start_tick) < neighbors.gap_end_tick
)
SELECT
    gaps.container_id,
    gaps.container,
    gaps.type,
    tick_seconds(gaps.start_tick, (SELECT ticks_per_second FROM trace_info)) AS start_time,
    tick_seconds(gaps.end_tick, (SELECT ticks_per_second FROM trace_info)) AS end_time,
    tick_seconds(gaps.end_tick - gaps.start_tick, (SELECT ticks_per_second FROM trace_info)) AS seconds,
    gaps.previous_value,
    gaps.next_value,
    no_state_activities.activity
FROM gaps
JOIN no_state_activities
    ON no_state_activities.type = gaps.type
