-- When each container, or one below it, first does something: what rows are sorted by.
WITH firsts AS (
    SELECT container_id, min(start_time) AS time FROM states GROUP BY container_id
    UNION ALL
    SELECT container_id, min(time) AS time FROM events GROUP BY container_id
    UNION ALL
    SELECT container_id, min(start_time) AS time FROM variables GROUP BY container_id
)
SELECT ancestor_id AS container_id, min(time) AS sort_by
FROM firsts
JOIN container_ancestors ON container_ancestors.container_id = firsts.container_id
GROUP BY ancestor_id
ORDER BY sort_by, container_id
