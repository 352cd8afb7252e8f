-- The longest state of each value, and what to look at: who was in it, and when.
--
-- Needs: states.
SELECT
    type,
    value,
    container_id,
    container,
    start_time,
    duration
FROM longest_states
WHERE rank = 1
ORDER BY duration DESC, type, value
