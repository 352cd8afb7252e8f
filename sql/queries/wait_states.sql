-- Who makes others wait, and for how long.
--
-- Needs: states.
SELECT
    culprit,
    kind,
    count(DISTINCT container_id) AS waiters,
    sum(waits) AS waits,
    sum(seconds) AS seconds
FROM wait_states()
GROUP BY culprit, kind
ORDER BY seconds DESC, culprit
