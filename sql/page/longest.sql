-- The longest states of the selection within the window.
SELECT container_id, container, type, value, start_time, end_time, duration
FROM states
WHERE end_time > :start AND start_time < :stop AND :condition
ORDER BY duration DESC, start_time, container_id
LIMIT 15
