-- At each instant the innermost state down to one level of nesting.
SELECT container_id, container, type, value, start_time, end_time, start_tick, end_tick
FROM states
WHERE depth = :level
UNION ALL
SELECT container_id, container, type, value, start_time, end_time, start_tick, end_tick
FROM state_segments
WHERE depth < :level
