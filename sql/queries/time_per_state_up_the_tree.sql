-- How long each part of the machine was in every state: threads add up to processes, and so on.
--
-- Needs: states.
SELECT
    a.ancestor_id,
    a.ancestor,
    s.value,
    sum(s.duration) AS seconds
FROM state_segments AS s
JOIN container_ancestors AS a
    ON a.container_id = s.container_id
GROUP BY a.ancestor_id, a.ancestor, s.value
ORDER BY a.ancestor_id, seconds DESC, s.value
