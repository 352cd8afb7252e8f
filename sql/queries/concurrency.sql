-- How many containers are at once in the state that takes most time, and for how long: the mountain range below each
-- root, added up.
--
-- A greater depth gives the ranges of machines or nodes. Needs: states.
WITH parameters AS (
    SELECT
        type,
        value
    FROM flat_profile
    GROUP BY type, value
    ORDER BY sum(exclusive_seconds) DESC, type, value
    LIMIT 1
),
chosen AS (
    SELECT
        s.container_id,
        s.type,
        s.value,
        s.start_time,
        s.end_time,
        s.start_tick,
        s.end_tick
    FROM states AS s
    JOIN parameters AS p
        ON p.type = s.type
        AND p.value = s.value
)
SELECT
    container_id,
    container,
    value,
    active,
    sum(duration) AS seconds
FROM concurrency(chosen, depth => 0)
GROUP BY container_id, container, value, active
ORDER BY container_id, active
