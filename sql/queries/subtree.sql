-- Selection of a part of the machine: what the containers below machine-a did, and for how long.
SELECT
    s.container,
    s.value,
    count(*) AS states,
    sum(s.duration) AS seconds
FROM state_segments AS s
WHERE s.container_id IN (SELECT container_id FROM subtree('ring of four/machine-a'))
GROUP BY s.container_id, s.container, s.value
ORDER BY s.container_id, seconds DESC
