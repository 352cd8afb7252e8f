-- The links that touch the window, as long as they can be drawn one by one.
SELECT source_id, target_id, source, target, type, value, start_time, end_time, volume
FROM links
WHERE end_time >= :start AND start_time <= :stop
ORDER BY start_time, source_id, target_id
LIMIT :most
