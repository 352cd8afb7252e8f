-- What every state was taken for, and how long containers were in it: the names to look at before believing an efficiency.
--
-- Needs: states.
SELECT
    a.type,
    a.activity,
    a.value,
    sum(p.exclusive_seconds) AS seconds
FROM state_activities AS a
JOIN flat_profile AS p
    ON p.type = a.type
    AND p.value = a.value
GROUP BY a.type, a.activity, a.value
ORDER BY a.type, seconds DESC, a.value
