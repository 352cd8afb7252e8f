-- How long each container was in each state, the longest first.
SELECT container, type, value, states, inclusive_seconds, exclusive_seconds
FROM flat_profile
ORDER BY exclusive_seconds DESC, container_id, type, value
