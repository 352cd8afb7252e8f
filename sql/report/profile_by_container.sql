-- Time in each state, by container
-- The same for every container.
SELECT container_id, container, type, value, states, inclusive_seconds, exclusive_seconds
FROM flat_profile
ORDER BY container_id, exclusive_seconds DESC, type, value
