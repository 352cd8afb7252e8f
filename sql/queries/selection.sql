-- Selection by type, value, time and length: of the state that takes most time, those in the first half of its occurrences'
-- time that take longer than their mean.
--
-- Needs: states.
WITH parameters AS (
    SELECT
        type,
        value,
        (min(start_time) + max(start_time)) / 2 AS until
    FROM states
    GROUP BY type, value
    ORDER BY sum(end_tick - start_tick) DESC, type, value
    LIMIT 1
),
early AS (
    SELECT
        s.container_id,
        s.container,
        s.value,
        s.start_time,
        s.duration
    FROM states AS s
    JOIN parameters AS p
        ON p.type = s.type
        AND p.value = s.value
    WHERE s.start_time <= p.until
)
SELECT
    container_id,
    container,
    value,
    start_time,
    duration
FROM early
WHERE duration >= (SELECT avg(duration) FROM early)
ORDER BY start_time, container_id, duration DESC
LIMIT 20
