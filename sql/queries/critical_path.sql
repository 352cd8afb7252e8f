-- What determines the end: the share of computation, transfers and unexplained waits in the critical path, by container.
--
-- Needs: states.
SELECT
    kind,
    container,
    value,
    count(*) AS steps,
    sum(seconds) AS seconds,
    sum(share) AS share
FROM critical_path()
GROUP BY kind, container_id, container, value
ORDER BY share DESC, container_id, kind, value
