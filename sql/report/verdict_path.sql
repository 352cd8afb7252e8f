-- Critical path
-- What the chain of steps that determines the end consists of; the longest parts first.
SELECT
    kind,
    container,
    value,
    sum(seconds) AS seconds,
    sum(share) AS share
FROM critical_path()
GROUP BY kind, container_id, container, value
ORDER BY seconds DESC, container_id, kind, value
