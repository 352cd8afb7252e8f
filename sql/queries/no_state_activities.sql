-- What time in no state was taken for, type by type, and how long it was.
--
-- Needs: states.
SELECT
    n.type,
    n.activity,
    n.rule,
    count(DISTINCT g.container_id) AS containers,
    coalesce(sum(g.seconds), 0) AS seconds
FROM no_state_activities AS n
LEFT JOIN idle_gaps AS g
    ON g.type = n.type
GROUP BY n.type, n.activity, n.rule
ORDER BY n.type
