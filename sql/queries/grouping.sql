-- Grouping of values: all states of one activity become one, and the time of every container is split among them.
--
-- By type of states: those of two types are two views of the same time. Needs: states.
SELECT
    s.container_id,
    s.container,
    s.type,
    a.activity,
    sum(s.duration) AS seconds
FROM state_segments AS s
JOIN state_activities AS a
    ON a.type = s.type
    AND a.value = s.value
GROUP BY s.container_id, s.container, s.type, a.activity
ORDER BY s.container_id, s.type, a.activity
