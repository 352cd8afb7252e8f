-- Instants at which runs can be aligned: when each value first occurs as a state or an event.
SELECT 'state' AS kind, value, min(start_time) AS time
FROM states
GROUP BY value
UNION ALL
SELECT 'event' AS kind, value, min(time) AS time
FROM events
GROUP BY value
ORDER BY kind, time, value
