-- Critical path
-- What the chain of steps that determines the end consists of; the longest parts first. :type is the type of states.
SELECT
    kind,
    container,
    value,
    sum(seconds) AS seconds,
    sum(share) AS share
FROM critical_path((SELECT * FROM state_segments WHERE type = :type))
GROUP BY kind, container_id, container, value
ORDER BY seconds DESC, container_id, kind, value
