-- Grouping of values: all states of one activity become one, and the time of every container is split among them.
--
-- Needs: states.
SELECT
    s.container_id,
    s.container,
    a.activity,
    sum(s.duration) AS seconds
FROM state_segments AS s
JOIN state_activities AS a
    ON a.type = s.type
    AND a.value = s.value
GROUP BY s.container_id, s.container, a.activity
ORDER BY s.container_id, a.activity
