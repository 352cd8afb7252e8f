-- How long how many containers are at once in the state that takes most time: a mountain range, added up.
--
-- With depth => 1, the ranges below each container at that depth. Needs: states.
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
    value,
    active AS containers,
    sum(duration) AS seconds
FROM concurrency(chosen)
GROUP BY value, active
ORDER BY active
