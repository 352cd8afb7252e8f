-- Where the time goes, over all containers: every state with its count, its inclusive and exclusive time.
--
-- Needs: states.
SELECT
    type,
    value,
    sum(states) AS states,
    sum(inclusive_seconds) AS inclusive_seconds,
    sum(exclusive_seconds) AS exclusive_seconds,
    sum(exclusive_seconds) / sum(sum(exclusive_seconds)) OVER (PARTITION BY type) AS share
FROM flat_profile
GROUP BY type, value
ORDER BY exclusive_seconds DESC, type, value
