-- The states of a container and type before and after an instant, at one depth.
(SELECT 'previous' AS side, value, start_time, end_time
 FROM states
 WHERE container_id = :container AND type = :type AND depth = :depth AND end_time <= :start
 ORDER BY start_time DESC, end_time DESC
 LIMIT 1)
UNION ALL
(SELECT 'next' AS side, value, start_time, end_time
 FROM states
 WHERE container_id = :container AND type = :type AND depth = :depth AND start_time >= :stop
 ORDER BY start_time, end_time
 LIMIT 1)
