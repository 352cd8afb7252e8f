-- Which part of its life each container with states was in none and did not compute, and its longest such gap.
--
-- Needs: states.
SELECT
    p.container,
    p.type,
    coalesce(g.seconds, 0) AS idle_seconds,
    coalesce(g.longest, 0) AS longest_gap
FROM (SELECT DISTINCT container_id, container, type FROM flat_profile) AS p
LEFT JOIN (
    SELECT
        container_id,
        type,
        sum(seconds) AS seconds,
        max(seconds) AS longest
    FROM idle_gaps
    WHERE activity <> 'computation'
    GROUP BY container_id, type
) AS g
    ON g.container_id = p.container_id
    AND g.type = p.type
ORDER BY idle_seconds DESC, p.container, p.type
