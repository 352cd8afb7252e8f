-- How long each state took in all containers: with what is nested in it, without it, and its share of the time in states of
-- its type.
SELECT
    type,
    value,
    count(DISTINCT container_id) AS containers,
    sum(states) AS states,
    sum(inclusive_seconds) AS inclusive_seconds,
    sum(exclusive_seconds) AS exclusive_seconds,
    sum(exclusive_seconds) / nullif(sum(sum(exclusive_seconds)) OVER (PARTITION BY type), 0) AS share
FROM flat_profile
GROUP BY type, value
ORDER BY exclusive_seconds DESC, type, value
