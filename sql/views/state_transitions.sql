-- Which state follows which, over all containers.
--
-- Reads state_segments in the order of time, so that entering a nested state and coming back from it count. Each
-- container and type is a sequence of its own: n segments have n - 1 transitions. States of no length are left
-- out, since the order of those of one instant is not stored. Sorts all segments once.
--
-- Columns:
--   type         TEXT    Type of the states.
--   from_value   TEXT    The state that ended, or was interrupted.
--   to_value     TEXT    The state that came next in the same container.
--   transitions  BIGINT  How often.
--   share        DOUBLE  Share of the transitions from that state.
--   gap_seconds  DOUBLE  Time between the two, in total; 0 when one follows at once.
--
-- Example:
--   SELECT from_value, to_value, transitions, gap_seconds
--   FROM state_transitions
--   ORDER BY from_value, to_value

-- Read from the segments of each container and type in the order of time, so that entering a nested
-- state and coming back from it are transitions too. A state that is followed by itself is one when
-- it ended and began again. States of no length are omitted: the order of those of one instant is
-- not known.
WITH successions AS (
    SELECT
        type,
        lag(value) OVER (PARTITION BY container_id, type ORDER BY start_tick) AS from_value,
        value AS to_value,
        start_tick - lag(end_tick) OVER (PARTITION BY container_id, type ORDER BY start_tick) AS gap_ticks
    FROM state_segments
    WHERE start_tick < end_tick
),
counts AS (
    SELECT
        type,
        from_value,
        to_value,
        count(*) AS transitions,
        sum(CAST(gap_ticks AS DECIMAL(20, 0))) AS gap_ticks
    FROM successions
    WHERE gap_ticks IS NOT NULL
    GROUP BY type, from_value, to_value
)
SELECT
    counts.type,
    counts.from_value,
    counts.to_value,
    counts.transitions,
    CAST(counts.transitions AS DOUBLE)
        / sum(counts.transitions) OVER (PARTITION BY counts.type, counts.from_value) AS share,
    CAST(counts.gap_ticks AS DOUBLE) / (SELECT ticks_per_second FROM trace_info) AS gap_seconds
FROM counts
