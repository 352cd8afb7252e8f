-- The links that start or end in a container within an interval, with every field.
SELECT *
FROM links
WHERE (source_id = :container AND start_time >= :start AND start_time <= :stop)
   OR (target_id = :container AND end_time >= :start AND end_time <= :stop)
ORDER BY start_time
LIMIT 20
