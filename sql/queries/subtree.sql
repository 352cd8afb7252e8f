-- Selection of a part of the machine: what the containers below one did, and for how long.
--
-- Container 0 is the first root; write the number, the name or the path of another. Needs: states.
SELECT
    s.container_id,
    s.container,
    s.value,
    count(*) AS states,
    sum(s.duration) AS seconds
FROM state_segments AS s
WHERE s.container_id IN (SELECT container_id FROM subtree(0))
GROUP BY s.container_id, s.container, s.value
ORDER BY s.container_id, seconds DESC, s.value
