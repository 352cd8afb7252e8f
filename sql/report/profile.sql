-- Time in each state
-- Inclusive seconds count what is nested in a state, exclusive seconds do not; all containers together.
SELECT
    type,
    value,
    sum(states) AS states,
    sum(inclusive_seconds) AS inclusive_seconds,
    sum(exclusive_seconds) AS exclusive_seconds
FROM flat_profile
GROUP BY type, value
ORDER BY exclusive_seconds DESC, type, value
