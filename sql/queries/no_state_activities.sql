-- What time in no state was taken for, type by type, and how long it was.
--
-- Needs: states.
SELECT
    n.type,
    n.activity,
    n.rule,
    count(*) AS containers,
    sum(g.seconds) AS seconds
FROM no_state_activities AS n
LEFT JOIN (
    SELECT
        container_id,
        type,
        sum(seconds) AS seconds
    FROM idle_gaps
    WHERE activity <> 'start and end'
    GROUP BY container_id, type
) AS g
    ON g.container_id = n.container_id
    AND g.type = n.type
GROUP BY n.type, n.activity, n.rule
ORDER BY n.type, n.activity, n.rule
