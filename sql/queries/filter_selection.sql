-- Selection, as a filter of Pajé: only some types, some values, and some part of the machine.
--
-- Chosen are the state that takes most time, and what lies below the root of its longest occurrence. Needs: states.
WITH parameters AS (
    SELECT
        type,
        value
    FROM flat_profile
    GROUP BY type, value
    ORDER BY sum(exclusive_seconds) DESC, type, value
    LIMIT 1
),
longest AS (
    SELECT s.container_id
    FROM states AS s
    JOIN parameters AS p
        ON p.type = s.type
        AND p.value = s.value
    ORDER BY s.duration DESC, s.container_id
    LIMIT 1
),
members AS (
    SELECT a.container_id
    FROM container_ancestors AS a
    WHERE a.ancestor_id IN (
            SELECT roots.ancestor_id
            FROM container_ancestors AS roots
            JOIN longest
                ON longest.container_id = roots.container_id
            WHERE roots.ancestor_depth = 0
        )
)
SELECT
    s.container_id,
    s.container,
    s.value,
    s.start_time,
    s.end_time
FROM states AS s
JOIN parameters AS p
    ON p.type = s.type
    AND p.value = s.value
WHERE s.container_id IN (SELECT container_id FROM members)
ORDER BY s.start_time, s.container_id, s.end_time
LIMIT 20
