-- How much of the time is spent on what: computation, communication, waiting and overhead.
--
-- Needs: states.
SELECT
    a.activity,
    sum(p.exclusive_seconds) AS seconds,
    sum(p.exclusive_seconds) / sum(sum(p.exclusive_seconds)) OVER () AS share
FROM flat_profile AS p
JOIN state_activities AS a
    ON a.type = p.type
    AND a.value = p.value
GROUP BY a.activity
ORDER BY seconds DESC, a.activity
