-- What sets the end: the share of each value and container in the critical path.
--
-- Needs: states.
SELECT
    container,
    kind,
    value,
    sum(seconds) AS seconds,
    sum(share) AS share
FROM critical_path()
GROUP BY container, kind, value
ORDER BY share DESC, container
