-- Which rules of activities a trace makes use of, and for how many states and names.
--
-- Needs: states.
SELECT
    r.rule,
    r.family,
    r.activity,
    count(DISTINCT a.value) AS names,
    sum(p.states) AS states,
    sum(p.exclusive_seconds) AS seconds
FROM activity_rules AS r
JOIN state_activities AS a
    ON a.rule = r.rule
JOIN flat_profile AS p
    ON p.type = a.type
    AND p.value = a.value
GROUP BY r.rule, r.family, r.activity
ORDER BY seconds DESC, r.rule
